"""What of the paths of a run is read, and how: patterns of files, and the encoding of those that are not UTF-8."""

from __future__ import annotations

import codecs
import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from overstory.errors import SettingsError
from overstory.sources.git_patterns import GitPatterns

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
