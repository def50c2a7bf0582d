"""Shared by scripts that write a page of the documentation from the code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def write_or_check(page: Path, text: str, arguments: Sequence[str], script: str) -> int:
    """Write the page, or with `--check` report whether it is up to date. Return the exit code.

    Args:
        script: Name of the module that writes the page.
    """
    if arguments == ["--check"]:
        current = page.exists() and page.read_text(encoding="utf-8") == text
        print(f"{page.name} is current." if current else f"Run: python -m {script}")
        return int(not current)
    page.write_text(text, encoding="utf-8")
    return 0
