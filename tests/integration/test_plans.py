"""The plans of one corpus serve the next."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from tests.passages import PASSAGES, OpenCorpus

from overstory.graph import client
from overstory.knowledge import Knowledge

COMMENT = re.compile(r"^//.*\n", re.MULTILINE)
RETRIEVERS = ("lexical", "dense", "hybrid", "canopy")


def use(knowledge: Knowledge, systems: list[str]) -> None:
    knowledge.ingest_documents(PASSAGES)
    knowledge.index(systems=systems)
    for retriever in (*RETRIEVERS, *systems):
        knowledge.search("Where was the physicist born who discovered radium?", retriever=retriever)
    knowledge.ask("Where was Marie Curie born?")


@pytest.mark.slow
def test_a_second_corpus_needs_few_plans_of_its_own(
    open_corpus: OpenCorpus, systems: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: set[str] = set()
    prepared = client._prepared  # pyright: ignore[reportPrivateUsage] # there is no other place that sees every text

    def recorded(
        name: str, label: str | None, parameters: Mapping[str, object], server: tuple[int, ...]
    ) -> tuple[str, dict[str, object]]:
        text, given = prepared(name, label, parameters, server)
        sent.add(COMMENT.sub("", text))
        return text, given

    monkeypatch.setattr(client, "_prepared", recorded)
    use(open_corpus("first"), systems)
    first = set(sent)
    use(open_corpus("second"), systems)
    own = sent - first
    assert len(own) <= len(first) / 3
    # Planning takes more time the more patterns a statement has: those of its own count, mark or list nodes.
    assert sum(text.count("-[") for text in own) <= sum(text.count("-[") for text in first) / 6
