"""Reports of communities written by a language model, one request each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from overstory.display import counted
from overstory.llm import Chat, Estimate, Request, prompt
from overstory.systems.tree.model_reports import MOST_CHUNKS, ReportWriter, Source, cut, fitting, part_source
from overstory.systems.tree.reports import Report
from overstory_systems.hirag.knowledge_graph import LayerEntity
from overstory_systems.hirag.names import NAME
from overstory_systems.hirag.report_material import MOST_ENTITIES, MOST_RELATIONS, Material
from overstory_systems.hirag.reports import RuleReporter, stated

PROMPT = "report"
MOST_SOURCES = MOST_ENTITIES + MOST_RELATIONS
LONGEST_ENTITY = 400
BESIDE_PARTS = 6
"""Entities, and relations, that a request has along with reports on parts."""


class ModelReporter:
    """Asks a model, several communities of a level at a time.

    A community whose answer cannot be used, or has no finding with a source that was shown, gets its report by rules,
    and is counted.
    """

    def __init__(self, chat: Chat, model: str, entities: Sequence[LayerEntity] = ()) -> None:
        """
        Args:
            model: the name that reports carry in `by`.
            entities: as of `RuleReporter`, which takes over where answers cannot be used.
        """
        self._writer = ReportWriter(chat.booked(NAME), model, prompt(PROMPT, __package__))
        self._rules = RuleReporter(entities)
        self._by_rules = 0
        self.fingerprint = f"{self._writer.fingerprint} {RuleReporter.fingerprint}"

    @property
    def notes(self) -> Sequence[str]:
        """See `Reporter.notes`."""
        if not self._by_rules:
            return ()
        reports = counted(self._by_rules, "report")
        return (f"{reports} on communities by rules: the answers of {self._writer.model} could not be used",)

    def write(self, communities: Iterable[tuple[Material, Sequence[Report]]]) -> Iterator[Report]:
        """See `Reporter.write`.

        Raises:
            BudgetExhausted: the next request might go over the budget.
            LlmError: there is no answer; earlier reports have been yielded.
        """
        for report, by_rules in self._writer.chat.each(self._one, communities):
            self._by_rules += by_rules
            yield report

    def estimate(self, communities: int) -> Estimate:
        """The most that reports on so many communities cost; see `ReportWriter.estimate`."""
        return self._writer.estimate(communities, MOST_SOURCES)

    def request(self, material: Material, parts: Sequence[Report]) -> Request:
        """What is asked for one community."""
        return self._writer.request(material.size, shown_sources(material, parts))

    def _one(self, community: tuple[Material, Sequence[Report]]) -> tuple[Report, bool]:
        """The report, and whether it is by rules."""
        material, parts = community
        written = self._writer.report(material.key, material.size, shown_sources(material, parts))
        return (self._rules.report(material, parts), True) if written is None else (written, False)


def shown_sources(material: Material, parts: Sequence[Report]) -> list[Source]:
    """What a request says of a community, as far as it fits: entities and relations, of a large community few of them
    and then the reports on its parts."""
    entities, relations = list(_entities(material)), list(_relations(material))
    if not parts:
        return fitting([*entities, *relations])
    return fitting([*entities[:BESIDE_PARTS], *relations[:BESIDE_PARTS], *map(part_source, parts)])


def _entities(material: Material) -> Iterator[Source]:
    for entity in material.entities:
        kind = f" ({entity.type})" if entity.type else ""
        text = f"Entity {entity.name}{kind}: {entity.description or '(nothing is said of it)'}"
        yield Source(cut(text, LONGEST_ENTITY), entity.chunks, entity.chunks[:MOST_CHUNKS], (entity.name,))


def _relations(material: Material) -> Iterator[Source]:
    for relation in material.relations:
        ends = (material.ends[relation.source], material.ends[relation.target])
        chunks = tuple(dict.fromkeys([*relation.chunks[:1], *(chunk for end in ends for chunk in end.chunks[:1])]))
        text = stated(relation, material.ends)
        yield Source(f"Relation: {text}", chunks, chunks, tuple(end.name for end in ends))
