"""The command `hiddenhand`. Heavy imports happen inside the commands, so that `--help` is quick."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from experiments.commands import BAD_INPUT, CONTEXT, FAULT, Group, Place, plain_errors, rule_options
from experiments.run_commands import replay, report, resume, tournament, verify


@click.group(cls=Group, context_settings=CONTEXT)
@click.version_option(package_name="hiddenhand")
def main() -> None:
    """Simulate, play and understand hidden-information card games.

    Start with: hiddenhand tournament kronions --bot random --bot heuristic
    """


for command in (tournament, resume, report, verify, replay):
    main.add_command(command)


@main.command(short_help="Show a game's rule options.")
@click.argument("game")
@click.option("--preset", default="standard", show_default=True, help="Show the values that this preset sets.")
def rules(game: str, preset: str) -> None:
    """Show a game's rule options, their defaults, what they may be, and their clauses."""
    with plain_errors():
        from experiments.games import make_game
        from experiments.tables import console, show_rules

        show_rules(console(), make_game(game, preset), preset)


@main.command()
def bots() -> None:
    """Show the bots and their keys."""
    from experiments.tables import console, show_bots

    show_bots(console())


@main.command(short_help="Show what a bot sees in a position.")
@click.argument("game")
@click.option("--state", "text", required=True, metavar="TEXT", help="A position line, of all cards or of a view.")
@click.option("--bot", "bot", default="ismcts", show_default=True, metavar="SPEC", help="See 'hiddenhand bots'.")
@click.option("--players", type=int, help="Number of seats (the rule option num_players).")
@click.option("--preset", default="standard", show_default=True, help="A named set of rule options.")
@click.option("--rule", "rules", multiple=True, metavar="KEY=VALUE", help="A rule option; see 'hiddenhand rules GAME'.")
@click.option(
    "--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True, help="Of the bot's random numbers."
)
@click.option("--json", "is_json", is_flag=True, help="Print JSON instead of a table.")
def think(
    game: str,
    text: str,
    bot: str,
    players: int | None,
    preset: str,
    rules: tuple[str, ...],
    seed: int,
    is_json: bool,
) -> None:
    """Show what a bot sees in a position: every action it has searched, with visits, value and the common replies.

    A position line is what State.position_string() gives. The bot is shown what the seat to move knows, no more.
    """
    with plain_errors():
        from experiments.games import make_game
        from experiments.thinking import think as found

        options = rule_options(rules) | ({} if players is None else {"num_players": str(players)})
        found(make_game(game, preset, **options), text, bot, seed, is_json)


@main.command(name="bids", short_help="Show what each bid is worth for a hand.")
@click.argument("game")
@click.option(
    "--hand", required=True, metavar="CARDS", help='Such as "Nova 13, V2, paradox" or "10S, KH", or a bit mask.'
)
@click.option("--seat", type=int, default=0, show_default=True, help="Who bids; 0 is the first seat.")
@click.option("--bids", "earlier", default="", metavar="N,N", help="Bids made before, from the dealer's left on.")
@click.option("--trump", help='A suit, or "none": any unseen card of it may be the one turned up.')
@click.option("--flip", metavar="CARD", help="The card turned up, where it is known.")
@click.option("--players", type=int, help="Number of seats (the rule option num_players).")
@click.option("--preset", default="standard", show_default=True, help="A named set of rule options.")
@click.option("--rule", "rules", multiple=True, metavar="KEY=VALUE", help="A rule option; see 'hiddenhand rules GAME'.")
@click.option("--bot", default="heuristic", show_default=True, metavar="SPEC", help="Who plays all seats afterwards.")
@click.option(
    "--belief", default="uniform", show_default=True, help="Worlds: uniform, or weighted by the bids made before."
)
@click.option("--worlds", type=click.IntRange(2), default=2000, show_default=True, help="How many are played out.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True, help="Of all chance.")
@click.option("--workers", type=click.IntRange(1), help="Threads, by default one a core.")
@click.option("--all", "shows_all", is_flag=True, help="Show all bids, not only the best twenty.")
@click.option("--json", "is_json", is_flag=True, help="Print JSON instead of a table.")
def bids(game: str, players: int | None, preset: str, rules: tuple[str, ...], **question: Any) -> None:
    """Show what each bid is worth for a hand: the points to expect and the chance to make it, by simulation.

    Every legal bid is played out in the same random worlds that agree with what the seat sees. The dealer follows from
    the seat and the number of bids made before. In Truf all sets of cards to lay are compared.
    """
    with plain_errors():
        from experiments.bidding import answer
        from experiments.games import make_game

        options = rule_options(rules) | ({} if players is None else {"num_players": str(players)})
        answer(make_game(game, preset, **options), **question)


@main.command(name="check-bot", short_help="Check a bot of your own.")
@click.argument("bot", metavar="SPEC")
@click.option("--game", required=True, help="What it plays.")
@click.option("--players", type=int, help="Number of seats (the rule option num_players).")
@click.option("--preset", default="standard", show_default=True, help="A named set of rule options.")
@click.option("--rule", "rules", multiple=True, metavar="KEY=VALUE", help="A rule option; see 'hiddenhand rules GAME'.")
@click.option("--boards", type=click.IntRange(1), default=10, show_default=True, help="How many boards it plays.")
@click.option("--seed", type=int, default=0, show_default=True, help="Where all chance comes from.")
@click.option(
    "--move-limit",
    type=click.FloatRange(1),
    default=1000,
    show_default=True,
    metavar="MS",
    help="Milliseconds that it has for a move.",
)
def check_bot(
    bot: str,
    game: str,
    players: int | None,
    preset: str,
    rules: tuple[str, ...],
    boards: int,
    seed: int,
    move_limit: float,
) -> None:
    """Play a bot against random and look for illegal answers, errors, crashes, slowness, and answers left to chance.

    Exit code 1 where it fails.
    """
    with plain_errors():
        from experiments.compliance import check_bot as checks
        from experiments.tables import console, show_checks

        options = rule_options(rules) | ({} if players is None else {"num_players": str(players)})
        found = checks(bot, game, preset, options, boards, seed, move_limit)
        show_checks(console(), bot, game, found)
        sys.exit(0 if all(check.is_passed for check in found) else FAULT)


@main.group(cls=Group, name="cards", short_help="Check and measure card sets of Kosmogonia.")
def cards_group() -> None:
    """Check and measure card sets of Kosmogonia: folders with eight CSV files."""


@cards_group.command()
@click.argument("directory", type=Place(Path))
def check(directory: Path) -> None:
    """Check a card set and list everything that is wrong with it."""
    from experiments.card_sets import check_lines

    lines, is_valid = check_lines(directory)
    for line in lines:
        click.echo(line)
    sys.exit(0 if is_valid else BAD_INPUT)


@cards_group.command()
@click.argument("directory", type=Place(), default="standin")
@click.option("--games", type=click.IntRange(1), default=1000, show_default=True, help="Games of each setting.")
@click.option("--seed", type=int, default=0, show_default=True, help="Where all chance comes from.")
def measure(directory: str, games: int, seed: int) -> None:
    """Play a card set with the heuristic bot and show how its games end; "standin" is the set that is shipped."""
    with plain_errors():
        from experiments.card_sets import measure as figures
        from experiments.tables import console, show_card_figures

        show_card_figures(console(), figures(directory, games, seed))


@main.command(short_help="Measure how fast simulators and searches are.")
@click.argument("game", required=False)
@click.option("--against", type=click.Choice(["openspiel"]), help="Measure this library side by side.")
@click.option("--json", "json_file", type=Place(Path), metavar="FILE", help="Write the figures to this file.")
def bench(game: str | None, against: str | None, json_file: Path | None) -> None:
    """Measure how fast a game, or all of them, can be simulated and searched on this machine.

    On one core and with two threads; it takes some minutes. What else runs on the machine spoils the figures.
    """
    with plain_errors():
        from experiments.bench import run_bench

        run_bench(game, against, json_file)


if __name__ == "__main__":
    main()
