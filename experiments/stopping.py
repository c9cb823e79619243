"""Where a run ends: after all its parts, or after the first look at which its boards decide its stop rule.

The test looks at complete prefixes of the parts only, in order, at the numbers of boards of `look_boards`, so that a
run ends after the same part for any number of workers and after any kill. Parts that were played beyond it are not
kept.
"""

from __future__ import annotations

from experiments.boards import board_results
from experiments.rundir import RunDirectory
from experiments.sequential import Decision, SequentialTest
from experiments.stop_rules import parse_stop_rule


class Stopping:
    """The stop rule of a run and what it says of the parts so far.

    Attributes:
        decision: of the last look; None where the run has no rule, or has not come to a look.
        end: how many parts the run has, as far as is known.
    """

    def __init__(self, directory: RunDirectory) -> None:
        spec = directory.spec
        self._directory = directory
        self._test = SequentialTest(parse_stop_rule(spec.stop_when, list(dict(spec.bots)))) if spec.stop_when else None
        self._seen = 0
        self.decision: Decision | None = None
        self.end = spec.num_parts
        self.look()

    @property
    def is_decided(self) -> bool:
        """Whether the rule ends the run."""
        return self.decision is not None and self.decision.accepted != ""

    def look(self) -> None:
        """Count each further part of the finished prefix, and look where one ends at a look, until that decides."""
        if self._test is None:
            return
        finished = set(self._directory.finished_parts())
        while not self.is_decided and self._seen in finished:
            self._test.add(board_results(self._directory, [self._seen]))
            if self._directory.spec.parts.is_last_before_end(self._seen):
                self.decision = self._test.look()
            self._seen += 1
        if self.is_decided:
            self.end = self._seen
