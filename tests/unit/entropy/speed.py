"""Whether the kernels run compiled, or as the plain Python in which `make coverage` counts their lines."""

from __future__ import annotations

import os

import pytest

PLAIN_PYTHON = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"

compiled_only = pytest.mark.skipif(PLAIN_PYTHON, reason="too slow in plain Python")
