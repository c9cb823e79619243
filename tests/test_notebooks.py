"""The notebooks run at a tenth of their budgets without errors and warnings, and are committed as they should be."""

import ast
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.run_notebooks import NOTEBOOKS, ROOT, execute, images

SCALE = 0.1
PACKAGES = ("cardkit", "kronions", "truf", "kosmogonia", "bots", "experiments")
INNER = ("kernels", "verbs", "jit", "loops", "match", "beliefs", "policy", "players", "trees", "arms", "bid_loop")
every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def code_cells(path: Path) -> list[Any]:
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def trees(path: Path) -> list[ast.Module]:
    return [ast.parse(cell.source) for cell in code_cells(path)]


def test_there_are_six_notebooks() -> None:
    assert [path.stem[:2] for path in NOTEBOOKS] == ["01", "02", "03", "04", "05", "06"]


@every_notebook
def test_notebook_runs_without_errors_and_warnings(path: Path, tmp_path: Path) -> None:
    book = execute(path, SCALE, tmp_path)
    shown = images(book)
    drawn = [number for number, cell in enumerate(book.cells) if "plots.panels(" in cell.source]
    assert drawn
    assert [number for number, _ in shown] == drawn, "a cell that draws shows one figure"
    for number in drawn:
        words = book.cells[number + 1].outputs
        assert any("text/markdown" in output.get("data", {}) for output in words), f"cell {number} has no caption"
    streams = [output for cell in book.cells for output in cell.get("outputs", []) if output.output_type == "stream"]
    assert not streams


@every_notebook
def test_notebook_is_committed_without_outputs(path: Path) -> None:
    for cell in code_cells(path):
        assert not cell.outputs
        assert cell.execution_count is None


@every_notebook
def test_notebook_begins_with_what_can_be_changed(path: Path) -> None:
    first = code_cells(path)[0]
    assert first.metadata.get("tags") == ["parameters"]
    assert 'SCALE = float(os.environ.get("HIDDENHAND_NOTEBOOK_SCALE", "1"))' in first.source


@every_notebook
def test_notebook_uses_the_public_api(path: Path) -> None:
    for tree in trees(path):
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                assert not node.attr.startswith("_"), f"{node.attr} is private"
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names: list[str] = []
            if isinstance(node, ast.ImportFrom):
                modules, names = [node.module or ""], [alias.name for alias in node.names]
            for module in modules:
                if module.split(".")[0] in PACKAGES:
                    parts = [*module.split("."), *names]
                    assert not [part for part in parts if part.startswith("_") or part in INNER], parts


def calls(path: Path, name: str) -> list[ast.Call]:
    """The calls of a function of `plots`."""
    nodes = (node for tree in trees(path) for node in ast.walk(tree) if isinstance(node, ast.Call))
    return [node for node in nodes if ast.unparse(node.func) == f"plots.{name}"]


@every_notebook
def test_notebook_says_how_its_verdicts_are_made(path: Path) -> None:
    assert all(len(call.args) == 3 for call in calls(path, "sign")), "a sign says of how many verdicts it is one"
    if any(calls(path, name) for name in ("sign", "clear", "verdict")):
        assert "How verdicts are made:" in nbformat.read(path, as_version=4).cells[0].source
    if calls(path, "verdict"):
        assigned = [node for node in trees(path)[0].body if isinstance(node, ast.Assign)]
        given = [ast.literal_eval(node.value) for node in assigned if ast.unparse(node.targets[0]) == "SEEDS"]
        assert [len(set(seeds)) for seeds in given] == [3]


def test_every_figure_is_in_the_documents() -> None:
    text = (ROOT / "docs" / "figures.md").read_text()
    for path in NOTEBOOKS:
        assert f"notebooks/{path.name}" in text
        for number, cell in enumerate(nbformat.read(path, as_version=4).cells, 1):
            if cell.cell_type == "code" and "plots.panels(" in cell.source:
                assert f"| {path.stem[:2]} | {number} |" in text, f"{path.stem}, cell {number}"
