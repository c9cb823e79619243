"""The disk cache of compiled code: found again, never stale, pruned, and never in the way.

Every test runs in processes of their own, on a copy of the packages and with a cache directory of its own.
"""

from __future__ import annotations

import pickle
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cardkit import cache
from cardkit.cache import KEPT_HASHES
from tests.conftest import ROOT, RunPython

# Kernels of the game on a made-up record: seat 0 has a paradox card to play, and has bid 2 and won 1. A generic kernel
# that reaches them through the verbs. Then how often the code was found in the cache and how often it was compiled.
USE_KERNELS = """
import numpy as np
from cardkit.batch import random_action
from cardkit.rng import new_rng
from kronions import Game, kernels
from kronions.state import NONE, PLAY
rules, records, points = Game("mini").rules, Game("mini").new_records(1), np.zeros(2)
state = records[0]
chance = kernels.to_move(rules, state)
state.hands[0], state.bids[0], state.tricks[0], state.led_suit, state.phase = 1 << 52, 2, 1, NONE, PLAY
kernels.deal_value(rules, state, points)
plays = int(kernels.legal_mask(rules, state))
assert plays >> random_action(rules, state, new_rng(1)) & 1
print(chance, points[0], plays >> 52)
used = (kernels.to_move, kernels.deal_value, kernels.legal_mask, random_action)
print(*(sum(k.stats.cache_hits.values()) for k in used), *(sum(k.stats.cache_misses.values()) for k in used))
"""
OUTER = """
import numba
from cardkit.jit import kernel
@numba.njit
def helper(x):
    return x + 1
@kernel
def inner(total, x):
    if x > 100:
        raise ValueError("too much")
    if x == 7:
        print("seven", x)
    total[0] += helper(x)
    return total[0]
@kernel
def outer(total, x):
    return 2 * inner(total, x)
@numba.njit
def caller(total, x):
    return outer(total, x) + inner(total, x)
"""
USE_OUTER = """
import numpy as np
from outer import caller, helper, inner, outer
total = np.zeros(1, np.int64)
print(outer(total, 1), helper(4), len(inner.overloads))
print(outer(total, 7), caller(total, 2), inner(total, 3), len(inner.overloads))
try:
    outer(total, 101)
except ValueError as error:
    print(error)
"""
# Games whose rules have one name: two with the same types, and one that compiles something as it is imported.
# And a kernel that is too large to be inlined.
NAMESAKES = {
    "generic": """
from cardkit.jit import kernel, outlined_kernel
@outlined_kernel
def score(rules, values, x):
    total = x
    for i in range(x):
        for j in range(i):
            if values[(i + j) % 5] % 7 == rules.first:
                total += rules.second * 3
            if values[i % 5] % 11 == rules.second:
                total ^= rules.first
            values[i % 5] += total * rules.first
            values[j % 5] ^= total + rules.second
        while total > 1000:
            total //= rules.first + 2
        for k in range(4):
            for m in range(k):
                values[m] = values[k] * rules.first + i - values[m] // (rules.second + 1)
                values[k] = values[k] % 1000 + (values[m] & 255)
                if values[k] > rules.first * 100:
                    values[k] -= total
    return total
@kernel
def twice(rules, values, x):
    return score(rules, values, x) + score(rules, values, x + 1) + score(rules, values, x + 2) + score(rules, values, 9)
@kernel
def thrice(rules, values, x):
    return 3 * twice(rules, values, x)
""",
    "one": """
from typing import NamedTuple
class Rules(NamedTuple):
    first: int
    second: int
""",
    "other": """
from typing import NamedTuple
class Rules(NamedTuple):
    second: int
    first: int
""",
    "busy": """
from typing import NamedTuple
import numba
class Rules(NamedTuple):
    third: float
    second: int
    first: int
@numba.njit
def table(n):
    return n * n
TABLE = table(3)
""",
}
USE_NAMESAKES = """
import importlib, sys
import numpy as np
import generic
for name in {names!r}:
    third = {{"third": 1.0}} if name == "busy" else {{}}
    rules = importlib.import_module(name).Rules(first=3, second=5, **third)
    print(generic.{kernel}(rules, np.arange(8), 4))
"""
CIRCLES = """
from cardkit.jit import kernel, outlined_kernel
@kernel
def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)
@kernel
def more(n):
    return factorial(n) + 1
@outlined_kernel
def even(n):
    if n == 0:
        return True
    return odd(n - 1)
@outlined_kernel
def odd(n):
    if n == 0:
        return False
    return even(n - 1)
@kernel
def odds(n):
    return odd(n)
"""
USE_CIRCLES = """
from circles import factorial, more, odds
print(more(5), factorial(4))
try:
    print(odds(5))
except Exception as error:
    print("in a circle" in str(error))
"""
EDIT_FIVE_TIMES = """
import pathlib
from cardkit.cache import cache_directory
for edit in range(5):
    with pathlib.Path("kronions/rules.py").open("a") as file:
        file.write(f"# edit {edit}\\n")
    cache_directory.cache_clear()
    print(cache_directory().name)
"""
OUTSIDE_GAME = """
from typing import NamedTuple
from cardkit.verbs import VERBS, register

class OutsideRules(NamedTuple):
    num_players: int = 2

register(OutsideRules, {name: eval(f"lambda {', '.join(s.parameters)}: 0") for name, s in VERBS.items()})
"""
USE_OUTSIDE_GAME = """
import numpy as np
from cardkit import cache, rng
before = cache.cache_directory()
import outside.game
rng.mix(np.uint64(1))
files = [path.name for path in cache.cache_directory().rglob("*.nbi") if "mix" in path.name]
print(before, cache.cache_directory(), len(files))
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the packages, to be edited."""
    for package in ("cardkit", "kronions"):
        shutil.copytree(ROOT / package, tmp_path / "tree" / package, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "tree"


@pytest.fixture
def run(tree: Path, tmp_path: Path, run_python: RunPython) -> Callable[[str], list[str]]:
    """Run code on the copy, compiled, with a cache of its own; returns the lines of its output."""

    def run_code(code: str) -> list[str]:
        return run_python("-c", code, cwd=tree, HIDDENHAND_CACHE=str(tmp_path / "cache")).stdout.splitlines()

    return run_code


def hash_directories(tmp_path: Path) -> set[str]:
    return {path.name for path in (tmp_path / "cache" / "hiddenhand").iterdir()}


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1, f"{old!r} must stand once in {path.name}"
    path.write_text(text.replace(old, new))


def test_compiled_code_is_found_again_by_the_next_process(run: Callable[[str], list[str]], tmp_path: Path) -> None:
    first = run(USE_KERNELS)
    files = sorted((tmp_path / "cache").rglob("*.nb?"))
    assert files
    assert run(USE_KERNELS)[0] == first[0]
    assert sorted((tmp_path / "cache").rglob("*.nb?")) == files
    assert first[1] == "0 0 0 0 1 1 1 1"
    assert run(USE_KERNELS)[1] == "1 1 1 1 0 0 0 0"


def test_a_kernel_in_another_one_is_a_part_of_it(run: Callable[[str], list[str]], tree: Path) -> None:
    """It is made machine code only where Python calls it; printing, errors and numba's own functions work in it."""
    (tree / "outer.py").write_text(OUTER)
    said = ["4 5 0", "seven 7", "20 42 20 1", "too much"]
    assert run(USE_OUTER) == said
    assert run(USE_OUTER) == said, "and as they are cached"


def test_cached_code_is_never_taken_for_that_of_a_namesake(run: Callable[[str], list[str]], tree: Path) -> None:
    """Nor is what a module compiles while it is imported, be it by numba as it reads the cache, taken for a part."""
    for name, source in NAMESAKES.items():
        (tree / f"{name}.py").write_text(source)
    (said,) = run(USE_NAMESAKES.format(names=["one"], kernel="twice"))
    assert run(USE_NAMESAKES.format(names=["one", "other"], kernel="twice")) == [said, said]
    assert run(USE_NAMESAKES.format(names=["busy"], kernel="twice")) == [said]
    assert run(USE_NAMESAKES.format(names=["one"], kernel="thrice")) == [str(3 * int(said))]


def test_a_kernel_may_call_itself_but_not_in_a_circle(run: Callable[[str], list[str]], tree: Path) -> None:
    (tree / "circles.py").write_text(CIRCLES)
    for _ in range(2):
        assert run(USE_CIRCLES) == ["121 24", "True"]


def test_an_edit_in_another_file_changes_what_kernels_do(
    run: Callable[[str], list[str]], tree: Path, tmp_path: Path
) -> None:
    """The kernels stand in other files than these constants: numba alone would keep running the old code."""
    assert run(USE_KERNELS)[0] == "-1 0.0 3"
    assert len(hash_directories(tmp_path)) == 1
    replace(tree / "kronions" / "rules.py", "TRICKS_PLUS_BONUS = 1 ", "TRICKS_PLUS_BONUS = 0 ")
    assert run(USE_KERNELS)[0] == "-1 1.0 3"
    assert len(hash_directories(tmp_path)) == 2
    replace(tree / "kronions" / "cards.py", "PAST = 53 ", "PAST = 54 ")
    replace(tree / "cardkit" / "verbs.py", "CHANCE = -1 ", "CHANCE = -3 ")
    assert run(USE_KERNELS)[0] == "-3 1.0 5"
    assert len(hash_directories(tmp_path)) == 3


def test_only_the_last_hashes_are_kept(run: Callable[[str], list[str]], tmp_path: Path) -> None:
    names = run(EDIT_FIVE_TIMES)
    assert len(set(names)) == 5
    assert KEPT_HASHES == 3
    assert hash_directories(tmp_path) == set(names[-3:])


def test_a_directory_in_use_is_kept(run: Callable[[str], list[str]], tree: Path, tmp_path: Path) -> None:
    """Going back to older sources makes their directory the most recent one."""
    rules, text = tree / "kronions" / "rules.py", (tree / "kronions" / "rules.py").read_text()
    back_and_on = (
        EDIT_FIVE_TIMES.replace("range(5)", "range(2)")
        + f"""
    pathlib.Path("kronions/rules.py").write_text({text!r})
    cache_directory.cache_clear()
    print(cache_directory().name)
"""
    )
    first, original, second, again = run(back_and_on)
    assert original == again != first != second
    assert rules.read_text() == text
    third, fourth = run(EDIT_FIVE_TIMES.replace("range(5)", "range(8, 10)"))
    assert hash_directories(tmp_path) == {original, third, fourth}


def damaged(content: bytes, other: bytes, kind: int) -> bytes:
    """The content of a file, damaged: empty, cut, garbage, with one wrong bit, that of another file, another pickle."""
    middle = len(content) // 2
    bit = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    return (b"", content[:middle], b"garbage" * 9, bit, other, pickle.dumps(("0.68.1", {})))[kind]


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_what_is_damaged_is_compiled_again(run: Callable[[str], list[str]], tmp_path: Path, suffix: str) -> None:
    """In all ways, each in another file, and then in others."""
    first = run(USE_KERNELS)
    files = sorted((tmp_path / "cache").rglob(f"*.{suffix}"))
    assert len(files) >= 12
    for shift in (0, 3):
        contents = [file.read_bytes() for file in files]
        for i, file in enumerate(files):
            file.write_bytes(damaged(contents[i], contents[i - 1], (i + shift) % 6))
        assert run(USE_KERNELS) == first, "all is compiled again"
        assert run(USE_KERNELS) == [first[0], "1 1 1 1 0 0 0 0"], "and found by the next process"


def test_an_entry_of_another_kernel_is_none(tmp_path: Path) -> None:
    """Two processes that write at a time may leave an index that names the other's file."""
    files = cache._Files(str(tmp_path), "kernel", b"stamp")
    files.save("key", 1)
    files.save("other", 2)
    (tmp_path / "kernel.1.nbc").write_bytes((tmp_path / "kernel.2.nbc").read_bytes())
    assert files.load("key") is None
    assert files.load("other") == 2
    assert cache._Files(str(tmp_path), "kernel", b"edited").load("other") is None


# As where another user owns the folder, which root could write.
READ_ONLY = """
import os, pathlib, tempfile
def refuse(*arguments, **keywords):
    raise PermissionError(13, "Permission denied")
os.replace = os.utime = pathlib.Path.mkdir = tempfile.TemporaryFile = refuse
"""
FULL_DISK = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    (tmp_path / "temporary").mkdir()
    return tmp_path / "temporary"


@pytest.fixture
def run_loud(tree: Path, temporary: Path, run_python: RunPython) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run code on the copy with a cache directory and an own folder for temporary files; warnings are shown."""

    def run_code(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
        settings = {"HIDDENHAND_CACHE": str(folder), "TMPDIR": str(temporary)}
        return run_python("-W", "always", "-c", code, cwd=tree, **settings)

    return run_code


def test_a_cache_that_can_only_be_read_is_read(run_loud, tmp_path: Path, temporary: Path) -> None:  # type: ignore[no-untyped-def]
    first = run_loud(USE_KERNELS, tmp_path / "cache").stdout.splitlines()[0]
    done = run_loud(READ_ONLY + USE_KERNELS, tmp_path / "cache")
    assert done.stdout.splitlines() == [first, "1 1 1 1 0 0 0 0"]
    assert done.stderr == ""
    assert not list(temporary.iterdir())


def test_unwritable_cache_is_one_warning(run_loud, tmp_path: Path, temporary: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "file").write_text("where the directory should be")
    code = USE_KERNELS + "from cardkit.cache import spare_folder; print(len(list(spare_folder().rglob('*.nbc'))) > 9)"
    done = run_loud(code, tmp_path / "file")
    assert done.stdout.splitlines() == ["-1 0.0 3", "0 0 0 0 1 1 1 1", "True"]
    assert done.stderr.count(f"cannot write compiled code to {tmp_path}/file/hiddenhand (Not a directory)") == 1
    assert done.stderr.count("Warning") == 1
    assert not list(temporary.iterdir()), "what was kept for the run alone is gone"


def test_a_full_disk_is_one_warning(run_loud, tmp_path: Path, temporary: Path) -> None:  # type: ignore[no-untyped-def]
    done = run_loud(FULL_DISK + USE_KERNELS, tmp_path / "cache")
    assert done.stdout.splitlines()[0] == "-1 0.0 3"
    assert done.stderr.count(f"cannot write compiled code to {tmp_path}/cache/hiddenhand (File too large)") == 1
    assert done.stderr.count("Warning") == 1
    assert not [*temporary.iterdir(), *(tmp_path / "cache").rglob("*.nb*")]


def test_a_game_from_outside_the_project_changes_the_cache_directory(
    run: Callable[[str], list[str]], tree: Path
) -> None:
    (tree / "outside").mkdir()
    game = tree / "outside" / "game.py"
    game.write_text(OUTSIDE_GAME)
    before, after, num_files = run(USE_OUTSIDE_GAME)[0].split()
    assert before != after
    assert num_files == "1"  # kernels defined before the game came along are written to the new directory too
    game.write_text(OUTSIDE_GAME + "# edited\n")
    before_edited, after_edited, _ = run(USE_OUTSIDE_GAME)[0].split()
    assert before_edited == before
    assert after_edited not in (before, after)


def test_numbas_own_cache_directory_is_left_alone(run: Callable[[str], list[str]]) -> None:
    code = "import numba; numba.config.CACHE_DIR = 'other'; import cardkit.rng; print(numba.config.CACHE_DIR)"
    assert run(code) == ["other"]


@pytest.mark.parametrize("package", ["cardkit", "kronions"])
def test_every_source_is_part_of_the_hash(package: str, run: Callable[[str], list[str]], tree: Path) -> None:
    code = """
import pathlib, sys
from cardkit.cache import source_hash
hashes = [source_hash()]
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
    path.write_text(path.read_text() + "#")
    hashes.append(source_hash())
print(len(hashes), len(set(hashes)))
"""
    total, different = run(code.replace("sys.argv[1]", repr(package)))[0].split()
    assert total == different == str(1 + len(list((tree / package).glob("*.py"))))


def test_a_module_that_is_deleted_or_renamed_changes_the_hash(run: Callable[[str], list[str]], tree: Path) -> None:
    code = "from cardkit.cache import source_hash; print(source_hash())"
    hashes = [run(code)]
    (tree / "kronions" / "policy.py").rename(tree / "kronions" / "player.py")
    hashes.append(run(code))
    (tree / "kronions" / "player.py").unlink()
    hashes.append(run(code))
    assert hashes[0] != hashes[1] != hashes[2] != hashes[0]
