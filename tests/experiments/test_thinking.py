"""`hiddenhand think`: what a bot that searches sees in a position, as a table and as JSON, and what is refused."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import bots
from experiments.games import make_game
from tests.experiments.helpers import invoke, output

PLAY = (
    "phase=play round=1 dealer=1 size=8 flip=C13 up=1 trump=C totals=0,0,0,0 zeros=0,0,0,0 bids=2,3,1,3 won=1,0,0,3 "
    "voids=-,V,-,F hands=?,?,?,N3.N4.N10.V8 played=C5.N12.V3.P,C2.C8.N9.F4,C7.N6.V2.F13,C3.C12.N13.P leader=3 "
    "trick=C12,C5,C8,C7 actor=3"
)
SECRET_BID = (
    "phase=bid hand=1 totals=0,0,0,0 hands=4C.5C.6C.JC.QC.2D.JD.QD.AD.4H.5H.8H.5S,?,?,? laid=-,?,?,? played=-,-,-,- "
    "final=0,0,0,0 mode=none sets=0,0,0,0 voids=-,-,-,- unlocked=0 leader=0 trick=- actor=0"
)
DEAD = PLAY.replace("bids=2,3,1,3", "bids=2,2,1,2")
KRONIONS = ["think", "kronions", "--rule", "only_round=8", "--state", PLAY]


@pytest.mark.parametrize("bot", ["mc", "ismcts", "moismcts"])
def test_a_table_of_actions_with_visits_values_and_replies(bot: str) -> None:
    text = output(*KRONIONS, "--bot", f"{bot}:iterations=300")
    assert text.startswith(f"seat 3 to move: {bot}:iterations=300 plays ")
    for name in ("Nova 3", "Nova 10", "Void 8", "visits", "value", "rollouts, value in points more than the others"):
        assert name in text
    assert ("95 % interval" in text) == (bot == "mc")
    assert ("spread: standard deviation of the rollouts. No interval" in text) == (bot != "mc")
    assert ("(seat 0)" in text) == (bot != "mc")
    assert "Nova 4" not in text  # comes to the same as Nova 3
    assert "Nova 4" in output(*KRONIONS, "--bot", f"{bot}:iterations=300,sensible=off")


def test_json_says_everything_the_table_says() -> None:
    data = json.loads(output(*KRONIONS, "--bot", "ismcts:iterations=300", "--json"))
    assert (data["seat"], data["iterations"], data["effective_worlds"]) == (3, 300, 1.0)
    assert sum(line["visits"] for line in data["lines"]) == 300
    assert data["lines"] == sorted(data["lines"], key=lambda line: -line["visits"])
    assert data["answer"] == data["lines"][0]["actions"][0]
    for line in data["lines"]:
        assert line["low"] is line["high"] is None
        assert line["spread"] > 0
        assert 0 < len(line["replies"]) <= 3
        assert all(reply["seat"] == 0 and 0 < reply["share"] <= 1 for reply in line["replies"])


def test_the_same_seed_thinks_the_same_and_another_seed_otherwise() -> None:
    texts = [output(*KRONIONS, "--seed", seed) for seed in ("1", "1", "2")]
    assert texts[0] == texts[1] != texts[2]


def test_whole_secret_bids_are_shown() -> None:
    data = json.loads(output("think", "truf", "--state", SECRET_BID, "--bot", "ismcts:iterations=400", "--json"))
    assert any(len(line["actions"]) > 2 for line in data["lines"])
    assert all(line["text"].endswith("done") for line in data["lines"])
    visits = [line["visits"] for line in data["lines"]]
    assert max(visits) >= 4 * min(visits) > 0  # the better half goes on


def test_worlds_weighted_by_bids_say_how_many_count() -> None:
    data = json.loads(output(*KRONIONS, "--bot", "ismcts:iterations=300,belief=bids", "--json"))
    assert 0 < data["effective_worlds"] < 1
    assert "of the worlds count" in output(*KRONIONS, "--bot", "ismcts:iterations=300,belief=bids")


def test_a_bot_without_search_says_its_answer() -> None:
    text = output(*KRONIONS, "--bot", "heuristic")
    assert "seat 3 to move: heuristic plays " in text
    assert "does not search" in text


def test_a_spread_of_one_rollout_is_unknown() -> None:
    data = json.loads(output(*KRONIONS, "--bot", "ismcts:iterations=1", "--json"))
    assert [(line["visits"], line["spread"], line["low"], line["high"]) for line in data["lines"]] == [
        (1, None, None, None)
    ]


def against_independent_worlds(lines: Sequence[Any]) -> float:
    """How wide intervals are, as a multiple of what they would be if every rollout had a world of its own."""
    naive = [2 * 1.96 * line["spread"] / line["visits"] ** 0.5 for line in lines]
    return float(np.mean([(line["high"] - line["low"]) / width for line, width in zip(lines, naive, strict=True)]))


def test_flat_search_has_intervals_where_enough_worlds_count() -> None:
    flat = json.loads(output(*KRONIONS, "--bot", "mc:iterations=300", "--json"))
    bids = json.loads(output(*KRONIONS, "--bot", "mc:iterations=300,belief=bids", "--json"))
    for lines in (flat["lines"], bids["lines"]):
        assert all(line["low"] < line["value"] < line["high"] for line in lines)
    assert 0.95 < against_independent_worlds(flat["lines"]) < 1.15
    assert 1.2 < against_independent_worlds(bids["lines"]) < 2.2, "a world that is picked again tells nothing new"
    few = output(*KRONIONS, "--bot", "mc:iterations=27,belief=bids")
    assert "no intervals: fewer than 10 worlds count" in few
    assert " .. " not in few
    assert " .. " not in output(*KRONIONS[:-1], DEAD, "--bot", "mc:iterations=60,utility=points")


def test_an_action_that_never_wins_has_an_interval() -> None:
    """Its bid is lost already: 60 rollouts in which others win do not say that they always do."""
    data = json.loads(output(*KRONIONS[:-1], DEAD, "--bot", "mc:iterations=60,utility=win", "--json"))
    sure = [line for line in data["lines"] if line["value"] in (0, 1)]
    assert sure
    assert all(0 < line["high"] - line["low"] < 0.3 for line in sure)


@pytest.mark.parametrize(
    ("keys", "unit"),
    [
        ("", "points more than the others have on average"),
        (",utility=margin,horizon=game", "points more than the others have on average"),
        (",utility=points", "points"),
        (",utility=win", "share of the win"),
    ],
)
def test_the_head_says_what_the_value_is(keys: str, unit: str) -> None:
    text = output(*KRONIONS, "--bot", f"mc:iterations=60{keys}")
    assert f"rollouts, value in {unit}\n" in text


OVER = make_game("kronions", "mini").new_initial_state(seed=1)
while not OVER.is_terminal():
    OVER.apply_action(OVER.legal_actions()[0])


def test_ctrl_c_ends_a_long_search() -> None:
    game = make_game("kronions", only_round=8)
    state = game.position(PLAY)
    bot = bots.make("ismcts:time_ms=600000", game)
    assert isinstance(bot, bots.Bot)
    bots.thoughts(bots.make("ismcts:iterations=10", game), state)  # type: ignore[arg-type]  # compiled
    main_thread = threading.main_thread().ident
    assert main_thread == threading.get_ident()
    timer = threading.Timer(1.0, signal.pthread_kill, (main_thread, signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        bots.thoughts(bot, state)
    assert bot.room is not None
    assert bot.room.stop[0] == 0


START = make_game("kronions", "mini").new_initial_state(seed=1)
OTHER = START.view(1 - START.current_player())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["think", "kronions"], "Missing option '--state'"),
        (["think", "kronions", "--state", "nonsense"], "'nonsense'"),
        (["think", "chess", "--state", PLAY], "unknown game 'chess'"),
        ([*KRONIONS, "--bot", "ismtcs"], "unknown bot 'ismtcs'; did you mean 'ismcts'?"),
        ([*KRONIONS, "--bot", "ismcts:iterations=0"], "cannot have iterations=0: expected 1..1000000"),
        ([*KRONIONS, "--bot", "json:JSONDecoder"], "has no method choose(view, rng)"),
        ([*KRONIONS, "--bot", "tests.baselines.kronions:Baseline"], "is not a built-in one: expected one of random"),
        ([*KRONIONS, "--seed", "-1"], "Invalid value for '--seed'"),
        ([*KRONIONS, "--seed", str(2**64)], "Invalid value for '--seed'"),
        (["think", "kronions", "--preset", "mini", "--state", OVER.position_string()], "the game is over"),
        (["think", "kronions", "--preset", "mini", "--state", OTHER.position_string()], "this is the view of seat"),
        ([*KRONIONS[:-1], PLAY.replace("voids=-,V,-,F", "voids=NVFC,NVFC,NVFC,-")], "void"),
    ],
)
def test_bad_input_gets_one_line(arguments: list[str], message: str) -> None:
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""
