"""Random streams: the published generator, exact and uniform integers, and streams that never coincide."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from scipy import stats

from cardkit.rng import absorb, bot_stream, chance_stream, integer, mix, new_rng, next_word, seed_rng, uniform

FULL = 2**64 - 1


# Plain Python twins, written from the papers


def rotate(word: int, places: int) -> int:
    return (word << places | word >> 64 - places) & FULL


def reference_words(a: int, b: int) -> Iterator[int]:
    """xoroshiro128++ 1.0 of Blackman and Vigna, line by line."""
    while True:
        yield rotate(a + b & FULL, 17) + a & FULL
        b ^= a
        a, b = rotate(a, 49) ^ b ^ b << 21 & FULL, rotate(b, 28)


def reference_mix(word: int) -> int:
    """The finaliser of SplitMix64."""
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & FULL
    word = (word ^ word >> 27) * 0x94D049BB133111EB & FULL
    return word ^ word >> 31


def unmix(word: int) -> int:
    """The inverse of `reference_mix`: each step undone by its own inverse."""
    for shift, factor in ((31, 0x94D049BB133111EB), (27, 0xBF58476D1CE4E5B9), (30, 1)):
        unshifted = word
        for _ in range(64 // shift):
            unshifted = word ^ unshifted >> shift
        word = unshifted * pow(factor, -1, 2**64) & FULL
    return word


def rng_with_first_word(high: int) -> np.ndarray:
    """A generator whose first word has these upper 32 bits: with a = 0 the word is b rotated by 17."""
    return np.array([0, rotate(high << 32 | 1, 64 - 17)], np.uint64)


def first_words(rng: np.ndarray, n: int = 4) -> tuple[int, ...]:
    return tuple(int(next_word(rng)) for _ in range(n))


def sample_words() -> list[int]:
    rng = random.Random(2)
    return [
        0,
        1,
        2,
        FULL,
        FULL - 1,
        2**63,
        *(1 << position for position in range(64)),
        *(rng.getrandbits(64) for _ in range(200)),
    ]


# The generator


@pytest.mark.parametrize(
    ("a", "b"), [(1, 2), (0, 1), (FULL, FULL), (2**63, 12345), (0x0123456789ABCDEF, 0xFEDCBA9876543210)]
)
def test_words_are_those_of_xoroshiro128_plus_plus(a: int, b: int) -> None:
    expected = tuple(itertools.islice(reference_words(a, b), 200))
    assert first_words(np.array([a, b], np.uint64), 200) == expected


def test_words_are_the_published_ones() -> None:
    """From the state 1, 2: the test vector of the Rust crate `rand_xoshiro`, made with the authors' C program."""
    published = (
        393217, 669327710093319, 1732421326133921491, 11394790081659126983, 9555452776773192676, 3586421180005889563,
        1691397964866707553, 10735626796753111697, 15216282715349408991, 14247243556711267923,
    )  # fmt: skip
    assert first_words(np.array([1, 2], np.uint64), 10) == published


def test_mix_is_the_finaliser_of_splitmix64() -> None:
    """The first two outputs of SplitMix64 from seed 1234567, as Rosetta Code lists them."""
    golden = 0x9E3779B97F4A7C15
    outputs = [int(mix(np.uint64(1234567 + step * golden & FULL))) for step in (1, 2)]
    assert outputs == [6457827717110365317, 3203168211198807973]


def test_mix_is_a_bijection() -> None:
    for word in sample_words():
        mixed = int(mix(np.uint64(word)))
        assert mixed == reference_mix(word), hex(word)
        assert unmix(mixed) == word, hex(word)


def test_every_input_bit_changes_about_half_of_the_output_bits() -> None:
    rng = random.Random(3)
    for position in range(64):
        changed = 0
        for _ in range(50):
            word = rng.getrandbits(64)
            changed += (int(mix(np.uint64(word))) ^ int(mix(np.uint64(word ^ 1 << position)))).bit_count()
        assert 28 < changed / 50 < 36, position


@pytest.mark.parametrize("digest", [0, 1, FULL, -0x9E3779B97F4A7C15 & FULL, -0x3C6EF372FE94F82A & FULL])
def test_a_seeded_generator_is_never_all_zero(digest: int) -> None:
    """An all-zero state of xoroshiro yields zeros for ever; two of these digests would give half of it."""
    rng = np.zeros(2, np.uint64)
    seed_rng(rng, np.uint64(digest))
    assert int(rng[1]) & 1
    assert len(set(first_words(rng))) == 4


def test_same_seed_same_stream() -> None:
    assert first_words(new_rng(5)) == first_words(new_rng(5))
    assert len({first_words(new_rng(seed)) for seed in range(1000)}) == 1000


def test_order_of_absorbed_words_matters() -> None:
    digest = np.uint64(9)
    assert absorb(absorb(digest, 1), 2) != absorb(absorb(digest, 2), 1)
    assert absorb(digest, 0) != digest
    assert len({int(absorb(digest, word)) for word in range(1000)}) == 1000


# Integers and floats


@pytest.mark.parametrize("n", [2, 3, 4, 6, 7, 10, 52, 58, 255, 1000])
def test_integers_are_uniform(n: int) -> None:
    rng = new_rng(n)
    draws = 400 * n if n < 100 else 50 * n
    counts = Counter(int(integer(rng, n)) for _ in range(draws))
    assert set(counts) <= set(range(n))
    observed = [counts[value] for value in range(n)]
    assert stats.chisquare(observed).pvalue > 1e-3


def test_pairs_of_integers_are_independent() -> None:
    rng = new_rng(11)
    counts = Counter((int(integer(rng, 6)), int(integer(rng, 6))) for _ in range(20000))
    assert stats.chisquare([counts[pair] for pair in itertools.product(range(6), repeat=2)]).pvalue > 1e-3


def test_huge_bounds_are_uniform() -> None:
    """3 x 2**30 of 2**32 values: without rejection the first third would come up half of the time."""
    rng, n = new_rng(12), 3 * 2**30
    thirds = Counter(int(integer(rng, n)) // 2**30 for _ in range(6000))
    assert stats.chisquare([thirds[i] for i in range(3)]).pvalue > 1e-3


@pytest.mark.parametrize("n", [1, 2, 2**31, 2**32 - 1])
def test_integers_stay_in_range(n: int) -> None:
    rng = new_rng(13)
    assert all(0 <= int(integer(rng, n)) < n for _ in range(1000))


@pytest.mark.parametrize("n", [3, 5, 7, 58, 999, 2**31 + 1, 2**32 - 1])
def test_rejection_boundary_is_exact(n: int) -> None:
    """A word x is kept where the lower half of x * n reaches 2**32 mod n, and then gives x * n >> 32.

    Each value keeps exactly 2**32 // n words, which is what uniform means.
    """
    threshold, step = 2**32 % n, math.gcd(n, 2**32)
    for fraction in (threshold - step, threshold, n - step, n, 0):
        if fraction < 0:
            continue  # a power of two rejects nothing
        high = fraction // step * pow(n // step, -1, 2**32) % 2**32
        assert high * n % 2**32 == fraction
        rng, twin = rng_with_first_word(high), rng_with_first_word(high)
        value = int(integer(rng, n))
        assert int(next_word(twin)) >> 32 == high
        if fraction >= threshold:
            assert value == high * n >> 32
        else:
            assert value == first_kept(twin, n)
        assert np.array_equal(rng, twin)


def first_kept(rng: np.ndarray, n: int) -> int:
    """The next integer below n, by the definition."""
    while True:
        product = (int(next_word(rng)) >> 32) * n
        if product % 2**32 >= 2**32 % n:
            return product >> 32


@pytest.mark.parametrize("n", [2, 64, 2**31])
def test_powers_of_two_reject_nothing(n: int) -> None:
    for high in (0, 1, 2**32 // n - 1, 2**32 // n, 2**32 - 1):
        rng, twin = rng_with_first_word(high), rng_with_first_word(high)
        next_word(twin)
        assert int(integer(rng, n)) == high * n >> 32
        assert np.array_equal(rng, twin)


def test_uniform_is_in_the_unit_interval_and_even() -> None:
    rng = new_rng(14)
    values = [float(uniform(rng)) for _ in range(5000)]
    assert stats.kstest(values, "uniform").pvalue > 1e-3
    assert all(0 <= value < 1 and (value * 2**53).is_integer() for value in values)
    top = np.array([0, rotate(FULL, 64 - 17)], np.uint64)
    assert float(uniform(top)) == 1 - 2**-53


# Streams


def stream(name: Callable[..., None], *arguments: int) -> tuple[int, ...]:
    rng = np.zeros(2, np.uint64)
    name(rng, np.uint64(arguments[0]), *arguments[1:])
    return first_words(rng)


@pytest.mark.parametrize(("name", "arguments"), [(chance_stream, (5, 6, 7)), (bot_stream, (5, 6, 7, 8, 9))])
def test_streams_differ_for_every_argument(name: Callable[..., None], arguments: tuple[int, ...]) -> None:
    streams = {stream(name, *arguments)}
    others = 0
    for place in range(len(arguments)):
        for value in (*range(20), 2**20, 2**40):
            if value != arguments[place]:
                streams.add(stream(name, *arguments[:place], value, *arguments[place + 1 :]))
                others += 1
    assert len(streams) == others + 1


@pytest.mark.parametrize(("name", "size"), [(chance_stream, 3), (bot_stream, 5)])
def test_streams_differ_for_every_order_of_arguments(name: Callable[..., None], size: int) -> None:
    orders = list(itertools.permutations(range(size)))
    assert len({stream(name, *order) for order in orders}) == len(orders)


def test_streams_of_chance_and_of_bots_differ() -> None:
    chance = {stream(chance_stream, 1, board, event) for board in range(20) for event in range(20)}
    bots = {stream(bot_stream, 1, board, seat, 0, 0) for board in range(20) for seat in range(20)}
    assert len(chance) == len(bots) == 400
    assert not chance & bots


def test_streams_are_repeatable() -> None:
    assert stream(chance_stream, 1, 2, 3) == stream(chance_stream, 1, 2, 3)
    assert stream(bot_stream, FULL, 2, 3, 4, 5) == stream(bot_stream, FULL, 2, 3, 4, 5)


# Compiled and plain


def table() -> list[str]:
    """Everything the module computes, on a few samples: what the compiled and the plain run must agree on."""
    lines = [f"{int(mix(np.uint64(word)))} {int(absorb(np.uint64(word), 7))}" for word in sample_words()]
    for seed in (0, 1, FULL):
        rng = new_rng(seed)
        lines += [
            f"{int(next_word(rng))} {int(integer(rng, 1 + word % 1000))} {float(uniform(rng)).hex()}"
            for word in range(200)
        ]
        lines += [str(int(integer(rng, 2**32 - 1 - word))) for word in range(50)]
        lines.append(" ".join(map(str, stream(chance_stream, seed, 2, 3) + stream(bot_stream, seed, 2, 3, 4, 5))))
    return lines


def test_compiled_and_plain_agree(run_other_mode: Callable[[str], list[str]]) -> None:
    assert run_other_mode("from tests.cardkit.test_rng import table; print('\\n'.join(table()))") == table()
