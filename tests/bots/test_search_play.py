"""What any player would expect of a search, what it says about a position, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import bots
from bots.thinking import FEWEST_WORLDS
from cardkit.game import Game
from cardkit.spec import InvalidText
from experiments.games import make_game
from kronions.cards import FUTURE

SEARCHES = ("mc", "ismcts", "moismcts")
GAMES = {
    "kronions": make_game("kronions", num_players=3, round_cap=3),
    "truf": make_game("truf", ranks="2,3,Q,K", max_hands=2),
    "kosmogonia": make_game("kosmogonia"),
}
every_search = pytest.mark.parametrize("kind", SEARCHES)
every_game = pytest.mark.parametrize("name", GAMES)


def make(text: str, game: Game) -> bots.Bot:
    bot = bots.make(text, game)
    assert isinstance(bot, bots.Bot)
    return bot


def answers(bot: str, game: Game, position: str) -> set[str]:
    """What a bot plays in a position, with ten streams."""
    view, searcher = game.position(position), make(bot, game)
    return {view.action_to_string(searcher.choose(view, np.random.default_rng(seed))) for seed in range(10)}


# Kronions


@every_search
def test_the_top_trump_is_bid_in_a_round_of_one_card(kind: str) -> None:
    game = make_game("kronions", "oh_hell", hand_size=1)
    position = (
        "phase=bid round=1 dealer=0 size=1 flip=N4 up=1 trump=N totals=0,0,0,0 zeros=0,0,0,0 bids=-,-,-,- won=0,0,0,0 "
        "voids=-,-,-,- hands=?,N13,?,? played=-,-,-,- leader=0 trick=- actor=1"
    )
    assert answers(f"{kind}:iterations=300", game, position) == {"bid 1"}


@every_search
@pytest.mark.parametrize(("bid", "expected"), [(2, "Chrono 1"), (3, "Nova 3")])
def test_the_top_trump_of_two_cards_takes_the_trick_that_is_needed(kind: str, bid: int, expected: str) -> None:
    """Won 1. One more: keep the trump for the last trick, for Chrono 1 would win it. Two more: ruff, then lead it."""
    game = make_game("kronions", num_players=2, num_suits=3, num_ranks=3, num_paradox=0, only_round=4,
                     last_round_trump="flip_if_possible", hook="off")  # fmt: skip
    position = (
        f"phase=play round=1 dealer=0 size=4 flip=N1 up=1 trump=N totals=0,0 zeros=0,0 bids={bid},2 won=1,1 voids=-,N "
        "hands=C1.N3,? played=C2.N2,C3.V2.V3 leader=1 trick=V3 actor=0"
    )
    assert answers(f"{kind}:iterations=300", game, position) == {expected}


SMALL = make_game("kronions", num_players=2, num_suits=2, num_ranks=3, num_paradox=0, only_round=3, hook="off")
LAST_TWO = (
    "phase=play round=1 dealer=0 size=3 flip=- up=0 trump=- totals=0,0 zeros=0,0 bids={bids} won=1,0 voids=-,- "
    "hands=C1.C3,? played=N3,N2 leader=0 trick=N3,N2 actor=0"
)


@every_search
def test_who_needs_every_trick_leads_high(kind: str) -> None:
    """The other seat has Chrono 2 and Nova 1: Chrono 3 draws the one, then Chrono 1 wins."""
    assert answers(f"{kind}:iterations=300", SMALL, LAST_TWO.format(bids="3,1")) == {"Chrono 3"}


@every_search
@pytest.mark.parametrize(("other_bid", "expected"), [(2, "Chrono 3"), (0, "Chrono 1")])
def test_a_dead_bid_still_spoils_the_bids_of_others(kind: str, other_bid: int, expected: str) -> None:
    """Bid 0, won 1. Chrono 3 keeps the other seat from both tricks that are left, Chrono 1 gives it both."""
    bot = f"{kind}:iterations=300,utility=margin"
    assert answers(bot, SMALL, LAST_TWO.format(bids=f"0,{other_bid}")) == {expected}


# Thoughts


@every_game
@every_search
def test_thoughts_count_what_was_searched(name: str, kind: str) -> None:
    state = GAMES[name].new_initial_state(seed=4)
    while len(state.legal_actions()) == 1:
        state.apply_action(state.legal_actions()[0])
    bot = make(f"{kind}:iterations=60", GAMES[name])
    found = bots.thoughts(bot, state, 1)
    assert found == bots.thoughts(bot, state.view(state.current_player()), 1)
    assert (found.bot, found.seat, found.effective_worlds) == (f"{kind}:iterations=60", state.current_player(), 1.0)
    assert found.answer in state.legal_actions()
    assert found.text == state.action_to_string(found.answer)
    assert sum(line.visits for line in found.lines) == found.iterations
    visits = [line.visits for line in found.lines]
    assert visits == sorted(visits, reverse=True)
    assert found.lines[0].actions[0] == found.answer or found.lines[0].visits == found.lines[1].visits
    for line in found.lines:
        assert line.visits > 0
        assert (line.spread is None) == (line.visits == 1)
        assert (line.low is None) == (line.high is None) == (kind != "mc" or line.visits < FEWEST_WORLDS)
        assert line.low is None or line.low <= line.value <= line.high
        assert sum(reply.share for reply in line.replies) <= 1 + 1e-9
        assert all(0 <= reply.seat < GAMES[name].num_players for reply in line.replies)
        assert not line.replies or kind != "mc"


@every_search
def test_thoughts_about_a_secret_bid_are_whole_bids(kind: str) -> None:
    state = GAMES["truf"].new_initial_state(seed=4)
    lines = bots.thoughts(make(f"{kind}:iterations=200", GAMES["truf"]), state, 1).lines
    assert len({line.actions for line in lines}) == len(lines) > 3
    for line in lines:
        played = state.clone()
        for action in line.actions:
            assert played.current_player() == state.current_player()
            played.apply_action(action)
        assert played.current_player() != state.current_player()
        assert line.text.endswith(", done")
        assert not line.replies
        assert kind == "mc" or line.low is None  # halving lets the lucky go on


@every_game
def test_thoughts_of_a_bot_without_search_have_no_lines(name: str) -> None:
    state = GAMES[name].new_initial_state(seed=4)
    found = bots.thoughts(make("heuristic", GAMES[name]), state)
    assert (found.lines, found.iterations, found.effective_worlds) == ((), 0, 1.0)
    assert found.answer in state.legal_actions()


@pytest.mark.parametrize("name", ["kronions", "truf"])
def test_thoughts_tell_how_many_weighted_worlds_count(name: str) -> None:
    state = GAMES[name].new_initial_state(seed=4)
    while state.phase() == "bid" or len(state.legal_actions()) == 1:
        state.apply_action(state.legal_actions()[-1])
    found = bots.thoughts(make("ismcts:iterations=20,belief=bids", GAMES[name]), state)
    assert 0 < found.effective_worlds <= 1 + 1e-12


# Errors


def test_worlds_cannot_be_weighted_by_bids_where_there_are_none() -> None:
    with pytest.raises(InvalidText, match="has belief=bids, but kosmogonia has no bids: expected belief=uniform"):
        make("ismcts:belief=bids", GAMES["kosmogonia"])


VOID_IN_ALL = (
    "phase=play round=1 dealer=0 size=2 flip=N4 up=1 trump=N totals=0,0 zeros=0,0 bids=0,1 won=0,0 "
    "voids=-,CNVF hands=C1.V7,? played=-,- leader=0 trick=- actor=0"
)
VOID_IN_CLUBS = (  # Clubs 3 and K are with seats 0 and 3
    "phase=play hand=1 totals=0,0,0,0 hands=?,?,3H.KS,? laid=3S,QC.3D.KD.KH,KS,2S played=2D.QD,3D.KD,2C.QS,2H.QH "
    "final=3,3,0,2 mode=HIGH sets=0,1,1,0 voids=C,-,D,CD unlocked=1 leader=1 trick=KD,QS,QH,QD actor=2"
)

ALL_FREAKS = (  # seat 0 must hold the three of Clubs, its fourth low card
    "phase=play hand=1 totals=0,0,0,0 hands=?,?,3H.KS,? laid=3S,QC.3D.KD.KC,KS,2S played=2C.2D,3D.KD,QD.QS,2H.QH "
    "final=3,3,0,2 mode=HIGH sets=0,1,1,0 voids=H,-,D,D unlocked=1 leader=1 trick=KD,QS,QH,2D actor=2"
)


def test_a_win_that_is_rare_at_first_is_seen_later() -> None:
    """Of two actions one is right; results clipped to the range of the first made 11 of 400 searches answer wrongly."""
    game = make_game("kronions", num_players=2, num_suits=2, num_ranks=2, num_paradox=2, only_round=3)
    view = game.position(
        "phase=play round=1 dealer=0 size=3 flip=- up=0 trump=- totals=0,0 zeros=0,0 bids=2,2 won=1,0 "
        "voids=-,N hands=C2,P.P played=N1.N2,C1 leader=0 trick=N2 actor=1"
    )
    bot = make("ismcts:iterations=1000", game)
    assert not [seed for seed in range(400) if bot.choose(view, np.random.default_rng(seed)) != FUTURE]


@every_search
@pytest.mark.parametrize(
    ("game", "position"),
    [
        (make_game("kronions", num_players=2, num_paradox=0, only_round=2), VOID_IN_ALL),
        (GAMES["truf"], VOID_IN_CLUBS),
        (make_game("truf", ranks="2,3,Q,K", max_hands=2, redeal="pagat"), ALL_FREAKS),
    ],
    ids=["kronions", "truf", "pagat"],
)
def test_a_view_that_no_cards_agree_with_is_refused(kind: str, game: Game, position: str) -> None:
    view, bot = game.position(position), make(f"{kind}:iterations=20", game)
    for ask in (lambda: bot.choose(view, np.random.default_rng(0)), lambda: bots.thoughts(bot, view)):
        with pytest.raises(ValueError, match="no hidden cards agree with"):
            ask()


def test_a_closed_champion_that_no_hand_can_hold_is_refused() -> None:
    text = (
        "phase=challenge_card hands=-|G3.E5.E6.D10.T2.T3.R4|G6.E1.E10.D9.R1.R2|G7.E7.D4.T1.R11 "
        "gathered=G10.E0.D5.T8.R9|G3.E6.D10.T3.R4|G6.E1.D9.T6.R2|G7.E9.D4.T1.R11 discard=G2.G4.G9.E4.D6.D8.R5.R6.R7 "
        "treasury=1.3.4.5 vaults=0|-|2|- totals=14,8,7,0,0,14 since=1,0,1,3,1,0,3,3,0,1,3,0,3,3,0,0,1,1,3,1,0,3,1,0,0,"
        "0,2,1,3,3,1,0,1,3,3,0,0,3,1,3,1,1,3,0,3,0,1,0 olympus=G0.?*.-|D3.-.-|T5.T6.-|T10.E9.- "
        "treasures=7,6,9,8,11,10,-1,-1 queue=1,0,0,0,0,0,0,0 citadels=1,0,3,2 actor=1 position=2 round_number=1 "
        "opened=8 finder=2 first_player=2 draws=3 rounds_done=1 news=5 observer=1"
    )
    with pytest.raises(InvalidText, match="are not seen, expected"):
        make_game("kosmogonia").position(text)


@every_game
def test_a_search_refuses_other_seats_and_ended_games(name: str) -> None:
    state = GAMES[name].new_initial_state(seed=2)
    seat, bot = state.current_player(), make("ismcts:iterations=5", GAMES[name])
    other = (seat + 1) % GAMES[name].num_players
    with pytest.raises(ValueError, match=rf"seat {seat}: this is the view of seat {other}"):
        bot.choose(state.view(other), np.random.default_rng(0))
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    with pytest.raises(ValueError, match="the game is over"):
        bot.choose(state, np.random.default_rng(0))
    with pytest.raises(ValueError, match="the game is over"):
        bots.thoughts(bot, state)
