"""How canopy weighs passages: formulas over what the graph gave, without the graph.

Chunks and names go by their ids and keys. For a question, without its names the *rest*, and N chunks:
    g(a) = ln(1 + N/(1+df)) / ln(1+N)            the IDF weight of a name
    s1 = cosine + .3·BM25/max BM25 + seed        seed: w·g(a) of the best name in the question that a chunk is about
    A = s1/max s1                                for all; the sources are the best five by s1
    fwd = max A(p)·g(a)·h·r·w·f                  over names a that a source p mentions and a chunk is about by weight w
    shared = max A(p)·g(a)·h·r                   over rare names that a source and a chunk mention
    z = A + .6·seed + .75·(cosine to the rest) + 1.2·fwd + .7·shared
with h = .5 for names whose words all stand in the question, else 1; and f = .45. Where m > 1 chunks other than p are
about a, r is 1 for the one nearest to p and 1/√m for the others; r is 1 for what only mentions a. A chunk that is about
an abbreviated or misspelt name (w < .65) counts as one that mentions it. A way between chunks of one document does not
count. Then once more from the best that were reached so, which adds .35·max(0, shared₂ − shared). Links between
documents add 1.2·linked, and .7·linked₂ for those of the best that were reached so (`linked`). At last, in the
n-th document that has a seed by the same name, the best by z first, the seed counts .8ⁿ⁻¹.

A question that names nothing that a chunk is surely about (no capital within it, or no seed from .55 on) is not one to
follow names from: the three documents that are best by A without seeds come first, then the others by z; ten where it
is a "What is X?", a "How do I …?", or a phrase that asks nothing, which want one passage, not a way between two. The
weights were chosen on questions over Wikipedia paragraphs, the last rules on manual pages, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from overstory.retrieve.hits import best_of
from overstory.text.questions.kinds import Form

_CANOPY_WORDS_WEIGHT = 0.3  # of BM25 as a share of the best, beside the cosines of the default embedder
_SEED_WEIGHT = 0.6  # again, beside what it counts in A
REST_WEIGHT = 0.75  # of the cosine to the rest of the question
FORWARD_WEIGHT, SHARED_NAMES_WEIGHT, SECOND_HOP_WEIGHT = 1.2, 0.7, 0.35  # of fwd, of shared, of shared once more
LINKED_WEIGHT, SECOND_LINK_WEIGHT = 1.2, 0.7  # of links between documents, and of those from the best reached so
_FIRST_HOP_SOURCES = 5  # the best chunks, from which the first hop starts
_SECOND_HOP_SOURCES = 10
"""The second hop starts from the first of these that were reached by the first."""

_SAID_BY_QUESTION_SHARE = 0.5  # h: what a name counts whose words all stand in the question
_SENTENCE_NEARNESS = 0.45
"""f: how near a sentence that mentions a name is to the question, the same for all."""

RARE_SEED, MOST_CHUNKS_OF_A_RARE_NAME = 0.7, 2
"""The seed of a name that no chunk is about, and in how many chunks it may be."""

_REPEATED_SEED_SHARE = 0.8
"""What the seed of a name is worth in the second document that has it, compared with the first, in the third compared
with the second, and so on."""

_LEAST_NAMING_SEED = 0.55
"""The least seed of a question that names something. Between .5 and .6 nothing changes on HotpotQA and MuSiQue; from .6
on HotpotQA loses .01 of nDCG@10, below .5 manual pages do."""

DIRECT_DOCUMENTS, DIRECT_DOCUMENTS_FOR_ONE = 3, 10
"""Documents that come first by what they say themselves where the question names nothing, and where one passage is
wanted."""

_CHUNKS_A_DIRECT_DOCUMENT = 5
"""At most so many chunks for each of these documents come first, on average."""

MOST_CHUNKS_OF_A_SHARED_NAME = 40
"""Chunks that may mention a name which leads from one to another."""

_UNSURE_WEIGHT = 0.65
"""Below this weight of ABOUT a chunk does not mention the name, but one that it stands for."""


@dataclass(frozen=True, slots=True)
class Seed:
    """A name of the question that a chunk is about, or mentions as one of few; how much that brings."""

    name: str
    weight: float


class Candidate(NamedTuple):
    """A chunk with its cosines to question and rest, its BM25 (0 if it was not found by words), and its best seed."""

    cosine: float
    rest: float
    words: float = 0.0
    seed: Seed | None = None


NO_SENTENCE = -1
"""In place of the number of a sentence: the chunk does not say the name, it is only about it."""


@dataclass(frozen=True, slots=True)
class LinkingName:
    """A name by which sources lead to other chunks.

    Attributes:
        idf: its IDF weight.
        sources: those that mention it, each with the first sentence that says it, or NO_SENTENCE.
        about: chunks that are about it, and how surely.
        shared: chunks that mention it, likewise, sources among them; none where too many do.
        rare: whether so few mention it that one leads to another.
        nearest: of several chunks about it, the source left out, the one that is most like each source.
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
        """r: how much a way from a source to each of the chunks about the name counts. Of several namesakes one is
        meant."""
        others = [chunk for chunk, _ in self.about if chunk != source]
        nearest = self.nearest.get(source) if len(others) > 1 else None
        return {chunk: 1.0 if nearest in (None, chunk) else len(others) ** -0.5 for chunk in others}


class DocumentLink(NamedTuple):
    """A link of a source's document, and the document at its other end.

    Attributes:
        first: the first chunk of that document; None if it has too many to look for it.
        outgoing: whether the link starts at the source's document.
    """

    source: str
    document: str
    first: str | None
    type: str
    text: str
    outgoing: bool

    @property
    def name(self) -> str:
        """What it is called; its text, or just a link, where it has no type."""
        return self.type or self.text or "link"


class MentionWay(NamedTuple):
    """That a source mentions a name, which a chunk is about (by `weight`), or mentions too (None); or that a link leads
    from one document to the other.

    `here` and `there` are the sentences of source and chunk that say the name, None where none does.
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
        """Where it comes from by which name: a chunk may be about the name and mention it, by one way of each kind."""
        return self.source, self.key


class WeighedWay(NamedTuple):
    """A way with what it is worth: the activation of its source, times the IDF weight of the name; and, to a chunk
    that is about the name, times weight and f. Of a link that of its source, times q and r."""

    way: MentionWay
    value: float


@dataclass(slots=True)
class Reached:
    """The best way to each chunk, by a name it is about and by a name it shares."""

    forward: dict[str, WeighedWay] = field(default_factory=dict[str, WeighedWay])
    shared: dict[str, WeighedWay] = field(default_factory=dict[str, WeighedWay])

    def gains(self, shared_weight: float = SHARED_NAMES_WEIGHT) -> dict[str, float]:
        """What the ways to each chunk add to its score."""
        gains = {chunk: FORWARD_WEIGHT * way.value for chunk, way in self.forward.items()}
        for chunk, way in self.shared.items():
            gains[chunk] = gains.get(chunk, 0.0) + shared_weight * way.value
        return gains

    def leave_out(self, chunks: Iterable[str]) -> None:
        """Forgets the ways to some chunks."""
        for chunk in chunks:
            self.forward.pop(chunk, None)
            self.shared.pop(chunk, None)


class Scored(NamedTuple):
    """A chunk with the parts of its score; their sum is the score.

    Attributes:
        candidate: what the first parts were made from.
        forward, shared, second: the ways by which it was reached, if it was.
        linked, linked_second: the links that led to it, from the sources and from those of the second hop.
        direct: what puts it before those that names led to.
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
        # Asked of several hundred chunks a question: its parts are taken apart at once.
        _, _, dense, words, name, rest, forward, shared, _, gain, direct, linked, linked_second = self
        itself = dense + words + name + rest
        if not (forward or shared or gain or linked or linked_second):  # most
            return itself + direct
        bridges = FORWARD_WEIGHT * _value(forward) + SHARED_NAMES_WEIGHT * _value(shared) + SECOND_HOP_WEIGHT * gain
        links = LINKED_WEIGHT * _value(linked) + SECOND_LINK_WEIGHT * _value(linked_second)
        return itself + bridges + links + direct

    def came_from(self) -> list[str]:
        """The sources of its ways."""
        ways = (self.forward, self.shared, self.second, self.linked, self.linked_second)
        return [bridge.way.source for bridge in ways if bridge]


@dataclass(frozen=True, slots=True)
class FirstScores:
    """s1 of the chunks that a question was compared with; `scale` is its maximum, `most_words` that of BM25, and
    `words_weight` what the latter counts beside cosines."""

    scores: Mapping[str, float]
    scale: float
    most_words: float
    words_weight: float

    def sources(self) -> list[str]:
        return best_of(self.scores, _FIRST_HOP_SOURCES)

    def activation(self, chunk: str) -> float:
        return self.scores[chunk] / self.scale


def first_scores(candidates: Mapping[str, Candidate], *, spread: float = 1.0) -> FirstScores:
    """
    Args:
        spread: of the embedder's cosines, as `protocols.cosine_spread` says it.
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
    """The best ways from sources by names, to chunks of other documents.

    Args:
        activations: of the sources; nothing is reached from one that has none.
        question_words: as keys have them.
        documents: of sources and the chunks of the links.
    """
    result = Reached()
    forward, shared = result.forward, result.shared
    for link in links:
        said = all(word in question_words for word in link.key.split())
        idf = link.idf * (_SAID_BY_QUESTION_SHARE if said else 1.0)
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
                    if known is None or worth > known.value:  # most: a call for each would take half of the time
                        way = MentionWay(source, link.key, link.name, None, _sentence(sentence), _sentence(there))
                        shared[chunk] = WeighedWay(way, worth)
                    elif worth == known.value:
                        _keep(shared, chunk, worth, link, source, sentence, None, there)
    return result


def final_scores(
    candidates: Mapping[str, Candidate], first: FirstScores, found: Reached, links: Mapping[str, WeighedWay]
) -> dict[str, Scored]:
    """Every candidate, those included that were only reached, with all but the second hop."""
    scale, most_words, weight = first.scale, first.most_words, first.words_weight
    forward, shared = found.forward.get, found.shared.get
    scored: dict[str, Scored] = {}
    for chunk, c in candidates.items():
        words = weight * c.words / most_words / scale
        seed = c.seed.weight if c.seed else 0.0
        scored[chunk] = Scored(  # several hundred of a question: by place, as that takes half of the time
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
    """The chunks from which the second hop starts, with their activations.

    Args:
        scores: of all of `scored`.
        sources: of the first hop.
    """
    top = best_of(scores, _SECOND_HOP_SOURCES)
    scale = scores[top[0]] if top and scores[top[0]] > 0 else 1.0
    chosen = [chunk for chunk in top if chunk not in sources and scored[chunk].came_from()]
    return {chunk: max(0.0, scores[chunk] / scale) for chunk in chosen[:_FIRST_HOP_SOURCES]}


def with_second_hop(scored: Mapping[str, Scored], found: Reached, links: Mapping[str, WeighedWay]) -> dict[str, Scored]:
    """The chunks with what names shared with the second hop's sources add, and links of these to further chunks."""
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
    """The chunks, best first.

    Args:
        documents: of all chunks.
        direct: how many documents come first by what they say themselves.
    """
    result = _varied(scored, documents)
    scores = {chunk: one.score for chunk, one in result.items()}
    highest = max(scores.values(), default=0.0) if direct else 0.0
    for chunk, itself in _direct(scored, documents, direct).items():
        result[chunk] = result[chunk]._replace(direct=max(0.0, highest + itself - scores[chunk]))
        scores[chunk] = result[chunk].score
    return [result[chunk] for chunk in best_of(scores, len(scores))]


def _varied(scored: Mapping[str, Scored], documents: Mapping[str, str]) -> dict[str, Scored]:
    """The chunks, with the seed of a name worth less in each further document that has it, the best first: five
    paragraphs about one name of a question leave no place for what it leads to."""
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
    """How many documents come first by what they say themselves; none where a question names something.

    Args:
        capital: whether a word within it, not its first, begins with a capital letter.
    """
    if form != "question":
        return DIRECT_DOCUMENTS_FOR_ONE
    if capital and any(_weight(each.seed) >= _LEAST_NAMING_SEED for each in candidates):
        return 0
    return DIRECT_DOCUMENTS


def _direct(scored: Mapping[str, Scored], documents: Mapping[str, str], most: int) -> dict[str, float]:
    """The chunks that come first by what they say themselves, until so many documents are there; and their scores."""
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
    """Keeps a way to a chunk if it is the best so far; of ways worth the same that with the first source and key."""
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
