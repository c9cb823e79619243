"""What the command `think` prints."""

from __future__ import annotations

import json
from dataclasses import asdict

import bots
from bots import Bot, Thoughts, thoughts
from bots.settings import WIN
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
    """Print everything as JSON; an interval that is not known is null."""
    data = asdict(found)
    for line in data["lines"]:
        if line["visits"] < 2:
            line["low"] = line["high"] = None
    console().print_json(json.dumps(data), ensure_ascii=True)


def print_table(found: Thoughts, bot: Bot) -> None:
    """Print the actions as a table, the most visited first."""
    out = console()
    out.print(f"seat {found.seat} to move: {found.bot} plays {found.text}")
    if not found.lines:
        out.print("it does not search")
        return
    unit = "share of the win" if bot.settings[0].utility == WIN else bot.game.deal_value_unit
    digits = 2 if unit == "points" else 3
    table = plain_table(f"{found.iterations:,} rollouts, value in {unit}", "action", "visits", "value", "95 % interval")
    table.add_column("replies")
    for line in found.lines:
        replies = ", ".join(f"{reply.action} (seat {reply.seat}) {reply.share:.0%}" for reply in line.replies)
        interval = f"{line.low:.{digits}f} .. {line.high:.{digits}f}" if line.visits > 1 else "-"
        table.add_row(line.text, f"{line.visits:,}", f"{line.value:.{digits}f}", interval, replies)
    out.print(table)
    if found.effective_worlds < 1.0:
        out.print(f"weighted by bids, {found.effective_worlds:.0%} of the worlds count")
    if not bot.spec.is_repeatable:
        out.print("the bot has a time limit: it may find something else next time")
