"""A question as triples, by the rules that read passages; and what it names, for where it has none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from overstory.model import FactStatement
from overstory.retrieve.question import Question, shortened_for_parser
from overstory.settings import ExtractionSettings
from overstory.text.coreference.references import PRONOUNS, REFERENCES
from overstory.text.extraction.findings import FINDINGS
from overstory.text.names.keys import entity_key
from overstory.text.parsing.pipelines import find_pipeline
from overstory.text.parsing.readings import combined
from overstory.text.parsing.spacy_parser import SpacyParser
from overstory.text.questions.mentioned import mentioned
from overstory_systems.apr.triples import Triple

_MOST_SEARCHED_NAMES = 16
"""Names that are looked for, those of triples among them; each costs a search of its own."""
_MOST_ASKED_TRIPLES = 16  # triples of a question that are searched for

ASKING = frozenset({"who", "whom", "whose", "what", "which", "where", "when", "why", "how"})
_STANDS_FOR_NOTHING = ASKING | PRONOUNS.keys() | {"that", "this", "there"}

_READING = combined((FINDINGS, REFERENCES))


@dataclass(frozen=True, slots=True)
class AskedTriples:
    """What a question says.

    Attributes:
        triples: in the order of the question; a head or a tail that it asks for is "". At most `_MOST_ASKED_TRIPLES`.
        names: heads and tails of the triples, then names and noun phrases of the question, each once. At most
            `_MOST_SEARCHED_NAMES`.
        notes: whether the parser read less than the question.
    """

    triples: tuple[Triple, ...]
    names: tuple[str, ...]
    notes: tuple[str, ...] = ()


class QuestionTripleReader:
    """Reads triples out of questions. Safe to share between threads."""

    def __init__(self, settings: ExtractionSettings) -> None:
        self._parser = SpacyParser(find_pipeline(settings.pipeline), _READING)

    def read(self, question: Question) -> AskedTriples:
        """See `AskedTriples`."""
        text, notes = shortened_for_parser(question.text)
        findings, references = self._parser.parse([text])[0]
        triples = asked_triples(findings.facts)[:_MOST_ASKED_TRIPLES]
        of_triples = (name for triple in triples for name in triple.ends)
        names = (*of_triples, *mentioned(text, references.references))
        return AskedTriples(tuple(triples), tuple(_once(names))[:_MOST_SEARCHED_NAMES], notes)


def asked_triples(facts: Iterable[FactStatement]) -> list[Triple]:
    """The facts of a question as triples. Words that ask, and pronouns, are taken out: "which band" is "band", "who" is
    "". A triple that names nothing then is left out."""
    triples = (Triple(_said(fact.subject), fact.predicate, _said(fact.object), fact.sentence) for fact in facts)
    return [triple for triple in triples if triple.ends]


def _said(text: str) -> str:
    first, _, rest = text.partition(" ")
    if not rest:
        return "" if first.casefold() in _STANDS_FOR_NOTHING else text
    return _said(rest) if first.casefold() in ASKING else text


def _once(names: Iterable[str]) -> Iterator[str]:
    known: set[str] = set()
    for name in names:
        key = entity_key(name)
        if key and key not in known:
            known.add(key)
            yield name
