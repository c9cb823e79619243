"""Bots as Python objects: built-in ones never see hidden cards, and a user's own class is found, built and checked."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

import bots
from bots import BotSpec
from bots.players import choose
from cardkit.batch import random_action
from cardkit.game import Game
from cardkit.rng import new_rng, uniform
from cardkit.spec import InvalidText
from cardkit.state import State
from experiments.games import make_game
from tests.bots.own import write_bots

GAMES = {
    "2 players": make_game("kronions", num_players=2, round_cap=6),
    "4 players": make_game("kronions", round_cap=7),
    "6 players": make_game("kronions", num_players=6, paradox_flip="dealer_names", round_cap=5),
    "oh_hell": make_game("kronions", "oh_hell", num_players=3),
    "mini": make_game("kronions", "mini"),
}
BUILT_IN = ("random", "heuristic", "heuristic:epsilon=0.5", "heuristic:epsilon=1")
SEEDS = 4


def positions(game: Game, boards: int = 2) -> Iterator[State]:
    """Every position of some random games, and their ends."""
    rng = np.random.default_rng(17)
    for board in range(boards):
        state = game.new_initial_state(seed=5, board=board)
        while not state.is_terminal():
            yield state.clone()
            state.apply_action(int(rng.choice(state.legal_actions())))
        yield state


def decisions(game: Game, boards: int = 2) -> Iterator[State]:
    return (state for state in positions(game, boards) if not state.is_terminal())


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module with bots of one's own, in a folder that Python knows."""
    monkeypatch.syspath_prepend(tmp_path)
    return write_bots(tmp_path)


# Built-in bots


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@pytest.mark.parametrize("text", BUILT_IN)
def test_a_bot_answers_legally_and_the_same_on_the_view_and_on_the_full_state(text: str, game: Game) -> None:
    bot = bots.make(text, game)
    for number, state in enumerate(decisions(game)):
        before, view = state.serialize(), state.view(state.current_player())
        answers = [bot.choose(asked, np.random.default_rng(number)) for asked in (state, view)]
        assert answers[0] == answers[1]
        assert answers[0] in state.legal_actions()
        assert type(answers[0]) is int
        assert state.serialize() == before


@pytest.mark.parametrize("text", BUILT_IN)
def test_the_cards_of_others_change_no_answer(text: str) -> None:
    game = GAMES["4 players"]
    bot = bots.make(text, game)
    changed = 0
    for number, state in enumerate(decisions(game)):
        other, seat = state.clone(), state.current_player()
        unplayed = [int(hand) & ~int(state.record.played) for hand in state.record.hands]
        first, second = ((seat + step) % 4 for step in (1, 2))
        other.record.hands[first] = np.uint64(int(other.record.hands[first]) & ~unplayed[first] | unplayed[second])
        other.record.hands[second] = np.uint64(int(other.record.hands[second]) & ~unplayed[second] | unplayed[first])
        changed += unplayed[first] != unplayed[second]
        answers = [bot.choose(asked, np.random.default_rng(number)) for asked in (state, other)]
        assert answers[0] == answers[1]
    assert changed > 50


@pytest.mark.parametrize("text", BUILT_IN)
def test_a_bot_cannot_be_asked_from_the_view_of_another_seat(text: str) -> None:
    state = GAMES["4 players"].new_initial_state(seed=1)
    seat = state.current_player()
    with pytest.raises(ValueError, match=rf"seat {seat}: this is the view of seat {(seat + 1) % 4}"):
        bots.make(text, state.game).choose(state.view((seat + 1) % 4), np.random.default_rng(0))


@pytest.mark.parametrize("text", BUILT_IN)
def test_a_bot_cannot_be_asked_when_the_game_is_over(text: str) -> None:
    (end,) = [state for state in positions(GAMES["mini"], 1) if state.is_terminal()]
    for asked in (end, end.view(0)):
        with pytest.raises(ValueError, match="cannot move: the game is over"):
            bots.make(text, end.game).choose(asked, np.random.default_rng(0))


def test_the_same_rng_gives_the_same_answer_and_another_rng_another() -> None:
    game = GAMES["4 players"]
    bot, state = bots.make("random", game), game.new_initial_state(seed=2)
    while len(state.legal_actions()) < 6:
        state.apply_action(state.legal_actions()[0])
    answers = [[bot.choose(state, np.random.default_rng(seed)) for seed in range(40)] for _ in range(2)]
    assert answers[0] == answers[1]
    assert set(answers[0]) == set(state.legal_actions())


def test_random_is_uniform_over_the_legal_actions() -> None:
    game = GAMES["4 players"]
    state = next(state for state in decisions(game) if state.phase() == "play" and len(state.legal_actions()) == 7)
    for text in ("random", "heuristic:epsilon=1"):
        bot, rng = bots.make(text, game), np.random.default_rng(3)
        counts = Counter(bot.choose(state, rng) for _ in range(1400))
        assert sorted(counts) == state.legal_actions()
        assert sum((count - 200) ** 2 / 200 for count in counts.values()) < chi2.ppf(0.9999, 6)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_epsilon_1_plays_at_random(game: Game) -> None:
    bot = bots.make("heuristic:epsilon=1", game)
    assert isinstance(bot, bots.Bot)
    for number, state in enumerate(decisions(game)):
        view = state.view(state.current_player())
        expected, found = new_rng(number), new_rng(number)
        uniform(expected)  # the draw that decides whether the bot errs
        action = choose(game.rules, view.record, bot.settings[0], found, None)
        assert action == random_action(game.rules, view.record, expected)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_heuristic_without_epsilon_needs_no_luck(game: Game) -> None:
    bot = bots.make("heuristic", game)
    choices = 0
    for state in decisions(game):
        answers = {bot.choose(state, np.random.default_rng(seed)) for seed in range(SEEDS)}
        assert len(answers) == 1, state.position_string()
        choices += len(state.legal_actions()) > 1
    assert choices > 3


def test_epsilon_is_how_often_the_heuristic_errs() -> None:
    game = GAMES["4 players"]
    state = next(state for state in decisions(game) if state.phase() == "play" and len(state.legal_actions()) == 7)
    usual = bots.make("heuristic", game).choose(state, np.random.default_rng(0))
    bot, rng = bots.make("heuristic:epsilon=0.35", game), np.random.default_rng(4)
    others = sum(bot.choose(state, rng) != usual for _ in range(2000))
    assert abs(others - 2000 * 0.35 * 6 / 7) < 4 * (2000 * 0.3 * 0.7) ** 0.5


def test_make_takes_a_text_or_a_specification() -> None:
    game = GAMES["mini"]
    for spec in ("me=heuristic:epsilon=0.25", BotSpec("me", "heuristic", {"epsilon": "0.25"})):
        bot = bots.make(spec, game)
        assert isinstance(bot, bots.Bot)
        assert (bot.spec.label, bot.settings[0].epsilon) == ("me", 0.25)
    with pytest.raises(InvalidText, match="unknown bot 'heuristc'; did you mean 'heuristic'"):
        bots.make("heuristc", game)


# A class of one's own


def test_a_class_of_ones_own_is_made_with_the_game_and_its_keys(own: str) -> None:
    game = GAMES["mini"]
    bot = bots.make(f"me={own}:First:depth=3,rate=0.5,name=abc,flag=true,minus=-2,list=1;2,big=1e3", game)
    assert bot.game is game  # type: ignore[attr-defined]
    keys = {"depth": 3, "rate": 0.5, "name": "abc", "flag": "true", "minus": -2, "list": "1;2", "big": 1000.0}
    assert bot.keys == keys  # type: ignore[attr-defined]
    assert [type(value) for value in bot.keys.values()] == [type(value) for value in keys.values()]  # type: ignore[attr-defined]
    state = game.new_initial_state(seed=1)
    assert bot.choose(state.view(state.current_player()), np.random.default_rng(0)) == state.legal_actions()[0]


def test_modules_are_found_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder not in ("", str(tmp_path))])
    monkeypatch.chdir(tmp_path)
    assert bots.make(f"{write_bots(tmp_path)}:First", GAMES["mini"])


def test_a_module_may_lie_in_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own_package").mkdir()
    (tmp_path / "own_package" / "__init__.py").touch()
    assert bots.make(f"own_package.{write_bots(tmp_path / 'own_package')}:First", GAMES["mini"])


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("no_such_module:First", "bot 'no_such_module:First' cannot be loaded: ModuleNotFoundError: No module named"),
        ("no.such:First", "bot 'no.such:First' cannot be loaded: ModuleNotFoundError: No module named 'no'"),
        ("OWN:Frist", "bot 'OWN:Frist' cannot be loaded: AttributeError: module 'OWN' has no attribute 'Frist'"),
        ("OWN:NoChoose", "bot 'OWN:NoChoose' has no method choose(view, rng)"),
        ("OWN:Async", "bot 'OWN:Async' has an asynchronous method choose: expected a plain one, without async"),
        ("OWN:AsyncInit", "bot 'OWN:AsyncInit' has an asynchronous method __init__: expected a plain one"),
        ("OWN:SOURCE", "bot 'OWN:SOURCE' cannot be loaded: AttributeError"),
        ("OWN:sys", "bot 'OWN:sys' has no method choose(view, rng)"),
        ("OWN:CannotBuild", "bot 'OWN:CannotBuild' cannot be built: RuntimeError: no luck today"),
        ("OWN:CannotBuild:depth=3", "bot 'OWN:CannotBuild:depth=3' cannot be built: TypeError: "),
        ("label=OWN:NoChoose", "bot 'OWN:NoChoose' has no method choose(view, rng)"),
    ],
)
def test_a_class_that_cannot_be_used_is_refused(own: str, spec: str, message: str) -> None:
    with pytest.raises(InvalidText, match=re.escape(message.replace("OWN", own))):
        bots.make(spec.replace("OWN", own), GAMES["mini"])


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def broken(:\n", "SyntaxError"),
        ("import no_such_library\n", "ModuleNotFoundError: No module named 'no_such_library'"),
        ("1 / 0\n", "ZeroDivisionError: division by zero"),
        ("raise SystemExit(0)\n", "SystemExit: 0"),
    ],
)
def test_a_module_that_cannot_be_imported_is_refused(
    source: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    name = write_bots(tmp_path, source)
    with pytest.raises(InvalidText, match=re.escape(f"bot '{name}:First' cannot be loaded: {reason}")):
        bots.make(f"{name}:First", GAMES["mini"])
