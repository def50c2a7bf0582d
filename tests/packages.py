"""Packages of somebody else, as an installer leaves them: modules, metadata and entry points in a folder."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

OUTSIDE = Path(__file__).parent / "outside"
"""Packages with a system each: `toy`, as small as a system can be, and `pagerank`, a whole one."""


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, entry_points: str, **modules: str) -> None:
    """Make a package importable and its entry points known until the test ends.

    Args:
        entry_points: the text of `entry_points.txt`.
        modules: their names and sources.
    """
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(entry_points, encoding="utf-8")
    for module, source in modules.items():
        (folder / f"{module}.py").write_text(source, encoding="utf-8")
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.syspath_prepend(str(folder))
