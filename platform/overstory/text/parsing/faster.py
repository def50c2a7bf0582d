"""Makes spaCy pipelines faster: onnxruntime computes the layers of their models and recognises entities.

spaCy multiplies matrices with BLIS, which is three times slower on processors for which it contains no optimised code.
The results are the same, because values differ only in their last bits and the values of a word do not depend on the
batch. Unknown layers, such as those of a new spaCy release, are not replaced; in that case,
tests/unit/text/parsing/test_faster.py fails. Together with `faster_attributes`, parsing takes a third of the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from spacy.language import Language
from spacy.ml._precomputable_affine import forward as precomputable_affine
from spacy.pipeline import EntityRecognizer
from spacy.tokens import Doc, Span
from thinc.layers.chain import forward as chain
from thinc.layers.concatenate import forward as concatenate
from thinc.layers.dropout import forward as dropout
from thinc.layers.expand_window import forward as expand_window
from thinc.layers.layernorm import forward as layernorm
from thinc.layers.maxout import forward as maxout
from thinc.layers.residual import forward as residual
from thinc.layers.with_array import forward as with_array
from thinc.model import Model

from overstory.text.parsing import faster_attributes

NAME = "overstory_entities"
_ADDED_VARIANCE = 1e-8  # added to a variance before a division by it, as in thinc
_WORDS_OF_A_SCORE = 3  # the next word, the first word of the current entity, and the word before the next word
_INPUT = "input"
_IR_VERSION, _OPERATORS = 8, 17  # versions of the ONNX format and of its operators
_TYPES = {np.dtype(np.float32): 1, np.dtype(np.int64): 7}  # ONNX codes for the types of array elements

Layer = Model[Any, Any]
Rows = NDArray[np.float32]


def make_faster(language: Language) -> None:
    """Replace components of a pipeline and layers of its models by faster ones. Unknown ones are not replaced."""
    replace_layers(language)
    if faster_attributes.takes_over(language):
        language.add_pipe(faster_attributes.NAME, after="lemmatizer")
        for name in ("attribute_ruler", "lemmatizer"):
            language.disable_pipe(name)
    if "ner" in language.pipe_names:
        recogniser = language.get_pipe("ner")
        if isinstance(recogniser, EntityRecognizer) and _takes_over(recogniser):
            language.add_pipe(NAME, after="ner")
            language.disable_pipe("ner")


def replace_layers(language: Language) -> None:
    """Replace the dense layers of a pipeline's models.

    These are maxout layers, windows, layer normalisation and the first layer of a parser. The embedding before them is
    computed only once for all words in a batch that have the same features.
    """
    for _, component in language.pipeline:
        model = getattr(component, "model", None)
        for node in list(model.walk()) if isinstance(model, Model) else []:
            _replace_in(node)


def _replace_in(node: Layer) -> None:
    if _kind(node) is precomputable_affine:
        _precomputed(node)
    elif _kind(node) is with_array and (session := _compiled(node.layers[0])):

        def forward(_model: Layer, rows: Any, is_train: bool) -> tuple[Any, None]:  # noqa: ARG001 # thinc's signature
            return _run(session, rows), None

        node.layers[0] = Model("onnxruntime", forward)
    elif _kind(node) is chain:
        for at, (hashed, dense) in enumerate(zip(node.layers, node.layers[1:], strict=False)):
            embeds = _kind(hashed) is with_array and _kind(hashed.layers[0]) is concatenate
            if embeds and _kind(dense) is with_array and (session := _compiled(dense.layers[0])):
                hashed.layers[0] = _once_each(hashed.layers[0], session)
                del node.layers[at + 1]
                break


def _precomputed(node: Layer) -> None:
    weights, padding = _weights(node, "W"), _weights(node, "pad")
    features, outputs, pieces, inputs = weights.shape
    graph = _OnnxGraph()
    found = graph.add("MatMul", _INPUT, graph.constant(weights.reshape(-1, inputs).T))
    session = graph.session(graph.add("Concat", graph.constant(padding.reshape(1, -1)), found, axis=0))

    def forward(_: Layer, rows: Rows, is_train: bool) -> tuple[Rows, None]:  # noqa: ARG001 # thinc's signature
        return _run(session, rows).reshape(-1, features, outputs, pieces), None

    node._func = forward  # pyright: ignore[reportPrivateUsage] # keeps the node, because other code reads its parameters


def _kind(layer: Layer) -> object:
    return layer._func  # pyright: ignore[reportPrivateUsage] # identifies the kind of a layer; its name could be changed


def _once_each(embed: Layer, session: ort.InferenceSession) -> Layer:
    def forward(_: Layer, features: NDArray[np.uint64], is_train: bool) -> tuple[Rows, None]:  # noqa: ARG001
        distinct, places = _distinct(features)
        return _run(session, embed.predict(distinct))[places], None

    return Model("embedding", forward)


def _run(session: ort.InferenceSession, rows: Rows) -> Rows:
    found: Rows = np.asarray(session.run(None, {_INPUT: np.ascontiguousarray(rows)})[0], dtype=np.float32)
    return found


_MIXING = np.random.default_rng(18).integers(1, 1 << 63, size=64, dtype=np.uint64) * np.uint64(2) + np.uint64(1)


def _distinct(features: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the distinct rows, and the index of each row among the distinct rows."""
    keys = (features * _MIXING[: features.shape[1]]).sum(axis=1, dtype=np.uint64)
    _, first, places = np.unique(keys, return_index=True, return_inverse=True)
    distinct = features[first]
    if not np.array_equal(distinct[places], features):  # a hash collision
        return features, np.arange(len(features))
    return distinct, places


def _compiled(layer: Layer) -> ort.InferenceSession | None:
    graph = _OnnxGraph()
    try:
        return graph.session(_added(graph, layer, _INPUT))
    except NotImplementedError:
        return None


def _added(graph: _OnnxGraph, layer: Layer, rows: str) -> str:
    """Add a layer with the input `rows` to the graph, and return the name of its output."""
    kind = _kind(layer)
    if kind is chain:
        for each in layer.layers:
            rows = _added(graph, each, rows)
        return rows
    if kind is dropout:  # only active in training
        return rows
    if kind is residual:
        return graph.add("Add", rows, _added(graph, layer.layers[0], rows))
    if kind is expand_window:
        return _windows(graph, layer.attrs["window_size"], rows)
    if kind is maxout:
        return graph.maxout(_weights(layer, "W"), _weights(layer, "b"), rows)
    if kind is layernorm:
        scale, bias = (graph.constant(_weights(layer, name)) for name in ("G", "b"))
        return graph.add("LayerNormalization", rows, scale, bias, axis=-1, epsilon=_ADDED_VARIANCE)
    raise NotImplementedError


def _windows(graph: _OnnxGraph, size: int, rows: str) -> str:
    """Add a layer that joins each row with the `size` rows before and after it. Rows beyond the ends are zero."""
    padded = graph.add("Pad", rows, graph.constant(np.array([size, 0, size, 0])))
    ends = [(offset, offset - 2 * size or np.iinfo(np.int64).max) for offset in range(2 * size + 1)]
    return graph.add("Concat", *(graph.slice(padded, first, last, axis=0) for first, last in ends), axis=1)


def _weights(layer: Layer, name: str) -> Rows:
    return np.asarray(layer.get_param(name))


# The entity recogniser reads a text from left to right. Outside an entity, its next action depends only on the next
# word. These actions are therefore computed for all words at once. Inside an entity, the next action also depends on
# the beginning of the entity. Therefore all possible entities are extended in parallel, by one word per step.


def _takes_over(recogniser: EntityRecognizer) -> bool:  # pyright: ignore[reportUnknownParameterType]
    """Return True if the recogniser is greedy and has the architecture that `FasterEntities` expects."""
    model = recogniser.model
    return (
        type(recogniser) is EntityRecognizer
        and recogniser.cfg["beam_width"] == 1
        and bool(model.attrs.get("has_upper"))
        and not model.attrs.get("unseen_classes")
        and model.get_ref("lower").get_dim("nF") == _WORDS_OF_A_SCORE
        and model.get_ref("lower").get_dim("nP") > 1
    )


@Language.factory(NAME)  # pyright: ignore[reportUntypedFunctionDecorator] # spaCy's decorator is untyped
def _make(nlp: Language, name: str) -> FasterEntities:  # noqa: ARG001 # spaCy's signature
    recogniser = nlp.get_pipe("ner")
    assert isinstance(recogniser, EntityRecognizer)  # noqa: S101 # narrows the type for mypy
    return FasterEntities(recogniser)


class _Words(NamedTuple):
    """The words of a batch of texts.

    Attributes:
        space: True for each word that consists of white space.
        alone: True for each word that ends a text or a sentence, so that no entity can continue after it.
    """

    vectors: Rows
    space: NDArray[np.bool_]
    alone: NDArray[np.bool_]


class FasterEntities:
    """A pipeline component that returns the same entities as a greedy entity recogniser."""

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
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 64) -> Iterator[Doc]:
        remaining = iter(stream)
        while batch := list(islice(remaining, batch_size)):
            if docs := [doc for doc in batch if len(doc)]:
                self._find(docs)
            yield from batch

    def _find(self, docs: Sequence[Doc]) -> None:
        attributes = np.concatenate([doc.to_array(["IS_SPACE", "SENT_START"]) for doc in docs])
        ends = np.cumsum([len(doc) for doc in docs])
        alone = np.append(attributes[1:, 1] == 1, True)  # the last word ends a text
        alone[ends - 1] = True
        words = _Words(self._tok2vec.predict(docs), attributes[:, 0] == 1, alone)
        labels, stops = self._entities(words)
        first = 0
        for doc, end in zip(docs, ends.tolist(), strict=True):
            doc.set_ents([Span(doc, s - first, e - first, label) for s, e, label in _read(first, end, labels, stops)])
            first = end

    def _entities(self, words: _Words) -> tuple[list[str], list[int]]:
        """Return, for each word, the label of the entity that may begin there, and the index after the entity's end.

        The label is "" if no entity can begin at the word.
        """
        scores = _run(self._outside, words.vectors)
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
    ) -> NDArray[np.bool_]:
        """Return, for each entity, whether it continues after the word at `place`.

        Args:
            start: index of each entity's first word.
            place: index of the word that is added to each entity.
            label: number of each entity's label.
        """
        vectors = words.vectors
        scores = _run(self._inside, np.concatenate([vectors[place], vectors[start], vectors[place - 1]], axis=1))
        every, inner, last = np.arange(len(start)), self._in[label], self._last[label]
        inside, ending = scores[every, inner], scores[every, last]
        goes_on: NDArray[np.bool_] = ((inside > ending) | (inside == ending) & (inner < last)) & ~words.alone[place]
        return goes_on


def _read(first: int, end: int, labels: Sequence[str], stops: Sequence[int]) -> Iterator[tuple[int, int, str]]:
    at = first
    while at < end:
        if labels[at]:
            yield at, stops[at], labels[at]
        at = stops[at]


def _scores(weights: Rows, bias: Rows, upper_weights: Rows, upper_bias: Rows) -> ort.InferenceSession:
    graph = _OnnxGraph()
    return graph.session(graph.linear(upper_weights, upper_bias, graph.maxout(weights, bias, _INPUT)))


class _OnnxGraph:
    """Builds an ONNX graph. Its input (`_INPUT`) and its output are float32[rows, width]."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []

    def add(self, operator: str, *inputs: str, **attributes: float) -> str:
        """Add an operator, and return the name of its output."""
        name = f"r{len(self._nodes)}"
        parts = [_field(1, each) for each in inputs] + [_field(2, name), _field(4, operator)]
        parts += [_field(5, _attribute(key, value)) for key, value in attributes.items()]
        self._nodes.append(b"".join(parts))
        return name

    def constant(self, value: Rows | NDArray[np.int64]) -> str:
        name = f"c{len(self._constants)}"
        shape = b"".join(_field(1, length) for length in value.shape)
        content = np.ascontiguousarray(value).tobytes()
        self._constants.append(shape + _field(2, _TYPES[value.dtype]) + _field(8, name) + _field(9, content))
        return name

    def slice(self, rows: str, first: int, last: int, *, axis: int) -> str:
        return self.add("Slice", rows, *(self.constant(np.array([each])) for each in (first, last, axis)))

    def linear(self, weights: Rows, bias: Rows, rows: str) -> str:
        return self.add("Add", self.add("MatMul", rows, self.constant(weights.T)), self.constant(bias))

    def maxout(self, weights: Rows, bias: Rows, rows: str) -> str:
        """Add a maxout layer, which returns the maximum over `pieces` linear layers.

        Args:
            weights: float32[outputs, pieces, inputs].
            bias: float32[outputs, pieces].
            rows: name of the input.
        """
        outputs, pieces, inputs = weights.shape
        sums = self.linear(weights.transpose(1, 0, 2).reshape(pieces * outputs, inputs), bias.T.reshape(-1), rows)
        return self.add("Max", *(self.slice(sums, at * outputs, (at + 1) * outputs, axis=1) for at in range(pieces)))

    def session(self, output: str) -> ort.InferenceSession:
        graph = b"".join(_field(1, node) for node in self._nodes) + _field(2, "layers")
        graph += b"".join(_field(5, constant) for constant in self._constants)
        graph += _field(11, _rows_named(_INPUT)) + _field(12, _rows_named(output))
        model = _field(1, _IR_VERSION) + _field(7, graph) + _field(8, _field(1, "") + _field(2, _OPERATORS))
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _attribute(name: str, value: float) -> bytes:
    if isinstance(value, int):
        return _field(1, name) + _field(3, value) + _field(20, 2)
    return _field(1, name) + _varint(2 << 3 | 5) + np.float32(value).tobytes() + _field(20, 1)


def _rows_named(name: str) -> bytes:
    shape = _field(1, _field(2, f"{name}.rows")) + _field(1, _field(2, f"{name}.width"))
    return _field(1, name) + _field(2, _field(1, _field(1, 1) + _field(2, shape)))


def _field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    content = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    digits = bytearray()
    while value > 127:
        digits.append(value & 127 | 128)
        value >>= 7
    digits.append(value)
    return bytes(digits)
