"""Compilation of this package's kernels: one decorator, one set of numba options."""

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
"""Ends of edges, in half the memory of `Ints`: a pass over a large graph is bound by memory."""
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile at the first call and cache the machine code on disk, if a folder is writable, for later processes.

    No fast-math and no parallel loops: sums keep their order, so that a seed gives the same tree on every run and any
    number of threads. With NUMBA_DISABLE_JIT=1 the function stays Python, so that test coverage can count its lines.

    numba compiles a kernel again for every new set of argument types, and a read-only array is a type of its own: pass
    C-contiguous writeable arrays of the aliases above.
    """
    try:
        compiled = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:  # neither the package's folder nor the user's cache can be written: compile in each process
        compiled = numba.njit(nogil=True, error_model="numpy")(function)
    else:
        if hasattr(compiled, "stats"):  # not with NUMBA_DISABLE_JIT
            _discard_code_of_another_version(compiled.stats.cache_path)
    return cast("Callable[P, R]", compiled)


@functools.cache
def _discard_code_of_another_version(folder: str) -> None:
    """Remove the cached machine code in a folder unless it was compiled from this package as it is.

    numba compiles a kernel again when its own file has changed, but not when a kernel that it calls has, whose code it
    contains, and it fails on the name of a tuple's class that is no longer there.
    """
    compiled_from = Path(folder) / "overstory_entropy.sha256"
    with suppress(OSError):  # a folder that cannot be written, or another process that removes the same
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
