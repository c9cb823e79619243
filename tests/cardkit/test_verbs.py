"""Registration of a game's kernels, and the dispatch that finds them by the type of the rules."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cardkit.verbs import VERBS, register
from kronions import Rules
from tests.conftest import RunPython

# A tiny game: take 1 or 2 counters until none is left. The module is written out by `tiny_game`, once for each of two
# games that differ in their policy. A verb without a body here returns a number that tells the game and the verb.
HEADER = """
from typing import NamedTuple
import numpy as np
from cardkit.jit import kernel
from cardkit.verbs import register

STATE = np.dtype([("left", "i8"), ("phase", "u1")], align=True)

class {name}(NamedTuple):
    num_players: int = 2
    start: int = 7
"""
BODIES = {
    "new_game": "state.left = rules.start",
    "to_move": "return state.left % rules.num_players if state.left > 0 else -4",
    "legal_mask": "return np.uint64(6) if state.left > 1 else np.uint64(2)",
    "apply": "state.left -= action",
    "policy": "return min({taken}, state.left)",
}
# A generic kernel that calls every verb without a body above and gathers what they return.
CALLER = """
import numpy as np
from cardkit import verbs
from cardkit.jit import kernel
{imports}

@kernel
def call_all(rules, state, rng, out):
    {calls}
"""
MAIN = """
import sys
import numpy as np
import cardkit.batch, cardkit.rng, caller, one, two

for module, rules in ((one, one.One()), (two, two.Two()), (one, one.One(start=12))):
    state = np.zeros(1, module.STATE).view(np.recarray)[0]
    rng, chance_rng, out = cardkit.rng.new_rng(1), cardkit.rng.new_rng(1), np.zeros(50, np.int64)
    cardkit.verbs.new_game(rules, state)
    decisions = cardkit.batch.rollout(rules, state, np.uint64(0), np.uint64(0), True, rng, chance_rng)
    caller.call_all(rules, state, rng, out)
    print(decisions, int(state.left), *out[out > 0])
one.register(one.One, one.KERNELS)  # again: allowed
"""
ARGUMENTS = {"action": "0", "observer": "1", "seat": "1"}
SILENT = [name for name in VERBS if name not in BODIES]


def tiny_game(name: str, taken: int, base: int) -> str:
    """The module of a game: `taken` is what its policy takes, `base` + i what its i-th silent verb returns."""
    lines = [HEADER.format(name=name)]
    for verb, signature in VERBS.items():
        body = BODIES[verb].format(taken=taken) if verb in BODIES else f"return {base + SILENT.index(verb)}"
        lines += ["@kernel", f"def {verb}{signature}:", f"    {body}", ""]
    lines += [f"KERNELS = {{name: globals()[name] for name in {list(VERBS)}}}", f"register({name}, KERNELS)", ""]
    return "\n".join(lines)


def generic_caller() -> str:
    calls = []
    for i, name in enumerate(SILENT):
        others = [ARGUMENTS.get(parameter, "rng") for parameter in list(VERBS[name].parameters)[2:]]
        calls.append(f"out[{i}] = {name}({', '.join(['rules', 'state', *others])})")
    imports = "\n".join(f"from cardkit.verbs import {name}" for name in SILENT)
    return CALLER.format(imports=imports, calls="\n    ".join(calls))


@pytest.mark.parametrize("mode", ["compiled", "plain"])
def test_dispatch_by_the_type_of_the_rules(mode: str, tmp_path: Path, run_python: RunPython) -> None:
    (tmp_path / "one.py").write_text(tiny_game("One", taken=1, base=100))
    (tmp_path / "two.py").write_text(tiny_game("Two", taken=2, base=200))
    (tmp_path / "caller.py").write_text(generic_caller())
    (tmp_path / "main.py").write_text(MAIN)
    settings = {"HIDDENHAND_CACHE": str(tmp_path / "cache"), "NUMBA_DISABLE_JIT": "1" if mode == "plain" else "0"}
    of_one, of_two = ([str(base + i) for i in range(len(SILENT))] for base in (100, 200))
    for _ in range(2):  # the second process takes its code from the disk cache
        lines = run_python("main.py", cwd=tmp_path, **settings).stdout.splitlines()
        assert [line.split() for line in lines] == [["7", "0", *of_one], ["4", "0", *of_two], ["12", "0", *of_one]]


# Refusals; none of them changes the table of games


class Tiny(NamedTuple):
    num_players: int = 2


def kernels() -> dict[str, Any]:
    """Do-nothing kernels with the right arguments for all verbs."""
    namespace: dict[str, Any] = {}
    for name, signature in VERBS.items():
        exec(f"def {name}{signature}: pass", namespace)
    return {name: namespace[name] for name in VERBS}


@pytest.mark.parametrize("missing", list(VERBS))
def test_register_refuses_a_missing_verb(missing: str) -> None:
    given = kernels()
    del given[missing]
    with pytest.raises(ValueError, match=r"a game registers exactly the verbs \[.*\], got \["):
        register(Tiny, given)


def test_register_refuses_an_unknown_verb() -> None:
    with pytest.raises(ValueError, match=r"exactly the verbs .*, got .*'shuffle'"):
        register(Tiny, kernels() | {"shuffle": lambda rules, state: None})


@pytest.mark.parametrize("verb", list(VERBS))
def test_register_refuses_other_arguments(verb: str) -> None:
    names = list(VERBS[verb].parameters)
    wrong = [[*names, "extra"], names[:-1], ["state", "rules", *names[2:]]]
    for arguments in itertools.filterfalse(names.__eq__, wrong):
        with pytest.raises(ValueError, match=rf"verb '{verb}' takes \(rules, state.*the kernel of Tiny takes \("):
            register(Tiny, kernels() | {verb: eval(f"lambda {', '.join(arguments)}: 0")})


def test_register_refuses_a_second_class_of_equal_name_and_fields() -> None:
    """The compiler tells named tuples apart by name and fields only: it would run the first game's kernels."""
    fields = [(name, int) for name in Rules._fields]
    twin = NamedTuple("Rules", fields)  # type: ignore[misc]
    with pytest.raises(ValueError, match=r"Rules has the name and the fields of kronions.rules's"):
        register(twin, kernels())


@pytest.mark.parametrize("name", list(VERBS))
def test_a_verb_documents_itself_and_starts_with_rules_and_state(name: str) -> None:
    import cardkit.verbs

    verb = getattr(cardkit.verbs, name)
    assert verb.__name__ == name
    assert verb.__doc__
    assert list(VERBS[name].parameters)[:2] == ["rules", "state"]
