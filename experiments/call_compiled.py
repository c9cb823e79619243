"""Calls a function of a shared library with arguments from a file: what valgrind runs, with as little else as can be.

    python -I -S call_compiled.py LIBRARY CALL

`counts.py` writes both. It imports nothing of this project and no numpy, which would take longer than what is counted.
"""

import ctypes
import pickle
import sys
from pathlib import Path

_LINE = 64  # bytes: where blocks of memory begin
_ANSWER = 256  # bytes that are enough for what a function returns

library, call = sys.argv[1:]
name, words = pickle.loads(Path(call).read_bytes())
function = getattr(ctypes.CDLL(library), name)
function.restype = ctypes.c_int32
blocks = []
arguments: list[object] = []
for word in words:
    if isinstance(word, bytes):
        block = ctypes.create_string_buffer(len(word) + _LINE)
        blocks.append(block)
        start = -(-ctypes.addressof(block) // _LINE) * _LINE
        ctypes.memmove(start, word, len(word))
        arguments.append(ctypes.c_void_p(start))
    else:
        kind = {bool: ctypes.c_uint8, int: ctypes.c_int64, float: ctypes.c_double}[type(word)]
        arguments.append(kind(word))
answer = (ctypes.c_int64 * (_ANSWER // 8))()
raised = ctypes.c_void_p()
status = function(answer, ctypes.byref(raised), *arguments)
sys.stdout.write(f"{status} {answer[0]}\n")
