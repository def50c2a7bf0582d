"""Identifiers of AutoPrunedRetriever's nodes: functions of texts alone, so that the same triple is one edge."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from overstory.graph.ids import content_id
from overstory.text.names.keys import entity_key, fold

SymbolKind = Literal["entity", "relation"]


def symbol_key(kind: SymbolKind, text: str) -> str:
    """What tells symbols of a kind apart; "" for a text that says nothing."""
    return (entity_key(text) if kind == "entity" else "") or fold(text)


def symbol_id(label: str, kind: SymbolKind, key: str) -> str:
    return content_id("apr-symbol", label, kind, key)


def edge_id(label: str, head: str, relation: str, tail: str) -> str:
    """Of three symbols, by their ids."""
    return content_id("apr-edge", label, head, relation, tail)


def run_id(chunk: str, seq: int) -> str:
    """A run of facts, by its place in its chunk."""
    return content_id("apr-run", chunk, str(seq))


def memory_id(label: str) -> str:
    """The memory of a corpus."""
    return content_id("apr-memory", label)


def question_id(label: str, question: str) -> str:
    """A remembered question; those that differ in case and spaces alone are one."""
    return content_id("apr-question", label, fold(question))


def answer_id(label: str, short: str, facts: Iterable[tuple[str, str]]) -> str:
    """A remembered answer, by what it says and the facts that it cites, (edge id, chunk id) each, in any order."""
    return content_id("apr-answer", label, fold(short), *(part for fact in sorted(set(facts)) for part in fact))
