"""Formulas by which the retriever `canopy` scores chunks. This module does not access the graph.

Each formula scores one chunk. The quantities in the formulas are:

- N: the number of chunks.
- df(a): the number of chunks that mention the name a.
- w(a): the weight by which the chunk is about a, from 0 to 1.
- rest: the question without its names.

The first step scores the chunks that were found by meaning, words or names:

    g(a) = ln(1 + N/(1 + df(a))) / ln(1 + N)     IDF weight of a name
    seed = max w(a)·g(a)                         over the names a in the question
    s1 = cosine + 0.3·BM25/(max BM25) + seed     score of the first step
    A = s1/(max s1)                              activation of the chunk

Example: the question names Nosferatu, with df = 9 and N = 1,000. Then g = 4.62/6.91 = 0.67. A chunk that is about
Nosferatu with w = 1 has the seed 0.67.

The five chunks with the highest s1 are the sources. Names lead from a source p to chunks of other documents:

    fwd = max A(p)·g(a)·h·r·w(a)·f               over names a that p mentions and the chunk is about
    shared = max A(p)·g(a)·h·r                   over rare names a that both p and the chunk mention

- h is 0.5 if all words of the name are in the question, otherwise 1.
- f is 0.45.
- If m > 1 chunks other than p are about a, r is 1 for the chunk most similar to p, and 1/√m for the others. For chunks
  that only mention a, r is 1.
- If a chunk is about a name that it abbreviates or misspells (w < 0.65), it also counts as mentioning the name.

The score of a chunk is the sum of the following terms:

- A
- 0.6·seed
- 0.75·(cosine to the rest)
- 1.2·fwd
- 0.7·shared
- 0.35·max(0, shared₂ − shared), where shared₂ is computed from the sources of the second hop. These are the best chunks
  that the first hop reached.
- 1.2·linked for links between documents, or 0.7·linked₂ for links from the sources of the second hop. For the formula,
  see `retriever.linked`.

If several documents have a seed by the same name, the terms with the seed of the n-th best document count 0.8ⁿ⁻¹.

In the following cases, the best documents by A without the seed are ranked first:

- The best three documents come first if the question does not clearly name something. It clearly names something if a
  seed is at least 0.55, a word of its name is capitalised and no name that many passages mention, and its passage
  matches the question by meaning and words at least 0.7 times as well as the best passage.
- The best ten documents come first for phrases, and for questions like "What is X?" and "How do I …?", because these
  need one passage and no path.

The weights were tuned on questions over Wikipedia paragraphs. The rules for ranking documents first were also tuned on
manual pages.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from overstory.retrieve.hits import best_of
from overstory.text.questions.kinds import Form

_CANOPY_WORDS_WEIGHT = 0.3  # weight of BM25 divided by the highest BM25; cosines have weight 1
_SEED_WEIGHT = 0.6  # weight of the seed in a chunk's score, in addition to its weight in the chunk's activation
REST_WEIGHT = 0.75  # weight of the cosine between the chunk and the question without its names
FORWARD_WEIGHT, SHARED_NAMES_WEIGHT, SECOND_HOP_WEIGHT = 1.2, 0.7, 0.35  # weights of `fwd`, `shared` and `shared₂`
LINKED_WEIGHT, SECOND_LINK_WEIGHT = 1.2, 0.7
_FIRST_HOP_SOURCES = 5  # each hop starts from at most this many chunks
_SECOND_HOP_SOURCES = 10
"""The second hop starts from chunks that the first hop reached, if they are among this many best chunks."""

_NAME_IN_QUESTION_SHARE = 0.5  # factor for a name whose words are all in the question
_SENTENCE_NEARNESS = 0.45
"""Assumed similarity between the question and a sentence that mentions a name; f in the formula for `fwd`."""

RARE_SEED, MOST_CHUNKS_OF_A_RARE_NAME = 0.7, 2
"""If no chunk is about a name of the question, and at most two chunks mention it, these count as chunks about the name
with weight 0.7."""

_REPEATED_SEED_SHARE = 0.8
"""The seed of a document is multiplied by this factor once for each better document with a seed by the same name."""

_LEAST_NAMING_MATCH = 0.7
"""A question clearly names something only if a passage with the name matches the question by meaning and words at least
this share as well as the best passage. Values up to 0.75 give the same results on HotpotQA. Lower values hurt on Perl's
FAQ, where a table of contents may be the only text with the words of a question."""

_LEAST_NAMING_SEED = 0.55
"""A question clearly names something only if a seed is at least this high. Values from 0.5 to 0.6 give the same results
on HotpotQA and MuSiQue. Higher values lower nDCG@10 on HotpotQA by 0.01; lower values hurt on manual pages."""

DIRECT_DOCUMENTS, DIRECT_DOCUMENTS_FOR_ONE = 3, 10
"""Number of documents that are ranked first by their own content. It is 3 if the question does not clearly name
something, and 10 if the question needs only one passage."""

_CHUNKS_A_DIRECT_DOCUMENT = 5
"""On average, at most this many chunks per document are ranked first by their own content."""

MOST_CHUNKS_OF_A_SHARED_NAME = 40
"""A name leads from one chunk that mentions it to another only if at most this many chunks mention it."""

_UNSURE_WEIGHT = 0.65
"""If a chunk is about a name with a lower weight, it does not spell the name out, but abbreviates it, for example."""


@dataclass(frozen=True, slots=True)
class Seed:
    """A name in the question that a chunk is about, or that only this chunk and at most one other chunk mention.

    Attributes:
        weight: IDF weight of the name, multiplied by the weight by which the chunk is about the name.
    """

    name: str
    weight: float


class Candidate(NamedTuple):
    """The features of a chunk from which its score is computed.

    Attributes:
        cosine: cosine between the chunk and the question.
        rest: cosine between the chunk and the question without its names.
        words: BM25 of the chunk's section; 0 if the section was not found by words.
        seed: the seed with the highest weight; None if the chunk has no seed.
    """

    cosine: float
    rest: float
    words: float = 0.0
    seed: Seed | None = None


NO_SENTENCE = -1
"""Used in place of a sentence number if a chunk is about a name but none of its sentences contains the name."""


@dataclass(frozen=True, slots=True)
class LinkingName:
    """A name that leads from source chunks to other chunks.

    Attributes:
        sources: the sources that mention the name, each as (chunk id, number of the first sentence with the name). The
            number is `NO_SENTENCE` if no sentence contains the name.
        about: the chunks about the name, each as (chunk id, weight by which the chunk is about the name).
        shared: the chunks that mention the name, including the sources, in the same form as `sources`. It is empty if
            the name is not rare.
        rare: True if the name is rare enough to lead from one chunk that mentions it to another.
        nearest: map from each source to the most similar chunk about the name; used if several chunks are about it.
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
        """Return a map from each chunk about the name to its factor r, for ways from a source to the chunk.

        The factor is 1 for the chunk most similar to the source. If m > 1 chunks are about the name, it is 1/√m for the
        others, because they may be about a namesake.
        """
        others = [chunk for chunk, _ in self.about if chunk != source]
        nearest = self.nearest.get(source) if len(others) > 1 else None
        return {chunk: 1.0 if nearest in (None, chunk) else len(others) ** -0.5 for chunk in others}


class DocumentLink(NamedTuple):
    """A link between the document of a source chunk and another document.

    Attributes:
        document: id of the other document.
        first: id of the other document's first chunk; None if the document has too many chunks to be reached.
        outgoing: True if the link starts at the source's document, False if it ends there.
    """

    source: str
    document: str
    first: str | None
    type: str
    text: str
    outgoing: bool

    @property
    def name(self) -> str:
        """The type of the link, or its text if the type is empty, or "link" if both are empty."""
        return self.type or self.text or "link"


class MentionWay(NamedTuple):
    """A way from a source to a chunk, through a name that the source mentions, or through a link between documents.

    Attributes:
        key: key of the name; "" for a link.
        name: the name, or the name of the link.
        weight: weight by which the chunk is about the name; None if the chunk only mentions the name.
        here: number of the sentence with the name in the source; None if no sentence contains the name.
        there: number of the sentence with the name in the chunk; None if no sentence contains the name.
        link: the link; None if the way leads through a name.
        idf: IDF weight of the name.
    """

    source: str
    key: str
    name: str
    weight: float | None
    here: int | None = None
    there: int | None = None
    link: DocumentLink | None = None
    idf: float = 1.0

    @property
    def source_and_key(self) -> tuple[str, str]:
        """The source and the name. Two ways have these in common if a chunk is about a name and also mentions it."""
        return self.source, self.key


class WeighedWay(NamedTuple):
    """A way to a chunk, and its value. `fwd`, `shared` and `linked` are the maximum of such values."""

    way: MentionWay
    value: float


@dataclass(slots=True)
class Reached:
    """The best ways to each chunk.

    Attributes:
        forward: map from chunk id to the best way through a name that the chunk is about.
        shared: map from chunk id to the best way through a name that the chunk mentions.
    """

    forward: dict[str, WeighedWay] = field(default_factory=dict[str, WeighedWay])
    shared: dict[str, WeighedWay] = field(default_factory=dict[str, WeighedWay])

    def gains(self, shared_weight: float = SHARED_NAMES_WEIGHT) -> dict[str, float]:
        """Return a map from chunk id to the score that the ways to the chunk add."""
        gains = {chunk: FORWARD_WEIGHT * way.value for chunk, way in self.forward.items()}
        for chunk, way in self.shared.items():
            gains[chunk] = gains.get(chunk, 0.0) + shared_weight * way.value
        return gains

    def leave_out(self, chunks: Iterable[str]) -> None:
        for chunk in chunks:
            self.forward.pop(chunk, None)
            self.shared.pop(chunk, None)


class Scored(NamedTuple):
    """A chunk with the terms of its score.

    Attributes:
        dense: term for the cosine between the chunk and the question.
        words: term for BM25.
        name: term for the seed.
        rest: term for the cosine between the chunk and the question without its names.
        forward: the best way through a name that the chunk is about.
        shared: the best way through a name that the chunk mentions.
        second: the best way in the second hop, if it is better than `shared`.
        second_gain: by how much `second` is better than `shared`.
        direct: bonus for a chunk that is ranked first by its own content.
        linked: the best link to the chunk from a source of the first hop.
        linked_second: the best link to the chunk from a source of the second hop.
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
        # This is computed for several hundred chunks per question. Unpacking the tuple once is fastest.
        _, _, dense, words, name, rest, forward, shared, _, gain, direct, linked, linked_second = self
        itself = dense + words + name + rest
        if not (forward or shared or gain or linked or linked_second):  # the usual case
            return itself + direct
        bridges = FORWARD_WEIGHT * _value(forward) + SHARED_NAMES_WEIGHT * _value(shared) + SECOND_HOP_WEIGHT * gain
        links = LINKED_WEIGHT * _value(linked) + SECOND_LINK_WEIGHT * _value(linked_second)
        return itself + bridges + links + direct

    def came_from(self) -> list[str]:
        """Return the ids of the chunks from which the ways lead to this chunk."""
        ways = (self.forward, self.shared, self.second, self.linked, self.linked_second)
        return [bridge.way.source for bridge in ways if bridge]


@dataclass(frozen=True, slots=True)
class FirstScores:
    """The scores of the first step.

    Attributes:
        scores: map from chunk id to s1, the score of the first step.
        scale: the highest s1.
        most_words: the highest BM25.
        words_weight: weight of BM25 divided by `most_words`; cosines have weight 1.
    """

    scores: Mapping[str, float]
    scale: float
    most_words: float
    words_weight: float

    def sources(self) -> list[str]:
        return best_of(self.scores, _FIRST_HOP_SOURCES)

    def activation(self, chunk: str) -> float:
        return self.scores[chunk] / self.scale

    def itself(self, candidate: Candidate) -> float:
        """Return s1 of a candidate without its seed."""
        return candidate.cosine + self.words_weight * candidate.words / self.most_words


def first_scores(candidates: Mapping[str, Candidate], *, spread: float = 1.0) -> FirstScores:
    """Compute s1, the score of the first step, for each candidate.

    Args:
        spread: factor for the weight of words, as returned by `protocols.cosine_spread` for the embedder.
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
        activations: map from source chunk to activation. Names in a source with activation 0 are ignored.
        question_words: words of the question, spelt as in keys of names.
        documents: map from chunk id to document id, for the sources and for the chunks in `links`.
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
                    if known is None or worth > known.value:  # inlined from `_keep`, because a call doubles the time
                        way = MentionWay(
                            source, link.key, link.name, None, _sentence(sentence), _sentence(there), None, link.idf
                        )
                        shared[chunk] = WeighedWay(way, worth)
                    elif worth == known.value:
                        _keep(shared, chunk, worth, link, source, sentence, None, there)
    return result


def final_scores(
    candidates: Mapping[str, Candidate], first: FirstScores, found: Reached, links: Mapping[str, WeighedWay]
) -> dict[str, Scored]:
    """Return a map from chunk id to the chunk with the terms of its score, except those of the second hop.

    Args:
        found: the best ways through names, in the first hop.
        links: map from chunk id to the best link to the chunk, in the first hop.
    """
    scale, most_words, weight = first.scale, first.most_words, first.words_weight
    forward, shared = found.forward.get, found.shared.get
    scored: dict[str, Scored] = {}
    for chunk, c in candidates.items():
        words = weight * c.words / most_words / scale
        seed = c.seed.weight if c.seed else 0.0
        scored[chunk] = Scored(  # without keywords, because they double the time for several hundred candidates
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
    """Return a map from each source of the second hop to its activation.

    Args:
        sources: ids of the sources of the first hop.
    """
    top = best_of(scores, _SECOND_HOP_SOURCES)
    scale = scores[top[0]] if top and scores[top[0]] > 0 else 1.0
    chosen = [chunk for chunk in top if chunk not in sources and scored[chunk].came_from()]
    return {chunk: max(0.0, scores[chunk] / scale) for chunk in chosen[:_FIRST_HOP_SOURCES]}


def with_second_hop(scored: Mapping[str, Scored], found: Reached, links: Mapping[str, WeighedWay]) -> dict[str, Scored]:
    """Return the scored chunks with the terms of the second hop.

    Args:
        found: the best ways through names, in the second hop.
        links: map from chunk id to the best link to the chunk, in the second hop.
    """
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
    """Return the scored chunks with lower seeds if a better document has a seed by the same name.

    Otherwise, documents about one name would fill the first ranks, and passages reached through names would follow.
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


def direct_documents(
    candidates: Collection[Candidate], first: FirstScores, *, form: Form, clear: Container[str]
) -> int:
    """Return the number of documents to rank first by their own content; 0 if the question clearly names something.

    Args:
        clear: the names in the question with a capitalised word that is not a name of many passages itself.
    """
    if form != "question":
        return DIRECT_DOCUMENTS_FOR_ONE
    least = _LEAST_NAMING_MATCH * max(map(first.itself, candidates), default=0.0)
    named = (each for each in candidates if each.seed and each.seed.name in clear and first.itself(each) >= least)
    return 0 if any(_weight(each.seed) >= _LEAST_NAMING_SEED for each in named) else DIRECT_DOCUMENTS


def _direct(scored: Mapping[str, Scored], documents: Mapping[str, str], most: int) -> dict[str, float]:
    """Return the chunks to rank first by their own content, as a map from chunk id to score without names.

    The chunks are from at most `most` documents.
    """
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
    """Store a way to a chunk in `bridges` if it is the best so far. Among equally good ways, source and key decide."""
    known = bridges.get(chunk)
    if value <= 0 or (known is not None and value < known.value):
        return
    if known is None or value > known.value or (source, link.key) < known.way.source_and_key:
        way = MentionWay(source, link.key, link.name, weight, _sentence(here), _sentence(there), None, link.idf)
        bridges[chunk] = WeighedWay(way, value)


def _sentence(number: int) -> int | None:
    return None if number == NO_SENTENCE else number


def _value(bridge: WeighedWay | None) -> float:
    return bridge.value if bridge else 0.0


def _weight(seed: Seed | None) -> float:
    return seed.weight if seed else 0.0
