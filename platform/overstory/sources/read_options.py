"""What of the paths of a run is read, and how: patterns of files, and the encoding of those that are not UTF-8."""

from __future__ import annotations

import codecs
import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from overstory.errors import SettingsError
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


AUTO = "auto"
"""Stands for an encoding that is recognised file by file."""
MOST_PAGES = 1_000
"""Of a sitemap, that are read unless more are allowed."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What of folders is read, and how. Patterns are those of .gitignore, relative to the folder that was named; a
    file that is named itself is read whatever they say.

    Attributes:
        include: only files that one of these fits; without any, all.
        exclude: but for those, and folders, that one of these fits.
        gitignore: also leave out what the .gitignore files say, those of the folders above up to the repository's
            among them.
        delete_excluded: with sync, also delete the documents of files and folders that are left out.
        encoding: of files that are not UTF-8 and do not say what they are; "auto" to recognise it; "" to refuse them.
        most_pages: how many pages of a sitemap are read.
        delay_seconds: between two requests to the host of pages; robots.txt may ask for more.
        allow_private: also fetch pages from addresses of private networks and of this machine.
        within: real paths of folders; links out of them are skipped. Without any, all links are followed.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    gitignore: bool = False
    delete_excluded: bool = False
    encoding: str = ""
    most_pages: int = MOST_PAGES
    delay_seconds: float = 1.0
    allow_private: bool = False
    within: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """
        Raises:
            SettingsError: a pattern cannot be read, or there is no encoding of this name.
        """
        spec_of(self.include, "include")
        spec_of(self.exclude, "exclude")
        if self.encoding and self.encoding != AUTO:
            _check_encoding(self.encoding)

    @property
    def leaves_out(self) -> bool:
        """Whether there may be files that are not read."""
        return bool(self.include or self.exclude or self.gitignore)


def spec_of(patterns: Sequence[str], option: str) -> GitPatterns | None:
    """Some patterns of an option; None without any.

    Raises:
        SettingsError: one cannot be read, or would never fit anything.
    """
    for pattern in patterns:
        what = ""
        if not pattern.strip():
            what = "is empty"
        elif pattern.startswith("#"):
            what = "is a comment, as in .gitignore"
        else:
            try:
                GitPatterns([pattern])
            except ValueError as error:
                what = f"is no pattern: {error}"
        if what:
            raise SettingsError(
                f"{option} {pattern!r} {what}.",
                remedy="Write patterns as in .gitignore: '*.md', '/drafts/', 'docs/**/*.html', '!keep.md', '\\#1.txt'.",
            )
    if patterns and all(pattern.startswith("!") for pattern in patterns):
        raise SettingsError(
            f"{option} {patterns[0]!r} takes in again what no other pattern fits.",
            remedy=f"Give the pattern without '!' to {'exclude' if option == 'include' else 'include'}.",
        )
    return GitPatterns(patterns) if patterns else None


def _check_encoding(name: str) -> None:
    try:
        codecs.lookup(name)
        (b" " * 4).decode(name)  # Python also knows codecs that make no text, such as "hex"
    except (LookupError, ValueError):
        near = difflib.get_close_matches(name.lower(), ("windows-1252", "iso-8859-1", "utf-16-le", "gb18030", "koi8-r"))
        raise SettingsError(
            f"There is no encoding {name!r}.",
            remedy=f"Name one that Python knows, like {near[0] if near else 'windows-1252'}, or {AUTO}.",
        ) from None
