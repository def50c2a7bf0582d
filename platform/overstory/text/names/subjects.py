"""Finds the subjects of passages, and the mentions of names in texts.

The results do not depend on the order in which documents are loaded, nor on whether they are loaded at once.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal, NamedTuple

from overstory.model.passage_text import PATH_SEPARATOR
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.languages import ENGLISH, has_words_of, language_of_tag, stop_words
from overstory.text.layout import Line, lines
from overstory.text.names.abbreviations import FullNames
from overstory.text.names.dictionary import Match, NameDictionary, mentioned_names
from overstory.text.names.edits import NO_EDITS, EditedNames, NamesInDocument, ResolvesNames
from overstory.text.names.keys import Spellings, entity_key, without_parentheses
from overstory.text.names.shapes import CODE, COMMAND, OPTION, TERM, Shape, shapes
from overstory.text.names.stop_names import is_stop_name, numbers_of, without_bare_number, without_number
from overstory.text.names.subject_names import (
    ABBREVIATION_SURENESS,
    MISSPELLING_SURENESS,
    SHORT_NAME_SURENESS,
    TITLE_PART_SURENESS,
    TITLE_SURENESS,
    first_name,
    lead_name,
    lead_names,
    short_forms,
    title_names,
)
from overstory.text.names.tokens import Tokens

_LONGEST_DEFINED_TERM_WORDS = 5
"""Maximum number of words in a defined term. If a line before an indented line is longer, it is a sentence."""

_WORDS_OF_A_DEFINITION = 4
_LONGEST_SIGNATURE_CHARACTERS = 500


class Term(NamedTuple):
    """A term that a text defines.

    Attributes:
        surface: the term as written.
        sure: False for a second name of the term, such as "suppress()" for "contextlib.suppress".
    """

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
_LABELLED = re.compile(
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
    """Return the terms that a text defines, in order and including duplicates."""
    found = lines(text)
    if len(found) < 2 and not _LABELLED.match(text):
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
        elif label := _LABELLED.match(line.text):
            terms.append(_typed(label["bold"] or label["code"] or label["strong"]))
        elif following is not None and _is_entry(line, following, previous):
            declared = _DECLARED.fullmatch(line.text)
            terms += _code(declared["name"]) if declared else [_typed(line.text)]
    return [term for term in terms if not _is_stop_term(term.surface)]


def _is_stop_term(surface: str) -> bool:
    """Return True for a term to ignore: "Arguments" is a label, but a glossary may define "argument"."""
    return surface.isdigit() if surface[0].islower() else is_stop_name(surface)


def _options(line: Line, following: Line | None) -> Iterator[Term]:
    """Yield the options at the beginning of a line if their description follows, after a gap or on the next line."""
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
    """Yield the names of a manual page from a line such as "find, gfind - search for files".

    If the text states the section of the manual, the names with the section are also yielded: "find(1)".
    """
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
    match = _SIGNATURE.fullmatch(line.text) if len(line.text) < _LONGEST_SIGNATURE_CHARACTERS else None
    if match is None or match["name"] in _KEYWORDS or following is None:
        return []
    if line.text.endswith(":") or line.text.startswith("def "):  # belongs to a code listing
        return []
    defined = line.text[: match.start("name")].strip() or line.text.endswith("¶")
    if not (defined or (not following.apart and _is_prose(following.text)) or following.indent > line.indent):
        return []
    return _code(match["name"])


def _code(name: str) -> list[Term]:
    """Return the full and the last name of an identifier: "contextlib.suppress" and "suppress()".

    A single lowercase word gets brackets, because without them it would not be a technical name.
    """
    last = re.split(r"\.|::", name)[-1]
    if last == name:
        return [Term(name if not name.islower() or "_" in name else f"{name}()", CODE)]
    return [Term(name, CODE), Term(last if not last.islower() or "_" in last else f"{last}()", CODE, sure=False)]


def _is_entry(line: Line, following: Line, previous: Line | None) -> bool:
    """Return True if a line is a term, and the next line its definition, which is indented or a sentence."""
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


SURE_SUBJECT_WEIGHT = 0.75
"""Minimum weight of a subject. A passage with such a subject counts as a mention even if its text lacks the name."""

Source = Literal["title", "heading", "definition", "lead", "short form", "abbreviation", "spelling"]
"""Reason why a passage is about a name. For the first four sources, the name is in the passage itself. For the last
three, it is an alias of such a name, and depends on the other names in the corpus."""

OWN: tuple[Source, ...] = ("title", "heading", "definition", "lead")

_PARAGRAPH_END = re.compile(r"\n\s*\n")
_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SubjectPassage:
    """A chunk of a document.

    Attributes:
        heading: path of the headings above the text.
        language: ISO code of the text's language; "" for English.
    """

    id: str
    document: str
    title: str
    heading: str
    text: str
    language: str = ""


class Subject(NamedTuple):
    """A name that a passage is about.

    Attributes:
        weight: certainty that the passage is about the name, from 0 to 1.
        full: True for a full name, which other names may abbreviate.
        surface: spelling of the name in a title, heading or definition.
        type: TERM or the type of a technical name; "" if the name is not from a heading or definition.
        common: True for a word that may be an ordinary word, such as "List". If it occurs in another text, this is not
            a mention of the name.
    """

    weight: float
    source: Source
    full: bool = False
    surface: str = ""
    type: str = ""
    common: bool = False


class NameUses(NamedTuple):
    """The occurrences of a name in a passage, in order.

    Attributes:
        surfaces: spelling of each occurrence.
        sentences: number of the sentence of each occurrence.
    """

    surfaces: tuple[str, ...] = ()
    sentences: tuple[int, ...] = ()


OTHER_NAMES: dict[Source, Subject] = {
    "short form": Subject(SHORT_NAME_SURENESS, "short form"),
    "abbreviation": Subject(ABBREVIATION_SURENESS, "abbreviation"),
    "spelling": Subject(MISSPELLING_SURENESS, "spelling"),
}
"""The subject that an alias of a full name adds to a passage, by the kind of alias."""

About = dict[str, dict[str, Subject]]
"""For each passage id, a map from the key of a name to the subject with this name."""


def own_subjects(passages: Sequence[SubjectPassage]) -> About:
    """Return the subjects of a document's passages, taken from titles, headings, definitions and first words.

    The title is a subject of only the first passage, and a heading is a subject of only the first passage below it.
    Numbers of titles and headings are removed. If a passage begins in the middle of a paragraph, the first words of
    that paragraph do not count.

    Args:
        passages: all passages of the document, in reading order.
    """
    about: About = {}
    headings: set[str] = set()
    begins = True
    numbers = numbers_of({passage.heading.split(PATH_SEPARATOR)[-1] for passage in passages})
    for number, passage in enumerate(passages):
        names = about[passage.id] = {}
        if passage.title and number == 0 and not _is_language_word(passage.title, passages):
            _add_title(names, without_number(passage.title), "title")
        heading = passage.heading.split(PATH_SEPARATOR)[-1]
        if heading and passage.heading not in headings and not _is_language_word(heading, [passage]):
            _add_heading(names, without_bare_number(without_number(heading, in_line=True), numbers))
        for term in defined_terms(passage.text):
            _add_term(names, term)
        several = "\n" in passage.text
        for place, paragraph in enumerate(part for part in _PARAGRAPH_END.split(passage.text) if part.strip()):
            if (place or begins) and not (passage.language and _begins_with_words(paragraph, passage.language)):
                _add_lead(names, paragraph, of_several=several)
        headings.add(passage.heading)
        begins = passage.text.endswith("\n")
    return about


def names_of_leads(leads: Collection[str], named: Set[str], parsed: Set[str]) -> dict[str, dict[str, Subject]]:
    """Return the aliases of full names, as a map from the full name to a map from the alias to its subject.

    A short form is an alias if it is a name somewhere in the corpus. A name that parsers found and that no passage is
    about may be an abbreviation of a full name, or else may differ from it in one letter. The result for a name depends
    only on the names that may be its aliases or full names (see `text/names/neighbours.py`).

    Args:
        leads: keys of full names that passages are about.
        named: keys of all names that passages are about according to their own text.
        parsed: keys of all names that parsers found anywhere and that may be searched for.
    """
    known, taken = named | parsed, set(named)
    others: dict[str, dict[str, Subject]] = {}
    for lead in leads:
        for key in short_forms(lead):
            if key in known:
                others.setdefault(lead, {})[key] = OTHER_NAMES["short form"]
                taken.add(key)
    left = {key for key in parsed - taken if " " in key}
    shortened = set(abbreviations_among(leads, left))
    for lead, key in shortened:
        others.setdefault(lead, {})[key] = OTHER_NAMES["abbreviation"]
    for lead, key in spellings_among(leads, left - {key for _, key in shortened}):
        others.setdefault(lead, {})[key] = OTHER_NAMES["spelling"]
    return others


def abbreviations_among(leads: Iterable[str], keys: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (full name, key) pairs in which the key is an abbreviation of the full name."""
    full_names = FullNames(leads)
    for key in keys:
        words = key.count(" ")
        yield from ((lead, key) for lead in full_names.of(key) if lead.count(" ") >= words)


def spellings_among(leads: Iterable[str], keys: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (full name, key) pairs that differ in one letter of one word."""
    spellings = Spellings(leads)
    for key in keys:
        yield from ((lead, key) for lead in spellings.of(key))


def edited_subjects(names: Mapping[str, Subject], edits: ResolvesNames) -> dict[str, Subject]:
    """Return the subjects of a passage after edits. Hidden names are removed, and merged names are combined."""
    if edits.resolved.keys().isdisjoint(names):
        return dict(names)
    edited: dict[str, Subject] = {}
    for key in sorted(names):
        if edits.resolve(key):
            _add(edited, edits.resolve(key), names[key])
    return edited


def looked_for(about: Iterable[Mapping[str, Subject]], parsed: Set[str]) -> tuple[set[str], set[str]]:
    """Return the keys to search for in all texts, and the subset of these keys that passages are about.

    A subject that may be an ordinary word is included only if a parser also found it as a name.
    """
    subjects: set[str] = set()
    common: set[str] = set()
    for names in about:
        for key, subject in names.items():
            (common if subject.common else subjects).add(key)
    subjects |= common & parsed
    return subjects | parsed, subjects


def name_uses(
    text: str,
    tokens: Tokens,
    sentences: Sequence[int],
    names: NameDictionary,
    subjects: NameDictionary,
    edits: EditedNames = NO_EDITS,
    *,
    parsed: Set[str] = frozenset(),
    same: Mapping[str, str] | None = None,
    language: str = "",
) -> dict[str, NameUses]:
    """Return the mentions of names in a text, by the key of the name.

    Stop words of the text's language are never mentions. A single word inside a longer capitalised name is none either,
    such as "Carol" in "A Christmas Carol".

    Args:
        sentences: offsets of the sentences in the text.
        subjects: names that passages are about. They are also found inside longer names.
        parsed: keys of the names that a parser found in this text. Such a word is a mention wherever it occurs.
        same: names in the document that stand for others (see `same_in_document`). An acronym stays a mention of
            itself, too, because other documents may have nothing but the acronym.
        language: ISO code of the text's language; "" for English.
    """
    places: dict[str, list[Match]] = {}
    common = stop_words(language) if language else frozenset[str]()
    standing = same or {}
    names_here: EditedNames | NamesInDocument = NamesInDocument(edits, standing) if standing else edits
    matches = mentioned_names(tokens, names, subjects)
    if standing:
        others = {*NameDictionary(standing).scan(tokens)}.difference(matches)
        matches = sorted({*matches, *others}, key=lambda match: (match.first, -match.stop, match.key))
    for match in matches:
        key = names_here.resolve(match.key)
        is_parsed = edits.resolve(match.key) in parsed
        if match.key in common or (not is_parsed and _is_within_a_name(match, text, tokens, language)):
            continue
        for each in (key, edits.resolve(match.key)) if _is_acronym_of(match.key, key) else (key,):
            if each and (each == key or match.key in names):
                places.setdefault(each, []).append(match)
    return {
        key: NameUses(
            tuple(text[match.start : match.end] for match in found),
            tuple(max(0, bisect_right(sentences, match.start) - 1) for match in found),
        )
        for key, found in places.items()
    }


def _is_acronym_of(key: str, full: str) -> bool:
    return " " not in key and " " in full and key not in full.split()


def _is_within_a_name(match: Match, text: str, tokens: Tokens, language: str) -> bool:
    """Return True if a single word follows or precedes another capitalised word that is no function word.

    German capitalises all nouns, so that such a word shows nothing there.
    """
    if match.stop - match.first != 1 or not match.key.isalnum() or language == "de":
        return False
    common = stop_words(language) if language else FUNCTION_WORDS
    beside = ((match.first - 1, match.start - 1), (match.stop, match.end))
    return any(
        0 <= other < len(tokens.forms)
        and text[gap] == " "
        and gap in (tokens.ends[other], tokens.starts[other] - 1)
        and text[tokens.starts[other]].isupper()
        and tokens.forms[other] not in common
        for other, gap in beside
    )


def name_starts(tokens: Tokens) -> list[str]:
    """Return the possible beginnings of the names in a text, sorted.

    They are single words, pairs of words ("john_smith") and technical names. If a text mentions a name, the list
    contains the `name_start` of that name.
    """
    starts = {shape.key for shape in tokens.shapes}
    for first, capital in enumerate(tokens.capital):
        if not capital:
            continue
        starts.update(_forms(tokens, first))
        if first + 1 < len(tokens.forms):
            starts.update(f"{tokens.forms[first]}_{second}" for second in _forms(tokens, first + 1))
    return sorted(starts)


def name_start(key: str) -> str:
    """Return the entry for a name in `name_starts`: its first two words, joined by "_"."""
    return "_".join(key.split(" ", 2)[:2])


def _forms(tokens: Tokens, word: int) -> Iterator[str]:
    yield tokens.forms[word]
    if word in tokens.bare:
        yield tokens.bare[word][0]


def _add_title(names: dict[str, Subject], title: str, source: Source, type_: str = "") -> None:
    plain = without_parentheses(title).strip()
    surfaces = {entity_key(surface): surface for surface in (first_name(title), plain.partition(",")[0], plain, title)}
    full = entity_key(plain if source == "title" else title) if source != "definition" else ""
    for key, weight in title_names(title).items():
        surface = surfaces.get(key, "")
        common = source != "title" and _is_common(surface or title)
        _add(names, key, Subject(weight, source, key == full, surface, type_, common))


def _add_heading(names: dict[str, Subject], heading: str) -> None:
    if not is_stop_name(heading):
        _add_title(names, heading, "heading", TERM)


def _add_term(names: dict[str, Subject], term: Term) -> None:
    if term.type == TERM:
        _add_title(names, term.surface, "definition", TERM)
    elif key := entity_key(term.surface):
        weight = TITLE_SURENESS if term.sure else TITLE_PART_SURENESS
        common = _is_common(term.surface)
        _add(names, key, Subject(weight, "definition", surface=term.surface, type=term.type, common=common))


def _add_lead(names: dict[str, Subject], paragraph: str, *, of_several: bool) -> None:
    full = entity_key(lead_name(paragraph))
    for key, weight in lead_names(paragraph, of_several=of_several).items():
        common = of_several and _is_common(lead_name(paragraph)) and key == full
        _add(names, key, Subject(weight, "lead", full=key == full, common=common))


def _is_language_word(title: str, passages: Sequence[SubjectPassage]) -> bool:
    """Return True if a title is not a name but the language code of the passages (as for "de.txt") or a stop word.

    If a text is too short for its language to be detected, its frequent words decide. "es" is not a name above "Esto es
    todo.", but "vi" is a name in an English manual.
    """
    key = entity_key(title)
    languages = {passage.language or ENGLISH for passage in passages}
    if key in languages or any(key in stop_words(language) for language in languages - {ENGLISH}):
        return True
    code = language_of_tag(key) if key.isalpha() else ""
    if code in ("", ENGLISH):
        return False
    text = "\n".join(passage.text for passage in passages) if stop_words(code) else ""
    return code in languages or has_words_of(text, code, ENGLISH)


def _begins_with_words(paragraph: str, language: str) -> bool:
    """Return True if a paragraph begins with words that are not certainly a name.

    These are stop words of the language, and any words in German, which capitalises all nouns.
    """
    words = lead_name(paragraph).split()
    return not words or language == "de" or words[0].lower() in stop_words(language)


def _is_common(surface: str) -> bool:
    """Return True for a single word (not counting an article) that is not capitalised after its first letter."""
    word = _ARTICLE.sub("", surface, count=1)
    return word.isalpha() and (word.islower() or word.istitle())


def _add(names: dict[str, Subject], key: str, subject: Subject) -> None:
    """Add a subject. If there is already a subject with this name, the one with the higher weight is kept."""
    known = names.get(key, subject)
    best = subject if subject.weight > known.weight else known
    names[key] = best._replace(
        full=known.full or subject.full,
        type=known.type or subject.type,
        common=known.common and subject.common,
    )
