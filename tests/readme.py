"""The tournament shown in the README with its real output; `make golden` writes it anew."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"
COMMAND = "hiddenhand tournament kronions --bot random --bot heuristic --players 4 --boards 2000 --seed 1 --out runs/a"
_SECTION = re.compile(r"(<!-- tournament: begin -->\n).*(<!-- tournament: end -->)", re.DOTALL)


def tournament_section() -> str:
    """The command and what it prints, as Markdown; the line with timings is left out."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "experiments.cli", *COMMAND.split()[1:]]
        environment = os.environ | {"PYTHONPATH": str(README.parent), "COLUMNS": "100"}
        done = subprocess.run(words, cwd=folder, env=environment, check=True, capture_output=True, text=True)
    lines = [line.rstrip() for line in done.stdout.splitlines() if not line.startswith("writing them took")]
    return "```\n$ " + COMMAND + "\n" + "\n".join(lines) + "\n```\n"


def with_section(readme: str, section: str) -> str:
    """The README with its tournament section replaced."""
    return _SECTION.sub(lambda found: found.group(1) + section + found.group(2), readme)


if __name__ == "__main__":
    README.write_text(with_section(README.read_text(), tournament_section()))
