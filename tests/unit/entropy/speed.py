"""Detection of compiled kernels, in contrast to the plain Python in which `make coverage` counts lines."""

from __future__ import annotations

import os

import pytest

PLAIN_PYTHON = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"

compiled_only = pytest.mark.skipif(PLAIN_PYTHON, reason="too slow in plain Python")
