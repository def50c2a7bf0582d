"""Where names do not fit in memory, they go through a temporary file, and the corpus is the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.passages import PASSAGES, OpenCorpus, hotpotqa, passage

from overstory.index import passage_names
from overstory.index.stages import mentions
from overstory.knowledge import Knowledge

STATEMENTS = ("about", "dictionary_mentions", "entities")
LONG = "Society for the Preservation of Very Old Stone Bridges in the County of Kent"
GUIDE = passage("guide", LONG, f"{LONG} was founded in Ulm. A. Einstein and Albert Einstien wrote to it.")


def without_memory(knowledge: Knowledge) -> Knowledge:
    knowledge.settings = replace(knowledge.settings, memory_megabytes=0)
    return knowledge


def assert_equal(one: Knowledge, other: Knowledge) -> None:
    for statement in STATEMENTS:
        found = [
            sorted(map(str, each.graph.run(f"export/{statement}", each.status().corpus.label))) for each in (one, other)
        ]
        assert found[0] == found[1]
    assert one.digest() == other.digest()


@pytest.mark.slow
@pytest.mark.parametrize("held", [mentions._CHANGES_ALWAYS_HELD, 0])
def test_a_corpus_is_the_same_however_little_memory_there_is(
    open_corpus: OpenCorpus, monkeypatch: pytest.MonkeyPatch, held: int
) -> None:
    monkeypatch.setattr(mentions, "_CHANGES_ALWAYS_HELD", held)  # with 0 a change is looked at with everything else
    monkeypatch.setattr(passage_names, "_PASSAGES_A_PAGE", 7)
    plain, small = open_corpus("plain"), without_memory(open_corpus("small"))
    for knowledge in (plain, small):
        knowledge.ingest_documents([*PASSAGES, *hotpotqa(0, 40)])
        knowledge.index()
    assert_equal(plain, small)
    for knowledge in (plain, small):
        knowledge.ingest_documents([GUIDE, passage("ulm", "Ulm", "Ulm is where Albert Einstein lived. Mileva left.")])
        knowledge.index()
    assert_equal(plain, small)
    for knowledge in (plain, small):
        knowledge.merge_entities("A. Einstein", "Albert Einstein")
        knowledge.hide_entities("Danube")
        knowledge.index()
    assert_equal(plain, small)
    for knowledge in (plain, small):
        knowledge.delete_documents([knowledge.document_id(d.source, d.source_key) for d in (GUIDE, *hotpotqa(0, 15))])
        knowledge.rename_entity("Danube", "Donau")
        knowledge.index()
    assert_equal(plain, small)
