"""spaCy's entity recogniser, for many words at a time instead of word by word.

The recogniser reads a text from left to right. Outside of an entity, what it does next depends on the next word alone,
so this is found for all words at once. Only within entities does it depend on where they began: all that may begin are
followed at the same time, a word at a step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from spacy.language import Language
from spacy.pipeline import EntityRecognizer
from spacy.tokens import Doc, Span

from overstory.text.parsing.onnx_graph import INPUT, OnnxGraph, Rows, added_linear, added_maxout

NAME = "overstory_entities"
_WORDS_OF_A_SCORE = 3
"""What a score depends on: the next word, the first of the open entity, the last before the next."""

Flags = NDArray[np.bool_]


def takes_over(recogniser: EntityRecognizer) -> bool:  # pyright: ignore[reportUnknownParameterType]
    """Whether this recogniser is one that `FasterEntities` gives the results of: greedy, of the usual architecture."""
    model = recogniser.model
    return (
        type(recogniser) is EntityRecognizer
        and recogniser.cfg["beam_width"] == 1
        and bool(model.attrs.get("has_upper"))
        and not model.attrs.get("unseen_classes")
        and model.get_ref("lower").get_dim("nF") == _WORDS_OF_A_SCORE
        and model.get_ref("lower").get_dim("nP") > 1
    )


@Language.factory(NAME)  # pyright: ignore[reportUntypedFunctionDecorator] # spaCy's
def make(nlp: Language, name: str) -> FasterEntities:  # noqa: ARG001 # spaCy's signature
    """In the place of the pipeline's recogniser."""
    recogniser = nlp.get_pipe("ner")
    assert isinstance(recogniser, EntityRecognizer)  # noqa: S101 # for mypy
    return FasterEntities(recogniser)


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of some texts, one after the other.

    Attributes:
        vectors: as the recogniser's model has them.
        space: words of white space.
        alone: the last words of texts and sentences, which no entity goes beyond.
    """

    vectors: Rows
    space: Flags
    alone: Flags


class FasterEntities:
    """A component with the results of a recogniser that `takes_over` names."""

    def __init__(self, recogniser: EntityRecognizer) -> None:  # pyright: ignore[reportUnknownParameterType]
        self._tok2vec = recogniser.model.get_ref("tok2vec")
        lower, upper = recogniser.model.get_ref("lower"), recogniser.model.get_ref("upper")
        weights, bias, padding = lower.get_param("W"), lower.get_param("b"), lower.get_param("pad")[0]
        features, outputs, pieces, inputs = weights.shape
        scores = upper.get_param("W"), upper.get_param("b")
        together = weights.transpose(1, 2, 0, 3).reshape(outputs, pieces, features * inputs)
        self._outside = _scores(weights[0], padding[1:].sum(axis=0) + bias, *scores)
        self._inside = _scores(together, bias, *scores)
        moves = [name.partition("-") for name in recogniser.move_names]
        self._labels = sorted({label for move, _, label in moves if move == "B"})
        place = {(move, label): at for at, (move, _, label) in enumerate(moves)}
        self._begin, self._in, self._last, self._unit = (
            np.array([place[move, label] for label in self._labels], dtype=np.intp) for move in "BILU"
        )
        self._label_of = {at: number for row in (self._begin, self._unit) for number, at in enumerate(row)}
        self._never = sorted(set(range(len(moves))) - {place["O", ""], *self._begin, *self._unit})

    def __call__(self, doc: Doc) -> Doc:
        """One text."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 64) -> Iterator[Doc]:
        """Many texts, in order."""
        remaining = iter(stream)
        while batch := list(islice(remaining, batch_size)):
            docs = [doc for doc in batch if len(doc)]
            if docs:
                self._find(docs)
            yield from batch

    def _find(self, docs: Sequence[Doc]) -> None:
        attributes = np.concatenate([doc.to_array(["IS_SPACE", "SENT_START"]) for doc in docs])
        ends = np.cumsum([len(doc) for doc in docs])
        alone = np.append(attributes[1:, 1] == 1, True)  # the last word
        alone[ends - 1] = True
        words = _Words(self._tok2vec.predict(docs), attributes[:, 0] == 1, alone)
        labels, stops = self._entities(words)
        first = 0
        for doc, end in zip(docs, ends.tolist(), strict=True):
            doc.set_ents([Span(doc, s - first, e - first, label) for s, e, label in _read(first, end, labels, stops)])
            first = end

    def _entities(self, words: _Words) -> tuple[list[str], list[int]]:
        """Of each word the label of the entity that would begin with it ("" for none), and the first word after it."""
        scores: Rows = np.asarray(self._outside.run(None, {INPUT: words.vectors})[0])
        scores[:, self._never] = -np.inf
        scores[np.ix_(words.space, self._unit)] = -np.inf
        scores[np.ix_(words.space | words.alone, self._begin)] = -np.inf
        chosen = scores.argmax(axis=1)
        numbers = np.array([self._label_of.get(move, -1) for move in range(scores.shape[1])])[chosen]
        stops = np.arange(1, len(chosen) + 1)
        start = np.flatnonzero(np.isin(chosen, self._begin))
        place = start + 1
        while len(start):
            goes_on = self._goes_on(words, start, place, numbers[start])
            stops[start[~goes_on]] = place[~goes_on] + 1
            start, place = start[goes_on], place[goes_on] + 1
        return [self._labels[number] if number >= 0 else "" for number in numbers.tolist()], stops.tolist()

    def _goes_on(
        self, words: _Words, start: NDArray[np.intp], place: NDArray[np.intp], label: NDArray[np.intp]
    ) -> Flags:
        """Whether entities that began at `start` and hold the word at `place` go on after it."""
        vectors = words.vectors
        rows = np.concatenate([vectors[place], vectors[start], vectors[place - 1]], axis=1)
        scores: Rows = np.asarray(self._inside.run(None, {INPUT: rows})[0])
        every = np.arange(len(start))
        inner, last = self._in[label], self._last[label]
        higher = scores[every, inner] > scores[every, last]
        equal = (scores[every, inner] == scores[every, last]) & (inner < last)
        goes_on: Flags = (higher | equal) & ~words.alone[place]
        return goes_on


def _read(first: int, end: int, labels: Sequence[str], stops: Sequence[int]) -> Iterator[tuple[int, int, str]]:
    """The entities of the text with these words: first word, the word after, label."""
    at = first
    while at < end:
        if labels[at]:
            yield at, stops[at], labels[at]
        at = stops[at]


def _scores(weights: Rows, bias: Rows, upper_weights: Rows, upper_bias: Rows) -> ort.InferenceSession:
    """Rows of words' vectors -> scores of moves."""
    graph = OnnxGraph()
    return graph.session(added_linear(graph, upper_weights, upper_bias, added_maxout(graph, weights, bias, INPUT)))
