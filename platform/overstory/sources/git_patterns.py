"""Patterns as .gitignore has them. As in git, the last pattern that fits a path decides; if none does, what was
decided on the folder that the path is in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from overstory.wildcards import LONGEST_PATTERN_CHARACTERS, path_pattern

_FOLDERS_KEPT = 256
"""Folders whose decision is kept for the files in them."""


@dataclass(frozen=True, slots=True)
class _GitPattern:
    regex: re.Pattern[str]
    folders_only: bool
    chooses: bool


class GitPatterns:
    """Some patterns, as lines of a .gitignore file."""

    def __init__(self, lines: Iterable[str]) -> None:
        """
        Raises:
            ValueError: one cannot be read.
        """
        self._last_first = [read for line in lines if (read := _read(line)) is not None][::-1]
        self._fitting_folder = lru_cache(_FOLDERS_KEPT)(self._fitting)

    def decision(self, path: str, *, is_folder: bool = False) -> bool | None:
        """Whether a path, relative to where the patterns stand, is one of those meant: False if a pattern with "!"
        decides; None if none fits it or a folder above it."""
        found = self._fitting(path, is_folder=is_folder)
        while found is None and "/" in path:
            path, _, _ = path.rpartition("/")
            found = self._fitting_folder(path)
        return found

    def _fitting(self, path: str, *, is_folder: bool = True) -> bool | None:
        """What the last pattern decides that fits this path itself."""
        for pattern in self._last_first:
            if (is_folder or not pattern.folders_only) and pattern.regex.fullmatch(path):
                return pattern.chooses
        return None


def _read(line: str) -> _GitPattern | None:
    """The pattern of a line; None for an empty one and a comment."""
    pattern = line if line.endswith("\\ ") else line.rstrip()
    if not pattern or pattern.startswith("#") or pattern == "/":
        return None
    chooses = not pattern.startswith("!")
    pattern = pattern.removeprefix("!")
    if not pattern:
        raise ValueError('"!" stands before a pattern')
    if len(pattern) > LONGEST_PATTERN_CHARACTERS:
        raise ValueError(f"a pattern has at most {LONGEST_PATTERN_CHARACTERS:,} characters")
    if (len(pattern) - len(pattern.rstrip("\\"))) % 2:
        raise ValueError("a backslash at its end takes the meaning from nothing")
    folders_only = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    anywhere = "" if "/" in pattern else "**/"
    return _GitPattern(path_pattern(anywhere + pattern.removeprefix("/"), as_git=True), folders_only, chooses)
