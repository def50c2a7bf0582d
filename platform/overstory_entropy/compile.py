"""Compilation of this package's kernels: one decorator with one set of numba options."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import ParamSpec, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
"""Indices, labels and offsets."""
Ids = NDArray[np.int32]
"""End points of edges. They take half the memory of `Ints`, and passes over large graphs are bound by memory."""
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function with numba at its first call, and cache the machine code on disk if possible.

    There is no fast-math and there are no parallel loops: sums keep their order, so a seed gives the same tree on every
    run and with any number of threads. With NUMBA_DISABLE_JIT=1 the function stays Python, so that coverage can count
    its lines.

    numba compiles a kernel again for each set of argument types, and a read-only array is a separate type. Pass
    C-contiguous writeable arrays of the aliases above.
    """
    try:
        compiled = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:  # no writable cache folder: compile in each process
        compiled = numba.njit(nogil=True, error_model="numpy")(function)
    else:
        if hasattr(compiled, "stats"):  # absent with NUMBA_DISABLE_JIT
            _discard_code_of_another_version(compiled.stats.cache_path)
    return cast("Callable[P, R]", compiled)


@functools.cache
def _discard_code_of_another_version(folder: str) -> None:
    """Delete the cached machine code in a folder unless it was compiled from the current version of this package.

    numba recompiles a kernel when its own file changes, but not when a kernel that it calls changes, although it
    contains that kernel's code. It also fails to load code that refers to a renamed tuple class.
    """
    compiled_from = Path(folder) / "overstory_entropy.sha256"
    with suppress(OSError):  # the folder is read-only, or another process deletes the same files
        if compiled_from.is_file() and compiled_from.read_text(encoding="ascii") == _digest_of_sources():
            return
        for index in Path(folder).glob("*.nbi"):
            index.unlink(missing_ok=True)
        Path(folder).mkdir(parents=True, exist_ok=True)
        compiled_from.write_text(_digest_of_sources(), encoding="ascii")


@functools.cache
def _digest_of_sources() -> str:
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()
