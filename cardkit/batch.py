"""Many games at once: generic kernels over arrays of records, and the `Batch` that drives them from Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardkit import bits
from cardkit.jit import kernel
from cardkit.rng import RNG_WORDS, bot_stream, chance_stream, integer, new_rng
from cardkit.spec import IllegalAction, checked_number
from cardkit.verbs import (
    CHANCE,
    OVER,
    apply,
    chance,
    chance_event,
    deals_done,
    legal_mask,
    new_game,
    news,
    policy,
    returns,
    seen_as,
    to_move,
)

if TYPE_CHECKING:
    from cardkit.game import Game

MAX_BATCH = 10**9
_LEGAL = -1


@kernel
def draw_chance(rules, state, seed, board, rng):
    """Draw chance events until a seat is to move or the game is over. Modified in place: `state`, `rng`."""
    while to_move(rules, state) == CHANCE:
        draw_until_deal(rules, state, seed, board, rng)


@kernel
def draw_until_deal(rules, state, seed, board, rng):
    """Draw chance events as `draw_chance` does, but stop where one has completed a deal. In place: `state`, `rng`."""
    deals = deals_done(rules, state)
    while to_move(rules, state) == CHANCE and deals_done(rules, state) == deals:
        chance_stream(rng, seed, board, chance_event(rules, state))
        chance(rules, state, rng)


@kernel
def random_action(rules, state, rng):
    """A uniformly random legal action. Modified in place: `rng`."""
    mask = legal_mask(rules, state)
    return bits.select(mask, integer(rng, bits.count(mask)))


@kernel
def seen_by_all(rules, state, action, seen):
    """Fill `seen[seat]` with an action about to be played as each seat sees it."""
    for seat in range(seen.size):
        seen[seat] = seen_as(rules, state, action, seat)


@kernel
def news_for_all(rules, state, shown):
    """Fill `shown[seat]` with what the last event showed each seat."""
    for seat in range(shown.size):
        shown[seat] = news(rules, state, seat)


@kernel
def rollout(rules, state, seed, board, is_policy, rng, chance_rng):
    """Play a game to its end, by the rule-based policy or at random. Modified in place: `state` and both streams.

    Returns:
        The number of decisions played.
    """
    decisions = 0
    while True:
        draw_chance(rules, state, seed, board, chance_rng)
        if to_move(rules, state) == OVER:
            return decisions
        action = policy(rules, state, rng) if is_policy else random_action(rules, state, rng)
        apply(rules, state, action)
        decisions += 1


@kernel
def _start_all(rules, states, seed, rng):
    """Start every game at its first decision; game i is board i of the seed. Modified in place: `states`."""
    for i in range(states.size):
        new_game(rules, states[i])
        draw_chance(rules, states[i], seed, i, rng)


@kernel
def _masks_all(rules, states, masks):
    """Fill `masks` with the legal actions of every game; 0 where a game is over."""
    for i in range(states.size):
        masks[i] = legal_mask(rules, states[i]) if to_move(rules, states[i]) != OVER else bits.ZERO


@kernel
def _first_illegal(masks, actions):
    """Index of the first game whose action is not legal, or -1; finished games ignore theirs."""
    for i in range(masks.size):
        action = actions[i]
        if masks[i] != bits.ZERO and (action < 0 or action > 63 or not bits.has(masks[i], action)):
            return i
    return _LEGAL


@kernel
def _random_all(masks, actions, rng):
    """Fill `actions` with a random set bit of each mask, -1 for an empty one. Modified in place: `actions`, `rng`."""
    for i in range(masks.size):
        mask = masks[i]
        actions[i] = bits.select(mask, integer(rng, bits.count(mask))) if mask != bits.ZERO else -1


@kernel
def _step_all(rules, states, actions, masks, seed, rng):
    """Play one legal action in every unfinished game. Modified in place: `states`, `masks` (the next legal actions)."""
    for i in range(states.size):
        if masks[i] != bits.ZERO:
            state = states[i]
            apply(rules, state, actions[i])
            draw_chance(rules, state, seed, i, rng)
            masks[i] = legal_mask(rules, state) if to_move(rules, state) != OVER else bits.ZERO


@kernel
def _rollout_all(rules, states, seed, player_seed, is_policy, rng, chance_rng):
    """Play every game to its end; returns the number of decisions. Modified in place: `states`."""
    decisions = 0
    for i in range(states.size):
        bot_stream(rng, player_seed, i, 0, 0, 0)
        decisions += rollout(rules, states[i], seed, i, is_policy, rng, chance_rng)
    return decisions


@kernel
def _players_all(rules, states, out):
    """Fill `out` with the seat to move of every game, or `OVER`."""
    for i in range(states.size):
        out[i] = to_move(rules, states[i])


@kernel
def _returns_all(rules, states, out):
    """Fill `out[game, seat]` with the payoffs."""
    for i in range(states.size):
        returns(rules, states[i], out[i])


class Batch:
    """A fixed number of games that advance together; game i is board i of the seed. numpy in, numpy out.

    Chance is drawn by itself, so every game is always at a decision or over.

    Attributes:
        states: the records themselves, `(size,)` of the game's state dtype.
    """

    def __init__(self, game: Game, size: int, seed: int = 0) -> None:
        if checked_number("size", size, MAX_BATCH) < 1:
            raise ValueError(f"size {size!r}: expected an integer 1..{MAX_BATCH}")
        self.game = game
        self.seed = np.uint64(checked_number("seed", seed, 2**64 - 1))
        self.states: Any = game.new_records(size)
        self._rng = np.zeros(RNG_WORDS, np.uint64)
        self._chance_rng = np.zeros(RNG_WORDS, np.uint64)
        self._actions_rng = new_rng(int(self.seed))
        self._masks = np.zeros(size, np.uint64)
        _start_all(game.rules, self.states, self.seed, self._chance_rng)
        _masks_all(game.rules, self.states, self._masks)

    def __len__(self) -> int:
        return len(self.states)

    def clone(self) -> Batch:
        """An independent copy, with the stream of `random_actions` where it is."""
        other = object.__new__(Batch)
        other.__dict__ = {name: v.copy() if isinstance(v, np.ndarray) else v for name, v in self.__dict__.items()}
        return other

    def __copy__(self) -> Batch:
        return self.clone()

    def __eq__(self, other: object) -> bool:
        """Whether two batches are alike and will stay so when they are used alike. It is no key of a dict."""
        if not isinstance(other, Batch):
            return NotImplemented
        if (self.game, self.seed, len(self)) != (other.game, other.seed, len(other)):
            return False
        pairs = [(self.states[name], other.states[name]) for name in self.game.state_dtype.names or ()]
        return all(np.array_equal(mine, its) for mine, its in [*pairs, (self._actions_rng, other._actions_rng)])

    __hash__ = None  # type: ignore[assignment]

    def current_players(self) -> np.ndarray:
        """The seat to move in every game, `(size,)` int64; -4 where a game is over."""
        out = np.empty(len(self), np.int64)
        _players_all(self.game.rules, self.states, out)
        return out

    def legal_masks(self) -> np.ndarray:
        """The legal actions of every game, `(size,)` uint64: bit a for action a; 0 where a game is over."""
        return self._masks.copy()

    def legal_action_mask(self) -> np.ndarray:
        """The legal actions of every game, `(size, num_distinct_actions)` bool."""
        actions = np.arange(self.game.num_distinct_actions(), dtype=np.uint64)
        return (self._masks[:, None] >> actions) & np.uint64(1) != 0

    def step(self, actions: np.ndarray) -> np.ndarray:
        """Play one action in every game; finished games ignore theirs.

        Args:
            actions: `(size,)` integers.

        Returns:
            The next legal actions, as `legal_masks` gives them: a read-only view that the next call changes.

        Raises:
            IllegalAction: an action is not legal; then no game has moved.
        """
        try:
            actions = np.ascontiguousarray(actions)
        except ValueError:
            raise IllegalAction(f"expected {len(self)} integer actions, got {actions!r}") from None
        if actions.shape != (len(self),) or actions.dtype.kind not in "iu":
            raise IllegalAction(f"expected {len(self)} integer actions, got shape {actions.shape} of {actions.dtype}")
        given = actions
        if actions.dtype == np.uint64:
            actions = np.minimum(actions, np.uint64(64))  # too large for int64 is illegal too
        actions = actions.astype(np.int64, copy=False)
        wrong = _first_illegal(self._masks, actions)
        if wrong != _LEGAL:
            legal = [a for a in range(64) if int(self._masks[wrong]) >> a & 1]
            raise IllegalAction(
                f"illegal action {int(given[wrong])!r} in game {wrong} of the batch: expected one of {legal}"
            )
        _step_all(self.game.rules, self.states, actions, self._masks, self.seed, self._chance_rng)
        shown = self._masks.view()
        shown.flags.writeable = False
        return shown

    def random_actions(self) -> np.ndarray:
        """A uniformly random legal action for every game, `(size,)` int64; -1 where a game is over.

        They come from a stream of the batch's own, which its seed starts.
        """
        actions = np.empty(len(self), np.int64)
        _random_all(self._masks, actions, self._actions_rng)
        return actions

    def rollout(self, policy: str = "random", seed: int = 0) -> int:
        """Play every game to its end and return the number of decisions.

        Args:
            policy: "random" or "heuristic".
            seed: of the players' own random numbers.
        """
        if policy not in ("random", "heuristic"):
            raise ValueError(f"unknown rollout policy {policy!r}: expected 'random' or 'heuristic'")
        seed = checked_number("seed", seed, 2**64 - 1)
        streams = self._rng, self._chance_rng
        rules, is_policy = self.game.rules, policy == "heuristic"
        decisions = _rollout_all(rules, self.states, self.seed, np.uint64(seed), is_policy, *streams)
        self._masks[:] = 0
        return int(decisions)

    def is_terminal(self) -> np.ndarray:
        """Which games are over, `(size,)` bool."""
        return self._masks == 0

    def returns(self) -> np.ndarray:
        """The points of every seat, `(size, num_players)` float64."""
        out = np.zeros((len(self), self.game.num_players), np.float64)
        _returns_all(self.game.rules, self.states, out)
        return out
