"""Sets of up to 64 cards or actions as one machine word: counting, finding and picking bits.

numba has no population count; the three LLVM instructions are wrapped here, each with a twin in plain Python that
runs when compilation is off. All words are `uint64`, all counts and positions `int64`.
"""

from platform import machine
from typing import Any

import numpy as np
from llvmlite import ir
from llvmlite.binding import get_host_cpu_features
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from cardkit.jit import kernel

_EVEN_FIELDS = np.uint64(0x1FFF | 0x1FFF << 26)
_ODD_FIELDS = np.uint64(0x1FFF << 13 | 0x1FFF << 39)
ZERO = np.uint64(0)
ONE = np.uint64(1)

_IS_HOST = not config.DISABLE_JIT and not config.CPU_NAME and not config.CPU_FEATURES
_HAS_PDEP = _IS_HOST and machine() in ("x86_64", "AMD64") and get_host_cpu_features().get("bmi2", False)


def _llvm_bit_count(name: str, has_flag: bool) -> Any:
    """An intrinsic that calls `llvm.<name>.i64`; the flag says that zero is a defined input."""

    @intrinsic
    def instruction(typing_context, word):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            word64 = ir.IntType(64)
            flags = [ir.Constant(ir.IntType(1), 0)] if has_flag else []
            kind = ir.FunctionType(word64, [word64] + [flag.type for flag in flags])
            function = builder.module.declare_intrinsic(f"llvm.{name}", [word64], kind)
            return builder.call(function, [arguments[0], *flags])

        return types.int64(types.uint64), generate

    return instruction


if config.DISABLE_JIT:

    def count(word: Any) -> int:
        """How many bits are set."""
        return int(word).bit_count()

    def lowest(word: Any) -> int:
        """Position of the lowest set bit; 64 for an empty word."""
        value = int(word)
        return (value & -value).bit_length() - 1 if value else 64

    def highest(word: Any) -> int:
        """Position of the highest set bit; -1 for an empty word."""
        return int(word).bit_length() - 1

else:
    _ctpop = _llvm_bit_count("ctpop", has_flag=False)
    _cttz = _llvm_bit_count("cttz", has_flag=True)
    _ctlz = _llvm_bit_count("ctlz", has_flag=True)

    @intrinsic
    def _pdep(typing_context, source, mask):  # type: ignore[no-untyped-def]
        """x86's parallel bit deposit: the low bits of `source`, spread over the set bits of `mask`."""

        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            word64 = ir.IntType(64)
            kind = ir.FunctionType(word64, [word64, word64])
            function = cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.bmi.pdep.64")
            return builder.call(function, arguments)

        return types.uint64(types.uint64, types.uint64), generate

    @kernel
    def count(word):
        """How many bits are set."""
        return _ctpop(np.uint64(word))

    @kernel
    def lowest(word):
        """Position of the lowest set bit; 64 for an empty word."""
        return _cttz(np.uint64(word))

    @kernel
    def highest(word):
        """Position of the highest set bit; -1 for an empty word."""
        return 63 - _ctlz(np.uint64(word))


@kernel
def bit(position):
    """The word with one bit set."""
    return ONE << np.uint64(position)


@kernel
def has(word, position):
    """Whether the bit at a position is set."""
    return (word >> np.uint64(position)) & ONE != ZERO


@kernel
def below(position):
    """The word with all bits under a position set; the position is 0..63."""
    return (ONE << np.uint64(position)) - ONE if position > 0 else ZERO


@kernel
def without_lowest(word):
    """The word without its lowest set bit; an empty word stays empty."""
    return word & (word - ONE) if word != ZERO else ZERO


@kernel
def touching(cards, between):
    """Those of some bits 0..51 that have a lower one in their field of 13 bits with none of `between` in between.

    A one added above each card runs up through the places where nothing lies (as the carry of the sum) and comes to
    rest at the first place where something does. Even and odd fields are added apart, so that no carry leaves a field.
    """
    empty = ~(cards | between)
    even = (empty & _EVEN_FIELDS) + ((cards & _EVEN_FIELDS) << ONE)
    odd = (empty & _ODD_FIELDS) + ((cards & _ODD_FIELDS) << ONE)
    return cards & ((even & _EVEN_FIELDS) | (odd & _ODD_FIELDS))


if _HAS_PDEP:

    @kernel
    def select(word, n):
        """Position of the n-th set bit, counted from 0 at the lowest; n is below the number of set bits.

        One instruction that spreads bit n over the set bits of the word; the loop below mispredicts its end, which made
        random play 45 % slower.
        """
        return _cttz(_pdep(ONE << np.uint64(n), word))

else:

    @kernel
    def select(word, n):
        """Position of the n-th set bit, counted from 0 at the lowest; n is below the number of set bits."""
        for _ in range(n):
            word &= word - ONE
        return lowest(word)
