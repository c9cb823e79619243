"""Search in tiny games whose answers are known: Kuhn poker, coins in a row, Nim, and a game of secret bids.

The games are played in a process of their own (`tests.tiny.main`), compiled, and a few trees in plain Python as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from tests.conftest import RunPython

JACK, KING = "0", "2"
FEW_COINS = 8
Found = dict[str, Any]


def play(run_python: RunPython, folder: Path, num_seeds: int, disable_jit: str = "0") -> Found:
    """What the bots did, played once for all worker processes of the tests."""
    path = folder / f"tiny-{num_seeds}-{disable_jit}.json"
    with FileLock(f"{path}.lock"):
        if not path.exists():
            done = run_python("-m", "tests.tiny.main", str(num_seeds), NUMBA_DISABLE_JIT=disable_jit)
            path.write_text(done.stdout)
    return json.loads(path.read_text())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder that all worker processes share."""
    base = tmp_path_factory.getbasetemp()
    return base if worker_id == "master" else base.parent


@pytest.fixture(scope="module", params=[200, pytest.param(1000, marks=pytest.mark.slow)])
def found(request: pytest.FixtureRequest, run_python: RunPython, folder: Path) -> Found:
    return play(run_python, folder, request.param)


# Kuhn poker


def test_kuhn_no_dominated_action_is_ever_chosen(found: Found) -> None:
    for bot, counts in found["kuhn"].items():
        for history in ("1", "01"):
            passes, bets = counts[f"{KING}:{history}"]
            assert passes == 0, f"{bot} folded a king {passes} times of {passes + bets}"
            passes, bets = counts[f"{JACK}:{history}"]
            assert bets == 0, f"{bot} called with a jack {bets} times of {passes + bets}"


def test_kuhn_self_play_value_and_exploitability_are_reported(
    found: Found, record_property: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not asserted: search for an information set does not find mixed strategies. The value of the game is -1/18."""
    for bot, counts in found["kuhn"].items():
        bets = {key: bet / (passes + bet) for key, (passes, bet) in counts.items()}
        value = kuhn_value(bets, bets)
        first, second = (max(kuhn_value(*pair) * sign for pair in kuhn_answers(bets, seat)) for seat, sign in SEATS)
        record_property(bot, f"value {value:.3f}, exploitability {first + second:.3f}")
        with capsys.disabled():
            print(f"\nKuhn poker, {bot}: value {value:+.3f}, exploitability {first + second:.3f}")  # noqa: T201
        assert first >= value - 1e-9
        assert second >= -value - 1e-9


SEATS = ((0, 1), (1, -1))
Bets = dict[str, float]


def kuhn_value(first: Bets, second: Bets) -> float:
    """What the first seat wins on average where the seats bet with these chances."""
    deals = [(a, b) for a, b in product(range(3), repeat=2) if a != b]
    return sum(kuhn_result(first, second, deal, "") for deal in deals) / len(deals)


def kuhn_result(first: Bets, second: Bets, deal: tuple[int, int], history: str) -> float:
    if history.endswith("10"):
        return 1.0 if len(history) == 2 else -1.0
    if history in ("00", "11", "011"):
        stake = 1.0 + history.endswith("11")
        return stake if deal[0] > deal[1] else -stake
    seat = len(history) % 2
    bet = (first, second)[seat][f"{deal[seat]}:{history}"]
    after = [kuhn_result(first, second, deal, history + move) for move in "01"]
    return (1 - bet) * after[0] + bet * after[1]


def kuhn_answers(bets: Bets, seat: int) -> Iterator[tuple[Bets, Bets]]:
    """All pure strategies of a seat against these."""
    mine = [f"{card}:{history}" for card in range(3) for history in (("", "01") if seat == 0 else ("0", "1"))]
    for choices in product((0.0, 1.0), repeat=len(mine)):
        answer = dict(zip(mine, choices, strict=True))
        yield (answer, bets) if seat == 0 else (bets, answer)


# Coins in a row: perfect information, two and three seats


@cache
def solve(row: tuple[int, ...], num_players: int) -> dict[int, tuple[float, ...]]:
    """By action, what the seat to move and those after it get in play by max^n; no tie may matter."""
    results = {}
    for action in range(1, min(3, len(row)) + 1):
        rest = solve(row[action:], num_players)
        after = rest[best_of(rest)] if rest else (0.0,) * num_players
        shifted = (after[-1], *after[:-1])
        results[action] = (shifted[0] + sum(row[:action]), *shifted[1:])
    return results


def best_of(results: dict[int, tuple[float, ...]]) -> int:
    ranked = sorted(results, key=lambda action: -results[action][0])
    assert len(ranked) == 1 or results[ranked[0]][0] > results[ranked[1]][0], f"a tie: {results}"
    return ranked[0]


def test_perfect_information_the_best_move_is_found(found: Found) -> None:
    for case in found["coins"]:
        best = best_of(solve(tuple(case["row"]), case["players"]))
        if len(case["row"]) <= FEW_COINS:
            assert set(case["answers"]) == {best}, case
        else:  # 4,000 iterations do not settle every reply of the third seat
            assert case["answers"].count(best) > len(case["answers"]) / 2, case


def test_perfect_information_averages_come_near_the_exhaustive_values(found: Found) -> None:
    """Of the move visited most, in ends of rows; the others are left before they are known well."""
    for case in found["coins"]:
        results = solve(tuple(case["row"]), case["players"])
        best = best_of(results)
        visits, mean = case["means"][str(best)]
        if len(case["row"]) <= 4:
            assert mean == pytest.approx(results[best][0], abs=0.1 * sum(case["row"])), case
            assert visits > 2000


def test_a_forced_win_is_always_found(found: Found) -> None:
    for case in found["nim"]:
        assert set(case["answers"]) == {case["heap"] % 4}, (case["heap"], case["bot"], set(case["answers"]))


# Sealed: secret bids, a hidden coin, and its reveal


def bid_values(case: Found) -> dict[tuple[int, ...], float]:
    """What each rest of a bid is worth on average, by hand: the policies play on, the other card is any of five."""
    values = {}
    for tokens in product((0, 1), repeat=3):
        laid = [token for token in range(3) if tokens[token]]
        bid = sum(1 << token for token in laid)
        if case["laid"] and 0 not in laid:
            continue
        points = 0.0
        for other in set(range(6)) - {case["card"]}:
            mine_first = case["seat"] == 0
            wins = bid >= other if mine_first else bid > other
            hider = case["card"] if wins else other
            guess_right = hider % 2 == 0  # the policy hides coin card % 2 and guesses 0, for a wager of 1
            points += 2 * case["card"] - bid - (1 if guess_right else -1) if wins else 3 + (1 if guess_right else -1)
        actions = (*(token for token in laid if token or not case["laid"]), 3)
        values[actions] = points / 5
    return values


def test_secret_bids_are_arms_whose_averages_are_those_of_all_worlds(found: Found) -> None:
    """`mc` gives each arm 16,000 / 8 worlds or 16,000 / 4: five standard errors, over 1,000 intervals."""
    for case in found["bids"]:
        if not case["bot"].startswith("mc") or "belief" in case["bot"]:
            continue
        values = bid_values(case)
        assert {tuple(actions) for actions, _ in case["lines"]} == set(values)
        for actions, (visits, mean, spread) in case["lines"]:
            assert visits == 16_000 // len(values)
            five_errors = 5 * spread / visits**0.5
            assert abs(mean - values[tuple(actions)]) <= five_errors + 1e-9, (case, actions)


def test_the_best_secret_bid_is_laid(found: Found) -> None:
    for case in found["bids"]:
        values = bid_values(case)
        best = max(values.values())
        if "belief" in case["bot"]:
            continue
        chosen = tuple(case["lines"][0][0])
        good = [actions for actions, value in values.items() if value > best - 0.15]
        assert case["answer"] in {actions[0] for actions in good}, (case, values)
        if case["bot"].startswith("mc"):
            assert all(len(set(actions)) == len(actions) for actions, _ in case["lines"])
        else:
            assert chosen in good or case["lines"][0][1][0] < 16_000, (case, values)


def nodes(lines: list[str]) -> Iterator[tuple[int, list[str], int, int]]:
    """Depth, labels from the root, seat and visits of every node of one or more trees."""
    path: list[str] = []
    for line in lines[1:]:
        name, seat, visits = re.match(r"\s*(root|reveal \w+|\d+) seat=(-?\d+) visits=(\d+)", line).groups()  # type: ignore[union-attr]
        depth = (len(line) - len(line.lstrip())) // 2
        path = [*path[:depth], name]
        yield depth, path.copy(), int(seat), int(visits)


@pytest.mark.parametrize("bot", ["ismcts", "moismcts"])
@pytest.mark.parametrize(("table", "guesser", "hider"), [("wager", 1, 0), ("wager of three", 2, 1)])
def test_a_hidden_coin_has_one_label_and_two_reveals(
    found: Found, bot: str, table: str, guesser: int, hider: int
) -> None:
    """In the guesser's tree: wager, the coin as 2, guess, reveal, claim; after a reveal the right coin is claimed."""
    trees = split(found["many"][f"{bot} {table}"])
    tree = trees[guesser if bot == "moismcts" else 0]
    labels = {path[-1] for depth, path, seat, _ in tree if depth == 2 and seat == hider}
    assert labels == {"2"}
    reveals = {path[-1] for depth, path, *_ in tree if depth == 4}
    assert len(reveals) == 2
    assert all(name.startswith("reveal") for name in reveals)
    claims: dict[str, dict[str, int]] = {name: {"0": 0, "1": 0} for name in reveals}
    for depth, path, seat, visits in tree:
        if depth == 5:
            assert seat == guesser
            claims[path[4]][path[5]] += visits
    favourites = {max(counts, key=lambda claim: counts[claim]) for counts in claims.values()}
    assert favourites == {"0", "1"}, claims
    assert all(max(counts.values()) > 3 * min(counts.values()) for counts in claims.values()), claims


def split(lines: list[str]) -> list[list[tuple[int, list[str], int, int]]]:
    """The nodes of each tree."""
    trees: list[list[tuple[int, list[str], int, int]]] = []
    for node in nodes(lines):
        if node[0] == 0:
            trees.append([])
        trees[-1].append(node)
    return trees


def test_each_seat_has_a_tree_of_what_it_sees(found: Found) -> None:
    """The hider sees its coin and no reveal; the guesser, and the seat that waits, see a covered coin and a reveal."""
    trees = split(found["many"]["moismcts hide of three"])
    hidden = [{path[1] for depth, path, *_ in tree if depth == 1} for tree in trees]
    assert hidden == [{"2"}, {"0", "1"}, {"2"}]
    revealed = [any(path[-1].startswith("reveal") for _, path, *_ in tree) for tree in trees]
    assert revealed == [True, False, True]


def test_the_coin_that_was_seen_is_claimed(found: Found) -> None:
    for bot in ("ismcts", "moismcts"):
        assert found["many"][f"{bot} claim"][0] == "answer 1"


def test_what_is_hidden_changes_no_answer(found: Found) -> None:
    assert found["changed"] == 0


def test_visits_add_up(found: Found) -> None:
    """A node was visited once for itself at most, and as often as its children; the root once an iteration."""
    for iterations, kind in ((40, "trees"), (20, "trees of bids"), (3000, "many")):
        for name, lines in found[kind].items():
            for tree in split(lines):
                assert tree[0][3] == iterations
                assert len(tree) <= iterations + 1
                for i, (depth, _, _, visits) in enumerate(tree):
                    below = 0
                    for child_depth, _, _, child_visits in tree[i + 1 :]:
                        if child_depth <= depth:
                            break
                        below += child_visits if child_depth == depth + 1 else 0
                    assert below <= visits, (name, lines)
                    assert depth == 0 or visits > 0


def test_compiled_and_plain_python_grow_the_same_trees(found: Found, folder: Path, run_python: RunPython) -> None:
    plain = play(run_python, folder, 0, disable_jit="1")
    for kind in ("trees", "trees of bids"):
        assert plain[kind] == found[kind]
