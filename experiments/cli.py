"""The command `hiddenhand`. Heavy imports happen inside the commands, so that `--help` is quick."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import click

_INTERRUPTED = 130
_TERMINATED = 143
_FAULT = 1
_BAD_INPUT = 2


class _Group(click.Group):
    """A group that lists its commands in the order of their definition, and says what is wrong in one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def main(self, *args: Any, **extra: Any) -> Any:
        if not extra.get("standalone_mode", True):
            return super().main(*args, **extra)
        try:
            sys.exit(super().main(*args, **extra | {"standalone_mode": False}) or 0)
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message(), err=True)
            sys.exit(_BAD_INPUT)
        except click.UsageError as error:
            command = error.ctx.command_path if error.ctx else "hiddenhand"
            click.echo(f"Error: {' '.join(error.format_message().split())} (see '{command} --help')", err=True)
            sys.exit(_BAD_INPUT)
        except click.Abort:
            sys.exit(_INTERRUPTED)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="hiddenhand")
def main() -> None:
    """Simulate, play and understand hidden-information card games.

    Start with: hiddenhand tournament kronions --bot random --bot heuristic
    """


@contextlib.contextmanager
def _plain_errors() -> Iterator[None]:
    """Turn what users can get wrong into one line and exit code 2, a bot's fault into exit code 1."""
    from cardkit.spec import IllegalAction, InvalidRules, InvalidText
    from experiments.cluster import ClusterError
    from experiments.rundir import RunError
    from experiments.table import BotFault
    from experiments.tournament import WorkerDied

    try:
        yield
    except (BotFault, WorkerDied) as error:
        _fail(error, _FAULT)
    except (IllegalAction, InvalidRules, InvalidText, ClusterError, RunError) as error:
        _fail(error, _BAD_INPUT)


def _fail(error: Exception, code: int) -> NoReturn:
    """Say what is wrong in one line, whatever a user's own class put into its error, and leave."""
    click.echo(f"Error: {' '.join(str(error).split())}", err=True)
    sys.exit(code)


def _rule_options(texts: tuple[str, ...]) -> dict[str, str]:
    """The options in `--rule KEY=VALUE` words."""
    from cardkit.spec import InvalidRules

    options: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key or not value:
            raise InvalidRules(f"rule {text!r}: expected KEY=VALUE, such as hook=off")
        if key in options:
            raise InvalidRules(f"rule {key!r} is given twice")
        options[key] = value
    return options


@contextlib.contextmanager
def _progress_bar(quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on a terminal, nothing elsewhere."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("boards"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), disable=quiet or not sys.stderr.isatty()) as bar:
        task = bar.add_task("boards", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextlib.contextmanager
def _crew(workers: int | None, cluster: str | None) -> Iterator[Any]:
    """Who plays: so many workers here, or a cluster."""
    if cluster is None:
        yield workers
        return
    from experiments.cluster import ClusterError, open_cluster

    if workers is not None:
        raise ClusterError(f"--workers {workers} and --cluster {cluster}: give one")
    with open_cluster(cluster, lambda sentence: click.echo(sentence, err=True)) as found:
        yield found


def _run(spec: Any, path: str, workers: int | None, cluster: str | None, move_limit: float | None) -> None:
    """Play a run, or what is missing of it, and show its standings."""
    from experiments.tables import console, show_standings
    from experiments.tournament import run

    codes = [_INTERRUPTED]

    def terminate(number: int, frame: Any) -> NoReturn:
        codes.append(_TERMINATED)
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, terminate)
    try:
        with _crew(workers, cluster) as crew, _progress_bar(quiet=False) as progress:
            directory = run(spec, path, crew, progress, move_limit or 0.0)
    except KeyboardInterrupt:
        command = f"hiddenhand resume {shlex.quote(path)}"
        click.echo(f"stopped; what is finished is kept: go on with '{command}'", err=True)
        sys.stderr.flush()
        os._exit(codes[-1])  # a bot's worker process may still be busy
    show_standings(console(), directory)
    rows = ", ".join(f"{directory.num_rows(table):,} rows in {path.rstrip('/')}/{table}" for table in directory.tables)
    click.echo(f"Parquet files: {rows}")
    share = directory.write_seconds() / max(directory.play_seconds(), 1e-9)
    click.echo(f"writing them took {share:.0%} of the playing time, on a thread of its own")


_workers = click.option("--workers", type=click.IntRange(1), help="Parallel workers; by default one a core.")
_cluster = click.option(
    "--cluster", metavar="ADDRESS", help="Play on a Dask cluster; local:N starts N worker processes here."
)
_move_limit = click.option(
    "--move-limit", type=click.FloatRange(1), metavar="MS", help="Milliseconds that a Python bot has for a move."
)


def _take_config(context: click.Context, parameter: click.Parameter, value: Path | None) -> None:
    """Make what a configuration file says the defaults of the command."""
    if value is not None:
        with _plain_errors():
            from experiments.config import read_config

            context.default_map = read_config(value)


@main.command(short_help="Play a tournament of bots and show the standings.")
@click.argument("game")
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    callback=_take_config,
    is_eager=True,
    expose_value=False,
    metavar="FILE",
    help="Options in a TOML file, or a run.json to repeat; those on the command line come first.",
)
@click.option("--bot", "bots", multiple=True, metavar="SPEC", help="A bot, several times; see 'hiddenhand bots'.")
@click.option("--players", type=int, help="Number of seats (the rule option num_players).")
@click.option("--boards", type=int, default=1000, show_default=True, help="How many boards to play.")
@click.option("--seed", type=int, default=0, show_default=True, help="Where all chance comes from.")
@click.option("--out", metavar="DIR", help="Run directory, or an address that fsspec knows; by default runs/GAME-HASH.")
@click.option("--preset", default="standard", show_default=True, help="A named set of rule options.")
@click.option("--rule", "rules", multiple=True, metavar="KEY=VALUE", help="A rule option; see 'hiddenhand rules GAME'.")
@click.option("--cards", metavar="DIR", help="A card set of your own (the rule option cards).")
@click.option("--format", "format_", default="game", show_default=True, help="What a board plays: game|deal.")
@click.option("--seating", default="rotations", show_default=True, help="Seatings a board is played in: rotations|all.")
@_workers
@_cluster
@_move_limit
@click.option("--moves", is_flag=True, help="Log every decision in moves/.")
@click.option("--stop-when", default="", metavar="A>B", help="Stop as soon as bot A is shown to be better, or not.")
def tournament(
    game: str,
    bots: tuple[str, ...],
    players: int | None,
    boards: int,
    seed: int,
    out: str | None,
    preset: str,
    rules: tuple[str, ...],
    cards: str | None,
    format_: str,
    seating: str,
    workers: int | None,
    cluster: str | None,
    move_limit: float | None,
    moves: bool,
    stop_when: str,
) -> None:
    """Play a tournament of bots, log it to Parquet files and show the standings.

    Every board is played in all rotations of its bots, so that luck of the cards and of the seat cancels. The same
    command on the same folder goes on where it stopped, or shows the standings of a complete run.
    """
    with _plain_errors():
        from cardkit.spec import InvalidRules
        from experiments.spec import make_spec

        options = _rule_options(rules)
        folder = cards and str(Path(cards).resolve())  # so that the run can be resumed from another folder
        for flag, name, value in (("--players", "num_players", players), ("--cards", "cards", folder)):
            if value is not None:
                if name in options:
                    raise InvalidRules(f"{flag} {value} and --rule {name}={options[name]}: give one")
                options[name] = str(value)
        spec = make_spec(
            game, bots, preset=preset, options=options, boards=boards, seed=seed,
            format=format_, seating=seating, moves=moves, stop_when=stop_when,
        )  # fmt: skip
        _run(spec, out or f"runs/{game}-{spec.hash()[:8]}", workers, cluster, move_limit)


@main.command(short_help="Finish a run that was stopped.")
@click.argument("directory")
@_workers
@_cluster
@_move_limit
def resume(directory: str, workers: int | None, cluster: str | None, move_limit: float | None) -> None:
    """Finish a run that was stopped; the files become those of an uninterrupted run."""
    with _plain_errors():
        from experiments.rundir import RunDirectory

        _run(RunDirectory.open(directory).spec, directory, workers, cluster, move_limit)


@main.command(short_help="Check a run: files, and a sample of games played again.")
@click.argument("directory")
@click.option("--sample", type=click.IntRange(0), default=20, show_default=True, help="How many games to play again.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True, help="Which games.")
def verify(directory: str, sample: int, seed: int) -> None:
    """Check every part of a run against its hash and its spec, and play a sample of games again.

    Exit code 1 where something is wrong.
    """
    with _plain_errors():
        from experiments.verify import Damaged
        from experiments.verify import verify as lines

        try:
            for line in lines(directory, sample, seed):
                click.echo(line)
        except Damaged as error:
            _fail(error, _FAULT)


@main.command()
@click.argument("directory")
@click.option("--game-id", type=int, required=True, help="Number of the game in the run.")
@click.option("--deal", type=int, help="Show only this deal, 0 is the first.")
def replay(directory: str, game_id: int, deal: int | None) -> None:
    """Show a logged game move by move."""
    with _plain_errors():
        from experiments.replay import replay as lines

        for line in lines(directory, game_id, deal):
            click.echo(line)


@main.command(short_help="Show a game's rule options.")
@click.argument("game")
@click.option("--preset", default="standard", show_default=True, help="Show the values that this preset sets.")
def rules(game: str, preset: str) -> None:
    """Show a game's rule options, their defaults, what they may be, and their clauses."""
    with _plain_errors():
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
    with _plain_errors():
        from experiments.games import make_game
        from experiments.thinking import think as found

        options = _rule_options(rules) | ({} if players is None else {"num_players": str(players)})
        found(make_game(game, preset, **options), text, bot, seed, is_json)


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
    with _plain_errors():
        from experiments.compliance import check_bot as checks
        from experiments.tables import console, show_checks

        options = _rule_options(rules) | ({} if players is None else {"num_players": str(players)})
        found = checks(bot, game, preset, options, boards, seed, move_limit)
        show_checks(console(), bot, game, found)
        sys.exit(0 if all(check.is_passed for check in found) else _FAULT)


@main.group(cls=_Group, name="cards", short_help="Check and measure card sets of Kosmogonia.")
def cards_group() -> None:
    """Check and measure card sets of Kosmogonia: folders with eight CSV files."""


@cards_group.command()
@click.argument("directory", type=click.Path(path_type=Path))
def check(directory: Path) -> None:
    """Check a card set and list everything that is wrong with it."""
    from experiments.card_sets import check_lines

    lines, is_valid = check_lines(directory)
    for line in lines:
        click.echo(line)
    sys.exit(0 if is_valid else _BAD_INPUT)


@cards_group.command()
@click.argument("directory", default="standin")
@click.option("--games", type=click.IntRange(1), default=1000, show_default=True, help="Games of each setting.")
@click.option("--seed", type=int, default=0, show_default=True, help="Where all chance comes from.")
def measure(directory: str, games: int, seed: int) -> None:
    """Play a card set with the heuristic bot and show how its games end; "standin" is the set that is shipped."""
    with _plain_errors():
        from experiments.card_sets import measure as figures
        from experiments.tables import console, show_card_figures

        show_card_figures(console(), figures(directory, games, seed))


@main.command(short_help="Measure how fast simulators and searches are.")
@click.argument("game", default="kronions")
@click.option("--against", type=click.Choice(["openspiel"]), help="Measure this library side by side.")
@click.option(
    "--json", "json_file", type=click.Path(path_type=Path, dir_okay=False), help="Write the figures to this file."
)
def bench(game: str, against: str | None, json_file: Path | None) -> None:
    """Measure how fast the simulators and searches are on this machine, on one core."""
    with _plain_errors():
        from experiments.bench import run_bench

        run_bench(game, against, json_file)


if __name__ == "__main__":
    main()
