"""Forms of questions, and questions that ask for all members of a kind, such as "List all services"."""

from __future__ import annotations

import re
from typing import Literal

from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.questions.whole_corpus import asks_about_whole_corpus

Form = Literal["question", "definition", "advice", "phrase"]
"""A question, a definition ("What is a generator?"), advice ("How do I open a file?"), or a phrase to search for. All
except a question are answered by one passage."""

_MOST_WORDS_OF_A_TERM = 4

_DEFINITION = re.compile(
    r"\W*what(?:'s|’s| is| are| does)\s+(?:an?\s+|the\s+)?(?P<term>[^?]+?)(?:\s+mean)?\W*", re.IGNORECASE
)
_MARK = re.compile(r"[?？؟][\s\"')\]»”’]*$")
_ASKING = re.compile(r"\b(?:who|whom|whose|what|when|where|which|why|how)\b", re.IGNORECASE)
_INVERTED = re.compile(
    r"\W*(?:am|are|can|could|did|do|does|had|has|have|is|may|might|must|should|was|were|will|would)\b", re.IGNORECASE
)


_FOR_ONESELF = re.compile(
    r"\b(?:do|does|did|can|could|should|would|must|may|am|have|had|if|when|that|as|before|after|what|how|why|where|once)"
    r"\s+(?:I|i)\b|(?:^|[.?!]\s)(?:Do|Did|Can|Could|Should|Would|Must|May|Am|Have|Had)\s+I\b"
    r"|\bI(?:['’](?:m|ve|d|ll)\b|\s+(?:am|have|want|need|get|can|use|do|don['’]?t)\b)"
    r"|(?<=\s)(?:my|our|me)\b|\b(?:do|can|should|could|must)\s+we\b"
)
"""Matches people who write about themselves, but neither "I" after a name ("Henry I") nor "My" in a title."""


def form_of(text: str) -> Form:
    """Return the form of a question.

    A question ends with a question mark, has an English question word, or begins with an auxiliary verb. So "create a
    message catalog" and "Kingston 1952" are phrases. "What is X?" with up to four words asks for a definition. Text
    with "my", "do I" and the like asks for advice.
    """
    definition = _DEFINITION.fullmatch(text)
    if definition is not None and len(definition["term"].split()) <= _MOST_WORDS_OF_A_TERM:
        return "definition"
    if _FOR_ONESELF.search(text):
        return "advice"
    return "question" if _MARK.search(text) or _ASKING.search(text) or _INVERTED.match(text) else "phrase"


_MOST_CHARACTERS_OF_A_KIND = 200

_NO_KIND = frozenset({"articles", "documents", "files", "pages", "passages", "records", "texts", "things"})
_KIND = r"(?P<kind>[^\W\d_]+(?:[ -][^\W\d_]+){0,2})"
_THERE = (
    r"(?:are\s+there|exist|(?:do|did)\s+we\s+have|have\s+we\s+got|do\s+you\s+know(?:\s+of)?|are\s+(?:known|mentioned|listed|"
    r"described|named)(?:\s+(?:here|in\s+(?:here|(?:the|these|all)\s+\w+)))?|does\s+the\s+company\s+have)"
)
_ALL = r"(?:all(?:\s+(?:of\s+)?the)?|every|the\s+names\s+of\s+all)"
_THAT = r"(?:that\s+)?(?:there\s+are|exist|we\s+have|(?:are\s+)?mentioned)"
_FORMS = (
    rf"(?:which|what)\s+(?:(?:different|other|kinds?\s+of|types?\s+of|sorts?\s+of)\s+)?{_KIND}\s+{_THERE}",
    rf"(?:please\s+)?(?:list|name|show(?:\s+me)?|give\s+me|enumerate)\s+{_ALL}\s+{_KIND}(?:\s+{_THAT})?",
    rf"(?:what|who)\s+are\s+all\s+(?:of\s+)?(?:the|our)\s+{_KIND}",
    rf"welche[nr]?\s+{_KIND}\s+(?:gibt\s+es|haben\s+wir|existieren|kommen\s+vor|werden\s+(?:genannt|erwähnt))",
    rf"(?:nenne|liste|zeige?)\s+(?:mir\s+)?alle\s+{_KIND}(?:\s+auf)?",
    rf"quel(?:le)?s\s+{_KIND}\s+(?:y\s+a-t-il|existent|avons-nous|sont\s+(?:cités|citées|mentionnés|mentionnées))",
    rf"(?:liste[rz]?|énumère[rz]?|nomme[rz]?)\s+(?:tous\s+les|toutes\s+les)\s+{_KIND}",
)
_MORE = r"(?:,?\s+(?:and|und|et)\s+(?:what|which|who|where|how|was|welche|wer|wo|wie|que|qui|où)\b.{0,80})?"
_ANY = "|".join(form.replace("<kind>", f"<kind{number}>") for number, form in enumerate(_FORMS))
_QUESTION = re.compile(rf"\W*(?:{_ANY}){_MORE}\W*", re.IGNORECASE)


def kind_asked_for(question: str) -> str:
    """Return the plural noun if a question asks for all members of a kind: "Which teams are there?" -> "teams".

    Otherwise the result is "". Restricted questions ("all files in a folder") and questions about the whole corpus do
    not count.
    """
    if len(question) > _MOST_CHARACTERS_OF_A_KIND or asks_about_whole_corpus(question):
        return ""
    found = _QUESTION.fullmatch(" ".join(question.split()))
    kind = next((each for each in found.groups() if each), "") if found else ""
    return "" if not kind or (FUNCTION_WORDS | _NO_KIND) & set(kind.lower().split()) else kind
