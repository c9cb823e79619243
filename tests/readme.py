"""What the READMEs show as the real output of commands; `make golden` writes it anew."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Shown(NamedTuple):
    """A command whose output stands in a document between two comments."""

    file: str
    mark: str
    command: str


TOURNAMENT = Shown(
    "README.md",
    "tournament",
    "hiddenhand tournament kronions --bot random --bot heuristic --players 4 --boards 2000 --seed 1 --out runs/a",
)
SHOWN = (TOURNAMENT, Shown("kosmogonia/README.md", "measured", "hiddenhand cards measure --games 2000"))


def section(shown: Shown) -> str:
    """The command and what it prints, as Markdown; the line with timings is left out."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "experiments.cli", *shown.command.split()[1:]]
        environment = os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "100"}
        done = subprocess.run(words, cwd=folder, env=environment, check=True, capture_output=True, text=True)
    lines = [line.rstrip() for line in done.stdout.splitlines() if not line.startswith("writing them took")]
    return "```\n$ " + shown.command + "\n" + "\n".join(lines) + "\n```\n"


def with_section(shown: Shown, text: str) -> str:
    """The document with this section replaced."""
    pattern = re.compile(rf"(<!-- {shown.mark}: begin -->\n).*(<!-- {shown.mark}: end -->)", re.DOTALL)
    return pattern.sub(lambda found: found.group(1) + text + found.group(2), (ROOT / shown.file).read_text())


if __name__ == "__main__":
    for one in SHOWN:
        (ROOT / one.file).write_text(with_section(one, section(one)))
