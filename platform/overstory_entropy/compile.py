"""Compilation of this package's kernels: one decorator, one set of numba options."""

from __future__ import annotations

from collections.abc import Callable
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
    return cast("Callable[P, R]", compiled)
