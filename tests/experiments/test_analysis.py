"""Analyses: each on a tiny run made by hand, whose answers are known, and against pandas on a real one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.dataset as ds
import pytest

import truf
from cardkit.spec import InvalidText
from experiments import analysis
from experiments.intervals import LEAST_BOARDS
from experiments.means import SHARE, Means
from experiments.run_store import RunError
from experiments.rundir import RunDirectory
from experiments.schema import table_columns, to_arrow
from experiments.spec import RunSpec, make_spec
from experiments.tournament import run
from experiments.truf_analysis import STEPS, _deciding_steps
from kronions.cards import SUIT_NAMES, string_to_cards
from kronions.rules import Rules as KronionsRules
from tests.reference.truf import DEFAULTS as DEFAULTS_OF_TRUF
from tests.reference.truf import top_bidder
from truf.cards import string_to_cards as truf_cards
from truf.rules import Rules as TrufRules

Rows = Sequence[Mapping[str, Any]]
Made = Callable[..., RunDirectory]
DEFAULTS = {"bot": "a", "place": 1, "win_share": 0.25, "decisions": 9, "deals": 1}


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Writes a run with the given rows: each board is a part."""

    def write(game: str, deals: Rows, games: Rows = (), moves: Rows = (), **changes: Any) -> RunDirectory:
        boards = 1 + max(row["board"] for row in deals or games)
        spec = make_spec(game, ["a=random", "b=heuristic"], boards=boards, moves=bool(moves), **changes)
        directory = RunDirectory.create(tmp_path / f"{game}{len(list(tmp_path.iterdir()))}", spec)
        board_of = {row["game_id"]: row["board"] for row in games}
        with directory.locked():
            for part in range(spec.num_parts):
                first, end = spec.boards_of_part(part)
                tables = {
                    "games": [row for row in games if first <= row["board"] < end],
                    "deals": [row for row in deals if first <= row["board"] < end],
                    "moves": [row for row in moves if first <= board_of[row["game_id"]] < end],
                }
                directory.write_part(part, {name: arrow(spec, name, tables[name]) for name in directory.tables})
        return directory

    return write


def arrow(spec: RunSpec, table: str, rows: Rows) -> Any:
    """Rows as an Arrow table; what a row does not name is 0, or the first category."""
    columns = table_columns(spec.game_object, table, tuple(label for label, _ in spec.bots))
    values = {}
    for column in columns:
        found = [(DEFAULTS | dict(row)).get(column.name, 0) for row in rows]
        if column.categories:
            found = [column.categories.index(entry) if isinstance(entry, str) else entry for entry in found]
        values[column.name] = np.array(found, column.type)
    return to_arrow(columns, values)


def lines(frame: pd.DataFrame, *columns: str) -> list[tuple[Any, ...]]:
    """Some columns of a frame, a tuple a line."""
    return [tuple(line) for line in frame[list(columns)].to_numpy().tolist()]


def bid(board: int, seat: int, bid: int, tricks: int, **others: Any) -> dict[str, Any]:
    """A deal of Kronions with two cards each."""
    points = 10 + bid if bid == tricks else 0
    return {"board": board, "seat": seat, "bid": bid, "tricks": tricks, "points": points, "hand_size": 2, **others}


# Bids


@pytest.fixture
def few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Means of two boards have an interval, which can be computed by hand."""
    monkeypatch.setattr("experiments.means.LEAST_BOARDS", 2)


def test_means_of_few_boards_have_no_interval(made: Made) -> None:
    rows = [bid(board, 0, board % 3, 1) for board in range(3 * LEAST_BOARDS)]
    found = analysis.bid_calibration(made("kronions", rows)).set_index("bid")
    assert found["boards"].tolist() == [LEAST_BOARDS] * 3
    few = analysis.bid_calibration(made("kronions", rows[:-1])).set_index("bid")
    assert few["boards"].tolist() == [LEAST_BOARDS, LEAST_BOARDS, LEAST_BOARDS - 1]
    assert np.isinf(few["points_high"][2])
    assert few["exact_high"][2] <= 1


@pytest.mark.usefixtures("few_are_enough")
def test_bids_against_what_was_won(made: Made) -> None:
    directory = made("kronions", [bid(0, 0, 1, 1), bid(0, 1, 1, 2, bot="b"), bid(1, 0, 1, 0), bid(1, 1, 0, 0)])
    found = analysis.bid_calibration(directory)
    columns = ("bot", "bid", "rows", "boards", "won", "exact", "under", "over", "points")
    assert lines(found, *columns) == [
        ("a", 0, 1, 1, 0, 1, 0, 0, 10),
        ("a", 1, 2, 2, 0.5, 0.5, 0.5, 0, 5.5),
        ("b", 1, 1, 1, 2, 0, 0, 1, 0),
    ]
    assert np.isinf(found["points_low"][0])
    assert found["exact_low"][1] >= 0
    # Two boards, 11 and 0 points: 5.5 plus or minus t(1) x standard error.
    assert found["points_high"][1] == pytest.approx(5.5 + 12.706 * 5.5, rel=1e-3)
    assert lines(analysis.make_rates(directory), "hand_size", "bid", "exact") == [(2, 0, 1), (2, 1, 1 / 3)]
    places = {str(directory.path), directory.path, directory}
    assert all(lines(analysis.make_rates(place), "bid", "rows") == [(0, 1), (1, 3)] for place in places)


@pytest.mark.usefixtures("few_are_enough")
def test_deals_of_a_board_are_one_observation(made: Made) -> None:
    """Three deals of board 0 and one of board 1: the mean is over deals, its variance over boards."""
    deals = [bid(0, seat, 0, 0) for seat in range(3)] + [bid(1, 0, 0, 1)]
    found = analysis.bid_calibration(made("kronions", deals)).iloc[0]
    assert (found["rows"], found["boards"], found["points"]) == (4, 2, 7.5)
    # Cochran 6.4: residuals 30 - 7.5 x 3 and 0 - 7.5 x 1, n / (n - 1) / rows^2.
    error = np.sqrt((7.5**2 + 7.5**2) * 2) / 4
    assert found["points_high"] - 7.5 == pytest.approx(12.706 * error, rel=1e-3)


def test_seats_are_counted_from_where_the_deal_begins(made: Made) -> None:
    deals = [bid(0, seat, 0, seat % 2, dealer=2) for seat in range(4)]
    found = analysis.seat_effects(made("kronions", deals, options={"num_players": 4}))
    # Seat 3 bids first, then 0, 1 and the dealer 2.
    assert lines(found, "position", "points", "exact") == [(1, 0, 0), (2, 10, 1), (3, 0, 0), (4, 10, 1)]
    rounds = [{"board": 0, "seat": seat, "first_player": 1, "keys": seat, "treasures": 1} for seat in range(4)]
    found = analysis.seat_effects(made("kosmogonia", rounds, options={"num_players": 4}))
    assert lines(found, "position", "keys", "treasures") == [(1, 1, 1), (2, 2, 1), (3, 3, 1), (4, 0, 1)]
    hands = [{"board": 0, "seat": seat, "final_bid": seat, "sets": 2, "points": seat} for seat in range(4)]
    found = analysis.seat_effects(made("truf", hands), ["bot"])
    assert lines(found, "bot", "position", "exact") == [("a", 1, 0), ("a", 2, 0), ("a", 3, 1), ("a", 4, 0)]


# Kronions


def test_zero_bids_trumps_and_paradox_cards(made: Made) -> None:
    two_paradox, one = 0b11 << 52, 1 | 1 << 52
    directory = made("kronions", [
        bid(0, 0, 0, 0, trump="Void", hand=two_paradox), bid(0, 1, 0, 1, trump="Void", hand=one),
        bid(1, 0, 2, 2, trump="none", hand=0b11), bid(1, 1, 1, 0, trump="none", hand=one),
    ])  # fmt: skip
    zero = analysis.zero_bids(directory)
    assert lines(zero, "hand_size", "is_zero", "rows", "exact", "points") == [
        (2, False, 2, 0.5, 6),
        (2, True, 2, 0.5, 5),
    ]
    trump = analysis.trump_effect(directory)
    assert lines(trump, "has_trump", "bid", "exact") == [(False, 1.5, 0.5), (True, 0, 0.5)]
    paradox = analysis.paradox_cards(directory)
    assert lines(paradox, "paradox", "rows", "points") == [(0, 1, 12), (1, 2, 0), (2, 1, 10)]


@pytest.mark.usefixtures("few_are_enough")
def test_the_hook_is_paid_by_the_board(made: Made) -> None:
    def deals(points: Sequence[int]) -> list[dict[str, Any]]:
        rows = [bid(board, seat, 0, 0, dealer=1) for board in range(2) for seat in range(2)]
        return [row | {"points": value} for row, value in zip(rows, points, strict=True)]

    options = {"num_players": 2}
    hooked = made("kronions", deals([10, 0, 10, 4]), options=options)
    free = made("kronions", deals([10, 10, 8, 10]), options=options | {"hook": "off"})
    found = analysis.hook_effect(hooked, free)
    assert lines(found, "is_dealer", "boards", "points") == [(False, 2, -1), (True, 2, 8)]
    assert found["points_high"][1] == pytest.approx(8 + 12.706 * 2, rel=1e-3)
    with pytest.raises(InvalidText, match="differ in nothing: expected runs of the same game"):
        analysis.hook_effect(hooked, hooked)
    other = made("kronions", deals([0] * 4), options=options | {"hook": "off"}, seed=5)
    with pytest.raises(InvalidText, match=r"differ in more: expected .* that differ in hook alone"):
        analysis.hook_effect(hooked, other)
    more = made("kronions", deals([0] * 4), options=options | {"hook": "off", "score_base": 5})
    with pytest.raises(InvalidText, match="differ in hook, score_base"):
        analysis.hook_effect(hooked, more)


def test_strength_of_hands_of_kronions() -> None:
    hands = ["C13.P", "C13.C12", "C1.N13", "P.P", "C1.N1"]
    masks = []
    for text in hands:
        cards, paradox = string_to_cards(text)
        masks.append(cards | ((1 << paradox) - 1) << 52)
    trumps = np.array([SUIT_NAMES.index("Chrono")] * 2 + [-1] * 3)
    found = analysis.kronions_hands(KronionsRules(num_players=2), np.array(masks, np.uint64), trumps)
    assert found["paradox"].tolist() == [1, 0, 0, 2, 0]
    assert found["trumps"].tolist() == [1, 2, 0, 0, 0]
    assert found["longest"].tolist() == [1, 2, 1, 0, 1]
    assert found["voids"].tolist() == [3, 3, 2, 4, 2]
    # 56 cards are unseen. The highest trump is not beaten; without trump 12 cards beat a 1 of their suit, none a 13.
    lowest = (56 - 12) / 56
    assert found["strength"].tolist() == pytest.approx([2, 2, 1 + lowest, 2, 2 * lowest])
    # A 13 beside 13 trumps, of which the seat has none, against two others: neither may hold one.
    (alone,) = analysis.kronions_hands(
        KronionsRules(num_players=3), np.array([1 << 25], np.uint64), np.array([0])
    )["strength"]  # fmt: skip
    assert alone == pytest.approx(44 / 57 * 43 / 56)


def test_value_by_strength_puts_hands_into_classes(made: Made) -> None:
    strong, weak = 0b11 << 52, 1 | 1 << 13  # two paradox cards; two cards of rank 1
    deals = [bid(0, 0, 2, 2, hand=strong, trump="none"), bid(0, 1, 0, 0, hand=weak, trump="none")]
    deals += [bid(1, 0, 2, 1, hand=strong, trump="none")]
    found = analysis.value_by_strength(made("kronions", deals, options={"num_players": 4}), width=1.0)
    assert lines(found, "hand_size", "strength", "bid", "rows", "exact", "points") == [
        (2, 0.5, 0, 1, 1, 10),
        (2, 2.5, 2, 2, 0.5, 6),
    ]


# Truf


def hand(board: int, seat: int, laid: str, **others: Any) -> dict[str, Any]:
    """A hand of Truf in which a seat has laid some cards."""
    cards = truf_cards(laid)
    values = [
        min(card % 13 + 2, 10) if card % 13 < 9 else int(card % 13 == 12) for card in range(52) if cards >> card & 1
    ]
    value = {"board": board, "game_id": board, "seat": seat, "bid_cards": cards, "bid": sum(values)}
    return value | {"final_bid": sum(values), **others}


def test_nils_by_the_shape_of_the_hand(made: Made) -> None:
    flat = truf_cards("2C.3C.4C.2D.3D.4D.2H.3H.4H.2S.3S.4S.JS")
    high = truf_cards("AC.KC.QC.2D.3D.4D.2H.3H.4H.2S.3S.4S.JS")
    directory = made("truf", [
        {"board": 0, "seat": 0, "hand": flat, "final_bid": 0, "sets": 0, "points": 10},
        {"board": 0, "seat": 1, "hand": high, "final_bid": 0, "sets": 3, "points": -13},
        {"board": 1, "seat": 0, "hand": high, "final_bid": 2, "sets": 0, "points": -4},
        {"board": 1, "seat": 1, "hand": flat, "final_bid": 0, "sets": 1, "points": -11},
    ])  # fmt: skip
    found = analysis.nil_success(directory)
    assert lines(found, "high", "rows", "made", "sets", "points") == [(0, 2, 0.5, 0.5, -0.5), (3, 1, 0, 3, -13)]
    assert lines(analysis.nil_success(directory, "shape"), "shape", "rows") == [("4-3-3-3", 3)]


def test_features_of_hands_of_truf() -> None:
    hands = np.array([truf_cards("AS.KS.QS.JS.10S.9S.8S.7S.6S.5S.4S.3S.2S"), truf_cards("2C.AD")], np.uint64)
    found = analysis.truf_hands(TrufRules(), hands)
    assert found["shape"].tolist() == ["13-0-0-0", "1-1-0-0"]
    assert found["courts"].tolist() == [3, 0]
    assert found["high"].tolist() == [3, 1]
    assert found["most"].tolist() == [55, 3]
    assert found["voids"].tolist() == [3, 2]
    two_of_clubs = (39 - 12) / 39 * (38 - 12) / 38 * (37 - 12) / 37
    assert found["strength"].tolist() == pytest.approx([13, 1 + two_of_clubs])
    low = analysis.truf_hands(TrufRules(ace_play=1), hands[1:])["strength"][0]
    assert low == pytest.approx((39 - 11) / 39 * (38 - 11) / 38 * (37 - 11) / 37 + two_of_clubs)


def test_high_and_low_and_what_showing_cards_goes_along_with(made: Made) -> None:
    directory = made("truf", [
        hand(0, 0, "9S", mode="HIGH", sets=9, points=9, is_top_bidder=1),
        hand(0, 1, "KS", mode="HIGH", sets=2, points=-12),
        hand(1, 0, "4S.5S", mode="LOW", sets=8, points=-1, is_top_bidder=1),
        hand(1, 1, "2S", mode="LOW", sets=3, points=-2),
    ])  # fmt: skip
    found = analysis.mode_effect(directory)
    assert lines(found, "mode", "is_top_bidder", "bid", "sets", "exact", "under", "over", "points") == [
        ("HIGH", 0, 0, 2, 0, 0, 1, -12),
        ("HIGH", 1, 9, 9, 1, 0, 0, 9),
        ("LOW", 0, 2, 3, 0, 0, 1, -2),
        ("LOW", 1, 9, 8, 0, 1, 0, -1),
    ]
    shown = analysis.revealing(directory)
    assert lines(shown, "bid", "cards", "exact", "points") == [
        (0, 1, 0, -12),
        (2, 1, 0, -2),
        (9, 1, 1, 9),
        (9, 2, 0, -1),
    ]


def test_the_choice_where_bids_add_up_to_13(made: Made) -> None:
    laid = ("6S", "4H", "3D", "KC")
    raised = [
        hand(0, s, laid[s], final_bid=(7, 5, 4, 1)[s], sets=4, points=s, is_top_bidder=int(s == 0)) for s in range(4)
    ]
    lowered = [
        hand(1, s, laid[s], final_bid=(5, 3, 2, 0)[s], sets=5, points=-s, is_top_bidder=int(s == 0)) for s in range(4)
    ]
    others = [hand(2, s, ("7S", "4H", "3D", "KC")[s], sets=4, points=9) for s in range(4)]
    found = analysis.sum_choice(made("truf", [*raised, *lowered, *others]))
    assert lines(found, "choice", "is_top_bidder", "rows", "exact", "points") == [
        ("lower", 0, 3, 0, -2),
        ("lower", 1, 1, 1, 0),
        ("raise", 0, 3, pytest.approx(1 / 3), 2),
        ("raise", 1, 1, 0, 0),
    ]


def test_what_tie_breaks_decide(made: Made) -> None:
    tied = ("7S", "3S.4S", "5H.2C", "KD")  # 7, 7, 7: the single card wins
    clear = ("9S", "3S.4S", "5H.2C", "KD")
    rows = [hand(0, s, tied[s], points=(7, 1, 3, 0)[s], is_top_bidder=int(s == 0)) for s in range(4)]
    rows += [hand(1, s, clear[s], points=(9, 1, 3, 0)[s], is_top_bidder=int(s == 0)) for s in range(4)]
    found = analysis.tie_breaks(made("truf", rows))
    assert lines(found, "step", "rows", "points", "ahead") == [("bid", 1, 9, 0), ("single card", 1, 7, 5)]


@pytest.mark.parametrize("options", [{}, {"mixed_tie": "above_spades"}, {"mixed_tie": "strongest_card_suit"},
                                     {"ace_play": "low"}])  # fmt: skip
def test_the_ladder_finds_the_top_bidder_of_the_reference(options: dict[str, str]) -> None:
    """On random bids, most of them tied: after the deciding step only the seat is left that the rules name."""
    rng, game = np.random.default_rng(3), truf.Game(**options)
    cards = truf_cards("AS.JS.QS.KS.2S.3S.AH.JH.QH.KH.2H.3H.JD.KD.JC.KC")
    numbers = [card for card in range(52) if cards >> card & 1]
    steps = set()
    for _ in range(1500):
        picked = rng.permutation(numbers)[:8].tolist()
        laid = [sorted(picked[2 * seat : 2 * seat + 1 + int(rng.integers(2))]) for seat in range(4)]
        masks = np.array([[sum(1 << card for card in own) for own in laid]], np.uint64)
        step, tied = _deciding_steps(game.rules, masks)
        values = [sum([2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 0, 0, 1][card % 13] for card in own) for own in laid]
        assert tied[0].tolist() == [value == max(values) for value in values]
        seat, expected = top_bidder(laid, DEFAULTS_OF_TRUF | options)
        assert tied[0][seat]
        assert step[0] + 1 == expected
        steps.add(STEPS[step[0]])
    assert steps == set(STEPS) - ({"strongest suit"} if "strongest_card" in str(options) else set())


# Kosmogonia


def test_rounds_of_kosmogonia(made: Made) -> None:
    games = [
        {"board": b, "game_id": b, "seat": s, "win_share": float(b == s == 0), "outcome": ("win", "lost_final")[b]}
        for b in range(2) for s in range(4)
    ]  # fmt: skip
    rounds = [
        {"board": b, "game_id": b, "seat": s, "round": r, "deployed": 1 + s % 2, "treasures": s, "duels_won": 1,
         "equipped": s if r else 0, "keys": r + s}
        for b in range(2) for s in range(4) for r in range(2)
    ]  # fmt: skip
    directory = made("kosmogonia", rounds, games, options={"num_players": 4})
    found = analysis.deployment(directory)
    assert lines(found, "round", "deployed", "rows", "treasures", "duels_won", "win_share") == [
        (0, 1, 4, 1, 1, 0.25), (0, 2, 4, 2, 1, 0), (1, 1, 4, 1, 1, 0.25), (1, 2, 4, 2, 1, 0),
    ]  # fmt: skip
    items = analysis.item_or_key(directory)
    assert lines(items, "equipped", "rows", "win_share", "beaten", "keys") == [
        (0, 2, 0.5, 0.5, 1), (1, 2, 0, 0.5, 2), (2, 2, 0, 0.5, 3), (3, 2, 0, 0.5, 4),
    ]  # fmt: skip
    endings = analysis.endings({"one": directory, "two": directory})
    expected = [("win", 0.5), ("lost_keys", 0), ("lost_final", 0.5)]
    assert lines(endings, "run", "outcome", "share") == [(name, *line) for name in ("one", "two") for line in expected]
    assert set(endings["rows"]) == {2}


def test_which_champions_go_to_olympus(made: Made) -> None:
    spec = make_spec("kosmogonia", ["random"], options={"num_players": 4}, boards=1)
    sums = spec.game_object.rules.cards[0].values.sum(axis=1).astype(int)
    order = np.argsort(sums, kind="stable")
    weakest, strongest = int(order[0]), int(order[-1])
    both = 1 << weakest | 1 << strongest
    games = [{"board": 0, "game_id": 0, "seat": s, "win_share": float(s == 0), "outcome": "win"} for s in range(4)]
    moves = [
        {"game_id": 0, "seat": 0, "phase": "challenge_card", "action": strongest, "legal": both},
        {"game_id": 0, "seat": 1, "phase": "challenge_card", "action": weakest, "legal": both},
        {"game_id": 0, "seat": 1, "phase": "use", "action": 15, "legal": 1 << 15},
    ]
    found = analysis.olympus_choices(made("kosmogonia", [], games, moves, options={"num_players": 4}))
    assert lines(found, "choices", "stronger", "rows", "value", "win_share") == [
        (2, 0, 1, sums[strongest], 1),
        (2, 1, 1, sums[weakest], 0),
    ]


# Reading


def test_frames_read_the_columns_and_rows_that_are_asked_for(made: Made) -> None:
    directory = made("kronions", [bid(board, 0, board % 2, 0) for board in range(4)])
    parts = list(analysis.frames(directory, "deals", ["board", "bid"], ds.field("bid") == 1))
    assert [part["board"].tolist() for part in parts] == [[], [1], [], [3]]
    assert list(parts[0].columns) == ["board", "bid"]
    whole = analysis.frame(directory.path, "deals")
    assert len(whole) == 4
    assert set(whole.columns) >= {"hand", "points", "bot"}


def test_a_run_in_another_store_reads_the_same(tmp_path: Path) -> None:
    spec = make_spec("kronions", ["random", "heuristic"], options={"num_players": 3, "round_cap": 3}, boards=20, seed=2)
    run(spec, "memory://analysis")
    run(spec, tmp_path / "here")
    found = [analysis.bid_calibration(place) for place in ("memory://analysis", tmp_path / "here")]
    pd.testing.assert_frame_equal(*found)
    deals = analysis.frame(tmp_path / "here", "deals")
    expected = (
        deals.assign(exact=deals["bid"] == deals["tricks"]).groupby(["bot", "bid"], observed=True)["exact"].mean()
    )
    assert found[0]["exact"].tolist() == pytest.approx(expected.tolist())


def test_what_cannot_be_answered_is_refused_in_one_line(made: Made, tmp_path: Path) -> None:
    directory = made("kosmogonia", [{"board": 0, "seat": 0}], options={"num_players": 4})
    with pytest.raises(InvalidText, match="is a run of kosmogonia: expected one of kronions or truf"):
        analysis.bid_calibration(directory)
    with pytest.raises(InvalidText, match="is a run of kosmogonia: expected one of kronions"):
        analysis.zero_bids(directory)
    with pytest.raises(RunError, match=r"no table 'moves' in .*; expected a run with --moves"):
        analysis.olympus_choices(directory)
    with pytest.raises(RunError):
        analysis.zero_bids(tmp_path / "nowhere")
    empty = RunDirectory.create(tmp_path / "empty", make_spec("kronions", ["random"], boards=3))
    with pytest.raises(RunError, match=r"no part of .* is finished: there is nothing to read"):
        analysis.zero_bids(empty)


@pytest.mark.parametrize(
    ("boards", "exact", "rough"),
    [
        (60, 5, "under"),
        (60, 4, "exact, under, points"),
        (60, 0, "exact, under, points"),
        (49, 20, "exact, under, points"),
        (60, 56, "exact, under, points"),
    ],
)
def test_frames_name_what_is_rough(boards: int, exact: int, rough: str) -> None:
    means = Means(["all"], {"exact": SHARE, "under": SHARE, "points": None})
    rows = pd.DataFrame({"board": range(boards), "all": 0, "points": range(boards), "under": 0})
    means.add(rows.assign(exact=rows["board"] < exact))
    assert list(means.frame()["rough"]) == [rough]


def test_means_that_hang_on_no_share_are_rough_with_few_boards_alone() -> None:
    means = Means(["key"], {"points": None, "share": SHARE})
    means.add(
        pd.DataFrame({"board": range(120), "key": [0] * 50 + [1] * 49 + [2] * 21, "points": range(120), "share": 0})
    )
    assert list(means.frame()["rough"]) == ["share", "points, share", "points, share"]
