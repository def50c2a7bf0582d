"""Questions about things in a corpus, for facts that no passage states, such as "What is the salary of Ada Huber?"

A thing is the title of a passage whose first sentence gives its class: a person, a film, a town. The question comes
from a template. It is used only if no passage with the thing's name contains a word that would answer it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence

CLASSES = (
    ("film", "film|movie|miniseries|television series|sitcom"),
    ("song", "song|single|album|EP"),
    ("band", "band|group|duo|orchestra"),
    (
        "person",
        (
            "actor|actress|singer|politician|footballer|player|writer|author|director|king|queen|duke|prince|princess"
            "|composer|musician|soldier|officer|scientist|poet|artist|judge|bishop|businessman|screenwriter|producer|model"
            "|journalist|coach|wrestler|boxer|nobleman"
        ),
    ),
    ("place", "town|village|city|municipality|county|district|community|borough|commune|province|hamlet"),
    (
        "company",
        (
            "company|corporation|organi[sz]ation|university|school|college|label|newspaper|airline|museum|magazine|club"
            "|agency"
        ),
    ),
)
"""Words with which the first sentence of a passage gives the class of its title."""

TEMPLATES: Mapping[str, Sequence[tuple[str, str]]] = {
    "person": (
        ("What is the salary of {}?", r"salary|salaries|paid|earn\w*|income|wage\w*"),
        ("How tall is {}?", "tall|height|feet|metres|cm"),
        ("What is the phone number of {}?", "phone|telephone"),
        ("Who is the dentist of {}?", "dentist"),
        ("How many languages does {} speak?", "languages?|speaks?|spoke|fluent"),
        ("At which hospital was {} treated?", "hospital|treated|treatment|clinic"),
        ("How much does {} weigh?", r"weigh\w*|kg|pounds"),
        ("Who is the lawyer of {}?", "lawyer|attorney|solicitor|counsel"),
    ),
    "film": (
        ("What was the budget of {}?", r"budget|cost\w*|million"),
        ("How many tickets did {} sell?", "tickets?|sold|sales?|admissions"),
        ("Who designed the costumes of {}?", "costumes?"),
        ("How many minutes does {} last?", "minutes?|runtime|running time|length|hours?"),
        ("Where was the premiere of {} held?", r"premiere\w*"),
        ("Who insured {}?", r"insur\w*"),
    ),
    "place": (
        ("Who is the mayor of {}?", r"mayor\w*"),
        ("What is the postal code of {}?", "postal|postcode|zip|code"),
        ("How many hospitals are there in {}?", "hospitals?"),
        ("What is the unemployment rate of {}?", r"unemploy\w*|jobless"),
        ("Which tram lines serve {}?", "trams?|streetcar"),
        ("When did {} get electricity?", r"electric\w*"),
    ),
    "company": (
        ("Who is the chief executive of {}?", "chief executive|ceo|executive|director|president|head"),
        ("What was the annual revenue of {}?", "revenue|turnover|sales|income|million|billion"),
        ("In which year was {} shut down?", "shut|closed|closure|ceased|defunct|dissolved|ended"),
        ("How many employees does {} have?", r"employ\w*|staff|workers"),
        ("Which bank lends money to {}?", r"bank\w*|loan\w*|lend\w*|debt"),
    ),
    "song": (
        ("How many copies did {} sell?", "cop(?:y|ies)|sold|sales|selling|million|platinum|gold"),
        ("In which studio was {} recorded?", "studios?"),
        ("Who directed the music video of {}?", "video"),
        ("How much did the recording of {} cost?", r"cost\w*|budget|expens\w*|paid"),
    ),
    "band": (
        ("Who is the accountant of {}?", "accountant"),
        ("How many copies did {} sell?", "cop(?:y|ies)|sold|sales|selling|million|platinum|gold"),
        ("Which bank lends money to {}?", r"bank\w*|loan\w*|lend\w*|debt"),
    ),
    "program": (
        ("How much does a licence for {} cost?", "costs?|price|fee|pay|buy|purchase|dollars?"),
        ("Which port does {} listen on?", r"ports?|listen\w*"),
        ("In which year was {} first released?", r"released?|appeared|history|first|19\d\d|20\d\d"),
        ("Who is the translator of {}?", r"translat\w*"),
        ("What is the maximum temperature of {}?", "temperature"),
        ("How many employees maintain {}?", r"employ\w*|maintain\w*"),
        ("Which company sells {}?", r"company|compan\w*|sell\w*|vendor|inc|corp"),
    ),
}
"""Questions for each class, and the words that no passage about the thing may contain."""

LEAST_SHARED = 12  # characters of the title with which the first sentence of its passage must start
LONGEST_BEFORE_CLASS = 80

_QUALIFIER = re.compile(r"\s*\([^()]*\)$")
_SENTENCE = re.compile(r"(?<=[.!?])\s")
_IS = re.compile(r"\b(?:is|was|are|were)\b")
_PROGRAM = re.compile(r"[A-Za-z][\w.:+-]{2,40}")
_MODULE = re.compile(r"\b[A-Z]\w+(?:::\w+)+")


def exchanged(passages: Iterable[tuple[str, str]], most: int) -> list[str]:
    """Return at most `most` questions for facts that no passage states, in a fixed random order.

    Args:
        passages: Pairs of title and text.
    """
    listed = list(passages)
    chance = random.Random(7)  # noqa: S311 # no secret
    things = list(dict.fromkeys(thing for title, text in listed if (thing := _thing(title, text.strip()))))
    chance.shuffle(things)
    lower = [f"{title}\n{text}".lower() for title, text in listed]
    found: list[str] = []
    for kind, name in things:
        if len(found) == most:
            break
        mentioning = [text for text in lower if name.lower() in text]
        templates = list(TEMPLATES[kind])
        chance.shuffle(templates)
        for question, answers in templates:
            if not any(re.search(rf"\b(?:{answers})\b", text) for text in mentioning):
                found.append(question.format(name))
                break
    return found


def _thing(title: str, text: str) -> tuple[str, str] | None:
    """Return class and name of a passage's subject: its title, or the program or module that it documents."""
    if not title:
        line = text.partition("\n")[0].strip()
        return ("program", line) if _PROGRAM.fullmatch(line) else None
    if module := _MODULE.search(text):
        return "program", module.group()
    name = _QUALIFIER.sub("", title).strip()
    sentence = _SENTENCE.split(text)[0]
    verb = _IS.search(sentence)
    if not name or verb is None or not sentence.lower().startswith(name.lower()[:LEAST_SHARED]):
        return None
    after = sentence[verb.end() : verb.end() + LONGEST_BEFORE_CLASS]
    classes = [(match.start(), kind) for kind, words in CLASSES if (match := re.search(rf"\b(?:{words})\b", after))]
    return (min(classes)[1], name) if classes else None
