"""What the READMEs show as the real output of commands; `make golden` writes it anew."""

import os
import re
import shlex
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
POSITION = (
    "phase=play round=1 dealer=1 size=8 flip=C13 up=1 trump=C totals=0,0,0,0 zeros=0,0,0,0 bids=2,3,1,3 won=1,0,0,3 "
    "voids=-,V,-,F hands=?,?,?,N3.N4.N10.V8 played=C5.N12.V3.P,C2.C8.N9.F4,C7.N6.V2.F13,C3.C12.N13.P leader=3 "
    "trick=C12,C5,C8,C7 actor=3"
)
THINK = Shown("README.md", "think", f"hiddenhand think kronions --rule only_round=8 --state '{POSITION}'")
BIDS = Shown(
    "README.md",
    "bids",
    'hiddenhand bids kronions --hand "Nova 13, Nova 12, Void 2, paradox" --players 4 --seat 2 --trump Nova --bids 1',
)
SHOWN = (TOURNAMENT, THINK, BIDS, Shown("kosmogonia/README.md", "measured", "hiddenhand cards measure --games 2000"))


def section(shown: Shown) -> str:
    """The command and what it prints, as Markdown; the line with timings is left out."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "experiments.cli", *shlex.split(shown.command)[1:]]
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
