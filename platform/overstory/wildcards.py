"""Wildcard patterns as regular expressions without backtracking.

Python's engine tries all ways to distribute a text among wildcards: 16 stars take minutes and block other threads. Here
each literal piece is matched at the first position after the previous piece, in an atomic group, and later positions
are not tried, because the first leaves most text for the other pieces. `fnmatch` works the same way. Matching takes
time at most proportional to text length times pattern length.
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
    """Compile a text pattern with "*" and "?" for use with `fullmatch`.

    "[*]" and "[?]" match these characters literally. A final "/*" matches the folder and everything below it.
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
    """Compile a path pattern for use with `fullmatch`. A matching folder matches everything below it.

    "*" and "?" match within one path segment, "**" also matches across segments, and brackets match one of several
    characters.

    Args:
        as_git: use .gitignore rules: "**" is special only between slashes, a backslash escapes the next character, and
            a folder does not match its contents.
    """
    names = [[""]]  # split at "**", and within each part at "*"
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
    """Join pieces with any number of gaps before each piece except the first."""
    first, *others = pieces
    return first + "".join(f"(?>(?:{gap})*?{piece})" for piece in others)


def _one_of(listed: str, *, negated: bool) -> str:
    """Return a character class for the contents of brackets, where only a hyphen is special; never matches a slash."""
    ranges = [(least or only, most or only) for least, most, only in _LISTED.findall(listed)]
    those = "".join(f"{re.escape(least)}-{re.escape(most)}" for least, most in ranges if least <= most)
    if not those:
        return "[^/]" if negated else "(?!)"
    return f"(?!/)[{'^' if negated else ''}{those}]"
