"""Infers from a question's words which type of answer it asks for, such as a person, a place, a date or a number."""

from __future__ import annotations

import re

Types = tuple[str, ...]
"""Entity labels of spaCy's English pipelines, sorted by how likely they are, most likely first."""

PERSON: Types = ("PERSON",)
PLACE: Types = ("GPE", "LOC", "FAC")
DATE: Types = ("DATE", "TIME")
DURATION: Types = ("TIME", "DATE", "QUANTITY")
NUMBER: Types = ("CARDINAL", "QUANTITY", "MONEY", "PERCENT")

_ASKING = re.compile(r"\b(?P<word>who|whom|whose|when|where|why|how|what|which)\b(?P<rest>.*)", re.DOTALL)
_FIRST = re.compile(r"\W*(?:\w+\s+)?(?:who|whom|whose|when|where|why|how|what|which)\b")
_LAST = re.compile(r"\b(?P<word>who|whom|when|where|what|which)\b(?P<rest>(?:\s+[\w'’-]+){0,3})[\s?.]*$")
"""Matches a question word at the end, followed by at most three words, as in "Nosferatu was directed by whom?"."""
_AMOUNT = re.compile(r"\s+(?:many|much|old|long|far|high|tall|large)\b")
_HEADS: tuple[tuple[str, Types], ...] = (
    ("percentage|number|population", NUMBER),
    ("dates?|years?|decade|month|day|century|birthday|time", DATE),
    ("nationality|languages?|ethnicity|ethnic group", ("NORP", "LANGUAGE", "GPE")),
    (
        "place|birthplace|country|city|town|county|state|region|river|island|continent|province|district|village|area",
        PLACE,
    ),
    (
        (
            "company|band|university|team|club|school|college|award|party|agency|studio|label|newspaper|organi[sz]ation"
            "|magazine|corporation|association"
        ),
        ("ORG",),
    ),
    ("film|movie|song|album|book|novel|show|series|game|play|poem", ("WORK_OF_ART",)),
    (
        (
            "actor|actress|singer|director|author|writer|player|president|king|queen|man|woman|person|composer"
            "|performer|musician"
        ),
        PERSON,
    ),
)
_DIRECT = tuple((re.compile(rf"\s+(?:[\w'’-]+\s+)?(?:{heads})\b"), types) for heads, types in _HEADS)
"""Matches a noun right after "what" or "which", as in "Which American actor played Gatsby?"."""
_RELATIONAL = tuple(
    (
        re.compile(rf"(?:\s*'s|\s+(?:is|are|was|were))\s+(?:the|\w+['’]s?)\s+(?:\w+\s+)?(?:{heads})\b(?P<after>.*)"),
        types,
    )
    for heads, types in _HEADS
)
"""Matches a noun after "what is the", as in "What is the date of birth of Ada?".

`_OF` must match the text after the noun. "What is the year 2038 problem?" is thereby excluded."""
_OF = re.compile(r"\s*+[?.]?\s*+$|\s+(?:of|in|on|for|that|which|when|where|from)\b")
_ONLY_WITH_PLACE = re.compile(r"\bstate\s+of\b")
"""Matches "state of", which is ambiguous: it may mean the state of a process, or a state of a federation."""
_CHOICE = re.compile(r"\bor\b|\bboth\b|^(?:is|are|was|were|do|does|did|has|have|had|can|could|must|may|should|will)\b")
_HOW_TO = re.compile(r"\W*how (?:do|can|should|could|to|would) (?!.*\bknow\b)", re.IGNORECASE)
_CODE = re.compile(r"\b(?:which|what) (?:\w+ )?(?:command|option|flag|function|method|setting|variable|parameter)\b")
_FIGURE = re.compile(
    r"\W*(?:wann|in welchem jahr|wie (?:viele?|hoch|lange?|groß|alt|teuer)|quand|en quelle année|combien|cuándo"
    r"|cuánt[oa]s?|quando|quant[oiae]|wanneer|hoeveel)\b",
    re.IGNORECASE,
)
"""Matches "when", "how many" and the like in languages that are not parsed."""
_DEATH = re.compile(r"\b(?:die|dies|died|death|killed)\b")


def types_asked_for(question: str) -> Types:
    """Return the entity types that the answer may have; () if the question does not ask for a name, date or number.

    A question word at the beginning decides, or else one at the end, or else the first question word. "How do I see who
    is logged in?", for example, does not ask for a person.
    """
    lowered = question.lower()
    asking = (None if _FIRST.match(lowered) else _LAST.search(lowered)) or _ASKING.search(lowered)
    if asking is None or asks_to_choose(question):
        return ()
    word, rest = asking["word"], asking["rest"]
    if word == "how" and rest.startswith(" long"):
        return DURATION
    if word == "how":
        return NUMBER if _AMOUNT.match(rest) else ()
    if word in ("who", "whom", "whose"):
        return PERSON
    if word in ("what", "which"):
        return _of_noun(rest)
    return {"when": DATE, "where": PLACE}.get(word, ())


def asks_to_choose(question: str) -> bool:
    """Return True if the answer is yes or no, or one of several things that the question names."""
    return _CHOICE.search(question.strip().lower()) is not None


def asks_how(question: str) -> bool:
    """Return True if a question asks how to do something. Steps or code answer such a question."""
    return _HOW_TO.match(question) is not None


def asks_for_code(question: str) -> bool:
    """Return True if a question asks for the name of a command, an option, a function or the like."""
    return _CODE.search(question.lower()) is not None


def asks_for_a_figure(question: str) -> bool:
    """Return True if a question in German, French, Spanish, Italian, Portuguese or Dutch asks for a date or number."""
    return _FIGURE.match(question) is not None


_WHEN = re.compile(
    r"\W*(?:\w+\s+)?(?:when|what (?:day|date|month|year)|wann|quand|cuándo|quando|wanneer)\b", re.IGNORECASE
)
_PRESENT = re.compile(
    r"\b(?:is|are|does|do|has|have|can|must|ist|sind|hat|haben|kostet|gilt|est|sont|coûte|es|son|cuesta|è|sono|costa|zijn|kost"
    r"|(?<=who )(?!was\b)[a-z]+s)\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:was|were|did|had|been|wa[rs]en?|wurden?|hatten?|était|étaient|fue|era|eran|erano|werd)\b", re.IGNORECASE
)


def asks_when(question: str) -> bool:
    """Return True if a question asks for a date, in one of six languages."""
    return _WHEN.match(question) is not None


def asks_about_the_present(question: str) -> bool:
    """Return True if a question in the present tense asks for something that may have changed."""
    return _PRESENT.search(question) is not None and _PAST.search(question) is None


def asks_for_an_end(question: str) -> bool:
    """Return True if a question asks about a death.

    In "(14 March 1879 – 18 April 1955)", the second date then answers it.
    """
    return _DEATH.search(question.lower()) is not None


def _of_noun(rest: str) -> Types:
    """Return the entity types for a question with "what" or "which", given the text after this word."""
    for pattern, types in _DIRECT:
        if pattern.match(rest):
            return types
    for pattern, types in _RELATIONAL:
        found = pattern.match(rest)
        if found and _OF.match(found["after"]) and not _ONLY_WITH_PLACE.search(rest):
            return types
    return ()
