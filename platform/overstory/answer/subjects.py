"""Decides whether a sentence is about the thing that a question asks about.

Two mistakes are avoided. "Who is Ada?" is not answered by a line that only repeats the name, and the depth of shaft B
does not answer a question about shaft C.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from overstory.answer.reader import Sentence
from overstory.answer.support import content_words, has_name, is_supported, padded
from overstory.text.function_words import FUNCTION_WORDS, word_set
from overstory.text.languages import LANGUAGES, stop_words
from overstory.text.questions.asked_for import AskedFor, is_person
from overstory.text.words import stem

_COPULA = (
    r"(?:is|was|are|were|ist|war|sind|waren|est|était|sont|es|era|fue|son|è|sono|zijn|é|foi|são|became|becomes"
    r"|means|bezeichnet|désigne)"
)
_ARTICLE = (
    r"(?:the|an?|our|its|their|his|her|der|die|das|ein|eine|unser|unsere|sein|seine|ihr|ihre|le|la|les|un|une|notre|son|sa"
    r"|el|los|las|una|il|lo|gli|uno|de|het|een|o|os|um|uma)"
)
_IS_A = re.compile(rf"(?:\s*\([^()]*\))?,?\s+{_COPULA}\s+(?:\w+\s+)?(?:{_ARTICLE}\s+|l['’])\w", re.IGNORECASE)
_IS_ROLE = re.compile(rf"(?:\s*\([^()]*\))?\s+{_COPULA}\s+(?P<role>[^\W\d_]{{3,}})\b", re.IGNORECASE)
_NAMED = re.compile(
    r"(?:\s+\w+){0,2}?\s+(?:appointed|elected|named|chosen|chairs?|leads?|heads?|manages?|directs?|runs?|serves|served"
    r"|works\s+as|worked\s+as|gewählt|ernannt|wurde|leitet|leitete|élue?|nommée?|devient|dirige|elegid[oa]|nombrad[oa]"
    r"|elett[oa]|nominat[oa]|benoemd|leidt)\b",
    re.IGNORECASE,
)
_APPOSITION = re.compile(
    rf"(?:,\s+|\s+[–—-]\s+)(?P<article>{_ARTICLE}\s+|l['’])?(?P<word>[^\W\d_]{{3,}})", re.IGNORECASE
)
_IN_PARENTHESES = re.compile(r"\s*\((?=[^()]*[^\W\d_]{3})(?!\s*(?:born|geb|né)\b)[^()\d]{3,80}\)")
_BEFORE_NAME = re.compile(
    rf"(?:(?P<article>\b{_ARTICLE}\s++|\b(?:l|d|dell)['’])|(?<![\w-]))(?P<words>(?:[\w-]++\s++){{1,3}})\Z",
    re.IGNORECASE,
)
_KEYED = re.compile(r"\A\W{0,4}(?P<key>[^\s:=|.!?][^:=|.!?\n]{0,40}?)\s?[:=：]\s*\S")
_LEAST_WORDS_OF_A_DEFINITION = 3
_ADDRESS = re.compile(r"<[^<>]*>|(?<![^\s>])[^\s>]+@\S+")
_NO_ROLES = word_set("who which that whose where when and but or not if said also away here there now born")


def identification(sentence: Sentence, thing: str) -> float:
    """Return how well a sentence says who or what a thing is, from −1.0 to 1.0.

    - 1.0: "X is the archivist"
    - 0.8: a role next to the name ("the archivist X", "X, head of …")
    - 0.2 to 0.5: "X: the growth of algae", what X does, or a role in a table
    - 0.0: any other sentence
    - −1.0: a label, any other table row, or a line that only repeats the name
    """
    if not thing:
        return 0.0
    field = _KEYED.match(sentence.text)
    if field is not None and padded(field["key"]) == padded(thing):
        value = sentence.text[field.end() - 1 :]
        return -1.0 if value[0].isdigit() else 0.5 if len(value.split()) >= _LEAST_WORDS_OF_A_DEFINITION else 0.2
    if sentence.row or field is not None:
        return _of_field(sentence)
    if content_words(_ADDRESS.sub("", sentence.text)) <= content_words(thing):
        return -1.0
    if sentence.meant and padded(sentence.meant) == padded(thing) and _COPULA_AT.search(sentence.text):
        return 1.0
    does = any(padded(fact.subject) == padded(thing) for fact in sentence.facts)
    return max(0.4 * does, *(_by_context(sentence.text, *place) for place in _places(thing, sentence.text)), 0.0)


_COPULA_AT = re.compile(rf"\]\s+{_COPULA}\s+{_ARTICLE}\s", re.IGNORECASE)


def _of_field(sentence: Sentence) -> float:
    """Return how well a field or a table row says who somebody is: only a role does."""
    return 0.3 if sentence.stems & _ROLES else -1.0


_ROLES = frozenset(
    map(
        stem,
        word_set(
            "role position job function occupation profession post rank funktion beruf amt aufgabe poste fonction rôle"
            " métier cargo puesto función profesión ruolo incarico funzione professione functie beroep"
        ),
    )
)


def _places(thing: str, text: str) -> Iterator[tuple[int, int]]:
    # a text without spaces between words has no ends of words
    joined = "" if not thing.isascii() and not any(each.isspace() for each in text.strip()) else r"(?<!\w)"
    pattern = joined + re.escape(thing) + (r"(?:e?s)?(?!\w)" if joined else "")
    for found in re.finditer(pattern, text, re.IGNORECASE):
        yield found.span()


def _by_context(text: str, start: int, end: int) -> float:
    if _IS_A.match(text, end):
        return 1.0
    apposition = _APPOSITION.match(text, end)
    if apposition and _is_noun(apposition["word"], articled=bool(apposition["article"])):
        return 1.0 if apposition["article"] else 0.8
    if _IN_PARENTHESES.match(text, end) or _NAMED.match(text, end):
        return 0.8
    role = _IS_ROLE.match(text, end)
    if role and _is_noun(role["role"], articled=False):
        return 0.6
    before = _BEFORE_NAME.search(text, max(0, start - 60), start)
    if before is not None:
        last = before["words"].split()[-1]
        if before["article"] and not any(map(_is_function_word, before["words"].lower().split())):
            return 0.8
        if is_person(last.lower()):
            return 0.8
    return 0.0


def _is_noun(word: str, *, articled: bool) -> bool:
    lower = word.lower()
    if lower in _NO_ROLES or _is_function_word(lower):
        return False
    return articled or not lower.endswith(("ing", "ed", "ly", "ant", "end"))


def _is_function_word(word: str) -> bool:
    return word in FUNCTION_WORDS or any(word in stop_words(language) for language in LANGUAGES[:7])


# Things that are told apart by one word: shaft B and shaft C, the north and the south bridge, Depot North and South.

_NUMBERED = re.compile(
    r"(?<![^\W\d_])(?P<noun>[^\W\d_]{3,}+)\s++(?:no\.?\s*+|nr\.?\s*+|n°\s*+)?(?P<mark>\d{1,3}[a-z]?|[A-Z]\d{0,3})(?![\w’'-])"
)
_STANDING_LETTER = re.compile(
    r"(?<![\w.'’-])(?:[A-Z]\d{1,3}|[B-HJ-Z](?=\s+(?:is|was|has|had|goes|went|can)\b|[,;)]| and | or ))(?![\w'’-])"
)
_CAPITALISED = re.compile(r"(?<![\w'’-])[a-z\d_'’-]*+(?P<name>[^\W\d_a-z][\w'’-]*+(?:\s++[^\W\d_a-z][\w'’-]*+)++)")


def is_of_rival(sentence: Sentence, question: str, asked: AskedFor) -> bool:
    """Return True if a sentence is about another thing of the kind that the question asks about.

    Such things differ in one word: a number or letter after the same noun ("shaft B" and "shaft C"), a word before it
    ("the north bridge" and "the south bridge"), or one word of a name ("Depot North" and "Depot South"). A sentence
    that contains the word of the question is never about a rival.
    """
    text = f"{sentence.before} {sentence.lead} {sentence.text} {sentence.meant}"
    return (
        any(_has_other_mark(found["noun"], found["mark"], text) for found in _NUMBERED.finditer(question))
        or any(_has_other_word(noun, text) for word, noun in asked.pairs if not is_supported(word, sentence.stems))
        or any(_has_other_name(name, text) for name in asked.names if not has_name(text, name))
    )


def _has_other_mark(noun: str, mark: str, text: str) -> bool:
    if noun.lower() in FUNCTION_WORDS or re.search(rf"(?<![\w.]){mark}(?![\w'’])", text):
        return False
    if any(other["noun"].lower().startswith(noun.lower()) for other in _NUMBERED.finditer(text)):
        return True
    return mark[0].isalpha() and any(len(other) == len(mark) for other in _STANDING_LETTER.findall(text))


def _has_other_word(noun: str, text: str) -> bool:
    others = re.findall(rf"\b([^\W\d_]{{1,30}})\s{re.escape(noun)}(?:e?s)?\b", text, re.IGNORECASE)
    return bool(others) and all(other.lower() not in FUNCTION_WORDS for other in others)


def _has_other_name(name: str, text: str) -> bool:
    """Return True if a text has a name that differs from this one in one word, as "Depot North" from "Depot South"."""
    words = padded(name).split()
    if not name.islower():
        return any(_differ_in_one_word(words, padded(other).split()) for other in _CAPITALISED.findall(text))
    own = padded(text).split()
    windows = (own[at : at + len(words)] for at in range(len(own) - len(words) + 1))
    return any(_differ_in_one_word(words, each) and each[-1] == words[-1] for each in windows)


def _differ_in_one_word(one: Sequence[str], other: Sequence[str]) -> bool:
    different = [word for word, own in zip(other, one, strict=False) if word != own]
    return len(one) == len(other) > 1 and len(different) == 1 and different[0] not in FUNCTION_WORDS
