"""The commands that make and look at runs."""

from __future__ import annotations

import contextlib
import logging
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import click
from click.core import ParameterSource

from experiments.commands import FAULT, INTERRUPTED, TERMINATED, Place, fail, plain_errors, rule_options
from experiments.terminal import answer_interrupts, end_process


@contextlib.contextmanager
def progress_bar(quiet: bool, what: str = "boards") -> Iterator[Callable[[int, int], None]]:
    """A progress bar on a terminal, nothing elsewhere."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), disable=quiet or not sys.stderr.isatty()) as bar:
        task = bar.add_task(what, total=None)
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

    codes = [INTERRUPTED]

    def terminate(number: int, frame: Any) -> NoReturn:
        codes.append(TERMINATED)
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, terminate)
    answer_interrupts()
    try:
        with _crew(workers, cluster) as crew, progress_bar(quiet=False) as progress:
            directory = run(spec, path, crew, progress, move_limit or 0.0)
    except KeyboardInterrupt:
        click.echo(_how_to_go_on(path), err=True)
        sys.stderr.flush()
        end_process(codes[-1])  # a thread may be compiling, a bot's worker process be busy
    show_standings(console(), directory)
    rows = ", ".join(f"{directory.num_rows(table):,} rows in {path.rstrip('/')}/{table}" for table in directory.tables)
    click.echo(f"Parquet files: {rows}")
    share = directory.write_seconds() / max(directory.play_seconds(), 1e-9)
    click.echo(f"writing them took {share:.0%} of the playing time, on a thread of its own")


def _how_to_go_on(path: str) -> str:
    """What to say when a run was stopped."""
    from experiments.stores import store_at

    with contextlib.suppress(OSError):  # a place that cannot be looked at
        if not store_at(path).exists("run.json"):
            return "stopped before the run began: there is nothing to go on with"
    return f"stopped; what is finished is kept: go on with 'hiddenhand resume {shlex.quote(path)}'"


_workers = click.option("--workers", type=click.IntRange(1), help="Parallel workers; by default one a core.")
_cluster = click.option(
    "--cluster", type=Place(), metavar="ADDRESS", help="Play on a Dask cluster; local:N starts N worker processes here."
)
_move_limit = click.option(
    "--move-limit", type=click.FloatRange(1), metavar="MS", help="Milliseconds that a Python bot has for a move."
)


def _take_config(context: click.Context, parameter: click.Parameter, value: Path | None) -> None:
    """Make what a configuration file says the defaults of the command."""
    if value is not None:
        with plain_errors():
            from experiments.config import read_config

            context.default_map = read_config(value)


def _rule_options(rules: tuple[str, ...] = (), players: int | None = None, cards: str | None = None) -> dict[str, str]:
    """The rule options of the command line, or of a configuration file."""
    from cardkit.spec import InvalidRules

    options = rule_options(rules)
    folder = cards and str(Path(cards).resolve())  # so that the run can be resumed from another folder
    for flag, name, value in (("--players", "num_players", players), ("--cards", "cards", folder)):
        if value is not None:
            if name in options:
                raise InvalidRules(f"{flag} {value} and --rule {name}={options[name]}: give one")
            options[name] = str(value)
    return options


def _over_config(context: click.Context) -> tuple[dict[str, str], int | None, str | None]:
    """Rule options, workers and cluster: what the command line says, else what the configuration file says.

    An option in the file gives way to another one on the command line that says the same thing in other words.
    """
    given = ParameterSource.COMMANDLINE
    found = dict(context.default_map or {})
    line = {name: value for name, value in context.params.items() if context.get_parameter_source(name) is given}
    names = ("rules", "players", "cards")
    filed, said = (_rule_options(**{n: layer[n] for n in names if n in layer}) for layer in (found, line))
    crew = line if "workers" in line or "cluster" in line else found
    return filed | said, crew.get("workers"), crew.get("cluster")


@click.command(short_help="Play a tournament of bots and show the standings.")
@click.argument("game")
@click.option(
    "--config",
    type=Place(Path),
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
@click.option(
    "--out",
    type=Place(),
    metavar="DIR",
    help="Run directory, or an address that fsspec knows; by default runs/GAME-HASH.",
)
@click.option("--preset", default="standard", show_default=True, help="A named set of rule options.")
@click.option("--rule", "rules", multiple=True, metavar="KEY=VALUE", help="A rule option; see 'hiddenhand rules GAME'.")
@click.option("--cards", type=Place(), metavar="DIR", help="A card set of your own (the rule option cards).")
@click.option("--format", "format_", default="game", show_default=True, help="What a board plays: game|deal.")
@click.option("--seating", default="rotations", show_default=True, help="Seatings a board is played in: rotations|all.")
@_workers
@_cluster
@_move_limit
@click.option("--moves", is_flag=True, help="Log every decision in moves/.")
@click.option(
    "--stop-when",
    default="",
    metavar="A>B",
    help="Stop as soon as it shows whether A - B is nearer to an effect or to 0.",
)
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
    with plain_errors():
        from experiments.spec import make_spec

        options, workers, cluster = _over_config(click.get_current_context())
        spec = make_spec(
            game, bots, preset=preset, options=options, boards=boards, seed=seed,
            format=format_, seating=seating, moves=moves, stop_when=stop_when,
        )  # fmt: skip
        _run(spec, out or f"runs/{game}-{spec.hash()[:8]}", workers, cluster, move_limit)


@click.command(short_help="Finish a run that was stopped.")
@click.argument("directory", type=Place())
@_workers
@_cluster
@_move_limit
def resume(directory: str, workers: int | None, cluster: str | None, move_limit: float | None) -> None:
    """Finish a run that was stopped; the files become those of an uninterrupted run."""
    with plain_errors():
        from experiments.rundir import RunDirectory

        _run(RunDirectory.open(directory).spec, directory, workers, cluster, move_limit)


@click.command(short_help="Write the report of a run: one HTML file, and summary.json.")
@click.argument("directory", type=Place())
@click.option("--out", type=Place(), metavar="FILE", help="Write the page there, and its figures beside it as .json.")
def report(directory: str, out: str | None) -> None:
    """Write standings, plots and tables of a run as one HTML file that needs no network, and its figures as JSON.

    They go to report.html and summary.json in the run directory. A run that is not finished gives its first results.
    """
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # before its import: it tells where its cache is
    with plain_errors():
        from experiments.report import write_report

        for file in write_report(directory, out):
            click.echo(f"wrote {file}")


@click.command(short_help="Check a run: files, and a sample of games played again.")
@click.argument("directory", type=Place())
@click.option("--sample", type=click.IntRange(0), default=20, show_default=True, help="How many games to play again.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True, help="Which games.")
def verify(directory: str, sample: int, seed: int) -> None:
    """Check every part of a run against its hash and its spec, and play a sample of games again.

    Exit code 1 where something is wrong.
    """
    with plain_errors():
        from experiments.verify import Damaged
        from experiments.verify import verify as lines

        try:
            for line in lines(directory, sample, seed):
                click.echo(line)
        except Damaged as error:
            fail(error, FAULT)


@click.command()
@click.argument("directory", type=Place())
@click.option("--game-id", type=int, required=True, help="Number of the game in the run.")
@click.option("--deal", type=int, help="Show only this deal, 0 is the first.")
def replay(directory: str, game_id: int, deal: int | None) -> None:
    """Show a logged game move by move."""
    with plain_errors():
        from experiments.replay import replay as lines

        for line in lines(directory, game_id, deal):
            click.echo(line)
