"""Reports in a real browser: no errors, plots that can be seen in light and dark, no label cut off or over another."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import pytest

from experiments.report import REPORT, write_report
from experiments.spec import make_spec
from experiments.tournament import run
from tests.experiments.helpers import SHORT

COMPULSORY = "HIDDENHAND_NEEDS_BROWSER"  # where it is 1, a missing browser is a failure
PAGES = {"light": (1, (255, 255, 255)), "dark": (0, (0x14, 0x17, 0x1B))}  # Chromium's number of the scheme; background
LABELS = ("random", "heuristic", "x=heuristic", "a-label-that-goes-on-and-on-for-more-than-fifty-letters=random")
SPECS = {
    "kronions": ({"boards": 40, "options": SHORT}),
    "truf": ({"boards": 12, "options": {"max_hands": 3}}),
    "kosmogonia": ({"boards": 12}),
}

# Tells the console where the plots are, and which of their labels are cut off or lie over another.
LOOK = """
<script>
const box = (node) => node.getBoundingClientRect();
const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
                       Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
const found = {plots: [], cut: [], over: [], wide: document.documentElement.scrollWidth > window.innerWidth};
for (const plot of document.querySelectorAll("svg")) {
  const at = box(plot), labels = [...plot.querySelectorAll("text")];
  found.plots.push([at.left, at.top, at.right, at.bottom]);
  for (const label of labels) {
    const own = box(label);
    if (own.left < at.left - 1 || own.right > at.right + 1 || own.top < at.top - 1 || own.bottom > at.bottom + 1)
      found.cut.push(label.textContent);
    for (const other of labels)
      if (label !== other && meet(own, box(other))) found.over.push([label.textContent, other.textContent]);
  }
}
console.log("LOOK" + JSON.stringify(found));
</script>
"""


@pytest.fixture(scope="module")
def browser() -> str:
    """The browser; the test is skipped where there is none, unless it must be there."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None and os.environ.get(COMPULSORY) == "1":
        pytest.fail("no chromium: .ci/run should have installed it")
    if path is None:
        pytest.skip("no chromium: 'apt-get install chromium' for this test")
    return path


def look(browser: str, page: Path, scheme: int, width: int, height: int) -> tuple[dict[str, Any], np.ndarray]:
    """What the page says of itself, and a picture of it, shape `(height, width, 3)` of 0..255."""
    picture = page.with_suffix(".png")
    flags = [
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
        "--virtual-time-budget=3000", "--enable-logging=stderr", f"--user-data-dir={page.parent / 'profile'}",
        f"--blink-settings=preferredColorScheme={scheme}", f"--window-size={width},{height}", f"--screenshot={picture}",
    ]  # fmt: skip
    done = subprocess.run([browser, *flags, page.as_uri()], capture_output=True, text=True, timeout=300, check=True)
    lines = re.findall(r"CONSOLE[^\]]*\] \"(.*)\", source", done.stderr)
    assert [line for line in lines if not line.startswith("LOOK")] == [], "errors on the console"
    assert len(lines) == 1, done.stderr
    seen = json.loads(lines[0].removeprefix("LOOK").replace('\\"', '"'))
    return seen, (matplotlib.image.imread(picture)[..., :3] * 255).round().astype(int)


@pytest.mark.parametrize("game", SPECS)
def test_a_report_in_a_browser(browser: str, game: str, tmp_path: Path) -> None:
    directory = run(make_spec(game, LABELS, **SPECS[game]), tmp_path / "run", workers=1)
    write_report(directory.path)
    page = tmp_path / "page.html"
    page.write_text((directory.path / REPORT).read_text().replace("</body>", LOOK + "</body>"))
    for scheme, background in PAGES.values():
        for width, height in ((1280, 5000), (420, 9000)):
            seen, picture = look(browser, page, scheme, width, height)
            assert len(seen["plots"]) >= 8
            assert (seen["cut"], seen["over"], seen["wide"]) == ([], [], False)
            assert picture[2, 2].tolist() == list(background)
            for plot in seen["plots"]:
                left, top, right, bottom = map(round, plot)
                assert 0 <= left < right <= width
                assert bottom < height
                is_drawn = np.abs(picture[top:bottom, left:right] - background).max(axis=2) > 60
                assert is_drawn.mean() > 0.004, f"nothing to see in {plot}"


def test_an_error_on_the_console_is_seen(browser: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(f"<html><body><script>missing()</script>{LOOK}</body></html>")
    with pytest.raises(AssertionError, match="errors on the console"):
        look(browser, page, 1, 420, 600)
