"""What scripts share that write a page of the documentation from the code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def write_or_check(page: Path, text: str, arguments: Sequence[str], script: str) -> int:
    """Writes the page, or with `--check` says whether it is what would be written; the exit code.

    Args:
        script: the name of the module that is run to write it.
    """
    if arguments == ["--check"]:
        current = page.exists() and page.read_text(encoding="utf-8") == text
        print(f"{page.name} is current." if current else f"Run: python -m {script}")
        return int(not current)
    page.write_text(text, encoding="utf-8")
    return 0
