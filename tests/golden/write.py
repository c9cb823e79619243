"""Writes the golden transcripts: `python -m tests.golden.write`, or `make golden`.

A transcript plays one game with seeded random choices, so that a better policy does not change it, and shows every
position, every legal choice and every action in words, and what each deal was worth. Read the difference before you
accept a new one.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cardkit import verbs
from cardkit.game import Game
from cardkit.spec import Column, columns_dtype
from cardkit.state import State

FOLDER = Path(__file__).parent
BIT_MASK = "bit mask"


class Playthrough(NamedTuple):
    """A game to be written down. The seeds were picked for what happens in it, which `shows` says."""

    file: str
    game: str
    preset: str
    options: dict[str, Any]
    seed: int
    choices: int  # seed of the random choices
    shows: str
    has_all_positions: bool = True  # else the position is drawn at the start of each deal only, and what moves bring


PLAYTHROUGHS = (
    Playthrough(
        "kronions_standard",
        "kronions",
        "standard",
        {"round_cap": 3},
        seed=1442,
        choices=1442,
        shows="A Past is led, a paradox card is played instead of the led suit, trumps win; zero bids decide a tie.",
    ),
    Playthrough(
        "kronions_standard_dealer_names",
        "kronions",
        "standard",
        {"round_cap": 3, "paradox_flip": "dealer_names"},
        seed=957,
        choices=957,
        shows="A paradox card is turned up and the dealer names trump; two Futures in a trick, the first one wins.",
    ),
    Playthrough(
        "kronions_oh_hell",
        "kronions",
        "oh_hell",
        {"num_players": 3, "hand_size": 4},
        seed=14,
        choices=14,
        shows="One deal of four cards: following, trumping, the hook, and every trick scores a point.",
    ),
    Playthrough(
        "kronions_mini",
        "kronions",
        "mini",
        {},
        seed=252,
        choices=252,
        shows="The smallest deck; a paradox card turned up means no trump, and the last round has none.",
    ),
    Playthrough(
        "truf_standard",
        "truf",
        "standard",
        {"max_hands": 2},
        seed=191,
        choices=191,
        shows="A hand with truf and one without; ruffs face down, and a locked lead of a hand that holds only truf.",
    ),
    Playthrough(
        "truf_classic",
        "truf",
        "classic",
        {"max_hands": 1},
        seed=499,
        choices=499,
        shows="Single cards are laid and add up to 13: the top bidder lowers all bids; a 1 becomes a nil and fails.",
    ),
    Playthrough(
        "truf_mini",
        "truf",
        "mini",
        {},
        seed=56,
        choices=56,
        shows="The smallest deck: a shift, a locked lead of truf, a ruff, and a nil.",
    ),
    *(
        Playthrough(f"kosmogonia_{preset.replace('-', '_')}", "kosmogonia", preset, {}, seed, seed, shows, False)
        for preset, seed, shows in (
            (
                "standard-destiny-medium",
                15,
                "Four seats: thefts, pulls and replaced categories in duels, ties, monsters beaten, Kronos unbeaten.",
            ),
            (
                "standard-tactics-hard",
                50,
                "Drafts from open columns, the hard faces: replaced categories, pulls and thefts, four challengers.",
            ),
            (
                "variation3-destiny-easy",
                16,
                "Three seats, two rounds of ten cards each, one category a quest: many closed cards, ties and hunts.",
            ),
            (
                "variation2-tactics-medium",
                34,
                "Two drafts one after the other in a round; four tied duels; the citadel only once a game.",
            ),
            (
                "tournament-destiny-medium",
                59,
                "One round with four quests: all champions are placed, a card is discarded, and both challenge Kronos.",
            ),
        )
    ),
)


def make_game(play: Playthrough) -> Game:
    """The game of a playthrough."""
    (entry,) = entry_points(group="hiddenhand.games", name=play.game)
    game: Game = entry.load()(play.preset, **play.options)
    return game


def transcript(play: Playthrough) -> str:
    """The whole text of a playthrough."""
    return "\n".join(_lines(play, make_game(play))) + "\n"


def _lines(play: Playthrough, game: Game) -> Iterator[str]:
    options = "".join(f", {name}={value}" for name, value in play.options.items())
    yield f"{play.game}, preset {play.preset}{options}; seed {play.seed}, choices {play.choices}"
    yield play.shows
    yield ""
    yield "options:"
    yield from (f"    {name} = {value}" for name, value in game.option_values().items())
    state, rng, decision = game.new_initial_state(seed=play.seed), random.Random(play.choices), 0
    deals = -1
    while not state.is_terminal():
        decision += 1
        action = rng.choice(state.legal_actions())
        yield ""
        yield f"--- decision {decision}"
        if play.has_all_positions or verbs.deals_done(game.rules, state.record) > deals:
            deals = verbs.deals_done(game.rules, state.record)
            yield str(state)
        yield f"legal: {', '.join(state.action_to_string(legal) for legal in state.legal_actions())}"
        yield f"> seat {state.current_player()}: {state.action_to_string(action)}"
        yield from _finished_deal(state, action)
        state.apply_action(action)
        note = "" if play.has_all_positions else game.text.comment(game.rules, state.record)
        yield from [note] if note else []
    yield ""
    yield f"--- the end, after {decision} decisions"
    yield str(state)
    yield from _ladder(state)


def _finished_deal(state: State, action: int) -> Iterator[str]:
    """What a deal was worth to every seat, if this action completes one; told before the next one is dealt."""
    game, record = state.game, state.clone().record
    before = verbs.deals_done(game.rules, record)
    verbs.apply(game.rules, record, action)
    if verbs.deals_done(game.rules, record) == before:
        return
    columns = [column for column in game.deal_columns if column.unit != BIT_MASK]
    table = [["seat", *(column.name for column in columns)]]
    for seat in range(game.num_players):
        rows = np.zeros(1, columns_dtype(game.deal_columns)).view(np.recarray)
        verbs.deal_row(game.rules, record, seat, rows[0])
        table.append([str(seat), *(_cell(column, int(rows[0][column.name])) for column in columns)])
    yield ""
    yield f"=== deal {before + 1} is complete"
    yield from _aligned(table)


def _cell(column: Column, value: int) -> str:
    return column.categories[value] if column.categories else str(value)


def _ladder(state: State) -> Iterator[str]:
    yield ""
    places, shares = state.places()
    rows = zip(range(state.game.num_players), state.returns(), places, shares, strict=True)
    cells = [[str(seat), f"{points:g}", str(place), f"{share:.3f}"] for seat, points, place, share in rows]
    yield from _aligned([["seat", "points", "place", "share of the win"], *cells])


def _aligned(table: list[list[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in table)


def main() -> None:
    """Write all transcripts and remove those that nothing writes any more."""
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for play in PLAYTHROUGHS:
        (FOLDER / f"{play.file}.txt").write_text(transcript(play), encoding="utf-8")


if __name__ == "__main__":
    main()
