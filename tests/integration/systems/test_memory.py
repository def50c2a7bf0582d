"""A system that holds the whole in memory says before a build that there is too little."""

from __future__ import annotations

from typing import Any

import pytest
from tests.passages import PASSAGES, OpenCorpus

from overstory.errors import OverstoryError
from overstory.knowledge import Knowledge
from overstory.systems import System, find_system
from overstory.systems.lifecycle import check_memory

GIGABYTE = 1_000_000_000


def bytes_a_passage(knowledge: Knowledge, system: System[Any, Any], **options: object) -> int:
    return system.bytes_a_passage(system.settings(**options), knowledge.graph, knowledge.status().corpus)


@pytest.mark.parametrize("name", ["serag", "tretriever", "hirag", "apr"])
def test_a_corpus_for_which_there_is_too_little_memory_is_refused_with_a_remedy(
    shared_corpus: Knowledge, name: str
) -> None:
    system = find_system(name)
    a_passage = bytes_a_passage(shared_corpus, system)
    check_memory(system, 1_000, 1_000 * a_passage, memory=4 * GIGABYTE)
    with pytest.raises(OverstoryError, match=r"about [\d,]+ GB of memory for 1,000,000,000 passages") as caught:
        check_memory(system, GIGABYTE, GIGABYTE * a_passage, memory=4 * GIGABYTE)
    assert "fewer documents" in caught.value.remedy


def test_a_build_is_refused_before_anything_is_written(
    open_corpus: OpenCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(PASSAGES)
    monkeypatch.setattr("overstory_systems.serag.index.SERAG_BYTES_A_PASSAGE", 10**15)
    with pytest.raises(OverstoryError, match="SeRAG index needs about"):
        knowledge.index(systems="serag")
    assert "serag" not in knowledge.status().corpus.systems


def test_what_keeps_fewer_edges_needs_less(shared_corpus: Knowledge) -> None:
    system = find_system("serag")
    sparing = bytes_a_passage(shared_corpus, system, sharing=64, common=200)
    assert sparing < bytes_a_passage(shared_corpus, system)


def test_names_make_a_larger_graph_than_documents(shared_corpus: Knowledge) -> None:
    system = find_system("tretriever")
    assert bytes_a_passage(shared_corpus, system, over="entities")
    assert not bytes_a_passage(shared_corpus, system, over="documents")
