"""Names of the subject of a passage, taken from its title, its heading and its first words."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from overstory.text.function_words import FUNCTION_WORDS, word_set
from overstory.text.names.entity_types import head_type
from overstory.text.names.keys import entity_key
from overstory.text.names.shapes import shape_key
from overstory.text.names.stop_names import is_stop_name, without_number
from overstory.text.names.tokens import tokenise

# Certainty (0–1) that a name is the subject of a passage, by the source of the name:
TITLE_SURENESS = 1.0
_LEAD_SURENESS = 0.8  # first words of a paragraph
TITLE_PART_SURENESS = 0.7  # title up to the first comma
SHORT_NAME_SURENESS = 0.7  # short form of a full name
ABBREVIATION_SURENESS = 0.6  # full name with abbreviated first names (see `abbreviations`)
MISSPELLING_SURENESS = 0.5  # name that differs in one letter (see `Spellings`)

_LONGEST_LEAD_WORDS = 9
FULL_NAME = range(3, 6)
"""Possible numbers of words in a name whose middle words may be left out."""
SHORTENED = range(3, 8)
_OPENING_CHARACTERS = 400
"""Number of characters at the beginning of a paragraph that are searched for names of its subject."""

_PARENTHESIS = re.compile(r"(?<!\s)\s*+\([^)]*+\)?")
_LEAD_END = re.compile(r"(?<![^\S\n])[^\S\n]*+[(,;\n]|(?<!\s)\s++(?:is|was|are|were|has|had|refers)\s")
_VERB_AFTER = re.compile(r"[\"'”’*_`]*\s+(?:\(|(?:is|was|are|were|has|had|refers)\s)")
_AFTER_A_WORD = re.compile(r"(?P<name>[^\W\d_]\S{2,})\s+[—–-]\s+\S")
_LONGEST_SHOUTED_WORDS = 4
"""Maximum number of words in a subject that is written in capitals. Longer text in capitals is part of a licence."""
_OPENERS = " \t\r\n\"“”'‘’`*#_"
_BEFORE_A_LINE = " \t\r\n#"
_NOT_IN_NAMES = re.compile(r"\||[^\W\d_]{4}\.\s")
"""Matches the border between two cells of a table, or between two sentences."""
_FORM_LINE = re.compile(r"\d|[^:]{1,40}:\W*\s")
"""Matches the beginning of a dated line or of a field, such as "Present: Ann Lee"."""
_SALUTATION_END = re.compile(r"[\"'”’*_`]*,[ \t]*\n")
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
    """Return the keys of the names in a title or heading, each with the certainty that it is the subject."""
    names: dict[str, float] = {}
    plain = _PARENTHESIS.sub("", title).strip()
    _put(names, first_name(title), TITLE_SURENESS)
    _put(names, title, TITLE_SURENESS)
    _put(names, plain, TITLE_PART_SURENESS if "," in plain else TITLE_SURENESS)
    _put(names, plain.partition(",")[0], TITLE_PART_SURENESS if "," in plain else TITLE_SURENESS)
    return names


def first_name(title: str) -> str:
    """Return the name before the dash in a title, or "" if there is none.

    It is "contextlib" for "contextlib — Utilities for with-statement contexts". Only a lowercase word or a technical
    name counts, because "Hitler – Dead or Alive" is not about Hitler.
    """
    dash = _AFTER_A_WORD.match(title)
    word = dash["name"] if dash else ""
    return word if (word[:1].islower() or shape_key(word)) and not is_stop_name(word) else ""


def lead_names(paragraph: str, *, of_several: bool = False) -> dict[str, float]:
    """Return the keys of the names at the beginning of a paragraph, each with the certainty that it is the subject.

    Args:
        of_several: True if the text consists of several lines and may contain headings and list items. In that case, a
            name before a comma or the end of a line must be capitalised throughout: "Print the names, one per line"
            does not begin with a name.
    """
    names: dict[str, float] = {}
    opening = paragraph[:_OPENING_CHARACTERS]
    if of_several:
        opening = without_number(opening.lstrip(_BEFORE_A_LINE), in_line=True)
        if not _is_subject(lead_name(opening), opening):
            return {}
    if _NOT_IN_NAMES.search(lead_name(opening)):
        return {}
    for name in (lead_name(opening), *_other_leads(opening), *_other_names(opening)):
        if not (of_several and is_stop_name(name)):
            _put(names, name, _LEAD_SURENESS)
    return names


@functools.lru_cache(maxsize=16)  # because it is called several times for the same paragraph
def lead_name(paragraph: str) -> str:
    """Return the name at the beginning of a paragraph, up to the first verb or punctuation mark; "" if there is none.

    It is "Admiral Twin" for "Admiral Twin released an album". If only the first word is capitalised, as in "Flute
    sonata in C", the capital may only mark the start of the sentence. In that case, lowercase words are included.
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
    end = max(0, opening.find(lead)) + len(lead)
    if _FORM_LINE.match(lead) or _SALUTATION_END.match(opening, end):
        return False
    if _VERB_AFTER.match(opening, end):
        return True
    tokens = tokenise(lead)
    named = entity_key(_named_words(lead)) == entity_key(lead) and all(tokens.capital[:1] + tokens.capital[-1:])
    shouted = lead.isupper() and len(tokens.forms) > _LONGEST_SHOUTED_WORDS
    is_adverbial = tokens.forms[0] in FUNCTION_WORDS and tokens.forms[0] not in _ARTICLES
    return named and not is_adverbial and not shouted


def _first_clause(paragraph: str) -> str:
    """Return the words up to the first bracket, comma, end of line, or form of "be" or "have".

    The result is "" if those words form an adverbial phrase ("In 1922").
    """
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
    """Return the words of a clause that precede the first lowercase word that cannot be part of a name."""
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
    """Yield shorter forms of the name at the beginning, such as "Francis Coppola" for "Francis Ford Coppola".

    For "X or Y", they are "X" and "Y". Organisations, and names with an article or a number, have no such form: "The
    Heinkel HD 23" is not called "The 23".
    """
    lead = lead_name(opening)
    tokens = tokenise(lead)
    if (
        len(tokens.forms) in FULL_NAME
        and all(tokens.capital)
        and tokens.forms[0] not in _ARTICLES
        and "".join(tokens.forms).isalpha()
        and not head_type(lead)
    ):
        yield f"{tokens.forms[0]} {tokens.forms[-1]}"
    plain = _QUOTED_INSIDE.sub(" ", lead)
    if plain != lead:
        yield plain
    first, either, second = lead.partition(" or ")
    if either and first[:1].isupper() and second[:1].isupper():
        yield first
        yield second


def short_forms(lead: str) -> Iterator[str]:
    """Yield the keys of possible short forms of a full name: its first word, followed by one or two of the others.

    Most of these short forms are never used, so the caller must check whether they occur in texts.
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
    """Yield the sequence of capitalised words at the beginning of a text, if there are at least two."""
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
    if key and (" " in key or key not in FUNCTION_WORDS) and not key.isdigit():
        names[key] = max(weight, names.get(key, 0.0))
