"""Graphs for onnxruntime, written in ONNX's format without the onnx package: as much of it as dense layers need."""

from __future__ import annotations

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

INPUT = "input"
IR_VERSION, OPERATORS = 8, 17
_FLOAT, _INT = 1, 7  # element types
_TYPES = {np.dtype(np.float32): _FLOAT, np.dtype(np.int64): _INT}

Attribute = int | float
Rows = NDArray[np.float32]
Tensor = Rows | NDArray[np.int64]


class OnnxGraph:
    """A graph of operators. Its input, `INPUT`, and its output are float32[rows, width]."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []

    def add(self, operator: str, *inputs: str, **attributes: Attribute) -> str:
        """The name of the result of an operator on constants and the results of others."""
        name = f"r{len(self._nodes)}"
        parts = [_field(1, each) for each in inputs] + [_field(2, name), _field(4, operator)]
        parts += [_field(5, _attribute(key, value)) for key, value in attributes.items()]
        self._nodes.append(b"".join(parts))
        return name

    def constant(self, value: Tensor) -> str:
        """The name of a constant."""
        name = f"c{len(self._constants)}"
        shape = b"".join(_field(1, length) for length in value.shape)
        content = np.ascontiguousarray(value).tobytes()
        self._constants.append(shape + _field(2, _TYPES[value.dtype]) + _field(8, name) + _field(9, content))
        return name

    def session(self, output: str) -> ort.InferenceSession:
        """The graph with this result, ready to run on one thread."""
        graph = b"".join(_field(1, node) for node in self._nodes) + _field(2, "layers")
        graph += b"".join(_field(5, constant) for constant in self._constants)
        graph += _field(11, _rows(INPUT)) + _field(12, _rows(output))
        model = _field(1, IR_VERSION) + _field(7, graph) + _field(8, _field(1, "") + _field(2, OPERATORS))
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def added_linear(graph: OnnxGraph, weights: Rows, bias: Rows, rows: str) -> str:
    """The result of a layer of weights[outputs, inputs] and bias[outputs] on `rows`."""
    return graph.add("Add", graph.add("MatMul", rows, graph.constant(weights.T)), graph.constant(bias))


def added_maxout(graph: OnnxGraph, weights: Rows, bias: Rows, rows: str) -> str:
    """The result of a layer of weights[outputs, pieces, inputs] and bias[outputs, pieces] on `rows`: the largest of
    the pieces."""
    outputs, pieces, inputs = weights.shape
    matrix = weights.transpose(1, 0, 2).reshape(pieces * outputs, inputs)
    sums = added_linear(graph, matrix, bias.T.reshape(-1), rows)
    axis = graph.constant(np.array([1]))
    parts: list[str] = []
    for piece in range(pieces):
        first, last = (graph.constant(np.array([place * outputs])) for place in (piece, piece + 1))
        parts.append(graph.add("Slice", sums, first, last, axis))
    return graph.add("Max", *parts)


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, int):
        return _field(1, name) + _field(3, value) + _field(20, 2)
    return _field(1, name) + _varint(2 << 3 | 5) + np.float32(value).tobytes() + _field(20, 1)


def _rows(name: str) -> bytes:
    """The description of float32[rows, width], of any lengths."""
    shape = _field(1, _field(2, f"{name}.rows")) + _field(1, _field(2, f"{name}.width"))
    return _field(1, name) + _field(2, _field(1, _field(1, _FLOAT) + _field(2, shape)))


def _field(number: int, value: int | str | bytes) -> bytes:
    """A field of a protocol buffer."""
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
