"""Yes or no to a question that asks for it, where a sentence says all of what it asks, or denies it."""

from __future__ import annotations

import re

from overstory.answer.reading import Sentence, above
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.questions.asked_for import AskedFor
from overstory.text.stems import stem
from overstory.text.words import word_matches

_MOST_FURTHER_WORDS = 6
"""Words with a meaning that a sentence may have beside those of the question: more may change what it says."""
_LEAST_HEADING_SHARE = 0.8
"""The share of the words of a question that the heading above "Yes, …" has."""

_ASKS = re.compile(r"\W*(?P<verb>is|are|was|were|do|does|did|has|have|had|can|must|may)\b", re.IGNORECASE)
_PRESENT = frozenset({"is", "are", "do", "does", "has", "have", "can", "must", "may"})
_PAST = re.compile(r"\b(?:was|were|had|did|used to)\b", re.IGNORECASE)
_NEGATION = re.compile(r"\b(?:not|never|no|nobody|none|neither|nor|cannot|without)\b|n['’]t\b", re.IGNORECASE)
_OR = re.compile(r"\bor\b", re.IGNORECASE)
_LIMITS = re.compile(
    r"\b(?:if|unless|except|only|but|however|although|though|until|when|while|whether|may|might|could|would|should"
    r"|some|most|many|few|often|usually|sometimes|mostly|partly|rarely|seldom|almost|nearly|hardly|yet|longer|former"
    r"|formerly|perhaps|probably|possibly|reportedly|alleged\w*|claim\w*|believ\w*|said|says|den\w+|refus\w+|fail\w*"
    r"|plan\w*|will|too|less|more|all|every|instead|rather|according)\b|[?:;]",
    re.IGNORECASE,
)
"""What narrows a statement down, unless the question says it, too."""
_OUTRIGHT = re.compile(r"(?P<said>yes|no)\b(?=[,.!:;—–-]| -)", re.IGNORECASE)


def yes_or_no(question: str, asked: AskedFor, sentence: Sentence) -> str:
    """ "Yes" or "No" where that is certain, else ""."""
    asks = _ASKS.match(question)
    if asks is None or not asked.direct or _OR.search(question) or _NEGATION.search(question):
        return ""
    wanted = _stems(question[asks.end() :])
    if not wanted:
        return ""
    outright = _OUTRIGHT.match(sentence.text)
    if outright is not None:
        heading = set(_stems(above(sentence.passage.found)))
        is_headed = sum(word in heading for word in wanted) >= _LEAST_HEADING_SHARE * len(wanted)
        return outright["said"].capitalize() if is_headed else ""
    if asks["verb"].lower() in _PRESENT and _PAST.search(sentence.text):
        return ""
    narrowed = {each.lower() for each in _LIMITS.findall(sentence.text)} - {
        each.lower() for each in _LIMITS.findall(question.rstrip("? "))
    }
    says = _stems(sentence.text)
    if narrowed or len(says) > len(wanted) + _MOST_FURTHER_WORDS or not _has_in_order(says, wanted):
        return ""
    negations = len(_NEGATION.findall(sentence.text))
    return {0: "Yes", 1: "No"}.get(negations, "")


def _stems(text: str) -> list[str]:
    return [stem(word) for m in word_matches(text) if (word := m.group().lower()) not in FUNCTION_WORDS]


def _has_in_order(words: list[str], wanted: list[str]) -> bool:
    """Whether one list has the other in its order: "Ada manages Max" does not say that Max manages Ada."""
    left = iter(words)
    return all(word in left for word in wanted)
