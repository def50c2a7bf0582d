"""Conversion of wildcard patterns to regular expressions that do not backtrack.

In a simple conversion, Python would try all ways to distribute a text among the wildcards. With 16 stars, this takes
minutes and blocks other threads. The regular expressions of this module match each literal piece of the pattern at the
first possible position after the previous piece. Later positions need not be tried, because the first position leaves
the most text for the other pieces. Atomic groups prevent Python from trying them. `fnmatch` works in the same way.

Matching takes at most time proportional to the length of the text times the length of the pattern.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

LONGEST_PATTERN_CHARACTERS = 1_000

_TEXT_PART = re.compile(r"(\[[*?]\]|\*+|\?+)")
_PATH_PART = re.compile(
    r"(?P<folders>(?<![^/])\*\*+/)|(?P<stars>\*+)|(?P<marks>\?+)|\[(?P<negated>[!^]?)(?P<listed>\]?[^\]/]+|\])\]"
    r"|\\(?P<escaped>.)|(?P<plain>.)",
    re.DOTALL,
)
_LISTED = re.compile(r"(.)-(.)|(.)", re.DOTALL)
_WHOLE_FOLDERS = "[^/]*+/"


def text_pattern(pattern: str) -> re.Pattern[str]:
    """Convert a text pattern with "*" and "?" to a regular expression for `fullmatch`.

    "[*]" and "[?]" match a literal "*" and "?". A pattern that ends with "/*" matches the folder itself and everything
    below it.
    """
    whole = pattern.removesuffix("/*")
    pieces = [""]
    for number, part in enumerate(_TEXT_PART.split(whole)):
        if number % 2 == 0 or part.startswith("["):
            pieces[-1] += re.escape(part.strip("[]") if number % 2 else part)
        elif part.startswith("*"):
            pieces.append("")
        else:
            pieces[-1] += f".{{{len(part)}}}"
    pieces[-1] += r"\Z" if whole == pattern else r"(?:/.*)?\Z"
    return re.compile(_in_order(pieces, gap="."), re.DOTALL)


def path_pattern(pattern: str, *, as_git: bool = False) -> re.Pattern[str]:
    """Convert a path pattern to a regular expression for `fullmatch`.

    - "*" matches any number of characters, and "?" one character. Neither matches a slash.
    - "**" matches any number of characters, including slashes.
    - Brackets match one of several characters, as in "[abc]".
    - If the pattern matches a folder, it also matches everything below the folder.

    Args:
        as_git: True to use the rules of .gitignore. Then "**" is special only as a complete part between slashes, a
            backslash escapes the next character, and a pattern for a folder does not match the contents of the folder.
    """
    names = [[""]]  # the pattern is split at "**", and each part is split at "*"
    for part in _PATH_PART.finditer(pattern):
        text = part.group()
        match part.lastgroup:
            case "folders":
                names.append([""])
            case "stars":
                is_name = part.start() == 0 or pattern[part.start() - 1] == "/"
                if len(text) > 1 and (not as_git or (is_name and part.end() == len(pattern))):
                    names.append([""])
                names[-1].append("")
            case "marks":
                names[-1][-1] += f"[^/]{{{len(text)}}}"
            case "listed":
                names[-1][-1] += _one_of(part["listed"], negated=bool(part["negated"]))
            case "escaped" if as_git:
                names[-1][-1] += re.escape(part["escaped"])
            case _:
                names[-1][-1] += re.escape(text)
    names[-1][-1] += r"\Z" if as_git else r"(?:/.*)?\Z"
    return re.compile(_in_order([_in_order(pieces, gap="[^/]") for pieces in names], gap=_WHOLE_FOLDERS), re.DOTALL)


def _in_order(pieces: Sequence[str], *, gap: str) -> str:
    """Join regular expressions so that any number of gaps may come before each of them except the first."""
    first, *others = pieces
    return first + "".join(f"(?>(?:{gap})*?{piece})" for piece in others)


def _one_of(listed: str, *, negated: bool) -> str:
    """Return a regular expression for brackets with these contents, in which only a hyphen is special.

    It never matches a slash.
    """
    ranges = [(least or only, most or only) for least, most, only in _LISTED.findall(listed)]
    those = "".join(f"{re.escape(least)}-{re.escape(most)}" for least, most in ranges if least <= most)
    if not those:
        return "[^/]" if negated else "(?!)"
    return f"(?!/)[{'^' if negated else ''}{those}]"
