"""Recognises the layout of a passage: its paragraphs, headings, table rows and navigation.

Only words and punctuation are examined. A parser would be slower than the embedder, and would make mistakes, such as
tagging "Next" as an adverb.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from overstory.text.function_words import FUNCTION_WORDS

_MOST_WORDS_OF_A_HEADING = 12  # a line with more words is text, not a heading
_MOST_WORDS_IN_CAPITALS = 5  # a line in capitals with more words is text, not a heading

_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_CAPITALS = re.compile(r"[^\W\d_]{2}[^\W\d_ &/,'’-]*(?:[ &/,'’-]+[^\W\d_]+)*\s*")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*•‣◦]|\d{1,3}[.)])[ \t]")
_CODE = re.compile(r"(?:^|\s)--?[a-z]|[=_{}<>$\\`]|\w\(\)|\w/\w|\w\.[a-z]{1,4}(?!\w)")
"""Matches parts of commands, paths and settings, which are rare in headings."""
_ENDED = re.compile(r"[.!?…。！？｡:;][\"'”’»)\]*_」』）]*$")


def paragraphs(text: str) -> list[str]:
    """Split a text at blank lines and headings into paragraphs, and leave out the headings.

    A heading is a Markdown heading, a short line in capitals, or a few words between blank lines without a full stop.
    If the text contains nothing else, lines in capitals and such words are kept.
    """
    parts = list(_parts(text, capitals=False)) or list(_parts(text, capitals=True))
    return [part for at, part in enumerate(parts) if not _is_heading(part, last=at == len(parts) - 1)] or parts


def _parts(text: str, *, capitals: bool) -> Iterator[str]:
    """Split a text at blank lines and headings.

    Args:
        capitals: True to treat lines in capitals as text rather than headings.
    """
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
    return line.isupper() and len(line.split()) <= _MOST_WORDS_IN_CAPITALS and _CAPITALS.fullmatch(line) is not None


def _is_heading(part: str, *, last: bool) -> bool:
    if last or "\n" in part or _ITEM.match(part) or _CODE.search(part):
        return False
    return len(part.split()) <= _MOST_WORDS_OF_A_HEADING and not _ENDED.search(part.rstrip())


# Each row of a table, and each line of settings, counts as a sentence, although it does not end with a full stop.
_LEAST_TABLE_ROWS = 2

_CELLS = re.compile(r"\S[ \t]*(?:\||\t)[ \t]*\S")
_KEYED = re.compile(r"\A[ \t]*+(?:[-*•][ \t]+)?[^\s:=|.!?][^:=|.!?\n]{0,60}[:=][ \t]+\S")
_DEFINED = re.compile(r"\A[ \t]*+[^\s|.!?][^|.!?\n]{0,60}[ \t]+[–—-]{1,2}[ \t]+\S")
_SEPARATOR = re.compile(r"[|\t]")
_RULE = re.compile(r"[\s|:+=–—-]*")


def row_texts(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield the (start, end) of each table row or setting in a sentence. Other text is yielded as a single row."""
    lines = [(match.start(), match.end()) for match in _LINE.finditer(text, start, stop)]
    rows = list(_rows(text, lines))
    if len(lines) < _LEAST_TABLE_ROWS or len(rows) * 2 < len(lines):
        if rows and len(lines) > 1:
            yield from _around(lines, set(rows))
            return
        yield start, stop
        return
    for line in lines:
        if not _RULE.fullmatch(text, line[0], line[1]):
            yield line


def _around(lines: list[tuple[int, int]], rows: set[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    begin: int | None = None
    end = 0
    for line in lines:
        if line in rows:
            if begin is not None:
                yield begin, end
            begin = None
            yield line
        else:
            begin, end = (line[0] if begin is None else begin), line[1]
    if begin is not None:
        yield begin, end


def _rows(text: str, lines: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the lines that are table rows or settings.

    A line like "key: value" is not a row if it is part of a wrapped paragraph.
    """
    written = [text[start:stop] for start, stop in lines]
    cells = [_CELLS.search(line) is not None for line in written]
    rows = [has_cells or _is_keyed(line) for line, has_cells in zip(written, cells, strict=True)]
    for at, line in enumerate(written):
        goes_on = at + 1 < len(lines) and not rows[at + 1] and _begins_small(written[at + 1])
        from_before = at > 0 and not rows[at - 1] and _begins_small(line) and not _LINE_ENDED.search(written[at - 1])
        if cells[at] or (rows[at] and not (goes_on or from_before)):
            yield lines[at]


def _begins_small(line: str) -> bool:
    return line.lstrip()[:1].islower()


_LINE_ENDED = re.compile(r"[.:;!?]\s*\Z")
_LINE = re.compile(r"[^\n]+")


def _is_keyed(line: str) -> bool:
    return any(pattern.match(line) for pattern in (_KEYED, _DEFINED))


def cells_of(text: str) -> list[str]:
    """Return the cells of a table row; an empty list for any other text."""
    cells = [cell.strip(" `*") for cell in _SEPARATOR.split(text.strip().strip("|"))]
    return [cell for cell in cells if cell] if len(cells) > 1 else []


# Navigation and headings never answer a question. They contain no verb. Table rows and lines like "License: GPL-3+"
# contain no verb either, but may answer a question.


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MOST_WORDS_OF_NAVIGATION = 40
"""A sentence with more words is text, not navigation."""
_LEAST_TITLE_WORDS = 3
"""Minimum number of words in a heading. Fewer words may be a name that answers a question, as in a list of authors."""

_BUTTONS = _words(
    "back backward bottom breadcrumb breadcrumbs bookmark bookmarks contents copyright download downloads edit feedback"
    " forward help home index login logout menu modules navigation next page prev previous print register search share"
    " sidebar signin signup sitemap skip source tags toc top topic topics up"
)
"""Words on buttons and links for navigation."""
_STEPS = _words("back backward forward home index login menu modules navigation next prev previous toc up")
"""Navigation words that rarely occur together in ordinary text."""

_VERBS = _words(
    "am are be been being can cannot could did do does had has have is may might must shall should was were will would"
    " became become becomes came called found gave gets give gives go goes got keep keeps let made make makes need"
    " needs said say says see seem seems take takes took use used uses went"
)
_NAVIGATION_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_LINK_SEPARATOR = re.compile(r"(?:[|»«›‹→←•·⟩⟨/]|>{1,2}|<{1,2})\s++|(?<=\s)(?:[|»«›‹→←•·⟩⟨/]|>{1,2}|<{1,2})")
_NAVIGATION_ENDED = re.compile(r"[.!?…:;。！？｡][\"'”’»)\]*_」』）]*$")
_FIELD = re.compile(r"[:;,@=\"“”()]|\d\s*[-–/]\s*\d|\S[-_/.]\S")
_NUMBERING = re.compile(r"^(?:(?:Chapter|Section|Part|Appendix)\s+)?(?:[A-Z]|\d+)(?:\.\d+)*[.:)]?\s+(?=\S)")


def is_navigation(sentence: str) -> bool:
    """Return True if a sentence consists of links or buttons, or is a heading.

    Examples are the links "index modules | next | previous", the buttons "Prev The Handbook Next", and the heading
    "A.3. The Debian Project".

    Args:
        sentence: the sentence, on one line.
    """
    words = _NAVIGATION_WORD.findall(sentence)
    if not words or len(words) > _MOST_WORDS_OF_NAVIGATION:
        return False
    lower = [word.lower() for word in words]
    if _VERBS.intersection(lower):
        return False
    return _is_links(sentence, lower) or _is_title(sentence, words)


def _is_links(sentence: str, words: list[str]) -> bool:
    steps = {word for word in words if word in _STEPS}
    parts = [_NAVIGATION_WORD.findall(part.lower()) for part in _LINK_SEPARATOR.split(sentence) if part.strip()]
    links = sum(_is_button(part) for part in parts)
    if steps and links > 1 and links * 3 >= len(parts):
        return True
    buttons = sum(word in _BUTTONS for word in words)
    if _NAVIGATION_ENDED.search(sentence):
        return buttons == len(words)
    if not steps:
        return False
    return (len(steps) > 1 and buttons * 4 >= len(words)) or (buttons > 1 and buttons * 2 >= len(words))


def _is_button(words: list[str]) -> bool:
    return bool(words) and sum(word in _BUTTONS for word in words) * 2 >= len(words)


def _is_title(sentence: str, words: list[str]) -> bool:
    """Return True if a sentence looks like a heading.

    A heading contains no full stop and no value, and all its content words are capitalised.
    """
    title = _NUMBERING.sub("", sentence)
    if _NAVIGATION_ENDED.search(title) or _FIELD.search(title):
        return False
    words = _NAVIGATION_WORD.findall(title)
    if len(words) < _LEAST_TITLE_WORDS or not any(word[0].isalpha() for word in words):
        return False
    return all(word[0].isupper() or word.isdigit() or word in FUNCTION_WORDS for word in words)
