"""Recognises the form of a question, and questions for all things of a kind, such as "List all services"."""

from __future__ import annotations

import re
from typing import Literal

from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.questions.whole_corpus import asks_about_whole_corpus

Form = Literal["question", "definition", "advice", "phrase"]
"""Form of a question:

- definition: it asks for the meaning of a term ("What is a generator?").
- advice: it asks how to do something ("How do I open a file?").
- phrase: it is not a question but words to search for.
- question: any other question, whose answer may need several passages.
"""

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
"""Matches where people write about themselves: "do I", "my". It matches neither "Henry I" nor "My" in a title."""


def form_of(text: str) -> Form:
    """Return the form of a question.

    "What is X?" asks for a definition if X has up to four words. A text with "my", "do I" and the like asks for advice.
    A text is any other question if it ends with a question mark, contains an English question word, or begins with an
    auxiliary verb. Everything else is a phrase, such as "create a message catalog" and "Kingston 1952".
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
    """Return the kind of things that a question asks for, such as "teams" for "Which teams are there?".

    The result is "" if the question does not ask for all things of a kind, if it restricts them ("all files in a
    folder"), or if it is about the whole corpus.
    """
    if len(question) > _MOST_CHARACTERS_OF_A_KIND or asks_about_whole_corpus(question):
        return ""
    found = _QUESTION.fullmatch(" ".join(question.split()))
    kind = next((each for each in found.groups() if each), "") if found else ""
    return "" if not kind or (FUNCTION_WORDS | _NO_KIND) & set(kind.lower().split()) else kind
