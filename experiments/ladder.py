"""How strong the built-in bots are: pairs of bots, one match each, and the table of it in docs/search.md.

    python -m experiments.ladder                 play what has not been played yet, print the table
    python -m experiments.ladder --only truf     some matches only
    python -m experiments.ladder --write         put the table into docs/search.md

The matches are ordinary runs in runs/ladder/, so that an interrupted ladder goes on where it stopped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

from experiments.boards import board_results
from experiments.commands import CONTEXT, Command
from experiments.rundir import RunDirectory
from experiments.spec import RunSpec, make_spec
from experiments.stats import compare
from experiments.tournament import run

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "search.md"
SEED = 20261130


class Match(NamedTuple):
    """Two bots that share the seats of a table.

    Attributes:
        game, players: what is played; single deals, but whole games in Kosmogonia.
        first, second: their specifications.
        boards: how many.
    """

    game: str
    players: int
    first: str
    second: str
    boards: int

    @property
    def spec(self) -> RunSpec:
        """The run of the match."""
        options = {"num_players": self.players} if self.game != "truf" else {}
        return make_spec(
            self.game,
            [f"first={self.first}", f"second={self.second}"],
            options=options,
            boards=self.boards,
            seed=SEED,
            format="game" if self.game == "kosmogonia" else "deal",
        )


def matches() -> Iterator[Match]:
    """The ladder: each bot against a simpler one, then what the settings are worth."""
    for players in (2, 4, 6):
        yield Match("kronions", players, "heuristic", "random", 1000)
        yield Match("kronions", players, "ismcts:iterations=100", "heuristic", 500)
        yield Match("kronions", players, "ismcts:iterations=1000", "heuristic", 500)
        yield Match("kronions", players, "ismcts:iterations=10000", "heuristic", 100)
    yield Match("kronions", 4, "ismcts:iterations=1000", "ismcts:iterations=100", 500)
    yield Match("kronions", 4, "ismcts:iterations=10000", "ismcts:iterations=1000", 100)
    yield Match("kronions", 4, "mc:iterations=1000", "heuristic", 500)
    yield from _settings("kronions", 500)
    yield Match("truf", 4, "heuristic", "random", 1000)
    yield Match("truf", 4, "ismcts:iterations=100", "heuristic", 500)
    yield Match("truf", 4, "ismcts:iterations=1000", "heuristic", 300)
    yield Match("truf", 4, "ismcts:iterations=10000", "heuristic", 40)
    yield Match("truf", 4, "mc:iterations=1000", "heuristic", 300)
    yield from _settings("truf", 200)
    yield Match("kosmogonia", 4, "heuristic", "random", 500)
    yield Match("kosmogonia", 4, "ismcts:iterations=100", "heuristic", 100)
    yield Match("kosmogonia", 4, "ismcts:iterations=1000", "heuristic", 50)
    yield Match("kosmogonia", 4, "mc:iterations=1000", "heuristic", 50)
    yield from _settings("kosmogonia", 40)


def _settings(game: str, boards: int) -> Iterator[Match]:
    """What the tree and the settings are worth at four seats, at 1,000 iterations."""
    yield Match(game, 4, "ismcts", "mc", boards)
    yield Match(game, 4, "ismcts", "ismcts:rollout=random", boards)
    yield Match(game, 4, "moismcts", "ismcts", boards)
    if game != "kosmogonia":  # there are no bids
        yield Match(game, 4, "ismcts:belief=bids", "ismcts", boards)
    if game != "truf":  # thousands of whole bids cannot be told apart without
        yield Match(game, 4, "ismcts", "ismcts:sensible=off", boards)


def row(match: Match, directory: RunDirectory) -> str:
    """A line of the table."""
    (found,) = compare(board_results(directory), ["first", "second"])
    shown = [
        f"{scale * gap.mean:+z.2f} ({scale * gap.low:+z.2f} .. {scale * gap.high:+z.2f})"
        for scale, gap in ((1, found.points), (100, found.win_share))
    ]
    boards = found.points.boards
    return f"| {match.game} {match.players} | `{match.first}` | `{match.second}` | {shown[0]} | {shown[1]} | {boards} |"


@click.command(cls=Command, context_settings=CONTEXT)
@click.option("--only", default="", help="Play the matches whose line in the table contains this text.")
@click.option("--workers", type=click.IntRange(1), help="Parallel workers; by default one a core.")
@click.option("--write", "is_write", is_flag=True, help="Put the table into docs/search.md.")
def main(only: str, workers: int | None, is_write: bool) -> None:
    """Play the ladder of bots and print it as a table."""
    if only and is_write:
        raise click.UsageError("--only and --write: the document holds the whole table")
    lines = ["| game, seats | bot | against | points | win share % | boards |", "|---|---|---|---|---|---|"]
    click.echo("\n".join(lines))
    for match in matches():
        if only not in " ".join(map(str, match)):
            continue
        spec = match.spec
        lines.append(row(match, run(spec, Path("runs") / "ladder" / f"{match.game}-{spec.hash()[:8]}", workers)))
        click.echo(lines[-1])
    if is_write:
        text = re.sub(
            r"(<!-- ladder: begin -->\n).*(<!-- ladder: end -->)",
            lambda found: found.group(1) + "\n".join(lines) + "\n" + found.group(2),
            DOCUMENT.read_text(),
            flags=re.DOTALL,
        )
        DOCUMENT.write_text(text)


if __name__ == "__main__":
    main()
