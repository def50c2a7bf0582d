"""The names that a question holds, and what it asks besides."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence

from overstory.text.coreference.references import Reference
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.names.dictionary import Match, NameDictionary
from overstory.text.names.keys import entity_key, is_unspaced
from overstory.text.names.tokens import Tokens, tokenise


def mentioned(text: str, references: Iterable[Reference]) -> list[str]:
    """Identifiers, names and noun phrases of several words, as written, then the other words in capitals: nothing else
    sets the title of a film apart from the words of a question. No pieces of identifiers: "setsid(2)" has no "2".

    Args:
        references: those of the text.
    """
    tokens = tokenise(text)
    identifiers = [text[shape.start : shape.end] for shape in tokens.shapes]
    names = identifiers + [
        reference.surface
        for reference in references
        if reference.salient and not _is_piece(reference.surface, identifiers)
    ]
    unknown = longest_unknown(text, tokens, {entity_key(name) for name in names})
    return names + [name for name in unknown if not _is_piece(name, identifiers)]


def _is_piece(name: str, identifiers: Iterable[str]) -> bool:
    """Whether it is a letter or a digit, lies within an identifier, or has half a bracket."""
    pieces = any(name in identifier for identifier in identifiers)
    return pieces or len(entity_key(name)) < 2 or not _CLOSED.fullmatch(name)


_CLOSED = re.compile(r"(?:[^()]|\([^()]*\))*+")


_MOST_QUOTED_PHRASES = 5
"""Phrases of a question that are looked for."""

_LONGEST_QUOTED_CHARACTERS = 200
"""Characters of one."""

_QUOTED = re.compile(
    rf'"([^"]{{0,{_LONGEST_QUOTED_CHARACTERS}}})"|[“„]([^“”„]{{1,{_LONGEST_QUOTED_CHARACTERS}}})[”“]|«([^«»]{{1,{_LONGEST_QUOTED_CHARACTERS}}})»|「([^「」]{{1,{_LONGEST_QUOTED_CHARACTERS}}})」'
)


def quoted_phrases(question: str) -> list[str]:
    """The first phrases in double quotation marks, without these, each once; apostrophes are no quotation marks."""
    found = ("".join(part or "" for part in match.groups()).strip() for match in _QUOTED.finditer(question))
    return list(dict.fromkeys(phrase for phrase in found if any(char.isalnum() for char in phrase)))[
        :_MOST_QUOTED_PHRASES
    ]


_LONGEST_UNKNOWN_NAME_WORDS = 6
"""Words of a phrase in a question that is looked up though no text gave it as a name."""

_LOWER_CASE_WORDS_BETWEEN_NAMES = 3
"""So many words in lower case do not stand within a name; "Meet Me in St. Louis" has one, "Ada and the Bad Day" two."""


_LONGEST_LOWER_CASE_TERM_WORDS = 4
"""Words of a term in lower case that is looked up."""

_ASKING = frozenset({"what", "whats", "define", "explain"})
_BEFORE_TERM = _ASKING | {"is", "are", "was", "were", "does", "do", "a", "an", "the", "meant", "by", "term"}
_AFTER_TERM = frozenset({"mean", "means", "meaning", "stand", "for"})


def question_names(tokens: Tokens, names: NameDictionary, terms: Container[str] = frozenset()) -> list[Match]:
    """The known names in the words of a question, in order; they may overlap, but none lies within another.

    From every word the longest. People type names in lower case, but a common word is no name: without a capital first
    letter it takes two words, one of them capitalised, unless some text defines them. A single word that begins the
    question is a "Which", whatever a film is called. What has the shape of a name is one anywhere.

    Args:
        terms: keys of names that texts define.
    """
    found: list[Match] = []
    shaped = {match.first: match for match in names.shaped(tokens)}
    for first in range(len(tokens.forms)):
        known = (m for m in names.at(tokens, first) if _is_meant(m, tokens) or (m.key in terms and _is_term(m, tokens)))
        match = shaped.get(first) or next(known, None)
        if match is not None and (not found or match.stop > found[-1].stop):
            found.append(match)
    return found


def possible_terms(tokens: Tokens, words: int) -> Iterator[str]:
    """The keys of phrases in lower case among the first words of a question that may be terms which a text defines."""
    for first in range(min(words, len(tokens.forms))):
        for stop in range(first + 1, min(first + _LONGEST_LOWER_CASE_TERM_WORDS, len(tokens.forms)) + 1):
            match = Match(tokens.key(first, stop), first, stop, tokens.starts[first], tokens.ends[stop - 1])
            if not any(tokens.capital[first:stop]) and _is_term(match, tokens):
                yield match.key


def _is_term(match: Match, tokens: Tokens) -> bool:
    """Whether lower case may name a term: two words of which neither end is a function word, or all that is asked for
    ("What is a generator?")."""
    forms = tokens.forms
    if match.stop > match.first + 1:
        return forms[match.first] not in FUNCTION_WORDS and forms[match.stop - 1] not in FUNCTION_WORDS
    before, after = forms[: match.first], forms[match.stop :]
    return bool(before) and before[0] in _ASKING and _BEFORE_TERM.issuperset(before) and _AFTER_TERM.issuperset(after)


def unknown_names(tokens: Tokens, found: Sequence[Match]) -> list[Match]:
    """Possible names in a question that are not known: phrases that begin outside known names.

    Every phrase of up to six words that begins and ends with a capital or digit, by its place, the longest first; the
    texts decide which of them matter (`longest_first`). Scripts without capitals and spaces have none. A known name
    may stand within one: "1952 in Kingston" is more specific than "1952". Neither a function word nor the question's
    first word alone.
    """
    covered = {word for match in found for word in range(match.first, match.stop)}
    phrases: list[Match] = []
    for first, capital in enumerate(tokens.capital):
        if not capital or first in covered or tokens.forms[first] in FUNCTION_WORDS or is_unspaced(tokens.forms[first]):
            continue
        for stop in reversed(_stops(tokens, first)):
            key = _key(tokens, first, stop)
            phrases.append(Match(key, first, stop, tokens.starts[first], tokens.ends[stop - 1]))
    return phrases


_ENDS_SENTENCE = re.compile(r"[?!;]|\w{3}\.\s")
"""Not of initials and short words: "J. R. R.", "St. Louis"."""


def may_be_name(phrase: str) -> bool:
    """Whether a phrase of a question may be a name: it lies within one sentence ("a compiler. How"), and is no letter
    that stands for anything ("N", "X and Y")."""
    letters = [word for word in phrase.split() if word.lower() not in FUNCTION_WORDS]
    return not _ENDS_SENTENCE.search(phrase) and not all(len(word) == 1 and word.isalpha() for word in letters)


def _stops(tokens: Tokens, first: int) -> list[int]:
    """Where the phrases that begin at a word may end: after a capitalised one."""
    stops: list[int] = []
    for word in range(first, min(first + _LONGEST_UNKNOWN_NAME_WORDS, len(tokens.forms))):
        if stops and word - stops[-1] >= _LOWER_CASE_WORDS_BETWEEN_NAMES:
            break
        if tokens.capital[word] and word > 0 and not is_unspaced(tokens.forms[word]):
            stops.append(word + 1)
    return stops


def longest_first(phrases: Sequence[Match], known: Container[str]) -> list[Match]:
    """Of phrases by their place, the longest first, those that are known and do not overlap one before."""
    chosen: list[Match] = []
    after = 0
    for phrase in phrases:
        if phrase.first >= after and phrase.key in known:
            chosen.append(phrase)
            after = phrase.stop
    return chosen


def longest_unknown(question: str, tokens: Tokens, known: Container[str]) -> list[str]:
    """Possible names in a question, the longest phrases that do not overlap, as written there; without
    those whose keys are known. `tokens` are those of the question."""
    phrases = unknown_names(tokens, [])
    longest = longest_first(phrases, {phrase.key for phrase in phrases})
    return [question[phrase.start : phrase.end] for phrase in longest if phrase.key not in known]


def without_names(question: str, found: Sequence[Match]) -> str:
    """The question without these names; white space squeezed."""
    left: list[str] = []
    end = 0
    for match in sorted(found, key=lambda match: match.start):
        left.append(question[end : max(end, match.start)])
        end = max(end, match.end)
    return " ".join(" ".join([*left, question[end:]]).split())


def _key(tokens: Tokens, first: int, stop: int) -> str:
    last = tokens.bare[stop - 1][0] if stop - 1 in tokens.bare else tokens.forms[stop - 1]
    return " ".join([*tokens.forms[first : stop - 1], last])


def _is_meant(match: Match, tokens: Tokens) -> bool:
    words = match.stop - match.first
    if words == 1:
        return match.first > 0 and tokens.capital[match.first]
    return any(tokens.capital[match.first : match.stop])
