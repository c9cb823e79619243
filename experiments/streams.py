"""The standard streams of a command: what they cannot write, and when they cannot be written at all."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, TextIO

# What tables, bars and progress bars are drawn with, for streams that are not UTF-8.
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("─━╸╺–—−", "-"),
        **dict.fromkeys("█▉▊▋▌▐", "#"),
        **dict.fromkeys("▍▎▏▕", " "),
        "±": "+-",
        "…": "...",
    }
)


class Unwritable(Exception):
    """The standard output does not take what it is given.

    Attributes:
        is_closed: whether its reader has gone, as `head` does; else a disk is full or the like.
    """

    def __init__(self, error: OSError) -> None:
        super().__init__(f"cannot write to the standard output: {error.strerror or error}")
        self.is_closed = isinstance(error, BrokenPipeError)


def plain(text: str, encoding: str | None, errors: str = "strict") -> str:
    """A text as a stream can write it.

    Outside UTF-8 tables are drawn in ASCII, though some of the signs may be known there: consoles and files often
    disagree about the encoding. What is left, such as letters in names, is escaped where it cannot be written.
    """
    encoding = encoding or "utf-8"
    if not encoding.lower().startswith("utf"):
        text = text.translate(_PLAIN)
    try:
        text.encode(encoding, errors)
    except UnicodeEncodeError:
        return text.encode(encoding, "backslashreplace").decode(encoding)
    return text


class _Stream:
    """A stream that is asked for nothing it cannot write, and whose failures are told from those of other files."""

    buffer = None  # click would write past this object

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write a text; the number of characters written."""
        try:
            return self._stream.write(plain(text, self._stream.encoding, self._stream.errors or "strict"))
        except OSError as error:
            self._give_up(error)
        return len(text)

    def flush(self) -> None:
        """Hand over what was written."""
        try:
            self._stream.flush()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        """Write no more: what is left in the stream is lost without a word at the end of the process."""
        with contextlib.suppress(OSError, ValueError):  # a stream that is no file
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)


class _Output(_Stream):
    """The standard output; `Unwritable` where it cannot be written, and ever after: click swallows the first one."""

    _refused: Unwritable | None = None

    def flush(self) -> None:
        """Hand over what was written."""
        if self._refused:
            raise self._refused
        super().flush()

    def _give_up(self, error: OSError) -> None:
        super()._give_up(error)
        self._refused = Unwritable(error)
        raise self._refused from None


@contextlib.contextmanager
def standard_streams() -> Iterator[Callable[[], None]]:
    """Make the standard streams write all that they are given, as well as they can; gives what flushes the output.

    The output raises `Unwritable` where it takes no more. That errors cannot be told changes nothing.
    """
    before = sys.stdout, sys.stderr
    output, errors = (before[0] and _Output(before[0])), (before[1] and _Stream(before[1]))  # None: closed at the start
    sys.stdout, sys.stderr = output, errors  # type: ignore[assignment]
    try:
        yield output.flush if output else lambda: None
    finally:
        sys.stdout, sys.stderr = before
