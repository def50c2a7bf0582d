"""Writes reports on communities and summaries of clusters with a language model, one request each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import BaseModel, BeforeValidator, Field

from overstory.display import counted, shortened
from overstory.llm import Chat, Estimate, Request, prompt
from overstory.llm.answer_fields import Strength, at_most
from overstory.model import Message
from overstory.model.passage_text import count_at_most
from overstory.surrogates import on_one_line
from overstory.systems.texts.model_reports import (
    MOST_CHUNKS_OF_A_FINDING,
    ReportWriter,
    Shown,
    Source,
    fitting,
    sources_of,
)
from overstory.systems.texts.passages import cut, passages_of, within
from overstory.systems.texts.writers import ModelWriter, WritingOutcome
from overstory.systems.tree.build import cosines_to, nearest_first, to_mean
from overstory.text.names.keys import entity_key
from overstory_systems.hirag.knowledge_graph import NAME, LayerEntity
from overstory_systems.hirag.layers import MOST_CLUSTER_MEMBERS
from overstory_systems.hirag.report_material import MOST_REPORT_ENTITIES, MOST_REPORT_RELATIONS, Material
from overstory_systems.hirag.reports import RuleReporter, stated
from overstory_systems.hirag.summaries import (
    META_TYPES,
    OTHER,
    Group,
    JoinedMember,
    MetaType,
    RuleClusterSummariser,
    Summary,
    as_weight,
)

_LONGEST_ENTITY_CHARACTERS = 400  # maximum length of an entity's description in a request


class ModelReporter(ReportWriter[Material]):
    """Writes reports with a language model, several communities of a level at a time."""

    most_sources = MOST_REPORT_ENTITIES + MOST_REPORT_RELATIONS

    def __init__(self, chat: Chat, model: str, entities: Sequence[LayerEntity] = ()) -> None:
        """Create a writer of reports.

        Args:
            model: Name of the model, which reports contain as `by`.
            entities: Entities of the corpus, for `RuleReporter`.
        """
        super().__init__(chat.booked(NAME), model, prompt("report", __package__), RuleReporter(entities))

    def fallen_back(self) -> str:
        return f"{counted(self.by_rules, 'report')} on communities written by rules"

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


_MOST_MEMBER_TOKENS = 4_000
"""Upper bound on the number of tokens of the members in a prompt. The member nearest to the mean is always shown."""
_MOST_MEMBER_CHUNKS = 1_000
"""Maximum number of passages of the members in a prompt. The summaries cite all of them."""
_LONGEST_SUMMARISED_CHARACTERS = 4_000
"""Number of characters of a text that are read; the rest is ignored."""
_LONGEST_MEMBER_DESCRIPTION_CHARACTERS = 1_000
"""Maximum number of characters of a member's description in a prompt."""
_MOST_SUMMARIES_A_CLUSTER = 4  # maximum number of summaries in an answer
_LONGEST_CLUSTER_NAME_CHARACTERS = 120  # maximum length of a name
_LONGEST_JOINED_REASON_CHARACTERS = 160  # maximum length of the reason for a link
_LONGEST_CLUSTER_SUMMARY_CHARACTERS = 1_000
"""Maximum number of characters of a summary's description."""
_MEMBER_STRENGTHS = 10.0  # maximum strength in answers

_META_TYPE_LIST = ", ".join(f'"{each}"' for each in META_TYPES)


def _meta_type(value: object) -> object:
    """Return the type, or "other" if the model invented one, because its answer should not be wasted."""
    known = value.strip().lower() if isinstance(value, str) else value
    return known if known in META_TYPES else OTHER


class SummarisedMember(BaseModel):
    """An entity that a summary summarises, by its number in the prompt."""

    number: int
    why: Annotated[
        str, Field(max_length=_LONGEST_JOINED_REASON_CHARACTERS), at_most(_LONGEST_JOINED_REASON_CHARACTERS)
    ] = ""
    strength: Strength


class FoundSummary(BaseModel):
    """A summary entity as the model describes it."""

    name: Annotated[
        str, Field(min_length=1, max_length=_LONGEST_CLUSTER_NAME_CHARACTERS), at_most(_LONGEST_CLUSTER_NAME_CHARACTERS)
    ]
    type: Annotated[MetaType, BeforeValidator(_meta_type)]
    description: Annotated[
        str,
        Field(min_length=1, max_length=_LONGEST_CLUSTER_SUMMARY_CHARACTERS),
        at_most(_LONGEST_CLUSTER_SUMMARY_CHARACTERS),
    ]
    members: Annotated[list[SummarisedMember], Field(max_length=MOST_CLUSTER_MEMBERS), at_most(MOST_CLUSTER_MEMBERS)]


class FoundSummaries(BaseModel):
    """What a model says of a cluster."""

    summaries: Annotated[
        list[FoundSummary],
        Field(min_length=1, max_length=_MOST_SUMMARIES_A_CLUSTER),
        at_most(_MOST_SUMMARIES_A_CLUSTER),
    ]


@dataclass(frozen=True, slots=True)
class _GroupExcerpt:
    """The members of a group that a prompt shows.

    Attributes:
        places: Positions of the shown members in the group. Number i in the prompt refers to `places[i - 1]`.
        chunks: Ids of the passages that support the shown members.
    """

    texts: Sequence[str]
    places: Sequence[int]
    chunks: tuple[str, ...]


class ModelClusterSummariser(ModelWriter[Group, Sequence[Summary]]):
    """Summarises clusters with a language model, several at a time."""

    def __init__(self, chat: Chat, model: str) -> None:
        """Create a summariser.

        Args:
            model: Name of the model, which summaries contain as `by`.
        """
        super().__init__(chat.booked(NAME), model, prompt("summary", __package__), RuleClusterSummariser())

    def fallen_back(self) -> str:
        return f"{self.by_rules:,} of {self.groups:,} clusters were summarised by rules"

    def not_shown(self) -> str:
        return (
            f"{self.left_out:,} of {self.things:,} entities in clusters did not fit into the prompts: they were added "
            "to the nearest summary unread"
        )

    def asked(self, group: Group) -> WritingOutcome[Sequence[Summary]]:
        shown, size = self._shown(group), len(group.members)
        written = self.answer(FoundSummaries, self._messages(shown.texts), shown.chunks)
        summaries = self._read(group, shown, written) if written else []
        return WritingOutcome(summaries or None, size, size - len(shown.places))

    def estimate(self, groups: int) -> Estimate:
        """Estimate the cost, assuming that every prompt has the maximum length."""
        return self.times(Request(self._messages([""]), FoundSummaries), groups, more_tokens=_MOST_MEMBER_TOKENS)

    def _messages(self, texts: Sequence[str]) -> Sequence[Message]:
        return self.prompt.messages(types=_META_TYPE_LIST, entity=texts)

    def _shown(self, group: Group) -> _GroupExcerpt:
        """Select the members nearest to the mean, the nearest first."""
        order = nearest_first(to_mean(group.vectors)).tolist()
        place_of = {each.ref: place for place, each in enumerate(group.members)}
        fitting = within([group.members[place] for place in order], _MOST_MEMBER_CHUNKS)[:MOST_CLUSTER_MEMBERS]
        texts: list[str] = []
        tokens = 0
        for each in fitting:
            description = shortened(_line(each.description), _LONGEST_MEMBER_DESCRIPTION_CHARACTERS)
            text = f"{shortened(each.name, _LONGEST_CLUSTER_NAME_CHARACTERS)} ({each.type or OTHER}): {description}"
            tokens += count_at_most(text)
            if texts and tokens > _MOST_MEMBER_TOKENS:
                break
            texts.append(text)
        chosen = fitting[: len(texts)]
        return _GroupExcerpt(texts, [place_of[each.ref] for each in chosen], passages_of(chosen))

    def _read(self, group: Group, shown: _GroupExcerpt, answer: FoundSummaries) -> list[Summary]:
        """Convert the answer to summaries. Invalid member numbers are ignored, and missing members are added."""
        named = [each for each in answer.summaries if entity_key(_line(each.name)) and _line(each.description)]
        joined = [_joined(each, shown.places) for each in named]
        if any(joined):
            named = [each for each, members in zip(named, joined, strict=True) if members]
            joined = [members for members in joined if members]
        else:  # No summary has members: the first gets all.
            named, joined = named[:1], joined[:1]
        if not named:
            return []
        _join_forgotten(group, joined)
        return [
            Summary(
                name=shortened(_line(each.name), _LONGEST_CLUSTER_NAME_CHARACTERS),
                type=each.type,
                description=shortened(_line(each.description), _LONGEST_CLUSTER_SUMMARY_CHARACTERS),
                chunks=shown.chunks,
                by=self.model,
                members=tuple(members[place] for place in sorted(members)),
            )
            for each, members in zip(named, joined, strict=True)
        ]


def _joined(found: FoundSummary, places: Sequence[int]) -> dict[int, JoinedMember]:
    """Return the members of a summary by position in the group. If a number is repeated, its first mention counts."""
    joined: dict[int, JoinedMember] = {}
    for each in found.members:
        if 1 <= each.number <= len(places):
            place = places[each.number - 1]
            why = shortened(_line(each.why), _LONGEST_JOINED_REASON_CHARACTERS)
            joined.setdefault(place, JoinedMember(place, as_weight(each.strength / _MEMBER_STRENGTHS), why))
    return joined


def _join_forgotten(group: Group, joined: Sequence[dict[int, JoinedMember]]) -> None:
    """Add each member without a summary to the summary with the nearest mean, weighted by the cosine."""
    forgotten = [place for place in range(len(group.members)) if not any(place in members for members in joined)]
    if not forgotten:
        return
    exact = group.vectors.astype(np.float64)
    means = [exact[sorted(members)].mean(axis=0) if members else exact.mean(axis=0) for members in joined]
    cosines = np.stack([cosines_to(exact[forgotten], mean) for mean in means])
    for place, nearest, cosine in zip(forgotten, cosines.argmax(axis=0), cosines.max(axis=0), strict=True):
        joined[int(nearest)][place] = JoinedMember(place, as_weight(float(cosine)))


def _line(text: str) -> str:
    return on_one_line(text[:_LONGEST_SUMMARISED_CHARACTERS])
