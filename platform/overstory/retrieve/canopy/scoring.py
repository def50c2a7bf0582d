"""Scoring of canopy: formulas over data from the graph, without access to the graph.

Chunks and names are identified by ids and keys. The *rest* of a question is the question without its names. N is the
number of chunks, df the number of chunks that mention a name, and w the weight by which a chunk is about a name.
    g(a) = ln(1 + N/(1+df)) / ln(1+N)            IDF weight of a name a
    s1 = cosine + .3·BM25/max BM25 + seed        seed: the largest w·g(a) of names a in the question
    A = s1/max s1                                activation; the five chunks with the largest s1 are the sources
    fwd = max A(p)·g(a)·h·r·w·f                  over names a that a source p mentions and the chunk is about
    shared = max A(p)·g(a)·h·r                   over rare names a that a source p and the chunk mention
    z = A + .6·seed + .75·(cosine to the rest) + 1.2·fwd + .7·shared
Example: the question names Nosferatu (df = 9, N = 1,000): g = 4.62/6.91 = .67. A chunk about it (w = 1) has seed .67.

- h is .5 if all words of the name are in the question, else 1. f is .45.
- If m > 1 chunks other than p are about a, r is 1 for the chunk nearest to p, and 1/√m for the others. r is 1 for
  chunks that only mention a.
- A chunk about an abbreviated or misspelt name (w < .65) counts as a chunk that mentions the name.
- Names do not lead to chunks of the same document.
- A second hop starts from the best chunks of the first, and adds .35·max(0, shared₂ − shared).
- Links between documents add 1.2·linked, and .7·linked₂ for links from the second hop (see `retriever.linked`).
- Finally, if several documents have a seed by the same name, the seed of the n-th best document counts .8ⁿ⁻¹.

If a question does not clearly name something (it has no capital after its first word, or no seed of at least .55), the
best three documents by A without seeds come first, and the others follow by z. For "What is X?", "How do I …?" and
phrases, which need one passage and no path, the best ten documents come first. The weights were tuned on questions over
Wikipedia paragraphs, the last rules on manual pages as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from overstory.retrieve.hits import best_of
from overstory.text.questions.kinds import Form

_CANOPY_WORDS_WEIGHT = 0.3  # weight of BM25 relative to the best, on the scale of the default embedder's cosines
_SEED_WEIGHT = 0.6  # weight of the seed in z, in addition to its share in A
REST_WEIGHT = 0.75  # weight of the cosine to the rest of the question
FORWARD_WEIGHT, SHARED_NAMES_WEIGHT, SECOND_HOP_WEIGHT = 1.2, 0.7, 0.35  # weights of fwd, shared and shared₂
LINKED_WEIGHT, SECOND_LINK_WEIGHT = 1.2, 0.7  # weights of links from the sources, and from those of the second hop
_FIRST_HOP_SOURCES = 5  # number of best chunks from which the first hop starts
_SECOND_HOP_SOURCES = 10
"""The second hop starts from those of the best ten chunks that the first hop reached, at most five."""

_NAME_IN_QUESTION_SHARE = 0.5  # h of a name whose words are all in the question
_SENTENCE_NEARNESS = 0.45
"""f: assumed nearness of the question and a sentence that mentions a name."""

RARE_SEED, MOST_CHUNKS_OF_A_RARE_NAME = 0.7, 2
"""w of a name that no chunk is about, and the maximum number of chunks that mention it."""

_REPEATED_SEED_SHARE = 0.8
"""Factor on the seed of a name for each better document with the same name."""

_LEAST_NAMING_SEED = 0.55
"""Minimum seed of a question that names something. Values between .5 and .6 change nothing on HotpotQA and MuSiQue.
HotpotQA loses .01 of nDCG@10 from .6 on; manual pages lose below .5."""

DIRECT_DOCUMENTS, DIRECT_DOCUMENTS_FOR_ONE = 3, 10
"""Documents that are ranked first by their own content: if the question names nothing, and if it needs one passage."""

_CHUNKS_A_DIRECT_DOCUMENT = 5
"""Maximum chunks per document that are ranked first by their own content, on average."""

MOST_CHUNKS_OF_A_SHARED_NAME = 40
"""Maximum chunks that mention a name which leads from one chunk to another."""

_UNSURE_WEIGHT = 0.65
"""Below this weight w, a chunk is about a name that it does not spell out, such as an abbreviation."""


@dataclass(frozen=True, slots=True)
class Seed:
    """A name of the question that a chunk is about, or that only this and few other chunks mention, with its weight."""

    name: str
    weight: float


class Candidate(NamedTuple):
    """Features of a chunk.

    Attributes:
        cosine: cosine to the question.
        rest: cosine to the question without its names.
        words: BM25; 0 if the chunk was not found by words.
        seed: the best seed, if any.
    """

    cosine: float
    rest: float
    words: float = 0.0
    seed: Seed | None = None


NO_SENTENCE = -1
"""Stands for the sentence number if no sentence of a chunk has the name, although the chunk is about it."""


@dataclass(frozen=True, slots=True)
class LinkingName:
    """A name that leads from sources to other chunks.

    Attributes:
        idf: IDF weight of the name.
        sources: sources that mention the name, each with the first sentence that has the name, or NO_SENTENCE.
        about: chunks about the name, with the weight w.
        shared: chunks that mention the name, including sources, with their first sentences; empty if the name is not
            rare.
        rare: True if the name is rare enough to lead from one chunk that mentions it to another.
        nearest: source -> the most similar chunk about the name, if there are several.
    """

    key: str
    name: str
    idf: float
    sources: Sequence[tuple[str, int]]
    about: Sequence[tuple[str, float]] = ()
    shared: Sequence[tuple[str, int]] = ()
    rare: bool = True
    nearest: Mapping[str, str] = field(default_factory=dict[str, str])

    def share(self, source: str) -> dict[str, float]:
        """Return chunk id -> r, for the chunks about the name, as seen from a source: 1 or 1/√m for namesakes."""
        others = [chunk for chunk, _ in self.about if chunk != source]
        nearest = self.nearest.get(source) if len(others) > 1 else None
        return {chunk: 1.0 if nearest in (None, chunk) else len(others) ** -0.5 for chunk in others}


class DocumentLink(NamedTuple):
    """A link of a source's document to another document.

    Attributes:
        source: id of the source chunk.
        document: id of the other document.
        first: id of the first chunk of the other document; None if that document has too many chunks.
        outgoing: True if the link starts at the source's document.
    """

    source: str
    document: str
    first: str | None
    type: str
    text: str
    outgoing: bool

    @property
    def name(self) -> str:
        """The type of the link, or else its text, or "link"."""
        return self.type or self.text or "link"


class MentionWay(NamedTuple):
    """A way from a source to a chunk, through a name that the source mentions, or through a link between documents.

    Attributes:
        source: id of the source chunk.
        weight: weight by which the chunk is about the name; None if the chunk only mentions the name.
        here, there: numbers of the sentences with the name, in the source and in the chunk; None if there is none.
        link: the link, if the way is a link.
    """

    source: str
    key: str
    name: str
    weight: float | None
    here: int | None = None
    there: int | None = None
    link: DocumentLink | None = None

    @property
    def source_and_key(self) -> tuple[str, str]:
        """Identifies ways of different kinds by the same name: a chunk may both be about a name and mention it."""
        return self.source, self.key


class WeighedWay(NamedTuple):
    """A way with its value, as in the module's formulas: A·g·h·r·w·f, A·g·h·r, or A·q·r for a link."""

    way: MentionWay
    value: float


@dataclass(slots=True)
class Reached:
    """The best ways to each chunk: through a name that the chunk is about, and through a shared name."""

    forward: dict[str, WeighedWay] = field(default_factory=dict[str, WeighedWay])
    shared: dict[str, WeighedWay] = field(default_factory=dict[str, WeighedWay])

    def gains(self, shared_weight: float = SHARED_NAMES_WEIGHT) -> dict[str, float]:
        """Return chunk id -> the sum that its ways add to its score."""
        gains = {chunk: FORWARD_WEIGHT * way.value for chunk, way in self.forward.items()}
        for chunk, way in self.shared.items():
            gains[chunk] = gains.get(chunk, 0.0) + shared_weight * way.value
        return gains

    def leave_out(self, chunks: Iterable[str]) -> None:
        """Remove the ways to chunks."""
        for chunk in chunks:
            self.forward.pop(chunk, None)
            self.shared.pop(chunk, None)


class Scored(NamedTuple):
    """A chunk with the parts of its score, whose sum is the score.

    Attributes:
        candidate: the features from which the first parts were computed.
        forward, shared, second: the ways by which the chunk was reached, if any.
        linked, linked_second: links that led to the chunk, from the sources and from those of the second hop.
        direct: bonus that ranks the chunk before chunks that were reached through names.
    """

    chunk: str
    candidate: Candidate
    dense: float
    words: float
    name: float
    rest: float
    forward: WeighedWay | None
    shared: WeighedWay | None
    second: WeighedWay | None = None
    second_gain: float = 0.0
    direct: float = 0.0
    linked: WeighedWay | None = None
    linked_second: WeighedWay | None = None

    @property
    def score(self) -> float:
        # Called for several hundred chunks per question: unpacking the tuple once is fastest.
        _, _, dense, words, name, rest, forward, shared, _, gain, direct, linked, linked_second = self
        itself = dense + words + name + rest
        if not (forward or shared or gain or linked or linked_second):  # the usual case
            return itself + direct
        bridges = FORWARD_WEIGHT * _value(forward) + SHARED_NAMES_WEIGHT * _value(shared) + SECOND_HOP_WEIGHT * gain
        links = LINKED_WEIGHT * _value(linked) + SECOND_LINK_WEIGHT * _value(linked_second)
        return itself + bridges + links + direct

    def came_from(self) -> list[str]:
        """Return the sources of the ways to the chunk."""
        ways = (self.forward, self.shared, self.second, self.linked, self.linked_second)
        return [bridge.way.source for bridge in ways if bridge]


@dataclass(frozen=True, slots=True)
class FirstScores:
    """s1 of the first candidates.

    Attributes:
        scores: chunk id -> s1.
        scale: maximum of s1.
        most_words: maximum of BM25.
        words_weight: weight of BM25, on the scale of cosines.
    """

    scores: Mapping[str, float]
    scale: float
    most_words: float
    words_weight: float

    def sources(self) -> list[str]:
        return best_of(self.scores, _FIRST_HOP_SOURCES)

    def activation(self, chunk: str) -> float:
        return self.scores[chunk] / self.scale


def first_scores(candidates: Mapping[str, Candidate], *, spread: float = 1.0) -> FirstScores:
    """Compute s1 of candidates.

    Args:
        spread: spread of the embedder's cosines, from `protocols.cosine_spread`.
    """
    weight = _CANOPY_WORDS_WEIGHT * spread
    most = max((candidate.words for candidate in candidates.values()), default=0.0) or 1.0
    scores = {chunk: c.cosine + weight * c.words / most + _weight(c.seed) for chunk, c in candidates.items()}
    top = max(scores.values(), default=0.0)
    return FirstScores(scores, top if top > 0 else 1.0, most, weight)


def reached(
    activations: Mapping[str, float],
    links: Iterable[LinkingName],
    question_words: Set[str],
    documents: Mapping[str, str],
) -> Reached:
    """Return the best ways from sources through names to chunks of other documents.

    Args:
        activations: source -> activation. A source with activation 0 reaches nothing.
        question_words: words of the question, in the form of keys.
        documents: chunk id -> document id, for sources and for the chunks of the links.
    """
    result = Reached()
    forward, shared = result.forward, result.shared
    for link in links:
        in_question = all(word in question_words for word in link.key.split())
        idf = link.idf * (_NAME_IN_QUESTION_SHARE if in_question else 1.0)
        for source, sentence in link.sources:
            value = activations[source] * idf
            if value <= 0:
                continue
            share = link.share(source) if link.about else {}
            here = documents[source]
            for chunk, weight in link.about:
                if chunk in share and documents[chunk] != here:
                    _keep(
                        forward,
                        chunk,
                        value * share[chunk] * weight * _SENTENCE_NEARNESS,
                        link,
                        source,
                        sentence,
                        weight,
                    )
                    if weight < _UNSURE_WEIGHT and link.rare:
                        _keep(shared, chunk, value * share[chunk], link, source, sentence, weight)
            for chunk, there in link.shared:
                if documents[chunk] != here:
                    worth = value * share[chunk] if chunk in share else value
                    known = shared.get(chunk)
                    if known is None or worth > known.value:  # usual case, inlined because a call doubles the time
                        way = MentionWay(source, link.key, link.name, None, _sentence(sentence), _sentence(there))
                        shared[chunk] = WeighedWay(way, worth)
                    elif worth == known.value:
                        _keep(shared, chunk, worth, link, source, sentence, None, there)
    return result


def final_scores(
    candidates: Mapping[str, Candidate], first: FirstScores, found: Reached, links: Mapping[str, WeighedWay]
) -> dict[str, Scored]:
    """Return all candidates with the parts of their scores, except the second hop."""
    scale, most_words, weight = first.scale, first.most_words, first.words_weight
    forward, shared = found.forward.get, found.shared.get
    scored: dict[str, Scored] = {}
    for chunk, c in candidates.items():
        words = weight * c.words / most_words / scale
        seed = c.seed.weight if c.seed else 0.0
        scored[chunk] = Scored(  # positional arguments halve the time for several hundred candidates
            chunk,
            c,
            c.cosine / scale,
            words,
            seed / scale + _SEED_WEIGHT * seed,
            REST_WEIGHT * c.rest,
            forward(chunk),
            shared(chunk),
            None,
            0.0,
            0.0,
            links.get(chunk),
        )
    return scored


def second_sources(
    scored: Mapping[str, Scored], scores: Mapping[str, float], sources: Sequence[str]
) -> dict[str, float]:
    """Return the chunks from which the second hop starts, with their activations.

    Args:
        scores: chunk id -> score, for all of `scored`.
        sources: sources of the first hop.
    """
    top = best_of(scores, _SECOND_HOP_SOURCES)
    scale = scores[top[0]] if top and scores[top[0]] > 0 else 1.0
    chosen = [chunk for chunk in top if chunk not in sources and scored[chunk].came_from()]
    return {chunk: max(0.0, scores[chunk] / scale) for chunk in chosen[:_FIRST_HOP_SOURCES]}


def with_second_hop(scored: Mapping[str, Scored], found: Reached, links: Mapping[str, WeighedWay]) -> dict[str, Scored]:
    """Add the second hop to scored chunks: names shared with its sources, and links from its sources."""
    result = dict(scored)
    for chunk, bridge in found.shared.items():
        gain = bridge.value - _value(scored[chunk].shared)
        if gain > 0:
            result[chunk] = scored[chunk]._replace(second=bridge, second_gain=gain)
    for chunk, link in links.items():
        if result[chunk].linked is None:
            result[chunk] = result[chunk]._replace(linked_second=link)
    return result


def ranking(scored: Mapping[str, Scored], documents: Mapping[str, str], *, direct: int) -> list[Scored]:
    """Return the chunks, best first.

    Args:
        documents: chunk id -> document id, for all chunks.
        direct: number of documents to rank first by their own content.
    """
    result = _varied(scored, documents)
    scores = {chunk: one.score for chunk, one in result.items()}
    highest = max(scores.values(), default=0.0) if direct else 0.0
    for chunk, itself in _direct(scored, documents, direct).items():
        result[chunk] = result[chunk]._replace(direct=max(0.0, highest + itself - scores[chunk]))
        scores[chunk] = result[chunk].score
    return [result[chunk] for chunk in best_of(scores, len(scores))]


def _varied(scored: Mapping[str, Scored], documents: Mapping[str, str]) -> dict[str, Scored]:
    """Lower the seed of a name with each further document that has the same name, best document first.

    Otherwise, documents about one name of the question fill the first ranks, before passages reached through names.
    """
    by_name: dict[str, list[str]] = {}
    for chunk, one in scored.items():
        if one.candidate.seed:
            by_name.setdefault(one.candidate.seed.name, []).append(chunk)
    result = dict(scored)
    for chunks in by_name.values():
        scores = {chunk: scored[chunk].score for chunk in chunks}
        places: dict[str, int] = {}
        for chunk in best_of(scores, len(scores)):
            place = places.setdefault(documents[chunk], len(places))
            if place:
                result[chunk] = scored[chunk]._replace(name=scored[chunk].name * _REPEATED_SEED_SHARE**place)
    return result


def direct_documents(candidates: Iterable[Candidate], *, form: Form, capital: bool) -> int:
    """Return the number of documents to rank first by their own content; 0 if the question names something.

    Args:
        capital: True if a word of the question, except the first, begins with a capital letter.
    """
    if form != "question":
        return DIRECT_DOCUMENTS_FOR_ONE
    if capital and any(_weight(each.seed) >= _LEAST_NAMING_SEED for each in candidates):
        return 0
    return DIRECT_DOCUMENTS


def _direct(scored: Mapping[str, Scored], documents: Mapping[str, str], most: int) -> dict[str, float]:
    """Return the chunks to rank first by their own content, with their scores, from at most `most` documents."""
    if not most:
        return {}
    itself = {chunk: one.dense + one.words for chunk, one in scored.items()}
    first: dict[str, float] = {}
    seen: set[str] = set()
    for chunk in best_of(itself, _CHUNKS_A_DIRECT_DOCUMENT * most):
        if len(seen | {documents[chunk]}) > most:
            break
        seen.add(documents[chunk])
        first[chunk] = itself[chunk]
    return first


def _keep(
    bridges: dict[str, WeighedWay],
    chunk: str,
    value: float,
    link: LinkingName,
    source: str,
    here: int,
    weight: float | None,
    there: int = NO_SENTENCE,
) -> None:
    """Keep a way to a chunk if it is the best so far; ties are broken by source and key."""
    known = bridges.get(chunk)
    if value <= 0 or (known is not None and value < known.value):
        return
    if known is None or value > known.value or (source, link.key) < known.way.source_and_key:
        way = MentionWay(source, link.key, link.name, weight, _sentence(here), _sentence(there))
        bridges[chunk] = WeighedWay(way, value)


def _sentence(number: int) -> int | None:
    return None if number == NO_SENTENCE else number


def _value(bridge: WeighedWay | None) -> float:
    return bridge.value if bridge else 0.0


def _weight(seed: Seed | None) -> float:
    return seed.weight if seed else 0.0
