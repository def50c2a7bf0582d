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
from itertools import islice

from overstory.answer.answer_type import (
    DATE,
    NUMBER,
    PERSON,
    Types,
    asks_for_an_end,
    asks_to_choose,
    types_asked_for,
)
from overstory.answer.answerable import Fit, content_words, fit_of
from overstory.answer.citations import without_citations
from overstory.answer.context import Context, Item
from overstory.answer.navigation import is_navigation
from overstory.answer.paragraphs import paragraphs
from overstory.display import printable, shortened
from overstory.model import ChunkText, Mention
from overstory.protocols import Embedder, Extractor
from overstory.text import entity_key
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.names.keys import key_words
from overstory.text.parentheses import without_parentheses
from overstory.text.sentences import sentence_starts, sentence_texts

SHOWN = 3
SHOWN_OF_ONE = 2
"""Most sentences in an answer, and of one passage."""
NEAR = 0.6
NEAR_TO_WHOLE = 0.85
WHOLE = 0.8
LEAST_COSINE = 0.2
"""A further sentence is shown if its score is at least the share `NEAR` of the best one's, and its cosine at least
`LEAST_COSINE`. Where the best one has the share `WHOLE` of the question's words itself, with its title, and no passage
leads to another, the others are mostly padding: there the share is `NEAR_TO_WHOLE`."""
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

_POSSESSIVE = re.compile(r"['’]s\b")
_FOOTNOTE = re.compile(r"(?<=[^\W\d_])\d+$")
_OF_A_WORK = r"\b(?:album|book|film|game|movie|novel|opera|play|poem|series|song)\s+[\"'“‘]?"
"""Before the name of a work, which spaCy may take for a person: "based on the novel Dracula"."""
_DATED = re.compile(
    r"\d|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday"
    r"|wednesday|thursday|friday|saturday|sunday|century|noon|midnight)\b",
    re.IGNORECASE,
)
_NO_NUMBER = frozenset({"one", "zero", "half"})
"""Numbers that text has for other reasons: "one of the largest"."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage, on one line; `score` is its cosine with the question and what its place adds."""

    passage: Item
    text: str
    score: float = 0.0
    cosine: float = 0.0


@dataclass(frozen=True, slots=True)
class Extract:
    """Sentences of passages that answer a question.

    Attributes:
        sentences: best first; none where the passages do not answer it.
        guess: the name, date or number in the first one that the question asks for; "" where there is none.
        fit: how well the passages fit the question.
    """

    sentences: tuple[Sentence, ...]
    guess: str = ""
    fit: Fit | None = None

    @property
    def short(self) -> str:
        """The answer alone: the guess, or else the first sentence."""
        return self.guess or (self.sentences[0].text if self.sentences else "")


def extract(question: str, context: Context, embedder: Embedder, extractor: Extractor) -> Extract:
    """The sentences of the passages that answer a question best, and its short answer; no sentence where the passages
    do not answer it (`answerable.Fit`).

    Raises:
        ModelError: the embedder or the extractor cannot be used.
    """
    scene = _Scene(question, context.items)
    sentences = _scored(question, context, scene, embedder)
    if not sentences:
        return Extract(())
    fit = fit_of(question, (f"{each.title}\n{each.body}" for each in context.items), (s.cosine for s in sentences))
    if not fit.answers and content_words(question):  # "Where?" says too little to judge by
        return Extract((), fit=fit)
    types = types_asked_for(question)
    guesses: dict[str, str] = {}
    if types and extractor.by == NAMES_OF_NLP:  # another one may ask a language model
        sentences, guesses = _with_names(question, sentences, types, extractor)
    chosen = tuple(_worth_showing(sentences, _nearness_wanted(question, sentences[0], scene)))
    return Extract(chosen, guesses.get(chosen[0].text, ""), fit)


def _scored(question: str, context: Context, scene: _Scene, embedder: Embedder) -> list[Sentence]:
    """The sentences of the passages by their cosine and their place, best first."""
    read = list(islice(_readable(question, context), MOST_READ))
    if not read:
        return []
    vectors = embedder.embed([question, *(each.text for each in read)])
    scored = (
        replace(each, score=float(cosine) + scene.bonus(each.passage), cosine=float(cosine))
        for each, cosine in zip(read, vectors[1:] @ vectors[0], strict=True)
    )
    return sorted(scored, key=lambda each: -each.score)


def _readable(question: str, context: Context) -> Iterator[Sentence]:
    """The sentences that can answer, each once: no navigation, and none that only repeats words of the question, unless
    that asks for yes or no."""
    asked = frozenset[str]() if asks_to_choose(question) else content_words(question)
    seen: set[str] = set()
    for passage in context.items:
        for text in _sentences(passage.body):
            key = " ".join(key_words(text))
            if key in seen or is_navigation(text) or content_words(text) <= asked:
                continue
            seen.add(key)
            yield Sentence(passage, text)


class _Scene:
    """Passages that others lead to. "Where was the director of Nosferatu born?" is answered where Nosferatu's passage
    leads to: in that of Murnau, whom the question does not name."""

    def __init__(self, question: str, passages: Sequence[Item]) -> None:
        asked = _padded(question)
        titles = {each.number: _padded(without_parentheses(each.title)) for each in passages}
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

    @property
    def leads(self) -> bool:
        """Whether a passage leads to another one."""
        return bool(self._reached)

    def bonus(self, passage: Item) -> float:
        return REACHED * (passage.number in self._reached) - RANK * (passage.number - 1)


def _with_names(
    question: str, sentences: Sequence[Sentence], types: Types, extractor: Extractor
) -> tuple[list[Sentence], dict[str, str]]:
    """The sentences again, those with a fitting name first, and by sentence the name in it that fits best."""
    parsed = sentences[:MOST_PARSED]
    chunks = [ChunkText(str(at), "", "", each.text) for at, each in enumerate(parsed)]
    known = _words(question)
    guesses: dict[str, str] = {}
    scored: list[Sentence] = []
    for sentence, found in zip(parsed, extractor.extract(chunks), strict=True):
        fitting = [mention for mention in found.mentions if _fits(mention, types, known, sentence.text)]
        if types == DATE and asks_for_an_end(question):
            fitting = fitting[1:] + fitting[:1]
        if not fitting:
            scored.append(sentence)
            continue
        best = max(fitting, key=lambda mention: mention.type == types[0])
        second = SECOND_CHOICE * (best.type != types[0])
        scored.append(replace(sentence, score=sentence.score + FITS - second))
        guesses[sentence.text] = _FOOTNOTE.sub("", best.surface) if types == PERSON else best.surface
    return sorted([*scored, *sentences[MOST_PARSED:]], key=lambda each: -each.score), guesses


def _fits(mention: Mention, types: Types, known: frozenset[str], sentence: str) -> bool:
    """Whether a name may be the answer: of a fitting type, whole words, and not what the question says itself."""
    surface, words = mention.surface, _words(mention.surface)
    if mention.type not in types or not words or words <= known:
        return False
    if not re.search(rf"(?<!\w){re.escape(surface)}(?!\w)", sentence):
        return False
    if types == PERSON:
        return not re.search(rf"{_OF_A_WORK}{re.escape(surface)}", sentence, re.IGNORECASE)
    if types == DATE:
        return _DATED.search(surface) is not None
    return types != NUMBER or not words <= _NO_NUMBER


def _nearness_wanted(question: str, best: Sentence, scene: _Scene) -> float:
    """The share of the best score that a further sentence needs."""
    asked = content_words(question)
    has = asked & content_words(f"{best.passage.title} {best.text}")
    return NEAR_TO_WHOLE if not scene.leads and len(has) >= WHOLE * len(asked) else NEAR


def _worth_showing(sentences: Sequence[Sentence], near: float) -> Iterator[Sentence]:
    """The best, and those near it that add something: what is asked may take several sentences to answer."""
    taken: list[Sentence] = []
    for sentence in sentences:
        if taken and (sentence.score < near * taken[0].score or sentence.cosine < LEAST_COSINE):
            continue
        words = content_words(sentence.text)
        if any(words <= content_words(other.text) for other in taken):
            continue
        if sum(other.passage.number == sentence.passage.number for other in taken) < SHOWN_OF_ONE:
            taken.append(sentence)
            yield sentence
        if len(taken) == SHOWN:
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
