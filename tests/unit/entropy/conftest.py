"""Half of hypothesis' usual examples, for these tests are many and took half of the run without the server; and few
where the kernels run as plain Python."""

from __future__ import annotations

from hypothesis import settings
from tests.unit.entropy.speed import PLAIN_PYTHON

settings.register_profile("entropy", max_examples=8 if PLAIN_PYTHON else 50)
settings.load_profile("entropy")
