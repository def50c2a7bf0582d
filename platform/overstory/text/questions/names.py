"""Finds the names in a question, and separates them from the rest of the question."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence

from overstory.text.coreference.references import Reference
from overstory.text.function_words import FUNCTION_WORDS, word_set
from overstory.text.languages import language_of
from overstory.text.names.dictionary import Match, NameDictionary
from overstory.text.names.keys import entity_key, is_unspaced
from overstory.text.names.shapes import shapes_of_question
from overstory.text.names.tokens import Tokens, tokenise


def mentioned(text: str, references: Iterable[Reference]) -> list[str]:
    """Return the identifiers in a question, then its names and phrases of several words, then other capitalised words.

    Capitals may be the only sign of a name, such as the title of a film. Parts of identifiers are left out, such as "2"
    in "setsid(2)".
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


_FIRST_WORD = re.compile(r"\W*[\w'’-]+")
_CAPITALISED = re.compile(
    r"(?:(?<![\w'’])(?P<before>[\w'’]++\s++))?(?P<name>[^\W\d_a-zß-öø-ÿ][\w'’-]*"
    r"(?:\s++(?:(?:de|del|della|di|du|da|la|le|van|von|der|den|of)\s++){0,2}[^\W\d_a-zß-öø-ÿ][\w'’-]*)*)"
)
_BEFORE_A_NAME = word_set("in von bei nach aus für mit zu an und oder seit durch gegen ohne um")


def names_by_form(question: str) -> tuple[str, ...]:
    """Return the names in a question that is not parsed: technical names, and words with a capital.

    In German, where all nouns have a capital, a single word counts only after a preposition. In scripts without spaces,
    X is a name in a question for who or what X is.
    """
    found = [question[shape.start : shape.end] for shape in shapes_of_question(question)]
    thing = thing_to_identify(question)
    if thing and (is_unspaced(thing) or thing[:1].isupper()):
        found.append(thing)
    first = _FIRST_WORD.match(question)
    german = language_of(question) == "de"
    for match in _CAPITALISED.finditer(question, first.end() if first else 0):
        before = (match["before"] or "").strip().lower()
        if " " in match["name"] or not german or before in _BEFORE_A_NAME:
            found.append(match["name"])
    return tuple(dict.fromkeys(found))


_WHO_IS = re.compile(
    r"\W*(?:who(?:['’]s|\s+(?:is|was|are|were))|what(?:['’]s|\s+(?:is|are|was|were))|wer\s+(?:ist|war|sind|waren)"
    r"|was\s+(?:ist|sind)|qui\s+(?:est|était|sont)|qu['’]est-ce\s+(?:que|qu['’])(?:\s+c['’]est\s+que)?"
    r"|qui[eé]n(?:es)?\s+(?:es|era|son)|qu[eé]\s+(?:es|son)|chi\s+(?:è|era|sono)|(?:che\s+)?cos['’]?\s?[eè]"
    r"|wie\s+(?:is|was|zijn)|wat\s+(?:is|zijn)|quem\s+(?:é|era|são)|o\s+que\s+(?:é|são))\s+(?P<thing>[^?？]{2,80}?)\s*[?？.!]*\s*",
    re.IGNORECASE,
)
_WHO_IS_UNSPACED = re.compile(
    r"(?P<thing>\w{2,20}?)(?:是谁|是誰|是什么|是什麼|は誰ですか|は誰|とは何ですか|とは誰ですか|とは)[?？。]*"
)
_ARTICLE = re.compile(
    r"(?:(?:(?P<the>the)|(?P<definite>der|die|das|le|la|les|el|los|las|il|lo|de|het|o)|an?|eine?|une?|een|um|uma)\s+"
    r"|(?P<elided>l['’]))",
    re.IGNORECASE,
)


def thing_to_identify(question: str) -> str:
    """Return X for a question like "Who is X?" or "What is X?", in eight languages; "" for any other question.

    X is a name or a noun. "Who is the mayor?" and "What is the price of X?" do not ask what a mayor or a price is.
    """
    found = _WHO_IS.fullmatch(question.strip()) or _WHO_IS_UNSPACED.fullmatch(question.strip())
    if found is None:
        return ""
    article = _ARTICLE.match(found["thing"])
    thing = found["thing"][article.end() if article else 0 :]
    named = article is None or not (
        article["definite"] or article["elided"] or (article["the"] and thing[:1].islower())
    )
    words = thing.lower().split()
    inner = any(word in FUNCTION_WORDS for word in words) and not thing.istitle()
    return "" if not named or inner or len(words) > _MOST_WORDS_TO_IDENTIFY else thing


_MOST_WORDS_TO_IDENTIFY = 5


def _is_piece(name: str, identifiers: Iterable[str]) -> bool:
    """Return True for a single letter or digit, a part of an identifier, or a name with an unclosed bracket."""
    pieces = any(name in identifier for identifier in identifiers)
    return pieces or len(entity_key(name)) < 2 or not _CLOSED.fullmatch(name)


_CLOSED = re.compile(r"(?:[^()]|\([^()]*\))*+")


_MOST_QUOTED_PHRASES = 5
_LONGEST_QUOTED_CHARACTERS = 200

_QUOTED = re.compile(
    rf'"([^"]{{0,{_LONGEST_QUOTED_CHARACTERS}}})"|[“„]([^“”„]{{1,{_LONGEST_QUOTED_CHARACTERS}}})[”“]|«([^«»]{{1,{_LONGEST_QUOTED_CHARACTERS}}})»|「([^「」]{{1,{_LONGEST_QUOTED_CHARACTERS}}})」'
)


def quoted_phrases(question: str) -> list[str]:
    """Return the first phrases in double quotation marks, without duplicates. Single quotation marks do not count."""
    found = ("".join(part or "" for part in match.groups()).strip() for match in _QUOTED.finditer(question))
    return list(dict.fromkeys(phrase for phrase in found if any(char.isalnum() for char in phrase)))[
        :_MOST_QUOTED_PHRASES
    ]


_LONGEST_UNKNOWN_NAME_WORDS = 6
"""Maximum number of words in a phrase that is looked up as a possible name."""

_LOWER_CASE_WORDS_BETWEEN_NAMES = 3
"""Number of adjacent lowercase words that end a name. "Ada and the Bad Day" contains only two, so it is one name."""


_LONGEST_LOWER_CASE_TERM_WORDS = 4

_ASKING = frozenset({"what", "whats", "define", "explain"})
_BEFORE_TERM = _ASKING | {"is", "are", "was", "were", "does", "do", "a", "an", "the", "meant", "by", "term"}
_AFTER_TERM = frozenset({"mean", "means", "meaning", "stand", "for"})


def question_names(tokens: Tokens, names: NameDictionary, terms: Container[str] = frozenset()) -> list[Match]:
    """Return the known names in a question, in order. Matches may overlap, but none contains another.

    At each word, the longest name is chosen. A name of one word must be capitalised, and must not be the first word of
    the question. In a longer name, at least one word must be capitalised. Terms that a text defines may be in lower
    case. Technical names count anywhere.

    Args:
        terms: keys of the terms that texts define.
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
    """Yield the keys of lowercase phrases in a question that may be defined terms.

    Args:
        words: the phrases must begin within this number of words from the start of the question.
    """
    for first in range(min(words, len(tokens.forms))):
        for stop in range(first + 1, min(first + _LONGEST_LOWER_CASE_TERM_WORDS, len(tokens.forms)) + 1):
            match = Match(tokens.key(first, stop), first, stop, tokens.starts[first], tokens.ends[stop - 1])
            if not any(tokens.capital[first:stop]) and _is_term(match, tokens):
                yield match.key


def _is_term(match: Match, tokens: Tokens) -> bool:
    """Return True if a match in lower case may be a defined term.

    It must have several words, with no function word at either end, or the question must ask for nothing else: "What is
    a generator?".
    """
    forms = tokens.forms
    if match.stop > match.first + 1:
        return forms[match.first] not in FUNCTION_WORDS and forms[match.stop - 1] not in FUNCTION_WORDS
    before, after = forms[: match.first], forms[match.stop :]
    return bool(before) and before[0] in _ASKING and _BEFORE_TERM.issuperset(before) and _AFTER_TERM.issuperset(after)


def unknown_names(tokens: Tokens, found: Sequence[Match]) -> list[Match]:
    """Return the phrases in a question that may be unknown names, in order, and longest first at each position.

    A phrase has up to six words. Its first and last words begin with a capital or digit, and the first word is not part
    of a known name. The phrase may contain a known name, because "1952 in Kingston" is more specific than "1952".
    Neither a function word nor the first word of the question is a phrase by itself. Scripts without capitals contain
    no phrases. The caller must check which phrases occur in texts (see `longest_first`).

    Args:
        found: the known names in the question.
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


_BETWEEN_CHOICES = frozenset({"or", "oder", "ou"})

_ENDS_SENTENCE = re.compile(r"[?!;]|\w{3}\.\s")
"""Matches the end of a sentence, but not initials and short abbreviations: "J. R. R.", "St. Louis"."""


def may_be_name(phrase: str) -> bool:
    """Return False for a phrase that is no single name.

    It spans two sentences ("a compiler. How"), is a choice ("DFAs or NFAs"), or consists of letters ("N", "X and Y").
    """
    words = phrase.split()
    letters = [word for word in words if word.lower() not in FUNCTION_WORDS]
    if _ENDS_SENTENCE.search(phrase) or not _BETWEEN_CHOICES.isdisjoint(words):
        return False
    return not all(len(word) == 1 and word.isalpha() for word in letters)


def _stops(tokens: Tokens, first: int) -> list[int]:
    """Return the possible ends of phrases that begin at the token `first`. Each end follows a capitalised word."""
    stops: list[int] = []
    for word in range(first, min(first + _LONGEST_UNKNOWN_NAME_WORDS, len(tokens.forms))):
        if stops and word - stops[-1] >= _LOWER_CASE_WORDS_BETWEEN_NAMES:
            break
        if tokens.capital[word] and word > 0 and not is_unspaced(tokens.forms[word]):
            stops.append(word + 1)
    return stops


def longest_first(phrases: Sequence[Match], known: Container[str]) -> list[Match]:
    """Return the phrases with a known key, without overlaps and preferring earlier and longer phrases.

    Args:
        phrases: result of `unknown_names`.
    """
    chosen: list[Match] = []
    after = 0
    for phrase in phrases:
        if phrase.first >= after and phrase.key in known:
            chosen.append(phrase)
            after = phrase.stop
    return chosen


def longest_unknown(question: str, tokens: Tokens, known: Container[str]) -> list[str]:
    """Return the longest phrases in a question that may be names, as written, except those whose key is in `known`."""
    phrases = unknown_names(tokens, [])
    longest = longest_first(phrases, {phrase.key for phrase in phrases})
    return [question[phrase.start : phrase.end] for phrase in longest if phrase.key not in known]


def words_of_longer_name(question: str, tokens: Tokens, match: Match) -> frozenset[str]:
    """Return the other words of the longer name that a name is a part of in a question.

    These are the capitalised words next to it, with only spaces between them. The first word of the question and
    function words are part of no name.
    """
    first, stop = match.first, match.stop
    while first > 1 and _continues_name(question, tokens, first - 1, first):
        first -= 1
    while stop < len(tokens.forms) and _continues_name(question, tokens, stop, stop):
        stop += 1
    return frozenset((*tokens.forms[first : match.first], *tokens.forms[match.stop : stop]))


def _continues_name(question: str, tokens: Tokens, word: int, gap: int) -> bool:
    """Return True if a word may be part of the same name as its neighbour.

    Args:
        word: index of the word.
        gap: index of the word after the space between the two.
    """
    between = question[tokens.ends[gap - 1] : tokens.starts[gap]]
    return tokens.capital[word] and tokens.forms[word] not in FUNCTION_WORDS and between == " "


def without_names(question: str, found: Sequence[Match]) -> str:
    """Return the question without the matched names, and with white space collapsed."""
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
