"""What the command `bids` prints."""

from __future__ import annotations

import json
import math
from dataclasses import asdict

from rich.bar import Bar

from bots.specs import parse_bot
from cardkit.game import Game
from cardkit.spec import InvalidText
from experiments.bid_values import BidValue, BidValues, bid_values
from experiments.run_commands import progress_bar
from experiments.stats import Estimate
from experiments.tables import console, plain_table

_FEW_WORLDS = 30  # that count: with 20, intervals of some bids hold 91 % (docs/analysis.md)
MOST_LINES = 20
_BAR_CELLS = 16


def answer(
    game: Game,
    hand: str,
    seat: int,
    earlier: str,
    trump: str | None,
    flip: str | None,
    *,
    bot: str,
    belief: str,
    worlds: int,
    seed: int,
    workers: int | None,
    shows_all: bool,
    is_json: bool,
) -> None:
    """Find out what each bid is worth and print it (see `bid_values`).

    Raises:
        InvalidText: a hand, bids or cards that cannot be, a bad bot, belief or number.
        InvalidRules: the game has no bids.
    """
    before = read_bids(earlier)
    try:
        with progress_bar(is_json, "worlds") as progress:
            found = bid_values(
                game, hand, seat, before, trump, flip, bot=bot, belief=belief, worlds=worlds, seed=seed,
                workers=workers, progress=progress,
            )  # fmt: skip
    except ValueError as error:
        raise error if isinstance(error, InvalidText) else InvalidText(str(error)) from None
    if is_json:
        print_json(found)
    else:
        print_table(found, shows_all)


def read_bids(text: str) -> list[int]:
    """The bids in a text such as "1,0,2".

    Raises:
        InvalidText: something that is no number.
    """
    words = [word.strip() for word in text.split(",")] if text.strip() else []
    for word in words:
        if not (word.isascii() and word.isdecimal() and len(word) < 4):
            raise InvalidText(f"bids {text!r}: expected numbers with commas, such as 1,0,2")
    return [int(word) for word in words]


def print_json(found: BidValues) -> None:
    """Print everything as JSON."""
    data = asdict(found)
    for value in data["bids"]:
        for name in ("points", "made", "behind"):
            ends = {part: value[name][part] for part in ("mean", "low", "high")}
            value[name] = {part: number if math.isfinite(number) else None for part, number in ends.items()}
    console().print_json(json.dumps(data), ensure_ascii=True)


def print_table(found: BidValues, shows_all: bool) -> None:
    """Print the bids as a table, the most valuable first; not all of them where they are many, unless asked."""
    out = console()
    lines = found.bids if shows_all else found.bids[:MOST_LINES]
    title = f"{found.game}, seat {found.seat} bids with {found.hand}" + (f"; {found.seen}" if found.seen else "")
    has_suits = any(value.suit for value in lines)
    out.print(title, soft_wrap=True)
    names = ("lay", "bid", "calls") if has_suits else ("bid",)
    table = plain_table("", *names, "points", "made %", "behind")
    table.add_column("")
    low, high = min(0.0, *(v.points.mean for v in lines)), max(0.0, *(v.points.mean for v in lines))
    for value in lines:
        suit = (str(value.bid), value.suit) if has_suits else ()
        behind = "-" if value is found.bids[0] else _with_ends(value.behind)
        made = _with_ends(value.made, 100, 1)
        table.add_row(value.text, *suit, _with_ends(value.points), made, behind, _bar(value, low, high))
    out.print(table)
    if len(lines) < len(found.bids):
        out.print(f"{len(found.bids) - len(lines)} more with --all")
    if has_suits:
        out.print("of all ways to lay cards for a bid and suit, the one that did best in worlds of its own")
    out.print(f"each bid in the same {found.worlds:,} worlds, {found.bot} plays all seats from the bid on")
    out.print("95 % intervals; of a bid made or missed hardly ever they hold more often")
    if any(value.behind.low <= 0 for value in found.bids[1:]):
        out.print(
            "which bid is best is open: where many are close, the first was lucky too, and behind holds less often"
        )
    if found.effective < 1.0:
        few = "; with so few an interval may hold less often: take more worlds"
        is_few = found.effective * found.worlds < _FEW_WORLDS
        out.print(f"weighted by the bids made before, {found.effective:.0%} of the worlds count{few if is_few else ''}")
    if not parse_bot(found.bot).is_repeatable:
        out.print("the bot has a time limit: it may find something else next time")


def _with_ends(estimate: Estimate, scale: int = 1, digits: int = 2) -> str:
    mean, low, high = (f"{scale * part:z.{digits}f}" for part in (estimate.mean, estimate.low, estimate.high))
    return f"{mean} ({low} .. {high})"


def _bar(value: BidValue, low: float, high: float) -> Bar:
    """A bar from 0 to the points of a bid."""
    begin, end = sorted((-low, value.points.mean - low))
    return Bar(max(high - low, 1e-9), begin, end, width=_BAR_CELLS)
