"""Answers without a language model: the sentences that are nearest to the question, and the name, date or number in
them that it asks for.

What was tried on the passages of three sets of questions that need two to four passages (HotpotQA, MuSiQue,
2WikiMultiHopQA): sentences with their titles are no better than alone, words that they share with the question add
nothing to their cosine, titles are not better spans than names in sentences. What helps most is where the sentence
stands: see `_Scene`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from overstory.answer.answer_type import DATE, Types, asks_for_an_end, asks_to_choose, types_asked_for
from overstory.answer.citations import without_citations
from overstory.answer.context import Context, Item
from overstory.answer.paragraphs import paragraphs
from overstory.display import printable, shortened
from overstory.model import ChunkText, Mention
from overstory.protocols import Embedder, Extractor
from overstory.text import entity_key
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.sentences import sentence_starts, sentence_texts

SHOWN = 3
SHOWN_OF_ONE = 2
"""Sentences in an answer, and of one passage."""
MOST_READ = 40
MOST_PARSED = 12
"""Sentences that are embedded, the best passages first, and that names are looked for in. Embedding takes most of the
time: 5 to 7 ms a sentence on two busy cores."""
LONGEST = 500
"""Characters of a sentence that are shown; a table without a full stop can have thousands."""

REACHED = 0.5
FITS = 0.3
RANK = 0.03
"""Added to the cosine: the sentence is in a passage that another one led to; it has a name of the kind that is asked
for; for each passage that was ranked above its own, less."""
SECOND_CHOICE = 0.3
"""Penalty for a name whose type is not the likeliest."""
NAMES_OF_NLP = "ner"

_PARENTHESIS = re.compile(r"\s*\([^)]*\)")
_POSSESSIVE = re.compile(r"['’]s\b")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage, on one line."""

    passage: Item
    text: str
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Extract:
    """The best sentences, best first, and the answer alone: a name in one of them, or else the first."""

    sentences: tuple[Sentence, ...]
    short: str


def extract(question: str, context: Context, embedder: Embedder, extractor: Extractor) -> Extract:
    """The sentences of the passages that answer a question best, and its short answer; empty if there are none.

    Raises:
        ModelError: the embedder or the extractor cannot be used.
    """
    sentences = _scored(question, context, embedder)
    types = types_asked_for(question)
    spans: list[tuple[float, str]] = []
    if types and extractor.by == NAMES_OF_NLP:  # another one may ask a language model
        sentences, spans = _with_names(question, sentences, types, extractor)
    chosen = tuple(_spread(sentences))
    best = max(spans, key=lambda span: span[0], default=None)
    short = best[1] if best else (chosen[0].text if chosen else "")
    return Extract(chosen, short)


def _scored(question: str, context: Context, embedder: Embedder) -> list[Sentence]:
    """The sentences of the passages by their cosine and their place, best first."""
    read = [Sentence(passage, text) for passage in context.items for text in _sentences(passage.body)][:MOST_READ]
    if not read:
        return []
    vectors = embedder.embed([question, *(each.text for each in read)])
    scene = _Scene(question, context.items)
    scored = (
        replace(each, score=float(cosine) + scene.bonus(each.passage))
        for each, cosine in zip(read, vectors[1:] @ vectors[0], strict=True)
    )
    return sorted(scored, key=lambda each: -each.score)


class _Scene:
    """Passages that others lead to. "Where was the director of Nosferatu born?" is answered where Nosferatu's passage
    leads to: in that of Murnau, whom the question does not name."""

    def __init__(self, question: str, passages: Sequence[Item]) -> None:
        asked = _padded(question)
        titles = {each.number: _padded(_PARENTHESIS.sub("", each.title)) for each in passages}
        bodies = {each.number: _padded(each.body) for each in passages}
        named = {number for number, title in titles.items() if title.strip() and title in asked}
        begin = named or set(titles)
        self._reached = {
            number
            for number, title in titles.items()
            if title.strip()
            and number not in named
            and any(title in bodies[other] for other in begin if other != number)
            and not asks_to_choose(question)
        }

    def bonus(self, passage: Item) -> float:
        return REACHED * (passage.number in self._reached) - RANK * (passage.number - 1)


def _with_names(
    question: str, sentences: Sequence[Sentence], types: Types, extractor: Extractor
) -> tuple[list[Sentence], list[tuple[float, str]]]:
    """The sentences again, those with a fitting name first, and the fitting names with their scores."""
    parsed = sentences[:MOST_PARSED]
    chunks = [ChunkText(str(at), "", "", each.text) for at, each in enumerate(parsed)]
    known = _words(question)
    spans: list[tuple[float, str]] = []
    scored: list[Sentence] = []
    for sentence, found in zip(parsed, extractor.extract(chunks), strict=True):
        fitting = [mention for mention in found.mentions if _fits(mention, types, known)]
        if types == DATE and asks_for_an_end(question):
            fitting = fitting[1:] + fitting[:1]
        scored.append(replace(sentence, score=sentence.score + FITS) if fitting else sentence)
        spans += [
            (scored[-1].score - SECOND_CHOICE * (mention.type != types[0]), mention.surface) for mention in fitting
        ]
    return sorted([*scored, *sentences[MOST_PARSED:]], key=lambda each: -each.score), spans


def _fits(mention: Mention, types: Types, known: frozenset[str]) -> bool:
    """Whether a name may be the answer: of a fitting type, and not what the question says itself."""
    words = _words(mention.surface)
    return mention.type in types and bool(words) and not words <= known


def _spread(sentences: Sequence[Sentence]) -> Iterator[Sentence]:
    """The first few, and no more than two of a passage: what is asked may take several to answer."""
    taken: dict[int, int] = {}
    for sentence in sentences:
        number = sentence.passage.number
        if taken.get(number, 0) < SHOWN_OF_ONE:
            taken[number] = taken.get(number, 0) + 1
            yield sentence
        if sum(taken.values()) == SHOWN:
            return


def _sentences(text: str) -> Iterator[str]:
    """The sentences of a passage, each on one line. Its own marks of references go first: after an answer's sentence
    they would be numbers of our passages, and after a full stop no sentence ends before them."""
    for paragraph in paragraphs(without_citations(printable(text))):
        for whole in sentence_texts(paragraph, sentence_starts(paragraph)):
            sentence = shortened(whole, LONGEST)
            if _words(sentence):
                yield sentence


def _words(text: str) -> frozenset[str]:
    return frozenset(entity_key(text).split()) - FUNCTION_WORDS


def _padded(text: str) -> str:
    """Its words between spaces, so that whole words are found in it, also where they are possessives."""
    return f" {entity_key(_POSSESSIVE.sub('', text))} "
