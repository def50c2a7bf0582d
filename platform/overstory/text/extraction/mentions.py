"""Mentions of named entities, without the characters and words around them that are not part of the name."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from overstory.model import Mention
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.layout import block_starts
from overstory.text.names.entity_types import head_type, may_be_a_place
from overstory.text.names.shapes import COMMAND, PACKAGE, Shape, shapes
from overstory.text.names.stop_names import is_stop_name, without_number

_BEFORE = re.compile(r"(?:[^\w&$£€¥#@+.]|_)*(?:(?:the|an?)\s+(?=\w))?", re.IGNORECASE)
"""Matches text to remove before a name: quotation marks, brackets, dashes, white space and an article."""

_AFTER = re.compile(r"[^\w.!?%+#$£€¥°)]|_")
"""Matches a character to remove after a name, such as a quotation mark, a comma or a space. A full stop is kept,
because it may belong to an abbreviation."""


NOT_NAMES = frozenset({"DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"})
"""Entity types in spaCy that are not names. As nodes, they would connect half of the corpus. In facts, they remain as
text."""


def mention(text: str, start: int, end: int, *, type_: str, sentence: int) -> Mention | None:
    """Return the mention at `text[start:end]`, or None if it contains no letter or digit.

    A leading article, surrounding quotation marks and a possessive 's are removed.
    """
    before = _BEFORE.match(text, start, end)
    start = before.end() if before else start
    end = _trimmed(text, start, end)
    if text[start:end].endswith(")") and "(" not in text[start:end]:
        end -= 1
    surface = " ".join(text[start:end].split())
    if not any(character.isalnum() for character in surface):
        return None
    return Mention(surface, type_, sentence, start, end)


def _trimmed(text: str, start: int, end: int) -> int:
    """Return the end of the name in `text[start:end]`, before trailing punctuation and a possessive 's."""
    last = end
    while start < last:
        if _AFTER.match(text, last - 1):
            last -= 1
        elif text[max(start, last - 2) : last] in _POSSESSIVE and (last == end or text[last] != "_"):
            last -= 2
        else:
            break
    return last


_POSSESSIVE = ("'s", "'S", "’s", "’S")
_MARKUP = re.compile(r"[`|<>{}=\\~^;]|\[\[|\]\]|__|::")
_CODE = re.compile(r"""\w[(\[]|[(\[]$|[*%$@"]|(?<!\w)'|'(?!\w)|\w/$|[a-z]\.[a-z]""")
_COPYRIGHT = re.compile(r"(?:Copyright\b\s*)?(?:(?:\([Cc]\)|©)\s*)?(?:\d{4}(?:\s*[-–,]\s*\d{2,4})*,?\s+)?")
_FOOTNOTE = re.compile(r"(?<=[a-z]{2})\d{1,2}$|(?<![⁰¹²³⁴-⁹])[⁰¹²³⁴-⁹]++$")
_INITIAL_AND_WORD = re.compile(r"[A-Z]\.\s+\S+")
_SHOUTED = re.compile(r"(?:\b[A-Z][A-Z'’-]*\b[\s,;.:()\"“”/]*){5,}")
_INSTALL = re.compile(
    r"\b(?:apt|apt-get|aptitude|dnf|yum|brew|port|snap|pipx?|pip3|conda|npm|gem|cargo|go) (?:install|add)"
    r"(?P<packages>(?: +-{1,2}[\w=-]+| +[a-z0-9][a-z0-9.+_/-]*(?=[\s`'\"),;.]|$))+)"
)
_LISTING = re.compile(r"[{}|\\]|\w=\w|\[[A-Z]{2,}\]|->|^[ \t]*(?:\$|>>>) ", re.MULTILINE)
_PACKAGE = re.compile(r"(?<= )(?!-)[a-z0-9][a-z0-9.+_/-]*[a-z0-9+]")
_STARTED = re.compile(r"(?:^[ \t]*\$ +(?:sudo +)?|\bsudo +)(?P<command>[a-z][a-z0-9_.+-]*[a-z0-9])", re.MULTILINE)
_FIELD = re.compile(r"^[ \t]*(?:[-*>#][ \t]+)?(?P<label>[^\W\d_][^:|=\n]{0,30}?)[ \t]*[:=](?:[ \t]+|$)", re.MULTILINE)
"""Matches the name of a field at the beginning of a line: "Owner:" or "colour = "."""
_STAMPED = re.compile(r"^[^\w\n]*\d{2,4}[-/.]\d{2}[-/.]\d{2,4}[T ]?\s*\d{1,2}:\d{2}[^\n]*$", re.MULTILINE)
"""Matches a line of a log, which begins with a date and a time."""
_PERSON, _ORGANISATION = "PERSON", "ORG"
_CONFUSED = frozenset({_PERSON, _ORGANISATION, "GPE", "LOC", "FAC", "PRODUCT", "WORK_OF_ART", "NORP"})
"""Types that the pipeline confuses with each other."""
_TITLE_BEFORE = re.compile(
    r"\b(?:Mr|Mrs|Ms|Miss|Dr|Prof|Professor|Herr|Frau|Monsieur|Madame|Mme|Signora?|Señora?)\b\.?\s+$"
)
_PERSON_AFTER = re.compile(
    r",?\s+who\b|,?\s+(?:was\s+)?born\b|\s+\(born\b|[*\"”]*\s+(?:(?:was|is)\s+(?:appointed|elected|hired|married|promoted)|"
    r"asks|asked|chaired|chairs|died|graduated|lives|married|resigned|resigns|retired|retires|studied|studies|taught|teaches|thanked|"
    r"thanks|told|writes|wrote)\b"
)
"""Matches words that follow the name of a person."""
_PLACE_BEFORE = re.compile(r"\b(?:[Ii]n|[Aa]t|on|to|from|into|near|behind)\s$")
_ENUMERATES = re.compile(r",?\s*(?:(?:and|or|&|und|et|y|e|en)\s+)?")
_WORD_BEFORE = re.compile(r"[\w,)]\"?[ \t]++\n?[ \t]*+$")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A text, with properties that help to decide whether a span in it is a name.

    Attributes:
        shapes: technical names, which are recognised by their form.
        technical: True if the text contains technical names or lines of code. In such texts, the pipeline often takes
            other words for names.
        blocks: offsets of all blocks except the first (see `layout`).
        shouted: (start, end) of each sequence of words in capitals.
        sentences: offsets of the sentences.
        fields: (start, end) of the name of each field, if at least two lines of the text have one.
        stamped: (start, end) of each line of a log.
    """

    text: str
    shapes: Sequence[Shape]
    technical: bool
    blocks: Sequence[int]
    shouted: Sequence[tuple[int, int]]
    sentences: Sequence[int]
    fields: Sequence[tuple[int, int]] = ()
    stamped: Sequence[tuple[int, int]] = ()


def surroundings(text: str, sentences: Sequence[int]) -> Surroundings:
    """Return the properties of a text whose sentences begin at these offsets."""
    shouted = [match.span() for match in _SHOUTED.finditer(text)]
    found = shapes(text)
    stamped = [match.span() for match in _STAMPED.finditer(text)]
    technical = bool(found or stamped) or ("\n" in text and _LISTING.search(text) is not None)
    fields = [match.span("label") for match in _FIELD.finditer(text)] if "\n" in text else []
    return Surroundings(
        text, found, technical, block_starts(text), shouted, sentences, fields if len(fields) > 1 else (), stamped
    )


def plausible(found: Mention, around: Surroundings, *, verb: bool = False) -> Mention | None:
    """Return a name that the pipeline found, without heading or footnote numbers; None if it cannot be a name.

    Numbers, literals, labels, markup, names without a capital, spans across several blocks, and parts of a sentence in
    capitals are rejected. So are the names of fields, spans across a field and its value, and single words in capitals
    in the lines of a log. In a technical text, further names are rejected: names that contain characters of code, and a
    single word that is capitalised only at the start of a sentence. Other single words lose their type there.

    Args:
        verb: True if the name is a single word that the pipeline tags as a verb. It is rejected if the text consists of
            several blocks.
    """
    if found.type in NOT_NAMES:
        return found
    text, name = around.text, _before_field(_bare(found, around), around)
    surface, start, end = name.surface, name.start, name.end
    if not surface or is_stop_name(surface) or _MARKUP.search(surface):
        return None
    if surface == surface.lower() != surface.upper():
        return None
    if any(start < end_ and start_ < end for start_, end_ in around.fields if " " not in surface or end_ < end):
        return None
    if " " not in surface and surface.isupper() and any(s <= start < e for s, e in around.stamped):
        return None
    inside = bisect_right(around.blocks, start)
    if inside < len(around.blocks) and around.blocks[inside] < end:
        return None
    begins = _is_in(around.blocks, start)
    if verb and around.blocks:
        return None
    if begins and _INITIAL_AND_WORD.fullmatch(surface):  # a list item, such as "G. Preserve the notice"
        return None
    if any(
        s <= start and end <= e and text[s:e].strip(' \n\t,;.:()"“”/') != text[start:end] for s, e in around.shouted
    ):
        return None
    if not around.technical:
        return name
    if _CODE.search(surface):
        return None
    if " " in surface:
        return name
    if surface.istitle() and (start == 0 or begins or _is_in(around.sentences, start)) and not _within(text, surface):
        return None
    return replace(name, type="")


def likely_type(found: Mention, text: str, before: Mention | None, after: Mention | None) -> str:
    """Return the type of a name after the words around it: "Ms", "in", or people in the same enumeration.

    Args:
        before, after: the names next to it in the text.
    """
    if found.type not in _CONFUSED:
        return found.type
    words = found.surface.split()
    head = head_type(found.surface)
    if head and not (head == "FAC" and found.type == _ORGANISATION):
        return head
    if _TITLE_BEFORE.search(text, max(0, found.start - 12), found.start):
        return _PERSON
    is_full_name = len(words) in (2, 3) and all(word.isalpha() and word.istitle() for word in words)
    if is_full_name and _PERSON_AFTER.match(text, found.end):
        return _PERSON
    if found.type in (_PERSON, _ORGANISATION) and _PLACE_BEFORE.search(text, max(0, found.start - 6), found.start):
        if may_be_a_place(found.surface):
            return "FAC"
        if not text.startswith(("in ", "at ", "In ", "At "), found.start - 3):
            return found.type
        if len(words) > 1:
            return "FAC" if found.type == _PERSON else found.type
        return found.type if found.surface.isupper() else "GPE"
    if is_full_name:
        beside = [
            other.type
            for other, gap in (
                (before, text[before.end : found.start] if before else ""),
                (after, text[found.end : after.start] if after else ""),
            )
            if other is not None and _ENUMERATES.fullmatch(gap) and " " in other.surface
        ]
        if beside and set(beside) == {_PERSON}:
            return _PERSON
    return found.type


def _bare(found: Mention, around: Surroundings) -> Mention:
    surface = found.surface
    if found.start == 0 or _is_in(around.blocks, found.start):
        surface = without_number(surface, in_line=bool(around.blocks))
    if surface.startswith(("Copyright", "©", "(c)", "(C)")) and (holder := _COPYRIGHT.match(surface)):
        surface = surface[holder.end() :]
    start = found.start + len(found.surface) - len(surface)
    if found.type == "PERSON" and " " in surface and (digits := _FOOTNOTE.search(surface)):
        surface = surface[: digits.start()]
        return replace(found, surface=surface, start=start, end=found.end - len(digits.group()))
    return replace(found, surface=surface, start=start)


def _before_field(found: Mention, around: Surroundings) -> Mention:
    """Return a name without the name of the field on the next line."""
    place = bisect_right(around.fields, (found.start, len(around.text)))
    start = around.fields[place][0] if place < len(around.fields) else found.end
    if start >= found.end:
        return found
    kept = mention(around.text, found.start, start, type_=found.type, sentence=found.sentence)
    return found if kept is None else kept


def _within(text: str, word: str) -> bool:
    """Return True if a word also occurs inside a sentence, after another word and a space."""
    return any(_WORD_BEFORE.search(text[max(0, m.start() - 8) : m.start()])
               for m in re.finditer(rf"\b{re.escape(word)}\b", text))  # fmt: skip


def _is_in(ordered: Sequence[int], value: int) -> bool:
    place = bisect_left(ordered, value)
    return place < len(ordered) and ordered[place] == value


def shaped_names(around: Surroundings) -> list[Shape]:
    """Return the technical names in a text, including packages and commands in command lines, in order."""
    text = around.text
    found = {(shape.start, shape.end): shape for shape in around.shapes}
    for line in _INSTALL.finditer(text):
        for match in _PACKAGE.finditer(text, line.start("packages"), line.end("packages")):
            if match.group() in FUNCTION_WORDS:  # as in "pip install it and run it"
                break
            found[match.span()] = Shape("", PACKAGE, *match.span())
    for match in _STARTED.finditer(text):
        found.setdefault(match.span("command"), Shape("", COMMAND, *match.span("command")))
    ordered = sorted(found.values(), key=lambda shape: (shape.start, -shape.end))
    apart: list[Shape] = []
    for shape in ordered:
        if not apart or shape.start >= apart[-1].end:
            apart.append(shape)
    return apart
