"""Runs the notebooks and writes executed copies with their figures: what `make notebooks` does.

python -m tests.run_notebooks                    all of them, to runs/notebooks
python -m tests.run_notebooks 03_truf_bidding    some
"""

from __future__ import annotations

import asyncio
import base64
import os
import sys
import time
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
_SECONDS = 600  # for a cell, most of which a first run may spend compiling
_STRICT = "import warnings\nwarnings.simplefilter('error')"
_LENIENT = "warnings.resetwarnings()"  # the kernel itself warns as it ends


def execute(path: Path, scale: float, folder: Path) -> Any:
    """Run a notebook in a folder, with warnings as errors, and return it with its outputs.

    Raises:
        CellExecutionError: a cell raises or warns.
    """
    book = nbformat.read(path, as_version=4)
    book.cells.insert(0, nbformat.v4.new_code_cell(_STRICT))
    book.cells.append(nbformat.v4.new_code_cell(_LENIENT))
    python_path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    added = {"HIDDENHAND_NOTEBOOK_SCALE": str(scale), "PYTHONPATH": python_path, "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    with TemporaryDirectory() as sockets, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of the client's own process, which are not the notebook's
        client = NotebookClient(
            book,
            timeout=_SECONDS,
            startup_timeout=_SECONDS,
            iopub_timeout=_SECONDS,
            kernel_name="python3",
            # Ports are chosen some time before the kernel takes them, and may be another's by then.
            config=Config({"KernelManager": {"transport": "ipc", "connection_file": f"{sockets}/kernel.json"}}),
            extra_arguments=["--IPKernelApp.log_level=40"],  # errors only: it talks to this machine alone
            resources={"metadata": {"path": str(folder)}},
        )
        asyncio.run(_run(client, os.environ | added))
    del book.cells[0], book.cells[-1]
    return book


async def _run(client: NotebookClient, environment: dict[str, str]) -> None:
    """Run all cells; the kernel sees the environment."""
    async with client.async_setup_kernel(env=environment):
        for number, cell in enumerate(client.nb.cells):
            await client.async_execute_cell(cell, number)


def images(book: Any) -> list[tuple[int, bytes]]:
    """The figures that a run notebook shows: number of the cell, and the PNG."""
    return [
        (number, base64.b64decode(output["data"]["image/png"]))
        for number, cell in enumerate(book.cells)
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]


def main(names: list[str]) -> None:
    """Run notebooks at the full scale, or that of the environment, into runs/notebooks."""
    target = ROOT / "runs" / "notebooks"
    target.mkdir(parents=True, exist_ok=True)
    scale = float(os.environ.get("HIDDENHAND_NOTEBOOK_SCALE", "1"))
    for path in NOTEBOOKS:
        if names and path.stem not in names:
            continue
        start = time.perf_counter()
        book = execute(path, scale, target)
        nbformat.write(book, target / path.name)
        for old in target.glob(f"{path.stem}-*.png"):
            old.unlink()
        found = images(book)
        for number, (_, png) in enumerate(found, 1):
            (target / f"{path.stem}-{number}.png").write_bytes(png)
        sys.stdout.write(f"{path.name}: {len(found)} figures, {time.perf_counter() - start:.0f} s\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
