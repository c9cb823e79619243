"""What a kernel executes: instructions, branches, how many a simple predictor misses, reads, writes and cache misses.

    python -m experiments.counts GAME PLAYER [--number N] [--lines 20]

PLAYER is `random` or `heuristic`, whose deals are counted a decision, or a bot that searches, of which a simulation is
counted at the first decision with a choice a quarter into a deal. The machine code is that of the library, as it is
for an x86-64 processor without AVX-512, and runs in valgrind's cachegrind. So the numbers are exact and do not depend
on what else a machine does. But branch predictor and caches (48 KB the first) are simulated, and simpler than those of
processors of today: what it says is missed is an upper bound. Time in functions of C (logarithms, filling memory) is
left out. `--lines` compiles with debug information, which makes some code longer: in Kosmogonia a fifth.

It needs `valgrind`, `nm` and a C compiler to link with (`cc`). Kernels are compiled anew, which takes half a minute.
"""

from __future__ import annotations

import os
import pickle
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import llvmlite.binding as llvm
import numpy as np

import cardkit.batch
from bots.bot import bot_settings
from bots.players import think
from bots.room import new_room
from bots.specs import parse_bot
from cardkit.cache import PACKAGES
from cardkit.spec import InvalidRules
from experiments.benches import searching, views_of_deal
from experiments.commands import CONTEXT, Command, plain_errors
from experiments.games import game_names, make_game
from experiments.tables import console, plain_table

TOOLS = ("valgrind", "nm", "cc")
EVENTS = ("Ir", "Bc", "Bcm", "Bi", "Bim", "Dr", "Dw", "D1mr", "D1mw")  # as cachegrind calls them
COLUMNS = ("instr.", "branches", "missed", "jumps", "missed", "memory", "cache")
_OURS = tuple(f"{package}." for package in (*PACKAGES, "numba"))
_FEATURES = "+avx2,+bmi,+bmi2,+fma,+lzcnt,+popcnt"  # what valgrind knows, of what processors have
_CACHES = ("--I1=32768,8,64", "--D1=49152,12,64", "--LL=33554432,16,64")  # bytes, ways, bytes of a line
_COUNTING = "HIDDENHAND_COUNTING"  # set where this is the process that counts
_CALLER = Path(__file__).with_name("call_compiled.py")
_NUMBERS = {"random": 256, "heuristic": 64}  # deals; 1000 simulations of a bot


@dataclass
class Counts:
    """What was executed.

    Attributes:
        answer: what the kernel returned.
        functions: counts by name of a compiled function, in the order of `EVENTS`.
        lines: counts by file and line of the source.
    """

    answer: int
    functions: dict[str, np.ndarray] = field(default_factory=dict)
    lines: dict[tuple[str, int], np.ndarray] = field(default_factory=dict)

    @property
    def total(self) -> np.ndarray:
        """Of all functions together."""
        return sum(self.functions.values(), np.zeros(len(EVENTS)))


def count(kernel: Any, arguments: Callable[[], tuple[Any, ...]]) -> Counts:
    """Count what a call of a kernel executes.

    Args:
        kernel: compiled now and not from the cache; lines are known where `NUMBA_DEBUGINFO` is set.
        arguments: makes arguments for a call, of numbers, records, arrays and tuples of these.

    Raises:
        InvalidRules: a tool is missing, or the compiled code does not do the same in valgrind.
    """
    if platform.machine() not in ("x86_64", "AMD64"):
        raise InvalidRules(f"counting needs an x86-64 processor, not {platform.machine()}")
    if missing := [tool for tool in TOOLS if not shutil.which(tool)]:
        raise InvalidRules(f"counting needs the programs {', '.join(TOOLS)}: {', '.join(missing)} not found")
    expected = kernel(*arguments())
    compiled = kernel.overloads[kernel.signatures[-1]]
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu="haswell", features=_FEATURES, opt=3, reloc="pic", codemodel="small"
    )
    with tempfile.TemporaryDirectory() as folder:
        code, library, call, out = (Path(folder) / name for name in ("kernel.o", "kernel.so", "call", "out"))
        code.write_bytes(machine.emit_object(compiled.library._final_module))
        unknown = [line.split()[-1] for line in _run("nm", "-u", str(code)).splitlines()]
        unused = [f"-Wl,--defsym={name}=0" for name in unknown if name.startswith(("numba_", "NRT_"))]
        _run("cc", "-shared", "-o", str(library), str(code), *unused, "-lm")
        call.write_bytes(pickle.dumps((compiled.fndesc.llvm_func_name, list(_words(arguments())))))
        options = ("--branch-sim=yes", "--cache-sim=yes", *_CACHES, "--demangle=no", f"--cachegrind-out-file={out}")
        python = (os.path.realpath(sys.executable), "-I", "-S", str(_CALLER))
        said = _run("valgrind", "--tool=cachegrind", *options, *python, str(library), str(call))
        status, answer = map(int, said.split())
        if status or answer != expected:
            raise InvalidRules(f"in valgrind the kernel returned {answer}, not {expected}")
        return read_counts(out.read_text(), answer)


def _run(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith(("==", "--"))]
        raise InvalidRules(f"{words[0]} failed: {said[-1] if said else f'exit code {done.returncode}'}")
    return done.stdout


def _words(value: Any) -> Iterable[Any]:
    """A value as numba hands it to a compiled function: numbers, and the bytes of what a pointer points to."""
    if isinstance(value, np.ndarray) and not value.flags.c_contiguous:
        raise ValueError("arrays must be contiguous")
    if isinstance(value, np.ndarray):  # owner, parent, items, bytes of one, data, shape, strides
        yield from (0, 0, value.size, value.itemsize, value.tobytes(), *value.shape, *value.strides)
    elif isinstance(value, np.void):
        yield value.tobytes()
    elif isinstance(value, tuple):
        for part in value:
            yield from _words(part)
    elif isinstance(value, bool | np.bool_):
        yield bool(value)
    else:
        yield float(value) if isinstance(value, float | np.floating) else int(value)


def read_counts(text: str, answer: int = 0) -> Counts:
    """The counts of compiled Python in a file of cachegrind; other code is left out."""
    found = Counts(answer)
    places: list[int] = []
    file = function = ""
    for line in text.splitlines():
        key, _, rest = line.partition("=" if line.startswith(("fl=", "fn=")) else ":")
        if key == "events":
            places = [1 + rest.split().index(event) for event in EVENTS]
        elif key == "fl":
            file = rest
        elif key == "fn":
            function = rest
        elif line[:1].isdigit() and (name := _plain_name(function)).startswith(_OURS):
            numbers = [int(word) for word in line.split()]
            counts = np.array([numbers[place] for place in places], np.float64)
            found.functions[name] = found.functions.get(name, 0) + counts
            found.lines[file, numbers[0]] = found.lines.get((file, numbers[0]), 0) + counts
    return found


def _plain_name(mangled: str) -> str:
    """`module.function` of a name as numba makes it: `_ZN`, then each part with its length before it."""
    parts, rest = [], mangled.removeprefix("_ZN")
    while match := re.match(r"\d+", rest):
        length, rest = int(match[0]), rest[match.end() :]
        parts.append(rest[:length])
        rest = rest[length:]
    return ".".join(parts) or mangled


def counted(name: str, player: str, number: int) -> tuple[Counts, int]:
    """The counts of a player's work, and how many pieces of work (decisions, simulations) they are for."""
    game = make_game(name, **make_game(name).bench_options)
    if player in _NUMBERS:

        def deals() -> tuple[Any, ...]:
            batch = game.new_batch(number, 1)
            streams = batch._rng, batch._chance_rng
            return game.rules, batch.states, batch.seed, np.uint64(1), player == "heuristic", *streams

        found = count(cardkit.batch._rollout_all, deals)
        return found, found.answer
    if "iterations" in parse_bot(player).keys:
        raise InvalidRules(f"bot {player!r}: say how many iterations with --number")
    settings = bot_settings(searching(player, number))
    views = views_of_deal(game, 1)
    view = next(view for view in views[len(views) // 4 :] if len(view.legal_actions()) > 1)

    def search() -> tuple[Any, ...]:
        stream = np.array([1, 2], np.uint64)
        return game.rules, view.record, settings[0], stream, new_room(game, settings)

    return count(think, search), number


def show(found: Counts, number: int, unit: str, lines: int) -> None:
    """Print tables: a row for all, for functions with 1 % of it and more, and for the lines with most instructions.

    Columns: instructions; conditional branches, and those missed; jumps to a computed place, and those missed; reads
    and writes of memory, and those that the first cache does not have.
    """
    out = console()

    def cells(counts: np.ndarray) -> list[str]:
        *most, reads, writes, read_misses, write_misses = counts / number
        return [
            f"{value:,.{2 if value < 100 else 0}f}" for value in (*most, reads + writes, read_misses + write_misses)
        ]

    table = plain_table(f"each of {number:,} {unit}", "function", *COLUMNS)
    table.add_row("all", *cells(found.total))
    for name, counts in sorted(found.functions.items(), key=lambda item: -item[1][0]):
        if counts[0] >= found.total[0] / 100:
            table.add_row(name, *cells(counts))
    out.print(table)
    if lines:
        table = plain_table("lines with most instructions", "line", *COLUMNS)
        for (file, line), counts in sorted(found.lines.items(), key=lambda item: -item[1][0])[:lines]:
            table.add_row(f"{Path(file).parent.name}/{Path(file).name}:{line}", *cells(counts))
        out.print(table)


@click.command(cls=Command, context_settings=CONTEXT)
@click.argument("game", type=click.Choice(game_names()))
@click.argument("player")
@click.option("--number", type=click.IntRange(1), help="Deals (256 at random, else 64) or simulations (1000).")
@click.option("--lines", type=click.IntRange(0), default=0, help="Show so many lines of the source.")
def main(game: str, player: str, number: int | None, lines: int) -> None:
    """Count the instructions, branches and misses of a decision or simulation of PLAYER at GAME."""
    with plain_errors():
        if _COUNTING not in os.environ:  # numba and the cache read these when they are imported
            with tempfile.TemporaryDirectory() as cache:
                settings = {"NUMBA_DEBUGINFO": str(int(lines > 0)), "HIDDENHAND_CACHE": cache, _COUNTING: "1"}
                words = [sys.executable, "-m", "experiments.counts", *sys.argv[1:]]
                sys.exit(subprocess.run(words, env=os.environ | settings).returncode)
        unit = "decisions" if player in _NUMBERS else "simulations"
        show(*counted(game, player, number or _NUMBERS.get(player, 1000)), unit, lines)


if __name__ == "__main__":
    main()
