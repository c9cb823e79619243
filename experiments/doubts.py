"""What to think of the figures of a run: warnings about intervals and ratings, one sentence each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from experiments.ratings import Ratings
from experiments.spec import RunSpec, data_in_words
from experiments.stats import FEW_BOARDS, Difference, Standing


def doubts(found: Sequence[Standing], pairs: Sequence[Difference]) -> Iterator[str]:
    """Warnings about intervals that are too short."""
    points = {standing.bot: standing.points for standing in found if standing.games}
    points |= {f"{pair.first} - {pair.second}": pair.points for pair in pairs if pair.points.boards}
    few = [name for name, estimate in points.items() if estimate.boards < FEW_BOARDS]
    skewed = [name for name, estimate in points.items() if estimate.is_rough and name not in few]
    if few:
        yield f"fewer than {FEW_BOARDS} boards for {_listed(few)}: intervals of points may hold the truth less often"
    if skewed:
        yield f"too few boards for points as skewed as those of {_listed(skewed)}: their intervals are too short"


def run_doubts(spec: RunSpec) -> Iterator[str]:
    """What limits the results of a run as a whole."""
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


def _listed(names: Sequence[str]) -> str:
    """The first few of many names."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
