"""Benchmarks count what was done: by a clock that gives a second to everything, rates are numbers of pieces of work."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from experiments import benches, rivals
from experiments.games import make_game
from experiments.measuring import SMALL, Case, Label
from experiments.openspiel import their_game

TIMES = 3  # how often what is measured is done in a repeat


@pytest.fixture(autouse=True)
def second(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock by which everything takes a second."""

    def seconds_of(action: Callable[[], Any]) -> float:
        action()
        return 1.0

    def at_once(jobs: list[Callable[[], Any]]) -> float:
        for job in jobs:
            job()
        return 1.0

    monkeypatch.setattr(benches, "seconds_of", seconds_of)
    monkeypatch.setattr(benches, "at_once", at_once)
    monkeypatch.setattr(benches, "enough", lambda action, seconds: TIMES)


def bench_game(name: str) -> Any:
    return make_game(name, **make_game(name).bench_options)


@pytest.mark.parametrize("threads", [1, 2])
def test_every_deal_that_is_played_counts_once(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    game = bench_game("kronions")
    case = benches.play_case(game, "random", threads, SMALL)
    sizes: list[int] = []
    new_batch = game.new_batch
    monkeypatch.setattr(game, "new_batch", lambda size, seed: (sizes.append(size), new_batch(size, seed))[1])
    deals, decisions = case.run(0)
    assert deals == sum(sizes) == threads * TIMES * SMALL.games
    assert decisions == deals * 4 * (1 + 12)


@pytest.mark.parametrize("threads", [1, 2])
def test_games_that_are_over_are_not_stepped(threads: int) -> None:
    """Hands of Truf differ in length: at the end of a batch few are left."""
    size = 16
    (rate,) = benches.step_case(bench_game("truf"), size, threads, SMALL).run(0)
    decisions, steps = [0] * threads, [0] * threads
    for seed in range(TIMES * threads):
        batch = bench_game("truf").new_batch(size, seed)
        lengths = np.zeros(size, int)
        while (actions := batch.random_actions()).max() >= 0:
            lengths += actions >= 0
            batch.step(actions)
        assert lengths.min() < lengths.max() < 128
        decisions[seed // TIMES] += int(lengths.sum())
        steps[seed // TIMES] += int(lengths.max())
    assert rate == sum(np.array(decisions) / steps)


@pytest.mark.parametrize("threads", [1, 2])
def test_every_simulation_counts_once(threads: int) -> None:
    case = benches.search_case(bench_game("kronions"), "ismcts", 50, threads, SMALL)
    assert case.run(0) == (50 * TIMES * threads,)


@pytest.mark.parametrize(
    ("when", "place", "threads"), [("early", 10, 1), ("halfway", 40, 1), ("late", 70, 1), ("late", 70, 2)]
)
def test_worlds_are_drawn_at_three_times_of_a_deal(
    when: str, place: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Worlds:
        def __init__(self, view: Any) -> None:
            assert view == place

        def plan(self, times: int) -> None:
            assert times == TIMES

        draw = plan

    monkeypatch.setattr(benches, "views_of_deal", lambda game, seed: list(range(80)))
    monkeypatch.setattr(benches, "WorldsOfView", Worlds)
    microseconds, drawn = benches.world_case(bench_game("kronions"), when, threads, SMALL).run(0)
    assert microseconds == pytest.approx(1e6 / TIMES)
    assert drawn == threads * TIMES


def test_the_first_process_warms_up(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([9.0, 1.0, 2.0, 9.0, 3.0, 4.0])
    monkeypatch.setattr(benches, "_process_seconds", lambda words: next(times))
    found = benches._start_figures("kronions", SMALL)
    assert [(one.label.what, one.low, one.high, one.repeats) for one in found] == [
        ("hiddenhand --help", 3.0, 4.0, SMALL.runs),
        ("a tournament of one board", 1.0, 2.0, SMALL.runs),
    ]


def test_a_ratio_is_that_of_neighbours() -> None:
    def case(name: str, *numbers: float) -> Case:
        return Case((Label("", name, "worlds/s"),), lambda repeat: (numbers[repeat],))

    (found,) = rivals._pairs([("x", case("here", 2.0, 9.0), case("there", 1.0, 3.0))], SMALL)
    assert found.ratio is not None
    assert (found.ratio.low, found.ratio.value, found.ratio.high) == (2.0, 2.5, 3.0)


@pytest.mark.parametrize(("seats", "hand_size"), rivals.HAND_SIZES.items())
def test_the_hands_of_the_other_engine_are_read(seats: int, hand_size: int) -> None:
    """In the deal itself, which is one of its worlds, they are ours, and no void is broken."""
    pytest.importorskip("pyspiel", reason="needs OpenSpiel: pip install 'hiddenhand[bench]'")
    game = make_game("kronions", "oh_hell", num_players=seats, hand_size=hand_size)
    for seed in range(3):
        state, mirror = rivals._middle(game, their_game(hand_size, seats), seed)
        hands = rivals._their_hands(state, mirror)
        assert hands == [int(mask) & ~int(state.record.played) for mask in state.record.hands[:seats]]
        assert all(hands)
        assert not rivals.breaks_a_void(state, hands)


@pytest.mark.parametrize("is_even", [False, True])
def test_openspiel_plays_whole_deals(is_even: bool) -> None:
    pytest.importorskip("pyspiel", reason="needs OpenSpiel: pip install 'hiddenhand[bench]'")
    asked: list[int] = []

    class State:
        def __init__(self, state: Any) -> None:
            self.state = state

        def __getattr__(self, name: str) -> Any:
            return getattr(self.state, name)

        def apply_action(self, action: int) -> None:
            asked.append(action)
            self.state.apply_action(action)

    game = their_game(12)
    rivals._play_openspiel(SimpleNamespace(new_initial_state=lambda: State(game.new_initial_state())), is_even, 2, 0)
    events = 2 + 4 * 12 + 1 + 4 * (1 + 12)  # hand size, dealer, cards, the one turned up, bids and tricks
    assert len(asked) == 2 * events
