"""Terms that a text defines: entries of glossaries and definition lists, signatures, options, a manual page's NAME."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.layout import Line, lines
from overstory.text.names.shapes import CODE, COMMAND, OPTION, TERM, Shape, shapes
from overstory.text.names.stop_names import names_nothing

_LONGEST_DEFINED_TERM_WORDS = 5
"""Words of a term; a longer line before an indented one is a sentence."""

_WORDS_OF_A_DEFINITION = 4
_LONGEST_SIGNATURE_CHARACTERS = 500
"""Characters of a signature."""


class Term(NamedTuple):
    """A term as the text has it, and its type; `sure` is false for what it may also be called."""

    surface: str
    type: str
    sure: bool = True


_NAME_LINE = re.compile(
    r"(?P<names>[A-Za-z_][\w.+:-]*(?:\(\d\w*\))?(?:,\s+[A-Za-z_][\w.+:-]*)*),?\s+(?:\\?-|--|–|—)\s+(?=\S)"
)
_PAGE = re.compile(r"^(?P<name>\S+)\((?P<section>\d)\w*\)", re.MULTILINE)
_SIGNATURE = re.compile(
    r"(?:(?:abstract|async|class|classmethod|coroutine|def|exception|final|fn|func|function|method|property|pub|static)\s+)*"
    r"(?P<name>[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)*)\([^()]*(?:\([^()]*\)[^()]*)*\)(?:\s*(?:->|→)\s*.+)?[:¶]?"
)
_DECLARED = re.compile(
    r"(?:class|exception|module|macro|enum|struct|trait|interface|data|attribute)\s+(?P<name>[A-Za-z_]\w*(?:(?:\.|::)\w+)*)¶?"
)
_SAID = re.compile(
    r"(?:[-*+•]\s+)?(?:\*\*(?P<bold>[^*\n]{2,60})\*\*|``?(?P<code>[^`\n]{2,60})``?|__(?P<strong>[^_\n]{2,60})__)"
    r"\s*(?:[:–—]|--?)\s+(?=\S)"
)
_GAP = re.compile(r"\s{2,}|\t")
_NEXT_OPTION = re.compile(r"(?:[ =\[]?[^\s,|]*)(?:,\s*|\s*\|\s*|\s+or\s+|\s*/\s*|\s+)$")
_TERM = re.compile(r"[^\W_][\w .+/'’()#&-]*[\w)+#]|[^\W_]")
_PROSE = re.compile(r"[\"'“‘(\[`*]*[A-Za-z][A-Za-z'’,-]*[:,]?\s")
_WORD = re.compile(r"[A-Za-z][a-z'’]*\b")
_ENDED = (".", ":", ")", "?", "!", ";")
_STATEMENTS = (
    "if for while with try else elif return import from def class switch case do print sizeof not and or assert"
)
_KEYWORDS = frozenset(_STATEMENTS.split())


def defined_terms(text: str) -> list[Term]:
    """The terms that a text defines, in text order; each may be there several times."""
    found = lines(text)
    if len(found) < 2 and not _SAID.match(text):
        return []
    terms: list[Term] = []
    for number, line in enumerate(found):
        following = found[number + 1] if number + 1 < len(found) else None
        previous = found[number - 1] if number else None
        if line.text.startswith("-") and not line.text.startswith("- "):
            terms += _options(line, following)
        elif line.text.upper() == "NAME" and following is not None:
            terms += _manual_page(following, found)
        elif line.begins and line.text.rstrip("¶").endswith((")", ":", "]")) and (name := _signature(line, following)):
            terms += name
        elif said := _SAID.match(line.text):
            terms.append(_typed(said["bold"] or said["code"] or said["strong"]))
        elif following is not None and _is_entry(line, following, previous):
            declared = _DECLARED.fullmatch(line.text)
            terms += _code(declared["name"]) if declared else [_typed(line.text)]
    return [term for term in terms if not _says_nothing(term.surface)]


def _says_nothing(surface: str) -> bool:
    """As `names_nothing`, but in lower case a label is a term: glossaries define "argument"; "Arguments" is a label."""
    return surface.isdigit() if surface[0].islower() else names_nothing(surface)


def _options(line: Line, following: Line | None) -> Iterator[Term]:
    """Those that begin a line, if something is said of them: after a gap, or below, deeper or as a sentence."""
    head, gap, _ = _split(line.text)
    below = following is not None and not following.text.startswith("-") and not following.apart
    if not (gap or (below and following is not None and (following.indent > line.indent or _is_prose(following.text)))):
        return
    end = 0
    for shape in shapes(head):
        if shape.type != OPTION or (end and not _NEXT_OPTION.fullmatch(head, end, shape.start)):
            if shape.start and shape.type == OPTION:
                return
            continue
        if not end and shape.start:
            return
        yield Term(head[shape.start : shape.end], OPTION)
        end = shape.end


def _split(text: str) -> tuple[str, str, str]:
    gap = _GAP.search(text)
    return (text[: gap.start()], gap.group(), text[gap.end() :]) if gap else (text, "", "")


def _manual_page(line: Line, found: Sequence[Line]) -> Iterator[Term]:
    """The names of a manual page: "find, gfind - search for files"; with its section, if the text has that."""
    named = _NAME_LINE.match(line.text)
    if named is None:
        return
    names = [name.partition("(")[0] for name in re.split(r",\s+", named["names"])]
    page = next(
        (m for each in found[:3] if (m := _PAGE.match(each.text)) and m["name"].lower() in map(str.lower, names)), None
    )
    section = page["section"] if page else ""
    command = section or any(each.text.upper() == "SYNOPSIS" for each in found)
    kind = {"2": CODE, "3": CODE, "5": TERM, "7": TERM}.get(section, COMMAND if command else TERM)
    for name in names:
        if kind == CODE:
            yield Term(f"{name}()", CODE)
        yield Term(name, kind)
        if section:
            yield Term(f"{name}({section})", COMMAND)


def _signature(line: Line, following: Line | None) -> list[Term]:
    """What a line with its arguments names, if it is no call in a listing."""
    match = _SIGNATURE.fullmatch(line.text) if len(line.text) < _LONGEST_SIGNATURE_CHARACTERS else None
    if match is None or match["name"] in _KEYWORDS or following is None:
        return []
    if line.text.endswith(":") or line.text.startswith("def "):  # a listing
        return []
    defined = line.text[: match.start("name")].strip() or line.text.endswith("¶")
    if not (defined or (not following.apart and _is_prose(following.text)) or following.indent > line.indent):
        return []
    return _code(match["name"])


def _code(name: str) -> list[Term]:
    """ "contextlib.suppress" is also called "suppress"; what is one word is known by its brackets."""
    last = re.split(r"\.|::", name)[-1]
    if last == name:
        return [Term(name if not name.islower() or "_" in name else f"{name}()", CODE)]
    return [Term(name, CODE), Term(last if not last.islower() or "_" in last else f"{last}()", CODE, sure=False)]


def _is_entry(line: Line, following: Line, previous: Line | None) -> bool:
    """Whether a line is a term and the next one its definition: deeper or, right below a short line, a sentence."""
    text = line.text
    if (
        len(text) > 60
        or len(text.split()) > _LONGEST_DEFINED_TERM_WORDS
        or following.apart
        or not _TERM.fullmatch(text)
    ):
        return False
    if text.split()[0].lower() in FUNCTION_WORDS | _KEYWORDS or not _is_prose(following.text):
        return False
    if following.indent > line.indent + 1:
        return line.begins and not text.isupper()
    begins = line.apart or (previous is not None and previous.text.endswith(_ENDED))
    sentence = following.begins and following.text[0].isupper() and following.text.rstrip("\"'”’)").endswith(_ENDED)
    return (
        begins and following.indent == line.indent and sentence and len(following.text.split()) > _WORDS_OF_A_DEFINITION
    )


def _is_prose(text: str) -> bool:
    words = text.split()
    if len(words) < _WORDS_OF_A_DEFINITION or not _PROSE.match(text):
        return False
    plain = sum(1 for word in words if _WORD.fullmatch(word.strip(".,:;()\"'“”‘’")))
    return plain >= 0.6 * len(words)


def _typed(surface: str) -> Term:
    surface = surface.strip()
    shape: Shape | None = next(iter(shapes(surface)), None)
    whole = shape is not None and shape.end - shape.start == len(surface)
    return Term(surface, shape.type if shape is not None and whole else TERM)
