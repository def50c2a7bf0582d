"""A corpus follows folders while they change, whatever happens to them, to other writers and to the watch itself."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.fakes import HashingEmbedder, ScriptedExtractor
from tests.passages import OpenCorpus
from tests.sources import write

from overstory.errors import SourceError
from overstory.graph import read_corpus, writing
from overstory.index import DocumentChange
from overstory.knowledge import Knowledge
from overstory.knowledge.watch import WatchOptions, watch
from overstory.sources import ReadOptions

PATIENCE_SECONDS = 60


@dataclass
class Told:
    """The output of a watch."""

    changes: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    notes: list[str] = field(default_factory=list[str])

    def change(self, change: DocumentChange) -> None:
        self.changes.append((change.kind, Path(change.origin).name))

    def has_note(self, beginning: str) -> bool:
        return any(note.startswith(beginning) for note in self.notes)


@contextmanager
def watching(knowledge: Knowledge, folder: Path, options: WatchOptions) -> Generator[Told]:
    told, stop = Told(), threading.Event()
    failures: list[BaseException] = []

    def work() -> None:
        try:
            watch(knowledge, [folder], options, on_change=told.change, on_note=told.notes.append, stop=stop)
        except BaseException as error:  # noqa: BLE001 # raised again below
            failures.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        until(lambda: told.has_note("synced") or bool(failures))
        yield told
    finally:
        stop.set()
        thread.join(PATIENCE_SECONDS)
    assert not thread.is_alive()
    assert not failures


def until(fulfilled: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not fulfilled():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.slow
def test_changes_are_followed_and_indexed_and_those_of_a_pause_found_at_the_start(
    open_corpus: OpenCorpus, tmp_path: Path
) -> None:
    names: dict[str, str] = {"Anna": "PERSON", "Bert": "PERSON"}
    knowledge = open_corpus(embedder=HashingEmbedder(8), extractor=ScriptedExtractor(names))
    write(tmp_path / "a.txt", "Anna sees Bert.")
    read = ReadOptions(exclude=("drafts/",))
    options = WatchOptions(read=read, index=True, quiet_milliseconds=100)
    with watching(knowledge, tmp_path, options) as told:
        until(lambda: told.has_note("indexed"))
        write(tmp_path / "x" / "b.txt", "Bert likes Anna.")
        until(lambda: ("added", "b.txt") in told.changes)
        write(tmp_path / "drafts" / "c.txt", "A draft.")
        write(tmp_path / ".d.txt", "Hidden.")
        (tmp_path / "a.txt").rename(tmp_path / "x" / "a.txt")
        until(lambda: ("moved", "a.txt") in told.changes)
        write(tmp_path / "x" / "bad.txt", "Köln".encode("cp1252"))
        until(lambda: told.has_note("failed"))
        (tmp_path / "x" / "b.txt").unlink()
        until(lambda: ("removed", "b.txt") in told.changes)
        until(lambda: knowledge.status().pending["extract"] == 0)
    assert told.changes == [("added", "a.txt"), ("added", "b.txt"), ("moved", "a.txt"), ("removed", "b.txt")]
    (tmp_path / "x" / "bad.txt").unlink()
    write(tmp_path / "e.txt", "Written while nobody watched.")
    with watching(knowledge, tmp_path, options) as told:
        pass
    assert told.changes == [("added", "e.txt")]
    assert knowledge.failed_files() == []
    fresh = open_corpus("fresh", embedder=HashingEmbedder(8), extractor=ScriptedExtractor(names))
    fresh.ingest(tmp_path, options=read)
    fresh.index()
    knowledge.index()
    assert knowledge.digest() == fresh.digest()


def test_a_watch_waits_for_other_writers_and_deletes_nothing_of_a_folder_that_is_not_there(
    open_corpus: OpenCorpus, tmp_path: Path
) -> None:
    knowledge = open_corpus(embedder=HashingEmbedder(8))
    folder = tmp_path / "docs"
    write(folder / "a.txt", "One.")
    with watching(knowledge, folder, WatchOptions(quiet_milliseconds=100)) as told:
        with writing(knowledge.graph, read_corpus(knowledge.graph, knowledge.corpus_name), "something else"):
            write(folder / "b.txt", "Two.")
            until(lambda: told.has_note("waiting"))
        until(lambda: ("added", "b.txt") in told.changes)
        folder.rename(tmp_path / "away")
        until(lambda: told.has_note("Nothing can be read"))
        assert knowledge.count_documents() == 2
        shutil.copytree(tmp_path / "away", folder)
        write(folder / "c.txt", "Three.")
        until(lambda: ("added", "c.txt") in told.changes)
        write(folder / "d.txt", "Four.")
        until(lambda: ("added", "d.txt") in told.changes)
    assert knowledge.count_documents() == 4


def test_only_folders_are_watched(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="not a folder that can be watched"):
        watch(open_corpus(), [tmp_path / "no"], WatchOptions(), on_change=print, on_note=print)
