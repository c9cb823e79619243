"""One decorator for all compiled code: `kernel`.

A kernel is compiled on first call and kept on disk (`cardkit/cache.py`).
"""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from llvmlite.binding import parse_assembly
from llvmlite.binding.newpassmanagers import create_new_module_pass_manager
from numba.core import cgutils, errors, types
from numba.core.bytecode import FunctionIdentity
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.compiler import Compiler
from numba.extending import intrinsic

from cardkit import cache

_SMALL_PART = 64_000  # bytes of LLVM's bitcode
_PLACE = "_ZN08NumbaEnv"  # how the names of these variables of numba's begin
_kernels: list[Callable[[], None]] = []  # for each: makes it use the cache directory as it is now
# numba numbers functions from 1 in each process to tell namesakes apart: one of them that was cached would be taken for
# another one that is compiled now.
FunctionIdentity._unique_ids = itertools.count(int.from_bytes(os.urandom(6), "big"))  # type: ignore[attr-defined]


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function with numba on first call, and cache the machine code on disk.

    Kernels allocate nothing: numba's reference counting is off (`_nrt=False`), because counting the arrays of `rules`
    at every call took 70 % of the time. Scratch space is an argument, or `stack_bytes`. Helpers are inlined where they
    are called (`forceinline`), because passing `rules` by value took half of the rest; verbs are left to LLVM.

    Under `NUMBA_DISABLE_JIT=1` the function comes back as it is and runs in plain Python.
    """
    return _compiled(function, forceinline=True)


def outlined_kernel(function: Callable[..., Any]) -> Any:
    """A kernel that is called instead of inlined: for large helpers with several callers, where compiling counts."""
    return _compiled(function, forceinline=False)


def _compiled(function: Callable[..., Any], forceinline: bool) -> Any:
    """The function with a dispatcher that compiles and caches it; as it is where compilation is off.

    It is compiled for Python, and as a part of the kernels that call it, when either first does.
    """
    if numba.config.DISABLE_JIT:
        return function
    options = {"nogil": True, "_nrt": False, "forceinline": forceinline}
    compiled = _cached(numba.njit(**options)(function), cache.KernelCache, "")
    part = _cached(numba.njit(**options, **PART)(function), _PartCache, "parts")
    compiled.get_call_template = part.get_call_template = partial(_call_template, part)
    compiled.get_overload, compiled._compiling_counter = part.get_overload, part._compiling_counter
    compiled.recompile = partial(_recompile, compiled, part)
    return compiled


def _recompile(*dispatchers: Any) -> None:
    """Numba's `recompile`, of the part as well."""
    for dispatcher in dispatchers:
        type(dispatcher).recompile(dispatcher)


def _cached(dispatcher: Any, cache_class: Any, folder: str) -> Any:
    """A dispatcher of numba's that keeps what it compiles in a folder of the cache directory."""
    cache_again = partial(_use_cache, dispatcher, cache_class, folder)
    with contextlib.suppress(RuntimeError):  # typed at a prompt: there is no file that a cache could belong to
        cache_again()
        _kernels.append(cache_again)
    return dispatcher


def _use_cache(dispatcher: Any, cache_class: Any, folder: str) -> None:
    """What `numba.njit(cache=True)` does, in our directory; other numba code in the process is left alone."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache.cache_directory() / folder)
    try:
        dispatcher._cache = cache_class(dispatcher.py_func)
    finally:
        numba.config.CACHE_DIR = before


class _PartLibrary(JITCodeLibrary):
    """The code of a kernel for those that call it: not made machine code, and optimised as a part of them.

    numba would do both for each kernel with all that it calls, again at every level: two thirds of the time to compile
    a game with its searches. Small parts are optimised, as that costs little: without it, Kronions' random decisions
    took 10 % more time.
    """

    def _optimize_functions(self, module: Any) -> None:
        """Take out what is not needed: other kernels as objects have addresses, which cannot be cached."""
        module.data_layout = self._codegen._data_layout
        passes = create_new_module_pass_manager()
        passes.add_sroa_pass()
        passes.add_dead_code_elimination_pass()
        passes.add_global_dead_code_eliminate_pass()
        passes.run(module, self._codegen._pass_builder(opt=0))

    def _optimize_final_module(self) -> None:
        if len(self._final_module.as_bitcode()) < _SMALL_PART:
            super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        """Be ready to be linked; only the places where numba puts what `print` needs are made in the machine."""
        self._finalize_dynamic_globals()
        engine = self._codegen._engine
        names = {variable.name for variable in self._final_module.global_variables}
        for name in names:
            if name.startswith(RuntimeLinker.PREFIX) and not self._defines(name.removeprefix(RuntimeLinker.PREFIX)):
                raise errors.UnsupportedError("kernels cannot call each other in a circle")
        places = [name for name in names if name.startswith(_PLACE) and not engine.is_symbol_defined(name)]
        if places:
            engine.add_module(parse_assembly("\n".join(f'@"{name}" = common global ptr null' for name in places)))
            engine.finalize_object()
        self._finalized = True

    def _defines(self, name: str) -> bool:
        return any(function.name == name and not function.is_declaration for function in self._final_module.functions)

    def get_pointer_to_function(self, name: str) -> int:
        """None, as Python does not call it."""
        self._ensure_finalized()
        return 0

    def serialize_using_object_code(self) -> Any:
        return self.serialize_using_bitcode()


class _PartCompiler(Compiler):
    """Compiles a kernel to a `_PartLibrary`."""

    def __init__(self, typing: Any, target: Any, library: None, *arguments: Any) -> None:
        super().__init__(typing, target, _PartLibrary(target.codegen(), "part"), *arguments)


class _PartReader(cache.Reader):
    """Makes a `_PartLibrary` of what was cached; reading it before may import modules that compile at once."""

    def rebuild(self, target: Any, payload: Any) -> Any:
        codegen = target.codegen()
        codegen._library_class = _PartLibrary
        try:
            return super().rebuild(target, payload)
        finally:
            del codegen._library_class


class _PartCache(cache.KernelCache):
    _impl_class = _PartReader


# Options of numba's for what only kernels call.
PART = {"pipeline_class": _PartCompiler, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def _call_template(part: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """What numba asks when a kernel calls another: which version of it to use, compiled now if there is none.

    numba would compile a kernel again for every constant and for every width of integer that it is called with; one
    version with 64 bits serves all. That took half of the time to compile a game.
    """
    return type(part).get_call_template(part, tuple(map(_widened, arguments)), keywords)


def _widened(argument: Any) -> Any:
    """The type of an argument, constants as variables and small integers as `int64`."""
    found = types.unliteral(argument)  # type: ignore[attr-defined]
    is_small = isinstance(found, types.Integer) and found.bitwidth < 64  # type: ignore[attr-defined]
    return types.int64 if is_small else found  # type: ignore[attr-defined]


def wrapping_kernel(function: Callable[..., Any]) -> Any:
    """A kernel whose `uint64` arithmetic wraps around on purpose: hashes and random numbers."""
    return np.errstate(over="ignore")(function) if numba.config.DISABLE_JIT else kernel(function)


if numba.config.DISABLE_JIT:

    def stack_bytes() -> np.ndarray:
        """64 bytes of scratch space, indexed like an array; they are gone when the calling kernel returns."""
        return np.zeros(64, np.uint8)

    nanoseconds = time.monotonic_ns

else:

    @intrinsic
    def stack_bytes(typing_context):  # type: ignore[no-untyped-def]
        """64 bytes of scratch space, indexed like an array; they are gone when the calling kernel returns."""

        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            space = cgutils.alloca_once(builder, ir.ArrayType(ir.IntType(8), 64))
            return builder.bitcast(space, ir.IntType(8).as_pointer())

        return types.CPointer(types.uint8)(), generate  # type: ignore[attr-defined]

    @intrinsic
    def nanoseconds(typing_context):  # type: ignore[no-untyped-def]
        """The time of a clock that only goes forward."""

        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            word, number = ir.IntType(64), ir.IntType(32)
            space = cgutils.alloca_once(builder, ir.ArrayType(word, 2))  # struct timespec
            pointer = builder.bitcast(space, word.as_pointer())
            kind = ir.FunctionType(number, [number, word.as_pointer()])
            function = cgutils.get_or_insert_function(builder.module, kind, "clock_gettime")
            builder.call(function, [ir.Constant(number, time.CLOCK_MONOTONIC), pointer])
            rest = builder.load(builder.gep(pointer, [ir.Constant(number, 1)]))
            return builder.add(builder.mul(builder.load(pointer), ir.Constant(word, 10**9)), rest)

        return types.int64(), generate  # type: ignore[attr-defined]


def add_sources(folder: Path) -> None:
    """Make the cache depend on the Python files of a folder outside this project, such as a user's own game.

    Kernels already defined move to the new cache directory as well, because they may call that game's code.
    """
    if cache.add_sources(folder):
        for cache_again in _kernels:
            cache_again()
