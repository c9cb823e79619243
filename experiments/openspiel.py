"""Our search against OpenSpiel's on `oh_hell`: `python -m experiments.openspiel --help`. Needs the extra `bench`.

A deal is played on both engines at once, move by move; they must agree on what is legal and on the points. OpenSpiel's
chance nodes draw the hand size, the dealer, then card after card to seat 0, 1, 2, ..., and last the card turned up; our
deal is imposed on them. Its numbers of the actions are:

     0 ..  51    a card: rank * 4 + suit, where ours is suit * 13 + rank
    52 .. 103    a bid: 52 + tricks

Where the worlds come from decides who is ahead, so it is always named. The sampler of OpenSpiel's `oh_hell` (2.0.2) is
no match for ours: it never deals out a card of the stock, which no seat has seen, and it deals seats suits in which
they have shown themselves void. The Python bot of OpenSpiel can be given our worlds, its C++ bot cannot.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import click
import numpy as np

import bots
from bots.specs import BOT_KINDS, parse_bot
from cardkit.game import Game
from cardkit.rng import new_rng
from cardkit.spec import InvalidRules
from cardkit.verbs import determinise, plan_worlds
from cardkit.worlds import new_worlds
from experiments.commands import CONTEXT, Command, plain_errors
from experiments.games import make_game
from experiments.schedule import seatings
from experiments.stats import Estimate, estimate
from experiments.tables import console, plain_table, with_interval
from kronions.cards import RANKS, SUITED_CARDS
from kronions.state import BID

SEATS = 4
SUITS = SUITED_CARDS // RANKS
MOST_TRICKS = (SUITED_CARDS - 1) // SEATS  # one card is turned up
OURS, THEIRS = range(2)
LINEUP = (OURS, THEIRS, OURS, THEIRS)
_MOST_RETRIES = 9
EXPLORATION = 10.0  # for points; ours, 0.7 for values of 0..1, comes to about the same
OUR_BOTS = ("ismcts", "ismcts:rollout=random")

_OUR_WORLDS = "its worlds are ours: uniform over all that the seat has seen, stock and voids included"
_ITS_WORLDS = "its worlds are its own, which leak: the stock is known, voids are not kept"


class EnginesDisagree(Exception):
    """The two engines differ in who is to move, what is legal, or what a deal is worth."""


@dataclass(frozen=True)
class Opponent:
    """One of OpenSpiel's bots and the limits of both sides; it plays random rollouts for its own points.

    Attributes:
        bot: what it is.
        worlds: where its worlds come from, in words.
        is_native: whether it is the C++ bot.
        hand_size: tricks of a deal.
        boards: how many take a few minutes.
        iterations: for a decision; 0 where time is the limit.
        time_ms: milliseconds for a decision; 0 where iterations are the limit.
    """

    bot: str
    worlds: str
    is_native: bool
    hand_size: int
    boards: int
    iterations: int
    time_ms: int

    def limit(self) -> dict[str, str]:
        """The limit as a key of our bots."""
        return {"time_ms": str(self.time_ms)} if self.time_ms else {"iterations": str(self.iterations)}


OPPONENTS = {
    "python": Opponent("ISMCTSBot in Python", _OUR_WORLDS, False, 6, 20, 300, 0),
    "cpp": Opponent("ISMCTSBot in C++", _ITS_WORLDS, True, 12, 20, 1000, 0),
    "cpp-time": Opponent("ISMCTSBot in C++", _ITS_WORLDS, True, 12, 50, 0, 10),
}


@dataclass(frozen=True)
class HeadToHead:
    """What a match has shown.

    Attributes:
        ours: our bot.
        difference: points a deal that a seat of ours makes more than one of theirs, over boards.
        points: average points a deal of a seat, ours and theirs.
        milliseconds: average time of a decision with more than one legal action, ours and theirs.
    """

    ours: str
    difference: Estimate
    points: tuple[float, float]
    milliseconds: tuple[float, float]


def check_installed() -> None:
    """Refuse to go on without OpenSpiel.

    Raises:
        InvalidRules: it is not installed.
    """
    if find_spec("pyspiel") is None:
        raise InvalidRules("openspiel is not installed: pip install 'hiddenhand[bench]'")


# The engines


def our_game(hand_size: int) -> Game:
    """Our `oh_hell`."""
    return make_game("kronions", "oh_hell", num_players=SEATS, hand_size=hand_size)


def their_game(hand_size: int, seats: int = SEATS) -> Any:
    """OpenSpiel's `oh_hell` with our rules: a fixed hand size, 1 point a trick, no penalty for a missed bid."""
    import pyspiel

    options = {"num_tricks_fixed": hand_size, "off_bid_penalty": False, "points_per_trick": 1}
    return pyspiel.load_game("oh_hell", {"players": seats, **options})


def their_card(card: int) -> int:
    """OpenSpiel's number of our card."""
    suit, rank = divmod(card, RANKS)
    return rank * SUITS + suit


def their_action(phase: int, action: int) -> int:
    """OpenSpiel's number of our action."""
    return SUITED_CARDS + action if phase == BID else their_card(action)


def our_action(action: int) -> int:
    """Our number of OpenSpiel's action."""
    rank, suit = divmod(action, SUITS)
    return action - SUITED_CARDS if action >= SUITED_CARDS else suit * RANKS + rank


def their_state(game: Any, record: Any, actions: Sequence[int] = ()) -> Any:
    """OpenSpiel's state of our deal, after some of its actions."""
    size, dealer, flip = int(record.hand_size), int(record.dealer), int(record.flip)
    masks = [int(mask) for mask in record.hands[: game.num_players()]]
    hands = [[their_card(card) for card in range(SUITED_CARDS) if mask >> card & 1] for mask in masks]
    state = game.new_initial_state()
    for action in (size, dealer, *(hand[i] for i in range(size) for hand in hands), their_card(flip), *actions):
        state.apply_action(action)
    return state


class Table:
    """One deal on both engines.

    Attributes:
        ours, theirs: its states.
    """

    def __init__(self, game: Game, their_game: Any, seed: int, board: int) -> None:
        self.ours = game.new_initial_state(seed, board)
        self.theirs = their_state(their_game, self.ours.record)

    def legal_actions(self) -> list[int]:
        """What is legal, in our numbers; empty at the end.

        Raises:
            EnginesDisagree: on who is to move, on what is legal, or at the end on the points.
        """
        actions, phase = self.ours.legal_actions(), int(self.ours.record.phase)
        here = self.ours.current_player(), sorted(their_action(phase, action) for action in actions)
        there = self.theirs.current_player(), self.theirs.legal_actions()
        if here != there:
            raise EnginesDisagree(f"seat and legal actions are {here} here, {there} there in {self.ours!r}")
        if not actions and self.ours.returns() != self.theirs.returns():
            raise EnginesDisagree(f"points are {self.ours.returns()} here, {self.theirs.returns()} there")
        return actions

    def apply(self, action: int) -> None:
        """Play one of our actions on both engines."""
        theirs = their_action(int(self.ours.record.phase), action)
        self.ours.apply_action(action)
        self.theirs.apply_action(theirs)


# The players


class TheirBot:
    """One of OpenSpiel's bots at our table."""

    def __init__(self, opponent: Opponent, ours: Game, theirs: Any, exploration: float, seed: int) -> None:
        self._rules, self._game = ours.rules, theirs
        self._records, self._worlds, self._rng = ours.new_records(2), new_worlds(), new_rng(seed)
        self._is_native = opponent.is_native
        make = _native_bot if opponent.is_native else self._python_bot
        self._bot = make(opponent, exploration, seed)

    def choose(self, table: Table) -> int:
        """Its action, in our numbers."""
        if not self._is_native:
            self.look(table)
        return our_action(int(self._step(table.theirs)))

    def _step(self, state: Any) -> Any:
        """What the bot answers. It fails where its time is over after one simulation, and is asked again then."""
        import pyspiel

        for _ in range(_MOST_RETRIES):
            with suppress(pyspiel.SpielError):
                return self._bot.step(state)
        return self._bot.step(state)

    def look(self, table: Table) -> None:
        """Prepare the worlds that agree with what the seat to move sees."""
        seat = table.ours.current_player()
        self._records[0] = table.ours.view(seat).record
        plan_worlds(self._rules, self._records[0], seat, self._worlds)

    def world(self, state: Any, seat: int) -> Any:
        """OpenSpiel's state of one of our worlds, as `State.resample_from_infostate` does, planned once a move."""
        self._records[1] = self._records[0]
        record = self._records[1]
        determinise(self._rules, record, seat, self._worlds, self._rng)
        chance_events = 3 + SEATS * int(record.hand_size)
        return their_state(self._game, record, state.history()[chance_events:])

    def _python_bot(self, opponent: Opponent, exploration: float, seed: int) -> Any:
        """Its Python bot, in our worlds; it plays the most visited action."""
        from open_spiel.python.algorithms.ismcts import ISMCTSBot  # type: ignore[import-untyped]
        from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator  # type: ignore[import-untyped]

        random = np.random.RandomState(seed)
        evaluator = RandomRolloutEvaluator(1, random)
        bot = ISMCTSBot(self._game, evaluator, exploration, opponent.iterations, random_state=random)
        bot.set_resampler(self.world)
        return bot


def _native_bot(opponent: Opponent, exploration: float, seed: int) -> Any:
    """Its C++ bot, in worlds of its own; it plays the most visited action. A seed does not make it repeatable."""
    import pyspiel

    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    most_visited = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
    seconds = opponent.time_ms / 1000 if opponent.time_ms else -1.0
    iterations = max(1, opponent.iterations)
    return pyspiel.ISMCTSBot(seed, evaluator, exploration, iterations, -1, most_visited, False, False, seconds)


def limited(text: str, opponent: Opponent) -> str:
    """The specification of our bot with the opponent's limit, where it searches and has none of its own."""
    spec = parse_bot(text)
    is_search = not spec.is_python and "iterations" in BOT_KINDS[spec.name].keys
    has_limit = "iterations" in spec.keys or "time_ms" in spec.keys
    return replace(spec, keys=opponent.limit() | spec.keys).text if is_search and not has_limit else spec.text


# The match


def _play(
    table: Table, sides: Sequence[int], players: Sequence[Callable[[Table], int]], times: tuple[list[float], ...]
) -> np.ndarray:
    """Play a deal to its end; average points of a seat of each side. Adds milliseconds to the `times` of the sides."""
    while actions := table.legal_actions():
        side = sides[table.ours.current_player()]
        start = time.perf_counter()
        action = players[side](table)
        if len(actions) > 1:
            times[side].append(1000 * (time.perf_counter() - start))
        table.apply(action)
    points, held = np.array(table.ours.returns()), np.array(sides)
    return np.array([points[held == side].mean() for side in (OURS, THEIRS)])


def head_to_head(
    text: str, opponent: Opponent, boards: int, seed: int = 0, exploration: float = EXPLORATION
) -> HeadToHead:
    """Play our bot against one of OpenSpiel's: two seats each, every board in both rotations.

    Args:
        text: our bot; where it searches and has no limit, it gets the opponent's.
        opponent: one of `OPPONENTS`, or one like them.
        boards: how many of the seed's.
        seed: of the boards and of all bots.
        exploration: the opponent's constant of UCB1, in points.

    Raises:
        EnginesDisagree: the engines do not play the same game.
    """
    game, theirs = our_game(opponent.hand_size), their_game(opponent.hand_size)
    words = limited(text, opponent)
    ours, rng = bots.make(words, game), np.random.default_rng(seed)
    times: tuple[list[float], list[float]] = [], []

    def choose(table: Table) -> int:
        return ours.choose(table.ours.view(table.ours.current_player()), rng)

    choose(Table(game, theirs, seed, 0))  # compiles
    players = (choose, TheirBot(opponent, game, theirs, exploration, seed).choose)
    points = np.zeros((boards, 2))
    for board in range(boards):
        deals = [_play(Table(game, theirs, seed, board), sides, players, times) for sides in seatings(LINEUP)]
        points[board] = np.mean(deals, axis=0)
    means = points.mean(axis=0)
    gaps = points[:, OURS] - points[:, THEIRS]
    spent = float(np.mean(times[OURS] or 0.0)), float(np.mean(times[THEIRS] or 0.0))
    return HeadToHead(words, estimate(gaps), (float(means[OURS]), float(means[THEIRS])), spent)


# The command


def _show(opponent: Opponent, found: Sequence[HeadToHead], boards: int, seed: int, exploration: float) -> None:
    """Print the matches against one opponent."""
    stock = SUITED_CARDS - SEATS * opponent.hand_size
    limit = f"{opponent.time_ms} ms" if opponent.time_ms else f"{opponent.iterations:,} iterations"
    out = console()
    deal = f"oh_hell, {SEATS} seats x {opponent.hand_size} tricks, {stock} cards left of which one is turned up"
    out.print(f"{deal};\n{boards} boards of seed {seed}, each in both rotations of ours, theirs, ours, theirs")
    out.print(f"theirs: OpenSpiel's {opponent.bot}, {limit} a move, random rollouts, exploration {exploration:g};")
    out.print(opponent.worlds)
    title = "points a deal, and milliseconds a decision with a choice"
    table = plain_table(title, "ours", "ahead by", "95 % interval", "points", "theirs", "ms", "theirs")
    for match in found:
        points, times = (f"{value:z.2f}" for value in match.points), (f"{value:.1f}" for value in match.milliseconds)
        table.add_row(match.ours, *with_interval(match.difference), *points, *times)
    out.print(table)


@click.command(cls=Command, context_settings=CONTEXT)
@click.option(
    "--opponent", "names", type=click.Choice(list(OPPONENTS)), multiple=True,
    help="Which bot: OpenSpiel's in Python with our worlds (300 iterations, 4 x 6), its in C++ with its own worlds "
    "(4 x 12; 1,000 iterations, or 10 ms a move). All by default.",
)  # fmt: skip
@click.option("--ours", multiple=True, default=OUR_BOTS, show_default=True,
              help="Our bot, as `hiddenhand bots` says; it gets the opponent's limit unless it has one.")  # fmt: skip
@click.option("--boards", type=click.IntRange(1), help="How many; by default what takes a few minutes.")
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), default=0, show_default=True, help="Of boards and bots.")
@click.option("--hand-size", type=click.IntRange(1, MOST_TRICKS), help="Tricks of a deal.")
@click.option("--exploration", type=click.FloatRange(0), default=EXPLORATION, show_default=True,
              help="OpenSpiel's constant of UCB1, in points.")  # fmt: skip
def main(
    names: tuple[str, ...], ours: tuple[str, ...], boards: int | None, seed: int, hand_size: int | None,
    exploration: float,
) -> None:  # fmt: skip
    """Play our bots against OpenSpiel's at one table of `oh_hell`, two seats each."""
    with plain_errors():
        check_installed()
        for name in names or OPPONENTS:
            opponent = OPPONENTS[name]
            opponent = replace(opponent, hand_size=hand_size or opponent.hand_size)
            number = boards or opponent.boards
            found = [head_to_head(text, opponent, number, seed, exploration) for text in ours]
            _show(opponent, found, number, seed, exploration)


if __name__ == "__main__":
    main()
