"""The kind of name, date or number that a question asks for, inferred from its words."""

from __future__ import annotations

import re

Types = tuple[str, ...]
"""Labels of spaCy's English pipelines, the likeliest first."""

PERSON: Types = ("PERSON",)
PLACE: Types = ("GPE", "LOC", "FAC")
DATE: Types = ("DATE", "TIME")
NUMBER: Types = ("CARDINAL", "QUANTITY", "MONEY", "PERCENT", "ORDINAL")


def _which(words: str) -> str:
    return rf"\b(?:what|which)\s+(?:\w+\s+)?(?:{words})\b"


_RULES: tuple[tuple[re.Pattern[str], Types], ...] = tuple(
    (re.compile(pattern), types)
    for pattern, types in (
        (r"\bhow\s+(?:many|much|old|long|far|high|tall|large)\b|\b(?:percentage|number\s+of|population)\b", NUMBER),
        (r"\bwhen\b|\bdate\s+of\b|\byear\b|" + _which("date|decade|month|day|century"), DATE),
        (r"\bnationality\b|\blanguages?\b|\bethnic", ("NORP", "LANGUAGE", "GPE")),
        (
            r"\bwhere\b|\b(?:place|country|city|county|state)\s+of\b|"
            + _which("country|city|town|county|state|place|region|river|island|continent|province|district|village"),
            PLACE,
        ),
        (
            _which("company|band|university|team|club|school|college|award|party|agency|studio|label|newspaper")
            + "|"
            + _which("organi[sz]ation|magazine|corporation|association"),
            ("ORG",),
        ),
        (_which("film|movie|song|album|book|novel|show|series|game|play|poem"), ("WORK_OF_ART",)),
        (
            r"\bwho(?:m|se)?\b|"
            + _which("actor|actress|singer|director|author|writer|player|president|king|queen|man|woman|person")
            + "|"
            + _which("composer|performer|musician"),
            PERSON,
        ),
    )
)
_CHOICE = re.compile(r"\bor\b|\bboth\b|^(?:is|are|was|were|do|does|did|has|have|had|can|could)\b")
_DEATH = re.compile(r"\b(?:die|dies|died|death|killed)\b")


def types_asked_for(question: str) -> Types:
    """The types of entities that may be the answer; () if unknown."""
    said = question.lower()
    return () if asks_to_choose(question) else next((types for rule, types in _RULES if rule.search(said)), ())


def asks_to_choose(question: str) -> bool:
    """Whether it asks for yes or no, or for one of several things that it names."""
    return _CHOICE.search(question.strip().lower()) is not None


def asks_for_an_end(question: str) -> bool:
    """Whether it asks for somebody's death: of "(14 March 1879 – 18 April 1955)" the second date."""
    return _DEATH.search(question.lower()) is not None
