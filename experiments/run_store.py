"""A store whose failures are a user's to read: what the system or a damaged file refuses becomes a `RunError`."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

from experiments.stores import InUse, Store


class RunError(ValueError):
    """A run directory that cannot be used: another run's, other files, not writable, other versions, in use."""


class Damaged(RunError):
    """A file of a run that holds no JSON: empty, cut or overwritten."""


@contextlib.contextmanager
def lock(store: Store) -> Iterator[None]:
    """Hold the lock of a store.

    Raises:
        RunError: another process holds it, or nothing can be written there.
    """
    with contextlib.ExitStack() as held:
        with usable(store, "write to"):
            try:
                held.enter_context(store.lock())
            except InUse:
                raise RunError(
                    f"{str(store.path)!r} is being written by another process: wait for it, or stop it"
                ) from None
        yield


@contextlib.contextmanager
def usable(store: Store, doing: str, name: str = "") -> Iterator[None]:
    """Turn what the system refuses into a `RunError`; `doing` is "read" or "write to", `name` that of a file."""
    try:
        yield
    except OSError as error:
        place = shown(store, name) if name else repr(str(store.path))
        raise RunError(f"cannot {doing} {place}: {error.strerror or error}") from None


def json_bytes(data: Any) -> bytes:
    """The data as the text of a JSON file."""
    return (json.dumps(data, indent=1) + "\n").encode()


def read_json(store: Store, name: str) -> Any:
    """The data in a JSON file.

    Raises:
        RunError: it cannot be read, or holds something else.
    """
    with usable(store, "read", name):
        data = store.read(name)
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        what = "it is cut, or no JSON" if data.strip(b"\0 \r\n") else "it is empty"
        raise Damaged(f"{shown(store, name)} is damaged, {what}: play the run again in another folder") from None


def shown(store: Store, name: str) -> str:
    """The place of a file in a message."""
    return repr(f"{store.path}/{name}")
