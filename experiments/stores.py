"""Where the files of a run lie: a folder of this machine, or any store that fsspec reaches.

A file is put in place whole or not at all. In a folder: temporary dot name, flush, sync, rename, and a lock that dies
with its process. Other stores take one put a file and know no lock; should two coordinators write the same run there,
they put the same bytes.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import fsspec
from filelock import FileLock, Timeout
from fsspec.implementations.local import LocalFileSystem

from cardkit.spec import InvalidText

LOCK = ".lock"


class InUse(Exception):
    """Another process holds the lock of a store."""


class Store(Protocol):
    """Files by name, such as "games/part-000000.parquet". What the system refuses is an `OSError`."""

    path: Any  # a `Path`, or the address

    def exists(self, name: str) -> bool:
        """Whether there is a file."""
        ...

    def can_hold(self, known: tuple[str, ...]) -> bool:
        """Whether there is nothing in it but files of these names, so that a run may be put there."""
        ...

    def prepare(self, folders: tuple[str, ...]) -> None:
        """Make folders at the top, and delete what a killed coordinator left half-written."""
        ...

    def files(self, folder: str) -> list[str]:
        """The names of the files in a folder, in order."""
        ...

    def read(self, name: str) -> bytes:
        """A whole file."""
        ...

    def write(self, name: str, data: bytes, sync: bool = True) -> None:
        """Put a whole file in place; `sync` waits until it is safe from a power cut."""
        ...

    def remove(self, name: str) -> None:
        """Delete a file, if there is one."""
        ...

    def for_arrow(self, name: str) -> tuple[Any, str]:
        """The file system that pyarrow is to read a file from (None: this machine's), and the file's path in it."""
        ...

    def lock(self) -> contextlib.AbstractContextManager[None]:
        """Keep other coordinators out, where the store can; `InUse` where one is at work."""
        ...


def store_at(place: Path | str) -> Store:
    """The store of a folder, or of an address such as s3://bucket/runs/first or memory://first.

    file:// and local:// are this machine's disk, where a folder has its lock.

    Raises:
        InvalidText: fsspec does not know such addresses, cannot reach them or needs a package for them that is not
            installed; a chain of stores; a zero byte.
    """
    text = str(place)
    if not text:  # it would be the folder in which the command runs
        raise InvalidText("cannot use '' for a run: expected a folder or an address")
    if "\0" in text:
        raise InvalidText(f"cannot use {text!r}: expected no zero bytes")
    if isinstance(place, Path) or "://" not in text:
        return Folder(Path(place))
    if "::" in text:  # caches of fsspec, archives in files: read from a copy, or put only when they are closed
        raise InvalidText(
            f"cannot use {text!r}: files cannot be put whole through a chain of stores, give the last one"
        )
    try:
        system, address = fsspec.core.url_to_fs(text)
    except (ValueError, ImportError, OSError) as error:
        (reason, *_) = str(error).splitlines() or [type(error).__name__]
        raise InvalidText(f"cannot use {text!r}: {reason}") from None
    except Exception:  # fsspec's classes for archives and the like trip over what they are not given
        kind = text.partition("://")[0]
        raise InvalidText(f"cannot use {text!r}: {kind}:// needs more than an address") from None
    return Folder(Path(address)) if isinstance(system, LocalFileSystem) else Remote(system, address, text)


class Folder:
    """A folder of this machine."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def exists(self, name: str) -> bool:
        """Whether there is a file."""
        return (self.path / name).is_file()

    def can_hold(self, known: tuple[str, ...]) -> bool:
        """Whether there is nothing in it but files of these names, or no such folder yet."""
        return not self.path.exists() or (self.path.is_dir() and all(c.name in known for c in self.path.iterdir()))

    def prepare(self, folders: tuple[str, ...]) -> None:
        """Make folders at the top, and delete the temporary files of a run that was killed."""
        for folder in folders:
            (self.path / folder).mkdir(exist_ok=True)
        for leftover in self.path.glob("**/.*.tmp"):
            leftover.unlink()

    def files(self, folder: str) -> list[str]:
        """The names of the files in a folder, in order."""
        return sorted(f"{folder}/{child.name}" for child in (self.path / folder).glob("[!.]*"))

    def read(self, name: str) -> bytes:
        """A whole file."""
        return (self.path / name).read_bytes()

    def write(self, name: str, data: bytes, sync: bool = True) -> None:
        """Put a whole file in place: temporary name, flush, sync, rename.

        The folder is not synced: a rename lost in a power cut leaves a part that the hashes show as missing.
        """
        path = self.path / name
        temporary = path.with_name(f".{path.name}.tmp")
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            if sync:
                os.fsync(file.fileno())
        temporary.replace(path)

    def remove(self, name: str) -> None:
        """Delete a file, if there is one."""
        (self.path / name).unlink(missing_ok=True)

    def for_arrow(self, name: str) -> tuple[Any, str]:
        """The file's path, for pyarrow."""
        return None, str(self.path / name)

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Make the folder and hold its lock."""
        self.path.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.path / LOCK, timeout=0)
        try:
            lock.acquire()
        except Timeout:
            raise InUse from None
        try:
            yield
        finally:
            lock.release()


class Remote:
    """A place in a store that fsspec reaches."""

    def __init__(self, system: Any, address: str, text: str) -> None:
        self.path, self._system, self._address = text, system, address.rstrip("/")
        system.use_listings_cache = False

    def _at(self, name: str) -> str:
        return f"{self._address}/{name}"

    def for_arrow(self, name: str) -> tuple[Any, str]:
        """The store and the file's path in it, for pyarrow."""
        return self._system, self._at(name)

    def exists(self, name: str) -> bool:
        """Whether there is a file."""
        return bool(self._system.isfile(self._at(name)))

    def can_hold(self, known: tuple[str, ...]) -> bool:
        """Whether there is nothing in it but files of these names."""
        if not self._system.exists(self._address):
            return True
        found = self._system.ls(self._address, detail=False)
        return all(name.rstrip("/").rpartition("/")[2] in known for name in found)

    def prepare(self, folders: tuple[str, ...]) -> None:
        """Nothing is to do: a put makes its folders, and leaves nothing half-written."""

    def files(self, folder: str) -> list[str]:
        """The names of the files in a folder, in order."""
        if not self._system.exists(self._at(folder)):
            return []
        found = self._system.ls(self._at(folder), detail=False)
        return sorted(f"{folder}/{file.rpartition('/')[2]}" for file in found)

    def read(self, name: str) -> bytes:
        """A whole file."""
        return bytes(self._system.cat_file(self._at(name)))

    def write(self, name: str, data: bytes, sync: bool = True) -> None:
        """Put a whole file in place, with one put."""
        self._system.makedirs(self._at(name).rpartition("/")[0], exist_ok=True)
        self._system.pipe_file(self._at(name), data)

    def remove(self, name: str) -> None:
        """Delete a file, if there is one."""
        if self.exists(name):
            self._system.rm_file(self._at(name))

    def lock(self) -> contextlib.AbstractContextManager[None]:
        """There is none."""
        return contextlib.nullcontext()
