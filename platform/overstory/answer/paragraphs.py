"""The running text of a passage, without headings, whose words would run into the first sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator

_MOST_WORDS_OF_A_HEADING = 12  # a longer line is text
_MOST_WORDS_IN_CAPITALS = 5  # a longer line in capitals is no heading

_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_CAPITALS = re.compile(r"[^\W\d_]{2}[^\W\d_ &/,'’-]*(?:[ &/,'’-]+[^\W\d_]+)*\s*")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*•‣◦]|\d{1,3}[.)])[ \t]")
_CODE = re.compile(r"(?:^|\s)--?[a-z]|[=_{}<>$\\`]|\w\(\)|\w/\w|\w\.[a-z]{1,4}(?!\w)")
"""What commands, paths and settings have, and headings seldom."""
_ENDED = re.compile(r"[.!?…。！？｡:;][\"'”’»)\]*_」』）]*$")


def paragraphs(text: str) -> list[str]:
    """The parts of a text between blank lines and headings, without Markdown's headings and those in capitals.

    A few words alone between blank lines, without a full stop, are a heading too, unless the text has nothing else.
    """
    parts = list(_parts(text, capitals=False)) or list(_parts(text, capitals=True))
    return [part for at, part in enumerate(parts) if not _is_heading(part, last=at == len(parts) - 1)] or parts


def _parts(text: str, *, capitals: bool) -> Iterator[str]:
    """`capitals`: whether a line in capitals is text, too."""
    lines: list[str] = []
    for line in [*text.split("\n"), ""]:
        if _UNDERLINE.match(line) and lines:
            if not _ENDED.search(lines[-1].rstrip()):
                lines.pop()
        elif line.strip() and not _HEADING.match(line) and (capitals or not _in_capitals(line)):
            lines.append(line)
            continue
        if lines:
            yield "\n".join(lines)
        lines = []


def _in_capitals(line: str) -> bool:
    """Whether it is a heading as in manual pages: "SEE ALSO"."""
    return line.isupper() and len(line.split()) <= _MOST_WORDS_IN_CAPITALS and _CAPITALS.fullmatch(line) is not None


def _is_heading(part: str, *, last: bool) -> bool:
    if last or "\n" in part or _ITEM.match(part) or _CODE.search(part):
        return False
    return len(part.split()) <= _MOST_WORDS_OF_A_HEADING and not _ENDED.search(part.rstrip())
