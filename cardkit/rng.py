"""Random streams for kernels: xoroshiro128++ on a small array that the caller owns.

A state record never holds a generator: whoever holds a record must not be able to see the future. Every stream is
derived by hashing what it is for, so that nothing one bot draws can shift what another bot or a later deal sees.

Source: D. Blackman and S. Vigna, "Scrambled linear pseudorandom number generators" (2021), xoroshiro128++ 1.0; the
hash is the finaliser of SplitMix64.
"""

import numpy as np

from cardkit.jit import wrapping_kernel

RNG_WORDS = 2
_CHANCE, _BOT = 1, 2  # what a stream is for; keeps streams of equal numbers apart


def new_rng(seed: int = 0) -> np.ndarray:
    """A generator of its own for tests and tools, `(2,)` uint64; the same seed gives the same stream."""
    rng = np.zeros(RNG_WORDS, np.uint64)
    seed_rng(rng, np.uint64(seed))
    return rng


@wrapping_kernel
def mix(word):
    """SplitMix64's finaliser: a bijection in which every input bit changes about half of the output bits."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@wrapping_kernel
def absorb(digest, word):
    """Hash one more word into a digest; the order of words matters."""
    return mix((digest ^ np.uint64(word)) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0xD1B54A32D192ED03))


@wrapping_kernel
def short_hash(digest):
    """The upper 32 bits of a digest, never 0: what the verb `news` reports."""
    return int(digest >> np.uint64(32)) | 1


@wrapping_kernel
def seed_rng(rng, digest):
    """Start a stream from a digest. Modified in place: `rng`."""
    rng[0] = mix(digest + np.uint64(0x9E3779B97F4A7C15))
    rng[1] = mix(digest + np.uint64(0x3C6EF372FE94F82A)) | np.uint64(1)  # never all zero


@wrapping_kernel
def chance_stream(rng, seed, board, event):
    """Start the stream of one chance event of a board: the same whatever the bots do. Modified in place: `rng`."""
    digest = absorb(absorb(np.uint64(seed), _CHANCE), board)
    seed_rng(rng, absorb(digest, event))


@wrapping_kernel
def bot_stream(rng, seed, board, lineup, rotation, seat):
    """Start the stream of the bot at a seat for one game. Modified in place: `rng`."""
    digest = absorb(absorb(np.uint64(seed), _BOT), board)
    seed_rng(rng, absorb(absorb(absorb(digest, lineup), rotation), seat))


@wrapping_kernel
def next_word(rng):
    """The next 64 random bits. Modified in place: `rng`."""
    a = rng[0]
    b = rng[1]
    total = a + b
    b ^= a
    rng[0] = ((a << np.uint64(49)) | (a >> np.uint64(15))) ^ b ^ (b << np.uint64(21))
    rng[1] = (b << np.uint64(28)) | (b >> np.uint64(36))
    return ((total << np.uint64(17)) | (total >> np.uint64(47))) + a


@wrapping_kernel
def uniform(rng):
    """A random float in [0, 1) with 53 bits. Modified in place: `rng`."""
    return np.float64(next_word(rng) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@wrapping_kernel
def integer(rng, n):
    """An exactly uniform integer 0..n-1 for 1 <= n < 2**32. Modified in place: `rng`.

    Source: D. Lemire, "Fast random integer generation in an interval" (2019): multiply, and reject the short remainder.
    """
    bound = np.uint64(n)
    product = (next_word(rng) >> np.uint64(32)) * bound
    fraction = product & np.uint64(0xFFFFFFFF)
    if fraction < bound:
        threshold = (np.uint64(0x100000000) - bound) % bound
        while fraction < threshold:
            product = (next_word(rng) >> np.uint64(32)) * bound
            fraction = product & np.uint64(0xFFFFFFFF)
    return np.int64(product >> np.uint64(32))
