"""Compiled code on disk: found again by the next start, never stale, never in the way.

numba's own cache looks at the time stamp of one file only and keeps running old code after an edit in a *different*
file (a rule changed in `rules.py`, say). So the cache directory carries a hash of every source that can reach a kernel,
and of the compiler's versions: new sources, new directory. What is damaged in it is compiled again. What cannot be
written there goes to a spare folder, until the program ends.
"""

from __future__ import annotations

import contextlib
import hashlib
import multiprocessing
import os
import pickle
import secrets
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, UserProvidedCacheLocator

PACKAGES = ("cardkit", "kronions", "truf", "kosmogonia", "bots", "experiments")
KEPT_HASHES = 3
_SPARE = "HIDDENHAND_SPARE"  # the variable that tells worker processes of the spare folder
_HASH_BYTES = 32
_ROOT = Path(__file__).resolve().parent.parent
_extra_sources: set[Path] = set()


class CacheWarning(UserWarning):
    """Compiled code cannot be kept: the next start compiles it again."""


class _Folder(UserProvidedCacheLocator):
    """The folder of a file's kernels. It is made when one is saved: numba looks for another where it cannot write."""

    def ensure_cache_path(self) -> None:
        pass


class Reader(CompileResultCacheImpl):
    """How numba makes files of compiled code, and compiled code of files."""

    _locator_classes = (_Folder,)


class _Files(IndexDataCacheFile):
    """numba's files of a kernel, each with its hash before it: one that is damaged is as good as none.

    An entry has its key with it: of two processes that write at a time, one may overwrite what the other's index names.
    """

    def save(self, key: Any, data: Any) -> None:
        Path(self._cache_path).mkdir(parents=True, exist_ok=True)
        super().save(key, (key, data))

    def load(self, key: Any) -> Any:
        found, data = super().load(key) or (None, None)
        return data if found == key else None

    def _load_index(self) -> dict[Any, str]:
        try:
            stamp, names = self._load_data(self._index_name)
            return dict(names) if stamp == self._source_stamp else {}
        except Exception:
            return {}

    def _save_index(self, names: dict[Any, str]) -> None:
        self._save_data(self._index_name, (self._source_stamp, names))

    def _load_data(self, name: str) -> Any:
        content = Path(self._data_path(name)).read_bytes()
        if hashlib.sha256(content[_HASH_BYTES:]).digest() != content[:_HASH_BYTES]:
            raise OSError(f"{name} is damaged")
        return pickle.loads(content[_HASH_BYTES:])

    def _dump(self, value: Any) -> bytes:
        content = super()._dump(value)
        return hashlib.sha256(content).digest() + content


class KernelCache(FunctionCache):
    """What is kept of a kernel, in the cache directory or, where that cannot be written, in the spare folder."""

    _impl_class = Reader

    def _all_files(self) -> Iterator[_Files]:
        names = self._impl.filename_base, self._impl.locator.get_source_stamp()
        yield _Files(self.cache_path, *names)
        with contextlib.suppress(OSError):  # there may be no place for temporary files either
            spare = spare_folder() / cache_directory().name / type(self).__name__
            yield _Files(str(spare / Path(self.cache_path).name), *names)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """What was kept; None where there is nothing that can be used, whatever is wrong with it."""
        target.refresh()
        for files in self._all_files():
            with contextlib.suppress(Exception):
                data = files.load(self._index_key(signature, target.codegen()))
                if data is not None:
                    return self._impl.rebuild(target, data)
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep what was compiled, where something can be written."""
        if not self._impl.check_cachable(result):
            return
        entry = self._index_key(signature, result.codegen), self._impl.reduce(result)
        for files in self._all_files():
            try:
                files.save(*entry)
                return
            except OSError as error:
                _warn(error)


def add_sources(folder: Path) -> bool:
    """Have the cache directory depend on the Python files of one more folder; whether that is new."""
    folder = folder.resolve()
    if folder in _extra_sources or (folder.parent == _ROOT and folder.name in PACKAGES):
        return False
    _extra_sources.add(folder)
    cache_directory.cache_clear()
    return True


@cache
def cache_directory() -> Path:
    """The directory with the machine code of exactly these sources and versions; made if missing, where it can be."""
    directory = _user_cache().absolute() / "hiddenhand" / source_hash()
    with contextlib.suppress(OSError):
        is_new = not directory.exists()
        directory.mkdir(parents=True, exist_ok=True)
        os.utime(directory)
        if is_new:
            _prune(directory.parent)
    return directory


@cache
def spare_folder() -> Path:
    """Where compiled code goes that the cache directory does not take: made when needed, removed when the program ends.

    Worker processes that are started after the first call share it.
    """
    named = os.environ.get(_SPARE) if multiprocessing.parent_process() else None
    if not named:
        named = os.environ[_SPARE] = str(Path(tempfile.gettempdir()) / f"hiddenhand-{secrets.token_hex(8)}")
        Finalize(None, shutil.rmtree, (named, True), exitpriority=0)  # at the end of this process, not of a forked one
    return Path(named)


def remove_spare_folder() -> None:
    """Remove the spare folder before a process ends that does not clean up."""
    with contextlib.suppress(OSError):  # no place for temporary files
        shutil.rmtree(spare_folder(), ignore_errors=True)


def _warn(error: OSError) -> None:
    """Say that compiled code is not kept, once for all processes: the first to say it makes the spare folder."""
    try:
        spare_folder().mkdir(0o700)
    except FileExistsError:
        return
    except OSError:
        pass
    where = f"{cache_directory().parent} ({error.strerror or error})"
    warnings.warn(f"cannot write compiled code to {where}: the next start compiles it again", CacheWarning, 2)


def source_hash() -> str:
    """Hash of all kernel sources and of the numba, llvmlite, numpy and Python versions (16 hex digits)."""
    versions = (numba.__version__, llvmlite.__version__, np.__version__, sys.version)
    return hashlib.sha256(repr((*versions, rules_hash())).encode()).hexdigest()[:16]


def rules_hash() -> str:
    """Hash of all kernel sources alone: equal where the same code plays (16 hex digits)."""
    digest = hashlib.sha256()
    for path in sorted(_kernel_sources()):
        digest.update(f"{path.parent.name}/{path.name}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _kernel_sources() -> list[Path]:
    """Every file whose text can change compiled code; of `experiments` only the files that hold kernels."""
    folders = [_ROOT / name for name in PACKAGES] + sorted(_extra_sources)
    files = [path for folder in folders for path in folder.glob("*.py")]
    return [path for path in files if path.parent.name != "experiments" or b"@kernel" in path.read_bytes()]


def _user_cache() -> Path:
    """`HIDDENHAND_CACHE`, else the platform's cache folder of this user."""
    for variable in ("HIDDENHAND_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        if os.environ.get(variable):
            return Path(os.environ[variable])
    return Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")


def _prune(base: Path) -> None:
    """Delete all but the most recently used hash directories."""
    directories = sorted((path for path in base.iterdir() if path.is_dir()), key=_last_used, reverse=True)
    for old in directories[KEPT_HASHES:]:
        shutil.rmtree(old, ignore_errors=True)


def _last_used(directory: Path) -> float:
    """When a hash directory was last used; 0 where another process has just removed it."""
    try:
        return directory.stat().st_mtime
    except OSError:
        return 0.0
