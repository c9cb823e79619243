"""What runs of Kosmogonia say about strategy (see `experiments.analysis`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
import pyarrow.dataset as ds

from experiments.means import Means
from experiments.run_frames import Run, bounds_of, check_game, frames
from experiments.rundir import RunDirectory

_OF_GAME = ["game_id", "seat", "win_share", "outcome"]


def _rounds(directory: RunDirectory, columns: list[str]) -> Iterator[pd.DataFrame]:
    """The rounds of each seat with what became of its game, a part at a time."""
    rounds = frames(directory, "deals", ["board", "game_id", "seat", "round", *columns])
    for deals, games in zip(rounds, frames(directory, "games", _OF_GAME), strict=True):
        yield deals.merge(games, on=["game_id", "seat"])


def olympus_choices(run: Run) -> pd.DataFrame:
    """Which champions were sent to Olympus: the strongest at hand, or weak ones, so that the strong go to the quests.

    Args:
        run: a run with `--moves`.

    Returns:
        By `stronger`, how many of the champions that could have been sent have a higher sum of printed values (0: the
        strongest was sent), and `choices`, how many could have been sent: `value`, the sum of the one that was;
        `win_share` of the game in the end; `beaten`, whether Kronos was beaten by somebody.
    """
    directory = check_game(run, "kosmogonia")
    sums = directory.spec.game_object.rules.cards[0].values.sum(axis=1).astype(int)
    means = Means(["choices", "stronger"], {name: bounds_of(name) for name in ("value", "win_share", "beaten")})
    sent = frames(directory, "moves", ["game_id", "seat", "action", "legal"], ds.field("phase") == "challenge_card")
    for moves, games in zip(sent, frames(directory, "games", ["board", *_OF_GAME]), strict=True):
        rows = moves.merge(games, on=["game_id", "seat"])
        is_legal = (rows["legal"].to_numpy()[:, None] >> np.arange(len(sums), dtype=np.uint64) & np.uint64(1)).astype(
            bool
        )
        value = sums[rows["action"].to_numpy()]
        rows = rows.assign(
            value=value,
            choices=is_legal.sum(axis=1),
            stronger=(is_legal & (sums[None, :] > value[:, None])).sum(axis=1),
            beaten=rows["outcome"] == "win",
        )
        means.add(rows)
    return means.frame()


def deployment(run: Run) -> pd.DataFrame:
    """What champions placed at quests bring.

    Returns:
        By `round` and `deployed`, the champions placed: `duels_won`, `duels_tied`, `hunts`, `hunts_won` and `treasures`
        of the round, as numbers; `win_share` of the game in the end.
    """
    directory = check_game(run, "kosmogonia")
    columns = ["duels_won", "duels_tied", "hunts", "hunts_won", "treasures"]
    means = Means(["round", "deployed"], {name: bounds_of(name) for name in (*columns, "win_share")})
    for rows in _rounds(directory, ["deployed", *columns]):
        means.add(rows)
    return means.frame()


def item_or_key(run: Run) -> pd.DataFrame:
    """Treasures equipped for the fight with Kronos against treasures kept for their keys, in games that reached it.

    Returns:
        By `equipped`, the treasures that a seat equipped: `win_share`; `beaten`, whether Kronos was beaten by somebody;
        `keys` in the seat's vault at the end.
    """
    directory = check_game(run, "kosmogonia")
    means = Means(["equipped"], {"win_share": bounds_of("win_share"), "beaten": bounds_of("beaten"), "keys": None})
    for rows in _rounds(directory, ["equipped", "keys"]):
        last = rows.groupby("game_id")["round"].transform("max") == rows["round"]
        rows = rows[last & (rows["outcome"] != "lost_keys")]
        means.add(rows.assign(beaten=rows["outcome"] == "win"))
    return means.frame()


def endings(runs: Mapping[str, Run]) -> pd.DataFrame:
    """How games ended under different rules: difficulty, key limit, Destiny or Tactics, one run each.

    Args:
        runs: a run for each name.

    Returns:
        By `run` and `outcome`: the `share` of its games.
    """
    found = []
    for name, run in runs.items():
        directory = check_game(run, "kosmogonia", "truf", "kronions")
        outcomes = directory.spec.game_object.outcomes
        means = Means(["run", "outcome"], {"share": bounds_of("share")})
        for rows in frames(directory, "games", ["board", "outcome"], ds.field("seat") == 0):
            for outcome in outcomes:
                named = pd.Categorical([outcome] * len(rows), outcomes)
                means.add(rows.assign(run=name, share=rows["outcome"] == outcome, outcome=named))
        found.append(means.frame())
    return pd.concat(found, ignore_index=True)
