"""Kernels are kept on disk where that is possible, and work where it is not."""

from __future__ import annotations

from overstory_entropy.compile import kernel


def test_a_kernel_whose_machine_code_cannot_be_kept_is_compiled_all_the_same() -> None:
    names: dict[str, object] = {}
    exec("def double(number): return 2 * number", names)  # noqa: S102 # a function without a file has no cache
    double = names["double"]
    assert callable(double)
    assert kernel(double)(21) == 42
