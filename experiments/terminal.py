"""What a command does with the streams and signals of its process."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
import warnings
from collections.abc import Iterator

_PATIENCE = 1.0  # seconds that Python has to answer Ctrl-C
_usual_format = warnings.formatwarning


@contextlib.contextmanager
def results_apart() -> Iterator[None]:
    """Keep the standard output for `sys.stdout`, which commands write results to.

    Whatever else is written to file 1 goes to the standard error: by C code and subprocesses of a user's bot, say, and
    by Python at the end of the process.
    """
    usual = sys.stdout
    try:
        is_real = usual.fileno() == 1 and os.fstat(2) is not None
    except (AttributeError, OSError, ValueError):  # closed, or not a file
        is_real = False
    if not is_real:
        yield
        return
    usual.flush()
    sys.stdout = out = os.fdopen(os.dup(1), "w", encoding=usual.encoding, errors=usual.errors)
    out.reconfigure(line_buffering=usual.isatty())  # type: ignore[attr-defined]
    os.dup2(2, 1)
    try:
        yield
    finally:
        out.flush()
        sys.stdout = sys.stderr


@contextlib.contextmanager
def aside() -> Iterator[None]:
    """Have what Python code prints go to the standard error: a user's bot is not to print into results."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


def nothing_to_stdout() -> None:
    """Have all that this process and its children print go to the standard error, for good."""
    sys.stdout = sys.stderr
    with contextlib.suppress(OSError):
        os.dup2(2, 1)


def show_warnings_plainly() -> None:
    """Show that compiled code cannot be kept as one line; other warnings keep their form."""
    warnings.formatwarning = _formatted


def _formatted(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
) -> str:
    if category.__name__ == "CacheWarning":  # its module would take a second to import
        return f"Warning: {message}\n"
    return _usual_format(message, category, filename, lineno, line)


@contextlib.contextmanager
def prompt_interrupts(code: int) -> Iterator[None]:
    """End the process with this code at Ctrl-C where Python does not come to answer: LLVM compiles for 15 s at a time.

    A command that has something to save calls `answer_interrupts`.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    here, there = socket.socketpair()
    there.setblocking(False)
    is_over = threading.Event()

    def watch() -> None:
        while number := here.recv(1):
            if number[0] == signal.SIGINT and not is_over.wait(_PATIENCE):
                with contextlib.suppress(OSError):  # no standard error
                    os.write(2, b"\n")
                end_process(code)
        here.close()

    threading.Thread(target=watch, daemon=True).start()
    before = signal.set_wakeup_fd(there.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        is_over.set()
        signal.set_wakeup_fd(before)
        there.close()


def answer_interrupts() -> None:
    """Leave Ctrl-C to the command from now on, however long its answer takes."""
    signal.set_wakeup_fd(-1)


def end_process(code: int) -> None:
    """End at once, whatever other threads are at; compiled code that could not be kept is removed."""
    if cache := sys.modules.get("cardkit.cache"):  # an import would wait for one that is going on
        cache.remove_spare_folder()
    os._exit(code)
