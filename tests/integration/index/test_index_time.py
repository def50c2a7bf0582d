"""The time of indexing is estimated from earlier runs."""

from __future__ import annotations

import pytest
from tests.passages import EINSTEIN, OpenCorpus

from overstory.graph import read_corpus, writing
from overstory.index import IndexTime, estimate_index_time
from overstory.index.ledger import _LEAST_ITEMS_MEASURED, _OTHER_STEPS_FACTOR, recorded
from overstory.knowledge import Knowledge


def estimate(knowledge: Knowledge, *, embed: int, extract: int = 0, usual: bool = False) -> IndexTime | None:
    return estimate_index_time(
        knowledge.graph, embed=embed, extract=extract, embedder="minilm-int8:1", extractor="spacy:1", usual=usual
    )


def test_long_runs_are_measured_and_short_ones_do_not_replace_them(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([EINSTEIN])
    assert estimate(knowledge, embed=1_000) is None
    guessed = estimate(knowledge, embed=1_000, extract=1_000, usual=True)
    assert guessed is not None
    assert not guessed.measured
    with writing(knowledge.graph, read_corpus(knowledge.graph, knowledge.corpus_name), "test") as writer:

        def run(stage: str, fingerprint: str, chunks: int, *, interrupted: bool = False) -> None:
            with recorded(writer, stage, fingerprint, of=("chunks", 900)) as record:
                record.count("chunks", chunks)
                if interrupted:
                    raise KeyboardInterrupt

        run("embed", "minilm-int8:1", _LEAST_ITEMS_MEASURED - 1)
        assert estimate(knowledge, embed=1_000) is None
        with pytest.raises(KeyboardInterrupt):
            run("embed", "minilm-int8:1", _LEAST_ITEMS_MEASURED, interrupted=True)
        (row,) = knowledge.graph.run(
            "corpus/stage_speeds", read=True, name="embed", fingerprint="minilm-int8:1", limit=9
        )
        assert row["units"] == _LEAST_ITEMS_MEASURED
        first = estimate(knowledge, embed=1_000)
        assert first is not None
        assert first.measured
        assert first.seconds == pytest.approx(_OTHER_STEPS_FACTOR * row["seconds"] * 1_000 / _LEAST_ITEMS_MEASURED)
        run("embed", "minilm-int8:1", 3)
        assert estimate(knowledge, embed=1_000) == first
        half = estimate(knowledge, embed=1_000, extract=1_000, usual=True)
        assert half is not None
        assert not half.measured
        assert estimate(knowledge, embed=1_000, extract=1_000) is None
        run("extract", "spacy:1", _LEAST_ITEMS_MEASURED)
        both = estimate(knowledge, embed=1_000, extract=1_000)
        assert both is not None
        assert both.measured
    assert estimate(knowledge, embed=0) is None


def test_nothing_is_guessed_of_models_that_are_not_known(open_corpus: OpenCorpus) -> None:
    graph = open_corpus().graph
    assert estimate_index_time(graph, embed=9, extract=9, embedder="own:1", extractor="spacy:1", usual=True) is None
