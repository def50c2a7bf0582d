"""Reports of communities written by a language model, one request each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from overstory.display import counted
from overstory.llm import Chat, prompt
from overstory.systems.texts.model_reports import (
    MOST_CHUNKS_OF_A_FINDING,
    ReportWriter,
    Shown,
    Source,
    fitting,
    sources_of,
)
from overstory.systems.texts.phrasing import cut
from overstory_systems.hirag.knowledge_graph import LayerEntity
from overstory_systems.hirag.names import NAME
from overstory_systems.hirag.report_material import MOST_REPORT_ENTITIES, MOST_REPORT_RELATIONS, Material
from overstory_systems.hirag.reports import RuleReporter, stated

_LONGEST_ENTITY_CHARACTERS = 400  # of what a request says of one entity


class ModelReporter(ReportWriter[Material]):
    """Asks a model, several communities of a level at a time."""

    most_sources = MOST_REPORT_ENTITIES + MOST_REPORT_RELATIONS

    def __init__(self, chat: Chat, model: str, entities: Sequence[LayerEntity] = ()) -> None:
        """
        Args:
            model: the name that reports carry in `by`.
            entities: as of `RuleReporter`.
        """
        super().__init__(chat.booked(NAME), model, prompt("report", __package__), RuleReporter(entities))

    def fallen_back(self) -> str:
        return f"{counted(self.by_rules, 'report')} on communities by rules"

    def shown(self, group: Material) -> Shown:
        sources = sources_of(list(_entities(group)), list(_relations(group)), group.parts)
        return Shown(group.key, group.size, fitting(sources))


def _entities(material: Material) -> Iterator[Source]:
    for entity in material.entities:
        kind = f" ({entity.type})" if entity.type else ""
        text = f"Entity {entity.name}{kind}: {entity.description or '(nothing is said of it)'}"
        yield Source(
            cut(text, _LONGEST_ENTITY_CHARACTERS),
            entity.chunks,
            entity.chunks[:MOST_CHUNKS_OF_A_FINDING],
            (entity.name,),
        )


def _relations(material: Material) -> Iterator[Source]:
    for relation in material.relations:
        ends = (material.ends[relation.source], material.ends[relation.target])
        chunks = tuple(dict.fromkeys([*relation.chunks[:1], *(chunk for end in ends for chunk in end.chunks[:1])]))
        text = stated(relation, material.ends)
        yield Source(f"Relation: {text}", chunks, chunks, tuple(end.name for end in ends))
