"""Summary entities, which represent clusters in the layer above, and the rules that write summaries.

A summary by rules is named after the member nearest to the cluster's mean and a theme that the members' descriptions
share: "Niels Bohr and others – Danish physicist, quantum". Its description quotes the members nearest to the mean, and
cites all their passages. Therefore, it is deleted with any of these passages.
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
"""Types of summaries: the set X of meta types, for which the paper only gives examples."""
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
"""Minimum weight of a link. It applies to members whose vectors point away from the mean."""
_NAMED_CLUSTER_MEMBERS = 8
"""Maximum number of members that a description names."""
_QUOTED_CLUSTER_MEMBERS = 3
"""Number of named members with a quoted sentence."""
_MOST_CLUSTER_CHUNKS = 100
"""Maximum number of passages that a summary by rules cites. Only the nearest member may exceed it."""
_LONGEST_MEMBER_SENTENCE_CHARACTERS = 240  # maximum length of a quoted sentence
_LONGEST_HEAD_CHARACTERS = 80
"""Maximum number of characters of a member's name in the name of a summary."""

_DASH = " – "
_AND_OTHERS = " and others"
_ARTICLE = re.compile(r"^(?:the|The)\s+")


@dataclass(frozen=True, slots=True)
class Group:
    """A cluster of at least two members, from which summaries are written.

    Attributes:
        members: Entities of one layer, sorted by ref.
        vectors: Vectors of the members, shape (n, d).
        common: IDF weights of the words in the whole layer.
    """

    members: Sequence[LayerEntity]
    vectors: Vectors
    common: CommonWords


@dataclass(frozen=True, slots=True)
class JoinedMember:
    """A link from a summary to one of its members.

    Attributes:
        member: Position of the member in the group.
        weight: Greater than 0, at most 1.
        description: Reason for the link, "" if rules created it.
    """

    member: int
    weight: float
    description: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary, which becomes an entity of the next layer.

    Attributes:
        name: Contains at least one letter or digit, so that its key is not empty.
        type: One of `META_TYPES`.
        chunks: Ids of all passages that the description uses, those of the nearest member first.
        members: Members sorted by position. Each member of a group belongs to at least one of the group's summaries.
    """

    name: str
    type: str
    description: str
    chunks: tuple[str, ...]
    by: str
    members: tuple[JoinedMember, ...]

    def entity(self, layer: int, cluster: str) -> LayerEntity:
        """Convert the summary to an entity of a layer. `cluster` is the digest of the summary's input."""
        key = entity_key(self.name)
        return LayerEntity(layer, key, self.name, self.type, self.description, self.chunks, by=self.by, source=cluster)


Summariser: TypeAlias = TextWriter[Group, Sequence[Summary]]
"""Writes at least one summary per group."""


class RuleClusterSummariser(RuleWriter[Group, Sequence[Summary]]):
    """Writes one summary per group. The weight of a member is its cosine with the mean of all members."""

    fingerprint = "hirag-summaries:3"

    def text(self, group: Group) -> Sequence[Summary]:
        return [rule_summary(group)]


def summariser_for(chat: Chat | None, model: str) -> Summariser:
    """Return a writer of summaries, which uses the language model if there is one, otherwise rules."""
    if chat is None:
        return RuleClusterSummariser()
    from overstory_systems.hirag.model_texts import ModelClusterSummariser  # pydantic is needed only with a model

    return ModelClusterSummariser(chat, model)


def common_words(layer: Sequence[LayerEntity]) -> CommonWords:
    """Compute the IDF weights of the words in a layer's descriptions."""
    return CommonWords(lambda: map(_described, evenly(layer)))


def shared(members: Sequence[LayerEntity], common: CommonWords) -> tuple[list[str], str]:
    """Return key phrases that the descriptions share, and a theme that avoids words of the first member's name."""
    return in_common(list(map(_described, members)), common, head_of(members[0]) if members else "")


def _described(entity: LayerEntity) -> Described:
    return Described(entity.name, entity.description)


def rule_summary(group: Group) -> Summary:
    """Summarise a group by rules. The summary is named after the nearest member that has the summary's meta type."""
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
    """Return the most frequent meta type, the alphabetically first on a tie, or "other" if no type is known."""
    types = [each.type if each.layer else _META_TYPE.get(each.type, OTHER) for each in members]
    known = Counter(each for each in types if each in META_TYPES and each != OTHER)
    return min(known, key=lambda each: (-known[each], each)) if known else OTHER


def head_of(entity: LayerEntity) -> str:
    """Return an entity's name as used in names of summaries. A summary by rules is represented by its first member."""
    name = entity.name
    if entity.layer and entity.by == RULES:
        name = name.partition(_DASH)[0].removesuffix(_AND_OTHERS).partition("; ")[0]
    if name.count('"') % 2:
        name = name.replace('"', "")
    return shortened(_ARTICLE.sub("", name) or entity.name, _LONGEST_HEAD_CHARACTERS)


def _name(named: Sequence[LayerEntity], theme: str, count: int) -> str:
    """Build a name from one head in layer 1, two in layer 2 and three above, so that it differs from members' names."""
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
    sentences = [f"Summary of {count:,} entities: {names}{others}."]
    if phrases:
        sentences.append(f"In common: {', '.join(phrases)}.")
    if not named[0].layer:
        first = (sentence for each in named for sentence in sentences_of(each.description)[:1])
        sentences += list(
            dict.fromkeys(shortened(sentence, _LONGEST_MEMBER_SENTENCE_CHARACTERS) for sentence in first)
        )[:_QUOTED_CLUSTER_MEMBERS]
    return " ".join(sentences)
