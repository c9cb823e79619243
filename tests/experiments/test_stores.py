"""Where a run may lie: addresses that are this machine's disk, and those that are refused in one line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cardkit.spec import InvalidText
from experiments.stores import Folder, Remote, store_at


@pytest.mark.parametrize("kind", ["file", "local"])
def test_an_address_of_this_machines_disk_is_a_folder(tmp_path: Path, kind: str) -> None:
    """Only a folder has a lock."""
    store = store_at(f"{kind}://{tmp_path}/run")
    assert isinstance(store, Folder)
    assert store.path == tmp_path / "run"


def test_a_path_is_a_folder_whatever_is_in_its_name(tmp_path: Path) -> None:
    for place in (tmp_path, "runs/a::b", Path("memory:/first")):
        assert isinstance(store_at(place), Folder)
    assert isinstance(store_at("memory://first"), Remote)


@pytest.mark.parametrize(
    "address",
    [
        "zip://x",
        "tar://x",
        "reference://x",
        "dir://x",
        "generic://x",
        "blockcache://x",
        "ftp://nowhere.invalid/x",
        "nowhere://x",
        "hdfs://nowhere.invalid/x",
        "runs/a\0b",
    ],
)
def test_an_address_that_cannot_be_used_is_one_line(address: str) -> None:
    with pytest.raises(InvalidText, match=rf"^cannot use {re.escape(repr(address))}: .") as error:
        store_at(address)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "chain", ["simplecache::file://", "blockcache::file://", "zip://a::file://", "filecache::local://"]
)
def test_a_chain_of_stores_is_refused(tmp_path: Path, chain: str) -> None:
    with pytest.raises(InvalidText, match="cannot be put whole through a chain of stores, give the last one"):
        store_at(f"{chain}{tmp_path}/run")
    assert list(tmp_path.iterdir()) == []
