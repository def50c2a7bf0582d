"""Patterns with wildcards as regular expressions that do not backtrack.

Python's engine tries all ways to share a text among several wildcards: 16 stars take it minutes, in which no other
thread runs. Here each piece of a pattern is matched where it first fits after the piece before, in an atomic group, and
no later place is tried, because the first one leaves the most for the rest. `fnmatch` does the same. The time is at
most proportional to the length of the text times that of the pattern.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

LONGEST_PATTERN_CHARACTERS = 1_000
"""Characters of a pattern with wildcards."""

_TEXT_PART = re.compile(r"(\[[*?]\]|\*+|\?+)")
_PATH_PART = re.compile(
    r"(?P<folders>(?<![^/])\*\*+/)|(?P<stars>\*+)|(?P<marks>\?+)|\[(?P<negated>[!^]?)(?P<listed>\]?[^\]/]+|\])\]"
    r"|\\(?P<escaped>.)|(?P<plain>.)",
    re.DOTALL,
)
_LISTED = re.compile(r"(.)-(.)|(.)", re.DOTALL)
_WHOLE_FOLDERS = "[^/]*+/"


def text_pattern(pattern: str) -> re.Pattern[str]:
    """A pattern with "*" and "?", which in brackets, as "[*]", are themselves. What ends with "/*" is a folder and all
    below it. For `fullmatch`."""
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
    """A pattern of paths, in which "*" and "?" stand for characters of one name, "**" also for folders, and brackets
    for one of some characters. A folder that it fits stands for all below it. For `fullmatch`.

    Args:
        as_git: as in .gitignore: "**" is one only between slashes, a backslash takes the meaning from the next
            character, and what is below a folder does not fit.
    """
    names = [[""]]  # between "**", and within one between "*"
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
    """Pieces with any number of gaps before each but the first."""
    first, *others = pieces
    return first + "".join(f"(?>(?:{gap})*?{piece})" for piece in others)


def _one_of(listed: str, *, negated: bool) -> str:
    """One of the characters between brackets, in which only a hyphen keeps its meaning; never a slash."""
    ranges = [(least or only, most or only) for least, most, only in _LISTED.findall(listed)]
    those = "".join(f"{re.escape(least)}-{re.escape(most)}" for least, most in ranges if least <= most)
    if not those:
        return "[^/]" if negated else "(?!)"
    return f"(?!/)[{'^' if negated else ''}{those}]"
