"""Cached answers of a language model are deleted with the passages they quote."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes import HashingEmbedder, ScriptedExtractor
from tests.passages import OpenCorpus
from tests.sources import write

from overstory.graph import read_corpus
from overstory.knowledge import Knowledge
from overstory.llm import AnswerCache, answer_cache
from overstory.model import Completion, Usage

NAMES = ("changed.txt", "deleted.txt", "moved.txt", "same.txt", "vanished.txt")


def with_cache(knowledge: Knowledge, folder: Path) -> AnswerCache:
    """A cache of its own for this corpus."""
    knowledge.settings = replace(knowledge.settings, places=replace(knowledge.settings.places, cache=folder))
    return answer_cache(knowledge.settings)


def remember(cache: AnswerCache, knowledge: Knowledge) -> None:
    """One answer on each document, by its name, that quotes all its passages."""
    label = read_corpus(knowledge.graph, knowledge.corpus_name).label
    rows = knowledge.graph.run("export/chunks", label, documents=ids(knowledge), property="")
    quoted: dict[str, list[str]] = {}
    for row in rows:
        quoted.setdefault(row["document"], []).append(row["id"])
    for document in knowledge.documents():
        cache.put(Path(document.source).name, Completion("…", "m", Usage()), quotes=quoted[document.id])


def ids(knowledge: Knowledge) -> list[str]:
    return [document.id for document in knowledge.documents()]


def remembered(cache: AnswerCache) -> set[str]:
    return {name for name in NAMES if cache.get(name)}


@pytest.mark.slow
@pytest.mark.changes_schema
def test_answers_go_with_what_is_deleted_or_changed_and_stay_with_what_moved(
    open_corpus: OpenCorpus, tmp_path: Path
) -> None:
    knowledge = open_corpus(embedder=HashingEmbedder(8), extractor=ScriptedExtractor({}))
    cache = with_cache(knowledge, tmp_path / "cache")
    folder = tmp_path / "texts"
    for name in NAMES:
        write(folder / name, f"Of {name}.")
    knowledge.ingest(folder)
    remember(cache, knowledge)
    assert cache.size().answers == 5

    write(folder / "changed.txt", "Another text.")
    (folder / "x").mkdir()
    (folder / "moved.txt").rename(folder / "x" / "moved.txt")
    (folder / "vanished.txt").unlink()
    knowledge.ingest(folder, sync=True)
    assert remembered(cache) == {"deleted.txt", "moved.txt", "same.txt"}

    knowledge.delete_documents(source=str(folder / "deleted.txt"))
    assert remembered(cache) == {"moved.txt", "same.txt"}
    knowledge.delete_documents(source=str(folder / "x" / "moved.txt"))
    assert remembered(cache) == {"same.txt"}
    knowledge.delete_corpus()
    assert remembered(cache) == set()


def test_deleting_works_where_the_cache_cannot_be_opened_and_a_warning_says_so_once(
    open_corpus: OpenCorpus, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    knowledge = open_corpus(embedder=HashingEmbedder(8), extractor=ScriptedExtractor({}))
    cache = with_cache(knowledge, tmp_path)
    cache.path.mkdir(parents=True)  # nothing that SQLite can open
    knowledge.ingest_documents(["One text.", "Another one."])
    assert knowledge.delete_documents(ids(knowledge)) == 2
    assert knowledge.count_documents() == 0
    [warning] = [each.getMessage() for each in caplog.records if each.levelname == "WARNING"]
    assert "still quote deleted passages" in warning
    assert str(cache.path) in warning
