"""The shape of the project: who may import whom, what cardkit may hold, what kernels may use, how big things get."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from cardkit import cache as code_cache

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGES: list[str] = PROJECT["tool"]["setuptools"]["packages"]
GAMES = [target.partition(":")[0] for target in PROJECT["project"]["entry-points"]["hiddenhand.games"].values()]
LAYERS = {"cardkit": 0, **dict.fromkeys(GAMES, 1), "bots": 2, "experiments": 3}  # a package imports lower layers only
ROOMS = ("README.md", "rules.py", "cards.py", "state.py", "kernels.py", "beliefs.py", "policy.py", "text.py", "game.py")

CHARTER_FILES = 12
CHARTER_LINES = 2200
CHARTER_IMPORTS = {"numpy", "numba", "llvmlite", "cardkit"} | set(sys.stdlib_module_names)
FILE_LINES = 400
FUNCTION_LINES = 60
RECORD_BYTES = {"kronions": 128}

COMPILERS = {"jit", "njit", "generated_jit", "vectorize", "guvectorize", "cfunc", "stencil", "jitclass"}
# Differ between processors in the last bit, so that no result in a file may depend on them.
INEXACT = {
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "logaddexp", "logaddexp2", "pow", "power", "float_power",
    "cbrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "arcsin", "arccos", "arctan", "arctan2", "sinh",
    "cosh", "tanh", "asinh", "acosh", "atanh", "arcsinh", "arccosh", "arctanh", "hypot", "gamma", "lgamma",
    "erf", "erfc",
}  # fmt: skip

FILES = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), filename=str(path))


def functions(tree: ast.Module) -> Iterator[FunctionNode]:
    return (node for node in ast.walk(tree) if isinstance(node, FunctionNode))


def imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """All imports as (module, name); the name is empty for `import module`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (("." * node.level + (node.module or ""), alias.name) for alias in node.names)


def dotted(node: ast.expr) -> str:
    """`np.random.default_rng` for such an expression; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (owner := dotted(node.value)):
        return f"{owner}.{node.attr}"
    return ""


def mentions(tree: ast.AST) -> Iterator[str]:
    """All names and dotted names in the code, such as `np.random`."""
    return (text for node in ast.walk(tree) if isinstance(node, ast.expr) and (text := dotted(node)))


def is_kernel(function: FunctionNode) -> bool:
    return any(
        dotted(decorator).split(".")[-1] in ("kernel", "wrapping_kernel") for decorator in function.decorator_list
    )


def kernels(tree: ast.Module) -> list[FunctionNode]:
    return [function for function in functions(tree) if is_kernel(function)]


def numbered(path: Path, node: ast.expr | FunctionNode, text: str) -> str:
    return f"{name_of(path)}:{node.lineno} {text}"


KERNEL_FILES = [path for path in FILES if kernels(tree_of(path))]
every_file = pytest.mark.parametrize("path", FILES, ids=name_of)
every_kernel_file = pytest.mark.parametrize("path", KERNEL_FILES, ids=name_of)


def test_there_is_something_to_look_at() -> None:
    assert {"cardkit/jit.py", "cardkit/verbs.py", "kronions/kernels.py", "kronions/rules.py"} <= set(
        map(name_of, FILES)
    )
    assert {"cardkit/rng.py", "cardkit/bits.py", "kronions/kernels.py"} <= set(map(name_of, KERNEL_FILES))


# Packages


def test_pyproject_lists_every_package() -> None:
    found = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
    assert found == set(PACKAGES)
    assert set(PACKAGES) <= set(PROJECT["tool"]["mypy"]["packages"])
    for package in PACKAGES:
        nested = [name_of(path) for path in (ROOT / package).rglob("*/__init__.py")]
        assert not nested, "setuptools packs only the packages that are listed by name"


def test_the_code_cache_depends_on_every_package() -> None:
    """A package that `cardkit.cache` does not know would keep running old compiled code after an edit."""
    assert set(PACKAGES) <= set(code_cache.PACKAGES)


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_the_same_rooms(game: str) -> None:
    missing = [room for room in ROOMS if not (ROOT / game / room).is_file()]
    assert not missing


@every_file
def test_imports_point_one_way(path: Path) -> None:
    package = path.relative_to(ROOT).parts[0]
    for module, _ in imports(tree_of(path)):
        top = module.partition(".")[0]
        assert top, f"{name_of(path)} imports {module}: write the package's name"
        assert top not in ("tests", "notebooks"), f"{name_of(path)} imports {module}"
        if top in LAYERS and top != package:
            assert LAYERS[top] < LAYERS[package], (
                f"{name_of(path)} imports {module}: {package} may import lower layers only"
            )


def test_cardkit_stays_small() -> None:
    lines = {name_of(path): len(path.read_text().splitlines()) for path in (ROOT / "cardkit").rglob("*.py")}
    assert len(lines) <= CHARTER_FILES
    assert sum(lines.values()) <= CHARTER_LINES, lines


@pytest.mark.parametrize("path", [path for path in FILES if path.parent.name == "cardkit"], ids=name_of)
def test_cardkit_imports_only_the_compiler_and_numpy(path: Path) -> None:
    assert not {module for module, _ in imports(tree_of(path)) if module.partition(".")[0] not in CHARTER_IMPORTS}


# Kernels


@every_file
def test_only_jit_py_compiles(path: Path) -> None:
    """Every kernel goes through `cardkit.jit.kernel`, which keeps old compiled code from being run."""
    if name_of(path) == "cardkit/jit.py":
        return
    tree = tree_of(path)
    imported = {name for module, name in imports(tree) if module.startswith("numba")}
    used = {text for text in mentions(tree) if text.split(".")[0] in ("numba", "nb")}
    found = imported | {text.split(".")[-1] for text in used}
    assert not found & COMPILERS


def uses_hidden_randomness(tree: ast.AST) -> set[str]:
    return {text for text in mentions(tree) if text.startswith(("np.random", "numpy.random", "random.", "secrets."))}


@every_kernel_file
def test_no_numpy_generator_in_kernels(path: Path) -> None:
    """`np.random` has a hidden state, so that results would depend on what ran before."""
    for kernel in kernels(tree_of(path)):
        assert not uses_hidden_randomness(kernel), numbered(path, kernel, kernel.name)


@pytest.mark.parametrize("path", [path for path in KERNEL_FILES if path.parent.name in GAMES], ids=name_of)
def test_no_other_generator_in_the_rooms_of_a_game(path: Path) -> None:
    tree = tree_of(path)
    assert not uses_hidden_randomness(tree)
    assert not {module for module, _ in imports(tree)} & {"random", "secrets", "numpy.random"}


@every_kernel_file
def test_no_inexact_functions_near_kernels(path: Path) -> None:
    tree = tree_of(path)
    called = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in INEXACT]
    found = [
        numbered(path, node, text) for node in called if (text := dotted(node)).startswith(("np.", "numpy.", "math."))
    ]
    found += [f"{module}.{name}" for module, name in imports(tree) if module in ("math", "numpy") and name in INEXACT]
    assert not found, "use + - * / sqrt, or a table from cardkit: other functions differ between processors"


@every_kernel_file
def test_kernels_do_not_raise_to_powers(path: Path) -> None:
    """`x ** y` on floats is `pow`."""
    for kernel in kernels(tree_of(path)):
        powers = [node for node in ast.walk(kernel) if isinstance(node, ast.Pow)]
        assert not powers, numbered(path, kernel, kernel.name)


@every_kernel_file
def test_kernels_read_no_globals_but_constants_and_kernels(path: Path) -> None:
    """A global list, dict or array would be frozen into the compiled code at its first value."""
    tree = tree_of(path)
    assigned = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    lower_case = {name for name in assigned if name != name.upper()}
    for kernel in kernels(tree):
        read = {node.id for node in ast.walk(kernel) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        written = {
            node.id for node in ast.walk(kernel) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        assert not (read & lower_case) - written, numbered(path, kernel, kernel.name)


@pytest.mark.parametrize("game", RECORD_BYTES)
def test_state_record_is_small(game: str) -> None:
    """Searches copy the record at every node."""
    state = sys.modules[game] if game in sys.modules else __import__(game)
    assert state.Game.state_dtype.itemsize <= RECORD_BYTES[game]


# Size and style


@every_file
def test_file_is_short(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= FILE_LINES


@every_file
def test_functions_are_short(path: Path) -> None:
    sizes = {node.name: (node.end_lineno or 0) - node.lineno + 1 for node in functions(tree_of(path))}
    assert not {name: lines for name, lines in sizes.items() if lines > FUNCTION_LINES}


@every_file
def test_packages_do_not_print(path: Path) -> None:
    found = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Call) and dotted(node.func) == "print"]
    assert not [numbered(path, node, "print") for node in found]


@every_file
def test_public_names_have_docstrings(path: Path) -> None:
    tree = tree_of(path)
    assert ast.get_docstring(tree), "a module says what it is for"
    if path.name.startswith("_") and path.name != "__init__.py":
        return  # a private closet of its game
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
    members = [member for owner in [tree, *classes] for member in owner.body]
    public = [
        node for node in members if isinstance(node, FunctionNode | ast.ClassDef) and not node.name.startswith("_")
    ]
    bare = [node.name for node in public if not ast.get_docstring(node)]
    assert not bare


@every_kernel_file
def test_kernels_have_docstrings(path: Path) -> None:
    bare = [kernel.name for kernel in kernels(tree_of(path)) if not ast.get_docstring(kernel)]
    assert not bare
