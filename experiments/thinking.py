"""What the command `think` prints."""

from __future__ import annotations

import json
from dataclasses import asdict

import bots
from bots import Bot, Thoughts, thoughts
from bots.settings import MARGIN, MONTE_CARLO, WIN
from bots.thinking import FEWEST_WORLDS, Line
from cardkit.game import Game
from cardkit.spec import InvalidText
from experiments.tables import console, plain_table
from experiments.terminal import aside


def think(game: Game, text: str, bot_text: str, seed: int, is_json: bool) -> None:
    """Let a bot think about a position and print what it has found.

    Raises:
        InvalidText: a bad position or bot, a Python bot, or a position in which nothing can be decided.
    """
    state = game.position(text)
    with aside():
        bot = bots.make(bot_text, game)
    if not isinstance(bot, Bot):
        raise InvalidText(f"bot {bot_text!r} is not a built-in one: expected one of {', '.join(bots.BOT_KINDS)}")
    try:
        found = thoughts(bot, state, seed)
    except ValueError as error:
        raise InvalidText(str(error)) from None
    if is_json:
        print_json(found)
    else:
        print_table(found, bot)


def print_json(found: Thoughts) -> None:
    """Print everything as JSON; what is not known is null."""
    console().print_json(json.dumps(asdict(found)), ensure_ascii=True)


def print_table(found: Thoughts, bot: Bot) -> None:
    """Print the actions as a table, the most visited first."""
    out = console()
    out.print(f"seat {found.seat} to move: {found.bot} plays {found.text}")
    if not found.lines:
        out.print("it does not search")
        return
    is_flat = bot.settings[0].kind == MONTE_CARLO
    unit = value_unit(bot)
    digits = 2 if unit.startswith("points") else 3
    doubt = "95 % interval" if is_flat else "spread"
    out.print(f"{found.iterations:,} rollouts, value in {unit}")
    table = plain_table("", "action", "visits", "value", doubt)
    table.add_column("replies")
    for line in found.lines:
        replies = ", ".join(f"{reply.action} (seat {reply.seat}) {reply.share:.0%}" for reply in line.replies)
        shown = _interval(line, digits) if is_flat else _number(line.spread, digits)
        table.add_row(line.text, f"{line.visits:,}", f"{line.value:.{digits}f}", shown, replies)
    out.print(table)
    if not is_flat:
        out.print("spread: standard deviation of the rollouts. No interval: the search chooses what it averages")
    elif all(line.low is None for line in found.lines):
        out.print(f"no intervals: fewer than {FEWEST_WORLDS} worlds count, or all rollouts brought the same")
    if found.effective_worlds < 1.0:
        out.print(f"weighted by bids, {found.effective_worlds:.0%} of the worlds count")
    if not bot.spec.is_repeatable:
        out.print("the bot has a time limit: it may find something else next time")


def value_unit(bot: Bot) -> str:
    """What the values of a bot that searches are counted in."""
    settings = bot.settings[0]
    if settings.utility == WIN:
        return "share of the win"
    return bot.game.deal_value_unit + (" more than the others have on average" if settings.utility == MARGIN else "")


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _interval(line: Line, digits: int) -> str:
    ends = (_number(end, digits) for end in (line.low, line.high))
    return "-" if line.low is None else " .. ".join(ends)
