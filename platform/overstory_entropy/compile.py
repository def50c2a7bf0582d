"""Defines the decorator that compiles all kernels of this package with the same numba options."""

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
"""Array of indices, labels or offsets."""
Ids = NDArray[np.int32]
"""Array of edge endpoints. It takes half the memory of `Ints`, which matters because memory limits the speed."""
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function with numba on its first call, and cache the machine code on disk if possible.

    Fast-math and parallel loops are not used. Sums are therefore always computed in the same order, and a seed leads to
    the same tree with any number of threads. With NUMBA_DISABLE_JIT=1, the function is not compiled, so that coverage
    tools can count its lines.

    numba compiles a kernel again for each combination of argument types, and a read-only array has a type of its own.
    Pass writeable, C-contiguous arrays of the types `Ints`, `Ids`, `Floats` and `Flags`.
    """
    try:
        compiled = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:  # without a writable cache folder, each process compiles
        compiled = numba.njit(nogil=True, error_model="numpy")(function)
    else:
        if hasattr(compiled, "stats"):  # it has none with NUMBA_DISABLE_JIT=1
            _discard_code_of_another_version(compiled.stats.cache_path)
    return cast("Callable[P, R]", compiled)


@functools.cache
def _discard_code_of_another_version(folder: str) -> None:
    """Delete the cached machine code in a folder unless it was compiled from the current version of this package.

    numba recompiles a kernel if its own file changes. It does not recompile it if the file of another kernel that it
    calls changes, although the machine code includes the other kernel. It also fails to load machine code that refers
    to a renamed tuple class.
    """
    compiled_from = Path(folder) / "overstory_entropy.sha256"
    with suppress(OSError):  # the folder may be read-only, or another process may delete its files
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
