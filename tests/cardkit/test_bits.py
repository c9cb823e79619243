"""Sets as machine words: every function against plain Python integers, compiled and not."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from cardkit import bits

FULL = 2**64 - 1


def sample_words() -> list[int]:
    """The words at the edges, every single bit, and random ones, sparse, even and dense."""
    rng = random.Random(1)
    words = [0, 1, 2, 3, FULL, FULL - 1, 2**63, 2**63 - 1, 2**32, 2**32 - 1, 0xAAAAAAAAAAAAAAAA, 0x5555555555555555]
    words += [1 << position for position in range(64)]
    for _ in range(60):
        word = rng.getrandbits(64)
        words += [word, word & rng.getrandbits(64) & rng.getrandbits(64), word | rng.getrandbits(64)]
    return words


WORDS = sample_words()


def positions(word: int) -> list[int]:
    return [position for position in range(64) if word >> position & 1]


def table() -> list[str]:
    """All functions on all samples, one line a word: what the compiled and the plain run must agree on."""
    lines = []
    for word in map(np.uint64, WORDS):
        chosen = [bits.select(word, n) for n in range(int(bits.count(word)))]
        held = [int(bits.has(word, position)) for position in range(64)]
        values = [bits.count(word), bits.lowest(word), bits.highest(word), bits.without_lowest(word), *chosen, *held]
        lines.append(" ".join(str(int(value)) for value in values))
    lines.append(" ".join(str(int(bits.bit(position))) for position in range(64)))
    lines.append(" ".join(str(int(bits.below(position))) for position in range(64)))
    return lines


def test_count_lowest_and_highest() -> None:
    for word in WORDS:
        held = positions(word)
        assert bits.count(np.uint64(word)) == len(held), hex(word)
        assert bits.lowest(np.uint64(word)) == (held[0] if held else 64), hex(word)
        assert bits.highest(np.uint64(word)) == (held[-1] if held else -1), hex(word)


def test_has_select_and_without_lowest() -> None:
    for word in WORDS:
        held = positions(word)
        assert [position for position in range(64) if bits.has(np.uint64(word), position)] == held, hex(word)
        assert [bits.select(np.uint64(word), n) for n in range(len(held))] == held, hex(word)
        assert positions(int(bits.without_lowest(np.uint64(word)))) == held[1:], hex(word)


def test_bit_and_below() -> None:
    for position in range(64):
        assert int(bits.bit(position)) == 1 << position
        assert int(bits.below(position)) == (1 << position) - 1


@pytest.mark.parametrize("function", [bits.bit, bits.below])
def test_positions_may_be_small_numpy_integers(function: Callable[..., int]) -> None:
    """Record fields arrive as int8 or uint8, and 1 << 40 must not be cut to their width."""
    for kind in (np.int8, np.uint8, np.int64, np.uint64):
        assert int(function(kind(40))) == int(function(40))


def test_compiled_and_plain_agree(run_other_mode: Callable[[str], list[str]]) -> None:
    assert run_other_mode("from tests.cardkit.test_bits import table; print('\\n'.join(table()))") == table()
