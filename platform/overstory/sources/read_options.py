"""The options for reading sources, such as patterns that select files and the encoding of files that are not UTF-8."""

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
"""Maximum number of folders whose decision is cached, so that it is not computed again for each file in them."""


@dataclass(frozen=True, slots=True)
class _GitPattern:
    regex: re.Pattern[str]
    folders_only: bool
    chooses: bool


class GitPatterns:
    """A list of patterns that work like the lines of a .gitignore file."""

    def __init__(self, lines: Iterable[str]) -> None:
        """
        Raises:
            ValueError: a pattern is invalid.
        """
        self._last_first = [read for line in lines if (read := _read(line)) is not None][::-1]
        self._fitting_folder = lru_cache(_FOLDERS_KEPT)(self._fitting)

    def decision(self, path: str, *, is_folder: bool = False) -> bool | None:
        """Return the decision of the patterns about a path.

        The last pattern that matches the path decides. If none does, the decision about its parent folder applies.

        Args:
            path: the path relative to the folder for which the patterns are given.

        Returns:
            True if the deciding pattern is an ordinary one, False if it begins with "!", and None if no pattern
            matches.
        """
        found = self._fitting(path, is_folder=is_folder)
        while found is None and "/" in path:
            path, _, _ = path.rpartition("/")
            found = self._fitting_folder(path)
        return found

    def _fitting(self, path: str, *, is_folder: bool = True) -> bool | None:
        for pattern in self._last_first:
            if (is_folder or not pattern.folders_only) and pattern.regex.fullmatch(path):
                return pattern.chooses
        return None


def _read(line: str) -> _GitPattern | None:
    """Return the pattern in a line, or None if the line is empty or a comment.

    Raises:
        ValueError: the pattern is invalid.
    """
    pattern = line if line.endswith("\\ ") else line.rstrip()
    if not pattern or pattern.startswith("#") or pattern == "/":
        return None
    chooses = not pattern.startswith("!")
    pattern = pattern.removeprefix("!")
    if not pattern:
        raise ValueError('a pattern must follow "!"')
    if len(pattern) > LONGEST_PATTERN_CHARACTERS:
        raise ValueError(f"a pattern may have at most {LONGEST_PATTERN_CHARACTERS:,} characters")
    if (len(pattern) - len(pattern.rstrip("\\"))) % 2:
        raise ValueError("the backslash at its end escapes no character")
    folders_only = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    anywhere = "" if "/" in pattern else "**/"
    return _GitPattern(path_pattern(anywhere + pattern.removeprefix("/"), as_git=True), folders_only, chooses)


AUTO = "auto"
"""The value of `encoding` with which the encoding of each file is detected."""
MOST_PAGES = 1_000
"""Default maximum number of pages that are read from a sitemap."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Options that select the files to read and control how they are read.

    Patterns work as in .gitignore, relative to each folder that is read. A file whose own path is given is always read,
    regardless of the patterns.

    Attributes:
        include: patterns; if there are any, only files that match them are read.
        exclude: patterns of files and folders to skip.
        gitignore: if True, apply .gitignore files, too, including those in parent folders up to the repository's root.
        delete_excluded: if True, sync also deletes the documents of excluded files and folders.
        encoding: the encoding of files that are not UTF-8 and do not declare an encoding. With "auto", the encoding is
            detected; with "", such files are reported as broken.
        most_pages: maximum number of pages that are read from a sitemap.
        delay_seconds: number of seconds between two requests to a host; robots.txt may require more.
        allow_private: if True, also fetch pages from private networks and from this machine.
        within: real paths of the folders to which the run is confined: symbolic links out of them are skipped. With (),
            all links are followed.
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
            SettingsError: a pattern is invalid, or the encoding is unknown.
        """
        spec_of(self.include, "include")
        spec_of(self.exclude, "exclude")
        if self.encoding and self.encoding != AUTO:
            _check_encoding(self.encoding)

    @property
    def leaves_out(self) -> bool:
        """True if files may be left out because of patterns."""
        return bool(self.include or self.exclude or self.gitignore)


def spec_of(patterns: Sequence[str], option: str) -> GitPatterns | None:
    """Return the patterns of an option, or None if `patterns` is empty.

    Raises:
        SettingsError: a pattern is invalid, or all patterns begin with "!", which has no effect.
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
                what = f"is not a valid pattern: {error}"
        if what:
            raise SettingsError(
                f"{option} {pattern!r} {what}.",
                remedy="Write patterns as in .gitignore: '*.md', '/drafts/', 'docs/**/*.html', '!keep.md', '\\#1.txt'.",
            )
    if patterns and all(pattern.startswith("!") for pattern in patterns):
        raise SettingsError(
            f"{option} {patterns[0]!r} has no effect: '!' makes an exception from another pattern, and there is none.",
            remedy=f"Pass the pattern without '!' to {'exclude' if option == 'include' else 'include'}.",
        )
    return GitPatterns(patterns) if patterns else None


def _check_encoding(name: str) -> None:
    try:
        codecs.lookup(name)
        (b" " * 4).decode(name)  # this fails for codecs that are not for text, such as "hex"
    except (LookupError, ValueError):
        near = difflib.get_close_matches(name.lower(), ("windows-1252", "iso-8859-1", "utf-16-le", "gb18030", "koi8-r"))
        raise SettingsError(
            f"The encoding {name!r} is unknown.",
            remedy=f"Name an encoding that Python knows, such as {near[0] if near else 'windows-1252'}, or {AUTO}.",
        ) from None
