"""What to think of the figures of a run: warnings about intervals and ratings, one sentence each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from experiments.ratings import FEW_GAMES, Ratings
from experiments.rundir import RunDirectory
from experiments.seating import SeatEffect
from experiments.sequential import Decision
from experiments.spec import SCHEMA_VERSION, data_in_words
from experiments.stats import FEW_BOARDS, Difference, Estimate, Standing

Figures = Standing | Difference | SeatEffect


def doubts(found: Sequence[Standing], pairs: Sequence[Difference]) -> Iterator[str]:
    """Warnings about intervals of points and win shares that are too short, or longer than need be."""
    figures: dict[str, Figures] = {standing.bot: standing for standing in found}
    return _doubts(figures | {f"{pair.first} - {pair.second}": pair for pair in pairs})


def seat_doubts(found: Sequence[SeatEffect]) -> Iterator[str]:
    """The same of what seats bring."""
    return _doubts({f"seat {effect.seat}": effect for effect in found})


def rank_doubts(found: Sequence[Standing]) -> Iterator[str]:
    """Warnings about intervals of ranks."""
    return _long("ranks", {standing.bot: standing.rank for standing in found})


def _doubts(found: Mapping[str, Figures]) -> Iterator[str]:
    played = {name: figures for name, figures in found.items() if figures.points.boards}
    points = {name: figures.points for name, figures in played.items() if figures.points != figures.win_share}
    few = [name for name, estimate in points.items() if estimate.boards < FEW_BOARDS]
    skewed = [name for name, estimate in points.items() if estimate.is_rough and name not in few]
    if few:
        yield f"fewer than {FEW_BOARDS} boards for {_listed(few)}: intervals of points may hold the truth less often"
    if skewed:
        yield f"too few boards for points as skewed as those of {_listed(skewed)}: their intervals are too short"
    are_shares = len(points) < len(played)
    what = "points and win shares" if are_shares else "win shares"
    yield from _long(what, {name: figures.win_share for name, figures in played.items()})


def _long(what: str, estimates: Mapping[str, Estimate]) -> Iterator[str]:
    """A warning where intervals are longer than 95 % need: they hold the truth in up to all runs."""
    names = [name for name, estimate in estimates.items() if estimate.is_long]
    if names:
        yield f"intervals of {what} near their bounds, or of few boards, are longer than need be: {_listed(names)}"


def stop_doubts(decision: Decision | None) -> Iterator[str]:
    """What ending a run by its results does to its figures."""
    if decision is None or not decision.accepted:
        return
    found = Estimate(0.0, decision.low, decision.high, decision.boards)
    low, high = (f"{end:z.{max(2, found.decimals())}f}" for end in (found.low, found.high))
    yield (
        f"the stop rule ended this run by its results: what is shown of {decision.pair}, and with it of both bots, "
        f"leans to that answer, and intervals are too narrow"
        + (f"; one of {decision.pair} that allows for it is {low} .. {high} points" if found.has_interval else "")
    )


def run_doubts(directory: RunDirectory, boards: int) -> Iterator[str]:
    """What limits the results of a run as a whole, of which so many boards were played."""
    spec = directory.spec
    if directory.schema < SCHEMA_VERSION and len(spec.bots) > 2:
        yield (
            "this run is of version 0.1.0, which kept the order of three or more bots round the table: whoever sits "
            "behind a weak bot gains, and no interval shows it; play the run again"
        )
    elif directory.written_by:
        yield "other versions wrote this run: it can be read, but neither resumed nor verified"
    if boards < spec.num_variants:
        if directory.schema < SCHEMA_VERSION:
            yield f"only the first {boards} of {spec.num_variants} rounds were played: nothing is said of the others"
        else:
            yield f"{boards} of {spec.num_variants} rounds were played, spread over all of them"
    if spec.data:
        yield f"{data_in_words(spec.data)}: results hold for it only"
    if not spec.is_repeatable:
        yield "a bot has a time limit: the same command gives other games elsewhere, or on another day"


def rating_doubts(found: Ratings) -> Iterator[str]:
    """Warnings about ratings that do not compare, or hang on the virtual games."""
    if len(found.groups) > 1:
        groups = " | ".join(", ".join(group) for group in found.groups)
        yield f"these never met, so that ratings compare within each group only: {groups}"
    if found.one_sided:
        yield f"one side won every game, so that ratings lie at least this far apart: {_listed(found.one_sided)}"
    if found.nearly:
        yield (
            f"one side won all but fewer than {FEW_GAMES} games: intervals of ratings may hold the truth less often: "
            f"{_listed(found.nearly)}"
        )


def _listed(names: Sequence[str]) -> str:
    """The first few of many names."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
