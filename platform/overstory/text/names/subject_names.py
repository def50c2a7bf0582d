"""Names of a passage's subject, taken from its title, heading and first words."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from overstory.text.function_words import FUNCTION_WORDS, word_set
from overstory.text.names.keys import entity_key
from overstory.text.names.shapes import shape_key
from overstory.text.names.stop_names import is_stop_name, without_number
from overstory.text.names.tokens import tokenise

# Certainty that a name is the subject, by the source of the name:
TITLE_SURENESS = 1.0
_LEAD_SURENESS = 0.8  # first words of a paragraph
TITLE_PART_SURENESS = 0.7  # title up to its comma
SHORT_NAME_SURENESS = 0.7  # short form of a full name
ABBREVIATION_SURENESS = 0.6  # name with initials (`abbreviations`)
MISSPELLING_SURENESS = 0.5  # name that differs in one letter (`Spellings`)

_LONGEST_LEAD_WORDS = 9
FULL_NAME = range(3, 6)
"""Number of words in a name whose middle words may be left out."""
SHORTENED = range(3, 8)
_OPENING_CHARACTERS = 400
"""Characters of a paragraph that are searched for other names of its subject."""

_PARENTHESIS = re.compile(r"(?<!\s)\s*+\([^)]*+\)?")
_LEAD_END = re.compile(r"(?<![^\S\n])[^\S\n]*+[(,;\n]|(?<!\s)\s++(?:is|was|are|were|has|had|refers)\s")
_VERB_AFTER = re.compile(r"[\"'”’*_`]*\s+(?:\(|(?:is|was|are|were|has|had|refers)\s)")
_AFTER_A_WORD = re.compile(r"(?P<name>[^\W\d_]\S{2,})\s+[—–-]\s+\S")
_LONGEST_SHOUTED_WORDS = 4
"""Maximum number of words in a subject written in capitals; more are a clause of a licence."""
_OPENERS = " \t\r\n\"“”'‘’`*#_"
_QUOTED = re.compile(r"[\"“](?P<name>[^\"“”\n]{2,80}?),?[\"”]")
_QUOTED_INSIDE = re.compile(r"(?:(?<!\s)\s++)?[\"“][^\"“”]*[\"”]\s*+")
_ADVERBIAL = re.compile(
    r"(?:In|On|At|By|For|From|With|During|After|Before|Since|Until|When|While|As|Although|Though|Because|If|Under|Over|"
    r"Among|Between|Despite|Following|According|Based|Like|Unlike|Throughout|Within|Besides|Later|However|To|Of)\b"
)
_WITHIN_NAMES = word_set(
    "of the and de von van la le du der for in di da del al to on at ibn bin y e a an with from by or no"
)
_ARTICLES = frozenset({"the", "a", "an"})
_NAMED = re.compile(
    r"\b(?:known(?:\s+\w+)?\s+as|born|n[ée]e|called|nicknamed|stage\s+name(?:\s+of)?|pen\s+name|titled)\b[\s:,\"“'‘`]*(?=[^\W\d_])"
)
_CAPITALISED_RUN = re.compile(r"[^\W\d_][\w.'’\-]*(?:\s+[^\W\d_][\w.'’\-]*)*")
_NICKNAME = re.compile(r"[\"“](?P<nick>[^\W\d_][\w\-.' ]{0,30})[\"”]\s+(?P<next>[^\W\d_][\w'’\-]*)")


def title_names(title: str) -> dict[str, float]:
    """Return the keys of the names in a title or heading, with their weights."""
    names: dict[str, float] = {}
    plain = _PARENTHESIS.sub("", title).strip()
    _put(names, first_name(title), TITLE_SURENESS)
    _put(names, title, TITLE_SURENESS)
    _put(names, plain, TITLE_PART_SURENESS if "," in plain else TITLE_SURENESS)
    _put(names, plain.partition(",")[0], TITLE_PART_SURENESS if "," in plain else TITLE_SURENESS)
    return names


def first_name(title: str) -> str:
    """Return the name before the dash of a title: "contextlib" of "contextlib — Utilities for with-statement contexts".

    The name must be lowercase or a technical name, because "Hitler – Dead or Alive" is not about Hitler. The result is
    "" if there is none.
    """
    dash = _AFTER_A_WORD.match(title)
    word = dash["name"] if dash else ""
    return word if (word[:1].islower() or shape_key(word)) and not is_stop_name(word) else ""


def lead_names(paragraph: str, *, of_several: bool = False) -> dict[str, float]:
    """Return the keys of the names that a paragraph begins with, with their weights; {} if there are none.

    Args:
        of_several: True if the text has several lines and so may have headings and list items. Then a name before a
            comma or line end must be capitalised throughout: "Print the names, one per line" has no name.
    """
    names: dict[str, float] = {}
    opening = paragraph[:_OPENING_CHARACTERS]
    if of_several:
        opening = without_number(opening.lstrip(), in_line=True)
        if not _is_subject(lead_name(opening), opening):
            return {}
    for name in (lead_name(opening), *_other_leads(opening), *_other_names(opening)):
        if not (of_several and is_stop_name(name)):
            _put(names, name, _LEAD_SURENESS)
    return names


@functools.lru_cache(maxsize=16)  # called several times for the same paragraph
def lead_name(paragraph: str) -> str:
    """Return the name that a paragraph begins with, up to the first verb or punctuation; "" if there is none.

    "Admiral Twin released an album" -> "Admiral Twin". "Flute sonata in C" is returned whole: if only the first word
    is capitalised, the capital may just mark the start of the sentence.
    """
    clause = _first_clause(paragraph)
    named = _named_words(clause)
    tokens = tokenise(named)
    if len(tokens.forms) > 1:
        clause = named
    elif clause != named:
        tokens = tokenise(clause)
    words = tokens.forms
    if not words or len(words) > _LONGEST_LEAD_WORDS or not tokens.capital[0]:
        return ""
    starts_with_function_word = words[0] in FUNCTION_WORDS and words[0] not in _ARTICLES and clause != named
    return "" if starts_with_function_word or (len(words) == 1 and words[0] in FUNCTION_WORDS) else clause


def _is_subject(lead: str, opening: str) -> bool:
    if not lead or is_stop_name(lead) or is_stop_name(lead.partition(":")[0]):
        return False
    if _VERB_AFTER.match(opening, max(0, opening.find(lead)) + len(lead)):
        return True
    tokens = tokenise(lead)
    named = entity_key(_named_words(lead)) == entity_key(lead) and all(tokens.capital[:1] + tokens.capital[-1:])
    shouted = lead.isupper() and len(tokens.forms) > _LONGEST_SHOUTED_WORDS
    is_adverbial = tokens.forms[0] in FUNCTION_WORDS and tokens.forms[0] not in _ARTICLES
    return named and not is_adverbial and not shouted


def _first_clause(paragraph: str) -> str:
    """Return the words up to the first bracket, comma, line end or form of "be" or "have"; "" for an adverbial."""
    text = paragraph.lstrip()
    quoted = _QUOTED.match(text)
    if quoted and len(quoted["name"].split()) <= _LONGEST_LEAD_WORDS:
        return quoted["name"]
    text = text.lstrip(_OPENERS)
    end = _LEAD_END.search(text)
    clause = text[: end.start()] if end else text
    adverbial = _ADVERBIAL.match(clause) and text[len(clause) :].lstrip().startswith(",")
    return "" if adverbial else clause


def _named_words(clause: str) -> str:
    """Return the words of a clause before the first lowercase word that cannot be part of a name."""
    words = clause.split()[: _LONGEST_LEAD_WORDS + 1]
    named: list[str] = []
    for word in words:
        bare = word.strip(".,;:'\"()’“”-–")
        if bare[:1].islower() and bare not in _WITHIN_NAMES:
            break
        named.append(word)
    while named and named[-1].lower() in _WITHIN_NAMES:
        named.pop()
    return " ".join(named)


def _other_leads(opening: str) -> Iterator[str]:
    """Yield shorter names in a lead name: "Francis Coppola" of "Francis Ford Coppola"; both parts of "X or Y"."""
    lead = lead_name(opening)
    tokens = tokenise(lead)
    if len(tokens.forms) in FULL_NAME and all(tokens.capital):
        yield f"{tokens.forms[0]} {tokens.forms[-1]}"
    plain = _QUOTED_INSIDE.sub(" ", lead)
    if plain != lead:
        yield plain
    first, either, second = lead.partition(" or ")
    if either and first[:1].isupper() and second[:1].isupper():
        yield first
        yield second


def short_forms(lead: str) -> Iterator[str]:
    """Yield keys of possible short forms of a full name: its first word with one or two later words.

    Most short forms are never used. The caller must check which of them occur in texts.
    """
    words = entity_key(lead).split()
    if len(words) in SHORTENED:
        for second in range(1, len(words)):
            yield f"{words[0]} {words[second]}"
            for third in range(second + 1, len(words)):
                yield f"{words[0]} {words[second]} {words[third]}"


def _other_names(opening: str) -> Iterator[str]:
    for found in _NAMED.finditer(opening):
        run = _CAPITALISED_RUN.match(opening, found.end())
        if run:
            yield from _capitalised(run.group())
    for nickname in _NICKNAME.finditer(opening):
        if nickname["nick"][0].isupper() and nickname["next"][0].isupper():
            yield f"{nickname['nick']} {nickname['next']}"


def _capitalised(words: str) -> Iterator[str]:
    """Yield the run of capitalised words at the beginning, if there are at least two."""
    run: list[str] = []
    for word in words.split():
        if not word[0].isupper():
            break
        run.append(word)
        if word[-1] == "." and len(word) > 2:
            break
    if len(run) > 1:
        yield " ".join(run)


def _put(names: dict[str, float], name: str, weight: float) -> None:
    key = entity_key(name)
    if key and (" " in key or key not in FUNCTION_WORDS):
        names[key] = max(weight, names.get(key, 0.0))
