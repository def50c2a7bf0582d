"""Canopy on a real graph: names lead from passage to passage."""

from __future__ import annotations

import pytest
from tests.passages import OpenCorpus, passage

WINE = passage("wine", "Ostwind", "Ostwind is a film. It was directed by Karla Ehrenreich.")
WOMAN = passage("woman", "Karla Ehrenreich", "Karla Ehrenreich was born in Bad Wimpfen.")
TOWN = passage("town", "Bad Wimpfen", "Bad Wimpfen is a town on the Neckar.")
OTHERS = [passage(f"o{i}", f"Film {i}", f"Film {i} is a film. Its director came from town {i}.") for i in range(8)]


def test_a_passage_that_shares_no_word_with_the_question_is_reached_by_a_name(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([WINE, WOMAN, TOWN, *OTHERS])
    knowledge.index()
    evidence = knowledge.search("Where was the director of Ostwind born?", 2, retriever="canopy")
    assert [hit.source_key for hit in evidence.hits] == ["wine", "woman"]
    for hit in evidence.hits:
        assert sum(reason.score for reason in hit.reasons) == pytest.approx(hit.score)
    paths = [path for path in evidence.paths if path.chunk_id == evidence.hits[1].chunk_id]
    assert {str(path) for path in paths} == {"Ostwind → Ostwind → Karla Ehrenreich → Karla Ehrenreich"}
    assert {path.steps[0].source_sentence for path in paths} == {"It was directed by Karla Ehrenreich."}
    assert [path.steps[0].kind for path in paths] == ["mentions", "about"]


def test_a_corpus_without_names_is_searched_by_meaning_and_words(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([WINE, *OTHERS])
    knowledge.index()
    knowledge.ingest_documents([WOMAN])
    evidence = knowledge.search("Karla Ehrenreich", 2, retriever="canopy")
    assert {hit.source_key for hit in evidence.hits} == {"wine", "woman"}
