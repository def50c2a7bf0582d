"""Summary entities: what stands for a cluster in the layer above, here as rules write it.

A summary by rules is named after the member nearest to the cluster's mean and after what the members' descriptions have
in common: "Niels Bohr and others – Danish physicist, quantum". It takes words and sentences from some members only,
those nearest to the mean, and stands on all passages that these stand on: when one of them is deleted, so is the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from overstory.display import shortened
from overstory.llm import Chat
from overstory.protocols import Vectors
from overstory.systems.texts.passages import in_common, passages_of, within
from overstory.systems.texts.reports import RULES
from overstory.systems.texts.writers import RuleWriter, TextWriter
from overstory.systems.tree.build import nearest_first, to_mean
from overstory.text.key_phrases import CommonWords, Described, evenly, sentences_of
from overstory.text.names.keys import entity_key
from overstory_systems.hirag.knowledge_graph import LayerEntity

MetaType = Literal[
    "organization",
    "person",
    "location",
    "event",
    "product",
    "technology",
    "industry",
    "mathematics",
    "social sciences",
    "other",
]
META_TYPES: tuple[str, ...] = get_args(MetaType)
"""Types of summaries: the paper's set X of meta summary entities, which it only gives examples of."""
OTHER = "other"
_META_TYPE = {
    "ORG": "organization",
    "PERSON": "person",
    "GPE": "location",
    "LOC": "location",
    "FAC": "location",
    "EVENT": "event",
    "PRODUCT": "product",
    "WORK_OF_ART": "product",
    "NORP": "social sciences",
    "LAW": "social sciences",
    "LANGUAGE": "social sciences",
    "CODE": "technology",
    "OPTION": "technology",
    "COMMAND": "technology",
    "FILE": "technology",
    "PACKAGE": "technology",
    "TERM": "technology",
}

_LEAST_MEMBER_WEIGHT = 0.01
"""Of a link: a member that points away from the mean is joined all the same."""
_NAMED_CLUSTER_MEMBERS = 8
"""Members whose names a description gives."""
_QUOTED_CLUSTER_MEMBERS = 3
"""Of these, members that it quotes a sentence of."""
_MOST_CLUSTER_CHUNKS = 100
"""Passages that a summary by rules stands on: members that would add more are not named. The nearest always is."""
_LONGEST_MEMBER_SENTENCE_CHARACTERS = 240  # of a sentence that is quoted of a member
_LONGEST_HEAD_CHARACTERS = 80
"""Characters of a member's name in the name of a summary."""

_DASH = " – "
_AND_OTHERS = " and others"
_ARTICLE = re.compile(r"^(?:the|The)\s+")


@dataclass(frozen=True, slots=True)
class Group:
    """A cluster of two members or more, as a summariser reads it.

    Attributes:
        members: entities of one layer, in order of ref.
        vectors: theirs, shape (n, d).
        common: how specific words are in the whole layer.
    """

    members: Sequence[LayerEntity]
    vectors: Vectors
    common: CommonWords


@dataclass(frozen=True, slots=True)
class JoinedMember:
    """A member that a summary summarises.

    Attributes:
        member: its place in the group.
        weight: above 0, at most 1.
        description: why, "" where rules joined them.
    """

    member: int
    weight: float
    description: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """An entity for the layer above.

    Attributes:
        name: of letters or digits at least in part, so that it has a key.
        type: one of `META_TYPES`.
        chunks: the ids of all passages that the description takes something from, those of the nearest member first.
        members: in order of their places; each member of a group is in one summary of it at least.
    """

    name: str
    type: str
    description: str
    chunks: tuple[str, ...]
    by: str
    members: tuple[JoinedMember, ...]

    def entity(self, layer: int, cluster: str) -> LayerEntity:
        """The entity that it becomes.

        Args:
            cluster: the digest of what the summary is made from.
        """
        key = entity_key(self.name)
        return LayerEntity(layer, key, self.name, self.type, self.description, self.chunks, by=self.by, source=cluster)


Summariser: TypeAlias = TextWriter[Group, Sequence[Summary]]
"""Writes at least one summary of each group."""


class RuleClusterSummariser(RuleWriter[Group, Sequence[Summary]]):
    """One summary of each group; every member is joined, by its cosine to the mean of the members' vectors."""

    fingerprint = "hirag-summaries:3"

    def text(self, group: Group) -> Sequence[Summary]:
        return [rule_summary(group)]


def summariser_for(chat: Chat | None, model: str) -> Summariser:
    """The writer of summary entities.

    Args:
        model: the name of the language model.
    """
    if chat is None:
        return RuleClusterSummariser()
    from overstory_systems.hirag.model_texts import ModelClusterSummariser  # pydantic, which only a model needs

    return ModelClusterSummariser(chat, model)


def common_words(layer: Sequence[LayerEntity]) -> CommonWords:
    """IDF weights of words in the descriptions of a layer."""
    return CommonWords(lambda: map(_described, evenly(layer)))


def shared(members: Sequence[LayerEntity], common: CommonWords) -> tuple[list[str], str]:
    """Key phrases that the descriptions of members share, without words of the first head; see `in_common`."""
    return in_common(list(map(_described, members)), common, head_of(members[0]) if members else "")


def _described(entity: LayerEntity) -> Described:
    return Described(entity.name, entity.description)


def rule_summary(group: Group) -> Summary:
    """The summary of a group by rules. It is named after the nearest member that is of the summary's type."""
    cosines = to_mean(group.vectors)
    kind = meta_type(group.members)
    by_nearness = [group.members[place] for place in nearest_first(cosines).tolist()]
    nearest = [each for each in by_nearness if meta_type([each]) == kind]
    nearest += [each for each in by_nearness if meta_type([each]) != kind]
    named = within(nearest, _MOST_CLUSTER_CHUNKS)[:_NAMED_CLUSTER_MEMBERS]
    phrases, theme = shared(named, group.common)
    return Summary(
        name=_name(named, theme, len(nearest)),
        type=kind,
        description=_description(named, phrases, len(nearest)),
        chunks=passages_of(named),
        by=RULES,
        members=tuple(JoinedMember(place, as_weight(float(cosine))) for place, cosine in enumerate(cosines)),
    )


def as_weight(cosine: float) -> float:
    return min(1.0, max(_LEAST_MEMBER_WEIGHT, cosine))


def meta_type(members: Iterable[LayerEntity]) -> str:
    """The meta type of most members; of equally frequent ones the first in the alphabet. "other" where none has one."""
    types = [each.type if each.layer else _META_TYPE.get(each.type, OTHER) for each in members]
    known = Counter(each for each in types if each in META_TYPES and each != OTHER)
    return min(known, key=lambda each: (-known[each], each)) if known else OTHER


def head_of(entity: LayerEntity) -> str:
    """What the name of a summary calls the entity: its name; of a summary by rules that of its first member."""
    name = entity.name
    if entity.layer and entity.by == RULES:
        name = name.partition(_DASH)[0].removesuffix(_AND_OTHERS).partition("; ")[0]
    if name.count('"') % 2:
        name = name.replace('"', "")
    return shortened(_ARTICLE.sub("", name) or entity.name, _LONGEST_HEAD_CHARACTERS)


def _name(named: Sequence[LayerEntity], theme: str, count: int) -> str:
    """One head in layer 1, two in layer 2, three above: a summary of summaries is not called as one of these."""
    layer = named[0].layer
    heads = list(dict.fromkeys(head_of(each) for each in named[: min(3, layer + 1)]))
    if count == 2 and not layer:
        name = " and ".join(dict.fromkeys(head_of(each) for each in named))
    else:
        name = "; ".join(heads) + _AND_OTHERS
    return name + (_DASH + theme if theme else "")


def _description(named: Sequence[LayerEntity], phrases: Sequence[str], count: int) -> str:
    names = "; ".join(shortened(each.name, _LONGEST_HEAD_CHARACTERS) for each in named)
    others = f" and {count - len(named):,} more" if count > len(named) else ""
    said = [f"Summary of {count:,} entities: {names}{others}."]
    if phrases:
        said.append(f"In common: {', '.join(phrases)}.")
    if not named[0].layer:
        first = (sentence for each in named for sentence in sentences_of(each.description)[:1])
        said += list(dict.fromkeys(shortened(sentence, _LONGEST_MEMBER_SENTENCE_CHARACTERS) for sentence in first))[
            :_QUOTED_CLUSTER_MEMBERS
        ]
    return " ".join(said)
