"""What people would use instead, measured beside ours: OpenSpiel's `oh_hell`; bridge in RLCard and pgx where installed.

OpenSpiel plays the same deals of the same game: 4 seats x 12 tricks, its bot in C++ with random rollouts against ours
with random rollouts, and its worlds in the middle of a deal against ours, where seats have shown themselves void.

RLCard and pgx have no game like ours. Their bridge (`experiments/bridges.py`) is measured in random decisions a second
only.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from statistics import fmean
from typing import Any

import numpy as np

import bots
from cardkit.game import Game
from cardkit.rng import new_rng
from cardkit.state import State
from cardkit.verbs import policy
from experiments.benches import WorldsOfView, iterations_done, play_case
from experiments.bridges import BRIDGES
from experiments.games import make_game
from experiments.measuring import Case, Figure, Label, Scale, enough, figure, measure, seconds_of
from experiments.openspiel import (
    EXPLORATION,
    OPPONENTS,
    SUITS,
    Table,
    TheirBot,
    limited,
    our_action,
    our_game,
    their_action,
    their_game,
    their_state,
)
from kronions.cards import RANKS

HAND_SIZES = {4: 12, 5: 10, 6: 8}  # tricks of a deal by seats: the most that leave a card to turn up
AGAINST = "beside other libraries"
_POSITIONS = 40  # for each repeat, in which worlds are looked at for broken voids: they differ more than their worlds
_CHECKED = 15  # worlds in each


@dataclass(frozen=True)
class Comparison:
    """One quantity, ours and a rival's.

    Attributes:
        what: what was measured.
        here, there: the figures.
        ratio: ours to the rival's, over pairs measured one after the other; None where it would say nothing.
    """

    what: str
    here: Figure
    there: Figure
    ratio: Figure | None


def comparisons(scale: Scale) -> list[Comparison]:
    """Everything that is measured beside other libraries."""
    found = [*_plays(scale), *_searches(scale)]
    for seats, hand_size in HAND_SIZES.items():
        found += _worlds(seats, hand_size, scale)
    return found


def explanations(scale: Scale) -> list[str]:
    """What the names of the comparisons leave out, and which libraries are not installed."""
    lines = [
        "there: OpenSpiel driven from Python; here: compiled code, or State by State where both are from Python",
        f"searches: {_num_iterations(scale):,} iterations, random rollouts; there the ISMCTS bot in C++",
        "worlds: another seat has shown a void; the plan, which is in the table of the game, counts from Python only",
    ]
    missing = [name for name in BRIDGES if find_spec(name) is None]
    return lines + [f"{name}, whose bridge could be measured: not installed" for name in missing]


def _num_iterations(scale: Scale) -> int:
    """Iterations of the searches that are compared."""
    return scale.iterations[min(1, len(scale.iterations) - 1)]


def rival_versions() -> dict[str, str]:
    """The versions of the rivals that are installed."""
    modules = {"open-spiel": "pyspiel", "rlcard": "rlcard", "pgx": "pgx"}
    return {name: _version(name) for name, module in modules.items() if find_spec(module) is not None}


def _version(name: str) -> str:
    """The version of a package; one that was built and not installed, as OpenSpiel may be, does not tell its own."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "of unknown version"


def _pairs(cases: Iterable[tuple[str, Case, Case]], scale: Scale) -> list[Comparison]:
    """Compare ours, the first of each pair, with a rival's; a case in several pairs is measured once."""
    cases = list(cases)
    values = measure({id(case): case for _, *pair in cases for case in pair}.values(), scale)
    found = []
    for what, here, there in cases:
        ours, theirs = values[here.labels[0]], values[there.labels[0]]
        label = Label(there.labels[0].section, f"{what}: ratio", "times")
        ratio = figure(label, [a / b for a, b in zip(ours, theirs, strict=True)])
        found.append(Comparison(what, figure(here.labels[0], ours), figure(there.labels[0], theirs), ratio))
    return found


def _case(rival: str, what: str, unit: str, run: Callable[[int], float], is_wall: bool = False) -> Case:
    """A case with one number; the rival's name is `here` for ours."""
    label = Label(AGAINST, f"{what}: {rival}", unit)
    return Case((label,), lambda repeat: (run(repeat),), is_wall)


# Random deals


def _plays(scale: Scale) -> list[Comparison]:
    """Random deals and decisions, of ours in compiled code and from Python one state at a time, and of the rivals."""
    ours, theirs = our_game(HAND_SIZES[4]), their_game(HAND_SIZES[4])
    compiled, one = play_case(ours, "random", 1, scale), _rate(partial(_play_states, ours), scale)
    whole, single, played = "random deals of 4 x 12", "random deals, both from Python", "random decisions"
    here = _case("here", whole, "deals/s", lambda repeat: compiled.run(repeat)[0])
    there = _case("openspiel from Python", whole, "deals/s", _rate(partial(_play_openspiel, theirs, False), scale))
    even = f"{whole}, its chance known to be even"
    quicker = _case("openspiel from Python", even, "deals/s", _rate(partial(_play_openspiel, theirs, True), scale))
    pairs = [(whole, here, there), (even, here, quicker), (single, _case("here", single, "deals/s", one), there)]
    for name, (player, is_wall) in BRIDGES.items():
        if find_spec(name) is not None:
            moves = _case(
                f"here, beside {name}", played, "decisions/s", lambda repeat: compiled.run(repeat)[1], is_wall
            )
            bridge = _case(name, played, "decisions/s", player(scale), is_wall)
            pairs.append((f"{played}, bridge of {name}", moves, bridge))
    return _pairs(pairs, scale)


def _rate(play: Callable[[int, int], Any], scale: Scale) -> Callable[[int], float]:
    """Deals a second of `play(deals, seed)`, in repeats that take long enough."""
    deals = enough(lambda times: play(times, 0), scale.seconds)
    return lambda repeat: deals / seconds_of(lambda: play(deals, repeat))


def _play_states(game: Game, deals: int, seed: int) -> None:
    """Random deals driven from Python, one `State` after the other."""
    rng = random.Random(seed)
    for board in range(deals):
        state = game.new_initial_state(seed, board)
        while actions := state.legal_actions():
            state.apply_action(rng.choice(actions))


def _play_openspiel(game: Any, is_even: bool, deals: int, seed: int) -> None:
    """Random deals in OpenSpiel, driven from Python.

    Args:
        game: theirs.
        is_even: whether it is known that all outcomes of chance are equally likely, as they are: then their chances are
            not asked for, which takes nearly three quarters of the time. Else all is done as OpenSpiel's examples do.
        deals: how many.
        seed: of all choices.
    """
    rng = random.Random(seed)
    for _ in range(deals):
        state = game.new_initial_state()
        while not state.is_terminal():
            if not is_even and state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, weights)[0])
            else:
                state.apply_action(rng.choice(state.legal_actions()))


# Searches


def _searches(scale: Scale) -> list[Comparison]:
    """Simulations a second from the first bid, random rollouts on both sides: OpenSpiel's bot in C++, and ours."""
    iterations = _num_iterations(scale)
    opponent = replace(OPPONENTS["cpp"], iterations=iterations)
    ours, theirs = our_game(opponent.hand_size), their_game(opponent.hand_size)
    tables = [Table(ours, theirs, 0, board) for board in range(scale.repeats)]
    what = "first bid of 4 x 12"

    def rate(choose: Callable[[Table], Any], table: Table) -> float:
        times = 1 + int(scale.seconds * 50)  # of some tens of milliseconds each
        return times * iterations / seconds_of(lambda: [choose(table) for _ in range(times)])

    their_bot = TheirBot(opponent, ours, theirs, EXPLORATION, 0)
    there = _case("openspiel's ISMCTS in C++", what, "simulations/s", lambda i: rate(their_bot.choose, tables[i]))
    pairs = []
    for name in ("ismcts", "moismcts"):
        bot = bots.make(limited(f"{name}:rollout=random", opponent), ours)
        run = partial(_our_rate, bot, tables, scale)
        pairs.append((f"{name}, {what}", _case(f"{name} here", what, "simulations/s", run), there))
    return _pairs(pairs, scale)


def _our_rate(bot: Any, tables: list[Table], scale: Scale, repeat: int) -> float:
    """Simulations a second of one of our bots at the first bid of a table; counted, as it may see one sensible bid."""
    state, times = tables[repeat].ours, 1 + int(scale.seconds * 500)
    view = state.view(state.current_player())
    bot.room.counts[0].iterations = 0
    seconds = seconds_of(lambda: [bot.choose(view, np.random.default_rng(i)) for i in range(times)])
    return times * iterations_done(bot) / seconds


# Worlds


def _worlds(seats: int, hand_size: int, scale: Scale) -> list[Comparison]:
    """Worlds a second in the middle of deals in which another seat has shown a void, and how many break a void."""
    import pyspiel

    ours = make_game("kronions", "oh_hell", num_players=seats, hand_size=hand_size)
    theirs = their_game(hand_size, seats)
    middles = [_middle(ours, theirs, seed) for seed in range(_POSITIONS * scale.repeats)]
    found = [WorldsOfView(state.view(state.current_player())) for state, _ in middles[: scale.repeats]]
    for worlds in found:
        worlds.plan(1)
    draws = enough(found[0].draw, scale.seconds)
    sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)

    def draw_theirs(position: int, times: int) -> None:
        state = middles[position][1]
        seat = state.current_player()
        for _ in range(times):
            state.resample_from_infostate(seat, sampler)

    def draw_states(position: int, times: int) -> None:
        state = middles[position][0]
        seat = state.current_player()
        for seed in range(times):
            state.resample_from_infostate(seat, seed)

    their_draws, state_draws = (enough(partial(draw, 0), scale.seconds) for draw in (draw_theirs, draw_states))
    what = f"worlds, middle of {seats} x {hand_size}"
    there = _case("openspiel from Python", what, "worlds/s",
                  lambda i: their_draws / seconds_of(partial(draw_theirs, i, their_draws)))  # fmt: skip
    here = _case("here, prepared", what, "worlds/s", lambda i: draws / seconds_of(partial(found[i].draw, draws)))
    single = _case("here, a State from Python each", what, "worlds/s",
                   lambda i: state_draws / seconds_of(partial(draw_states, i, state_draws)))  # fmt: skip
    rates = _pairs([(what, here, there), (f"{what}, both from Python", single, there)], scale)
    return [*rates, _broken(middles, sampler, what)]


def _middle(ours: Game, theirs: Any, seed: int) -> tuple[State, Any]:
    """A position in the middle of a deal on both engines, in which a seat that is not to move has shown a void."""
    for board in range(1000):
        state, rng = ours.new_initial_state(seed, board), new_rng(seed)
        mirror = their_state(theirs, state.record)
        decisions = ours.num_players * (1 + int(state.record.hand_size) // 2)
        for _ in range(decisions):
            action = int(policy(ours.rules, state.record, rng))
            theirs_too = their_action(int(state.record.phase), action)
            state.apply_action(action)
            mirror.apply_action(theirs_too)
        if any(int(state.record.voids[seat]) for seat in _others(state)):
            return state, mirror
    raise ValueError("no seat has shown a void in the middle of 1,000 deals")


def _others(state: State) -> list[int]:
    return [seat for seat in range(state.game.num_players) if seat != state.current_player()]


def _broken(middles: list[tuple[State, Any]], sampler: Any, what: str) -> Comparison:
    """The share of sampled worlds in which a seat holds a card of a suit that it has shown itself void in.

    In %, over all positions; lowest and highest are those of single positions.
    """
    shares: dict[str, list[float]] = {"here": [], "openspiel": []}
    for state, mirror in middles:
        seat = state.current_player()
        worlds = WorldsOfView(state.view(seat))
        worlds.plan(1)
        broken = dict.fromkeys(shares, 0)
        for _ in range(_CHECKED):
            worlds.draw(1)
            world = worlds.records[1]
            broken["here"] += breaks_a_void(state, [int(mask) & ~int(world.played) for mask in world.hands])
            theirs = mirror.resample_from_infostate(seat, sampler)
            broken["openspiel"] += breaks_a_void(state, _their_hands(state, theirs))
        for who, number in broken.items():
            shares[who].append(100 * number / _CHECKED)
    name = f"{what}, that break a void"
    here, there = (
        Figure(Label(AGAINST, f"{name}: {who}", "%"), fmean(found), min(found), max(found), len(found))
        for who, found in shares.items()
    )
    return Comparison(name, here, there, None)


def breaks_a_void(state: State, hands: list[int]) -> bool:
    """Whether a seat holds a card, as bits of our numbers, of a suit that it has shown itself void in."""
    for seat in range(state.game.num_players):
        for suit in range(SUITS):
            is_void = int(state.record.voids[seat]) >> suit & 1
            if is_void and hands[seat] >> RANKS * suit & (1 << RANKS) - 1:
                return True
    return False


def _their_hands(state: State, world: Any) -> list[int]:
    """What the seats of an OpenSpiel state hold, as bits of our numbers."""
    seats, size = state.game.num_players, int(state.record.hand_size)
    history = world.history()
    dealt, played = history[2 : 2 + seats * size], set(history[3 + seats * (size + 1) :])
    return [sum(1 << our_action(card) for card in dealt[seat::seats] if card not in played) for seat in range(seats)]
