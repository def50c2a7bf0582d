"""Summary entities: what stands for a cluster in the layer above, here as rules write it.

A summary by rules is named after the member nearest to the cluster's mean and after what the members' descriptions have
in common: "Niels Bohr and others – Danish physicist, quantum". It takes words and sentences from some members only,
those nearest to the mean, and stands on all passages that these stand on: when one of them is deleted, so is the text.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias, get_args

import numpy as np

from overstory.display import shortened
from overstory.entropy.compile import Floats, Ints
from overstory.protocols import Vectors
from overstory.systems.hirag.knowledge_graph import LayerEntity
from overstory.systems.hirag.names import RULES
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.sentences import sentence_starts, sentence_texts
from overstory.text.stems import stem

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

LEAST_WEIGHT = 0.01
"""Of a link: a member that points away from the mean is joined all the same."""
NAMED = 8
"""Members whose names a description gives."""
QUOTED = 3
"""Of these, members that it quotes a sentence of."""
MOST_CHUNKS = 100
"""Passages that a summary by rules stands on: members that would add more are not named. The nearest always is."""
PHRASES = 2
"""In a name."""
MORE_PHRASES = 5
"""In a description."""
SAMPLE = 5_000
"""Entities of a layer that say which words are common in it."""
LONGEST_SENTENCE = 240
LONGEST_READ = 2_000
"""Characters of a description that are searched for key phrases."""
LONGEST_TERM = 3
LONGER: Mapping[int, float] = {1: 1.0, 2: 1.5, 3: 1.7}
"""What a key phrase gains by its number of words: "jazz pianist" says more than "pianist"."""
LONGEST_HEAD = 80
"""Characters of a member's name in the name of a summary."""
STEPS = 2.0**20
"""Cosines are compared in steps of 2⁻²⁰: closer ones differ by rounding."""

Term: TypeAlias = tuple[str, ...]
"""One to three words, as stems."""

_DASH = " – "
_AND_OTHERS = " and others"
_RUN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*(?: +[^\W_]+(?:['’-][^\W_]+)*)*")
"""Words with nothing but spaces between them."""
_ARTICLE = re.compile(r"^(?:the|The)\s+")
_IS_A = re.compile(r"\b(?:is|was|are|were) (?:an?|the|one of the) ((?:[^\W_]+[ -]?){1,6})")
_BLAND_WORDS = (
    "according became become began begin best born built called came city common complete consist consists currently "
    "date death developed different died early entities ended established example famous father featured features "
    "first five following formed found four full group include included includes including known large largest late "
    "led left life list located main major man member members mother name named new notable number old order "
    "original originally people place played plays popular position produced published released said second series "
    "served set sometimes son starring started stars summary term third time times title took total usually version "
    "won word work worked works world written wrote year years young american british based directed daughter "
    "films albums among day made making being day days wife husband husbands wives brother sister january february "
    "march april may june july august september october november december one's both there it's he's she's"
)
_BLAND = frozenset(_BLAND_WORDS.split())
"""Words that say little of what something is, though they may be rare in a layer."""
_PREDICATE = re.compile(r"[a-z]{3,}(?:ed|ly)")
"""A past tense or an adverb: no key phrase ends with one."""
_POSSESSIVE = re.compile(r"['’]s?$")


@dataclass(frozen=True, slots=True)
class Group:
    """A cluster of two members or more, as a summariser reads it.

    Attributes:
        members: entities of one layer, in order of ref.
        vectors: theirs, shape (n, d).
    """

    members: Sequence[LayerEntity]
    vectors: Vectors


@dataclass(frozen=True, slots=True)
class Joined:
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
    members: tuple[Joined, ...]


class Summariser(Protocol):
    """Summarises clusters.

    Attributes:
        fingerprint: changes whenever the same cluster may get another summary.
    """

    fingerprint: str

    def summarise(self, layer: Sequence[LayerEntity], groups: Iterable[Group]) -> Iterator[Sequence[Summary]]:
        """At least one summary for each group, in order, lazily.

        Args:
            layer: all entities of the layer of the groups: what most of them have in common distinguishes none.
        """
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know of all groups so far."""
        ...


class RuleSummariser:
    """One summary for each group; every member is joined, by its cosine to the mean of the members' vectors."""

    fingerprint = "hirag-summaries:1"

    @property
    def notes(self) -> tuple[str, ...]:
        return ()

    def summarise(self, layer: Sequence[LayerEntity], groups: Iterable[Group]) -> Iterator[Sequence[Summary]]:
        common = CommonWords(layer)
        for group in groups:
            yield [rule_summary(group, common)]


class CommonWords:
    """How specific words are among the descriptions of a layer. Reads a sample of them, when it is first asked."""

    def __init__(self, layer: Sequence[LayerEntity]) -> None:
        self._layer = layer
        self._known: Counter[str] | None = None
        self._read = 0

    def specificity(self, word: str) -> float:
        """IDF of a stem, 0.0 for one that every description has."""
        if self._known is None:
            sample = self._layer[:: max(1, -(-len(self._layer) // SAMPLE))]
            self._read = len(sample)
            self._known = Counter(
                each
                for entity in sample
                for each in {stem(word) for word in _words(f"{entity.name} {entity.description[:LONGEST_READ]}")}
            )
        return math.log((self._read + 1) / (self._known[word] + 1))


def rule_summary(group: Group, common: CommonWords) -> Summary:
    """The summary of a group by rules. It is named after the nearest member that is of the summary's type."""
    cosines = to_mean(group.vectors)
    kind = meta_type(group.members)
    by_nearness = [group.members[place] for place in nearest_first(cosines).tolist()]
    nearest = [each for each in by_nearness if meta_type([each]) == kind]
    nearest += [each for each in by_nearness if meta_type([each]) != kind]
    named, chunks = readable(nearest, NAMED, MOST_CHUNKS)
    phrases = key_phrases(named, common)
    return Summary(
        name=_name(named, phrases[:PHRASES], len(nearest)),
        type=kind,
        description=_description(named, phrases, len(nearest)),
        chunks=chunks,
        by=RULES,
        members=tuple(Joined(place, as_weight(float(cosine))) for place, cosine in enumerate(cosines)),
    )


def to_mean(vectors: Vectors) -> Floats:
    """(n, d) -> cosines to the mean of the vectors, (n,); 0.0 for a zero vector, and where the mean is zero."""
    exact = vectors.astype(np.float64)
    return cosines_to(exact, exact.mean(axis=0))


def cosines_to(vectors: Floats, centre: Floats) -> Floats:
    """(n, d), (d,) -> (n,), in steps of 2⁻²⁰."""
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(centre)
    cosines = np.divide(vectors @ centre, lengths, out=np.zeros(len(vectors)), where=lengths > 0.0)
    rounded: Floats = np.rint(cosines * STEPS) / STEPS
    return rounded


def nearest_first(cosines: Floats) -> Ints:
    """The places, the one of the largest cosine first; of equal ones the lower place."""
    return np.argsort(-cosines, kind="stable")


def as_weight(cosine: float) -> float:
    return min(1.0, max(LEAST_WEIGHT, cosine))


def readable(members: Sequence[LayerEntity], most: int, most_chunks: int) -> tuple[list[LayerEntity], tuple[str, ...]]:
    """The members that a description may take something from, and all passages that they stand on.

    The first always; then each, in order, that does not bring the passages above `most_chunks`.
    """
    chosen: list[LayerEntity] = []
    chunks: dict[str, None] = {}
    for member in members:
        if len(chosen) == most:
            break
        more = dict.fromkeys(member.chunks)
        if not chosen or len(chunks | more) <= most_chunks:
            chosen.append(member)
            chunks |= more
    return chosen, tuple(chunks)


def meta_type(members: Iterable[LayerEntity]) -> str:
    """The meta type of most members; of equally frequent ones the first in the alphabet. "other" where none has one."""
    types = [each.type if each.layer else _META_TYPE.get(each.type, OTHER) for each in members]
    known = Counter(each for each in types if each in META_TYPES and each != OTHER)
    return min(known, key=lambda each: (-known[each], each)) if known else OTHER


def key_phrases(members: Sequence[LayerEntity], common: CommonWords) -> list[str]:
    """Words, and two or three that stand side by side, that descriptions of several members share, most specific first.

    One sentence that describes several members counts once; only where all have the same description, its words count.
    What one member alone is called is left out, since it distinguishes that member.
    """
    uses = _uses(members)
    least = 2 if len({member.description for member in members}) > 1 else 1
    in_names = Counter(term for member in members for term in {_stems(words) for words in _terms(member.name)})
    first_name = {stem(word) for member in members[:1] for word in _words(head_of(member))}
    score = dict[Term, float]()
    for term, use in uses.items():
        if use.shared < least or in_names[term] == 1 or first_name.issuperset(term):
            continue
        specific = sum(map(common.specificity, term)) / len(term)
        score[term] = (use.shared + use.defines) * specific * LONGER[len(term)]
    chosen: list[Term] = []
    for term in sorted(score, key=lambda term: (-score[term], term)):
        if len(chosen) == MORE_PHRASES:
            break
        if score[term] > 0.0 and not any(set(term) & set(other) for other in chosen):
            chosen.append(term)
    return [uses[term].surface for term in chosen]


@dataclass
class _Use:
    """How some members' descriptions use a term.

    Attributes:
        defines: whether one says that something is that.
    """

    members: set[str] = field(default_factory=set[str])
    sentences: set[str] = field(default_factory=set[str])
    surfaces: Counter[str] = field(default_factory=Counter[str])
    defines: bool = False

    @property
    def shared(self) -> int:
        return min(len(self.members), len(self.sentences))

    @property
    def surface(self) -> str:
        """The most frequent way to write it; of equally frequent ones that in lower case."""
        return min(self.surfaces, key=lambda each: (-self.surfaces[each], -sum(map(str.islower, each)), each))


def _uses(members: Iterable[LayerEntity]) -> dict[Term, _Use]:
    uses = defaultdict[Term, _Use](_Use)
    for member in members:
        for sentence in _sentences(member.description):
            defining = {_stems(words) for said in _IS_A.findall(sentence) for words in _terms(said)}
            for words in _terms(sentence):
                use = uses[_stems(words)]
                use.members.add(member.ref)
                use.sentences.add(sentence)
                use.surfaces[" ".join(words)] += 1
                use.defines |= _stems(words) in defining
    return uses


def head_of(entity: LayerEntity) -> str:
    """What the name of a summary calls the entity: its name; of a summary by rules that of its first member."""
    name = entity.name
    if entity.layer and entity.by == RULES:
        name = name.partition(_DASH)[0].removesuffix(_AND_OTHERS).partition("; ")[0]
    if name.count('"') % 2:
        name = name.replace('"', "")
    return shortened(_ARTICLE.sub("", name) or entity.name, LONGEST_HEAD)


def _name(named: Sequence[LayerEntity], phrases: Sequence[str], count: int) -> str:
    """One head in layer 1, two in layer 2, three above: a summary of summaries is not called as one of these."""
    layer = named[0].layer
    heads = list(dict.fromkeys(head_of(each) for each in named[: min(3, layer + 1)]))
    if count == 2 and not layer:
        name = " and ".join(dict.fromkeys(head_of(each) for each in named))
    else:
        name = "; ".join(heads) + _AND_OTHERS
    return name + (_DASH + ", ".join(phrases) if phrases else "")


def _description(named: Sequence[LayerEntity], phrases: Sequence[str], count: int) -> str:
    names = "; ".join(shortened(each.name, LONGEST_HEAD) for each in named)
    others = f" and {count - len(named):,} more" if count > len(named) else ""
    said = [f"Summary of {count:,} entities: {names}{others}."]
    if phrases:
        said.append(f"In common: {', '.join(phrases)}.")
    if not named[0].layer:
        first = (sentence for each in named for sentence in _sentences(each.description)[:1])
        said += list(dict.fromkeys(shortened(sentence, LONGEST_SENTENCE) for sentence in first))[:QUOTED]
    return " ".join(said)


def _sentences(text: str) -> list[str]:
    """The first of a description, up to some hundred words."""
    start = text[:LONGEST_READ]
    sentences = (" ".join(sentence.split()) for sentence in sentence_texts(start, sentence_starts(start)))
    return [sentence for sentence in sentences if sentence]


def _words(text: str) -> list[str]:
    return [word for run in _RUN.findall(text) for word in run.split()]


def _stems(words: Iterable[str]) -> Term:
    return tuple(stem(word) for word in words)


def _tells(word: str) -> bool:
    plain = word.lower()
    return len(word) > 2 and not word[0].isdigit() and plain not in FUNCTION_WORDS and plain not in _BLAND


def _terms(text: str) -> Iterator[tuple[str, ...]]:
    """Words that say something, and up to three of them that stand side by side."""
    for run in _RUN.findall(text):
        words = run.split()
        for start in range(len(words)):
            for end in range(start + 1, min(start + LONGEST_TERM, len(words)) + 1):
                if not _tells(words[end - 1]):
                    break
                if not _PREDICATE.fullmatch(words[end - 1]):
                    yield (*words[start : end - 1], _POSSESSIVE.sub("", words[end - 1]))
