"""A pipeline's word vectors, computed by onnxruntime: they are the larger part of parsing.

spaCy multiplies matrices by BLIS, which has no code of its own for many processors and is three times slower there.
Values differ in their last bits, and the row of a word still depends on the words within its windows alone: how texts
are put into batches changes nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from spacy.language import Language
from spacy.ml._precomputable_affine import forward as precomputable_affine
from thinc.layers.chain import forward as chain
from thinc.layers.concatenate import forward as concatenate
from thinc.layers.dropout import forward as dropout
from thinc.layers.expand_window import forward as expand_window
from thinc.layers.layernorm import forward as layernorm
from thinc.layers.maxout import forward as maxout
from thinc.layers.residual import forward as residual
from thinc.layers.with_array import forward as with_array
from thinc.model import Model

from overstory.text.parsing.onnx_graph import INPUT, OnnxGraph, Rows, added_maxout

_ADDED_VARIANCE = 1e-8
"""What thinc adds to a variance before it divides by it."""

Layer = Model[Any, Any]


def replace_layers(language: Language) -> None:
    """Replaces layers of a pipeline's models by faster ones with the same results; others stay as they are.

    These are dense layers over words (maxout, windows, layer normalisation, a parser's first), and the hashed features
    before them, which are looked up once for all words of a batch that have the same.
    """
    for _, component in language.pipeline:
        model = getattr(component, "model", None)
        for node in list(model.walk()) if isinstance(model, Model) else []:
            _replace_in(node)


def _replace_in(node: Layer) -> None:
    if _kind(node) is precomputable_affine:
        _precomputed(node)
    elif _kind(node) is with_array and (session := _compiled(node.layers[0])):
        node.layers[0] = _on_onnxruntime(session)
    elif _kind(node) is chain:
        for at, (hashed, dense) in enumerate(zip(node.layers, node.layers[1:], strict=False)):
            embeds = _kind(hashed) is with_array and _kind(hashed.layers[0]) is concatenate
            if embeds and _kind(dense) is with_array and (session := _compiled(dense.layers[0])):
                hashed.layers[0] = _once_each(hashed.layers[0], session)
                del node.layers[at + 1]
                break


def _precomputed(node: Layer) -> None:
    """Has the first layer of a parser's model, computed for all words in all places that they may have, run here."""
    weights, padding = _weights(node, "W"), _weights(node, "pad")
    features, outputs, pieces, inputs = weights.shape
    graph = OnnxGraph()
    found = graph.add("MatMul", INPUT, graph.constant(weights.reshape(-1, inputs).T))
    session = graph.session(graph.add("Concat", graph.constant(padding.reshape(1, -1)), found, axis=0))

    def forward(_: Layer, rows: Rows, is_train: bool) -> tuple[Rows, None]:  # noqa: ARG001 # thinc's signature
        return _run(session, rows).reshape(-1, features, outputs, pieces), None

    node._func = forward  # pyright: ignore[reportPrivateUsage] # its parameters are read elsewhere, the node stays


def _kind(layer: Layer) -> object:
    """The function of a layer, which is the same for all of its kind."""
    return layer._func  # pyright: ignore[reportPrivateUsage] # names can be changed


def _on_onnxruntime(session: ort.InferenceSession) -> Layer:
    def forward(_: Layer, rows: Rows, is_train: bool) -> tuple[Rows, None]:  # noqa: ARG001 # thinc's signature
        return _run(session, rows), None

    return Model("onnxruntime", forward)


def _once_each(embed: Layer, session: ort.InferenceSession) -> Layer:
    """Hashed features and the dense layers after them, for each distinct row of features."""

    def forward(_: Layer, features: NDArray[np.uint64], is_train: bool) -> tuple[Rows, None]:  # noqa: ARG001
        distinct, places = _distinct(features)
        return _run(session, embed.predict(distinct))[places], None

    return Model("embedding", forward)


def _run(session: ort.InferenceSession, rows: Rows) -> Rows:
    found: Rows = np.asarray(session.run(None, {INPUT: np.ascontiguousarray(rows)})[0], dtype=np.float32)
    return found


_MIXING = np.random.default_rng(18).integers(1, 1 << 63, size=64, dtype=np.uint64) * np.uint64(2) + np.uint64(1)


def _distinct(features: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The distinct rows, and the place among them of each row."""
    keys = (features * _MIXING[: features.shape[1]]).sum(axis=1, dtype=np.uint64)
    _, first, places = np.unique(keys, return_index=True, return_inverse=True)
    distinct = features[first]
    if not np.array_equal(distinct[places], features):  # two rows have one key
        return features, np.arange(len(features))
    return distinct, places


def _compiled(layer: Layer) -> ort.InferenceSession | None:
    """A graph of these layers; None if one of them is not known here."""
    graph = OnnxGraph()
    output = _added(graph, layer, INPUT)
    return None if output is None else graph.session(output)


def _added(graph: OnnxGraph, layer: Layer, rows: str) -> str | None:
    """The result of a layer on `rows` in the graph; None if it is not known here."""
    kind = _kind(layer)
    if kind is dropout:  # in training only
        return rows
    if kind is expand_window:
        return _windows(graph, layer.attrs["window_size"], rows)
    if kind is maxout:
        return added_maxout(graph, _weights(layer, "W"), _weights(layer, "b"), rows)
    if kind is layernorm:
        scale, bias = (graph.constant(_weights(layer, name)) for name in ("G", "b"))
        return graph.add("LayerNormalization", rows, scale, bias, axis=-1, epsilon=_ADDED_VARIANCE)
    if kind is residual:
        inner = _added(graph, layer.layers[0], rows)
        return None if inner is None else graph.add("Add", rows, inner)
    if kind is chain:
        result: str | None = rows
        for each in layer.layers:
            result = None if result is None else _added(graph, each, result)
        return result
    return None


def _windows(graph: OnnxGraph, size: int, rows: str) -> str:
    """Each row with those before and after it, as many as `size` on a side; zeros beyond the ends."""
    padded = graph.add("Pad", rows, graph.constant(np.array([size, 0, size, 0])))
    axis = graph.constant(np.array([0]))
    shifted: list[str] = []
    for offset in range(2 * size + 1):
        end = offset - 2 * size or np.iinfo(np.int64).max
        first, last = (graph.constant(np.array([place], dtype=np.int64)) for place in (offset, end))
        shifted.append(graph.add("Slice", padded, first, last, axis))
    return graph.add("Concat", *shifted, axis=1)


def _weights(layer: Layer, name: str) -> Rows:
    return np.asarray(layer.get_param(name))
