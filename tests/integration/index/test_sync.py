"""A corpus that is synced with a folder equals one that the folder was loaded into afresh."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from tests.fakes import HashingEmbedder, ScriptedExtractor
from tests.lending import empty
from tests.passages import OpenCorpus
from tests.sources import write

from overstory.errors import DocumentNotFound, SettingsError, SourcesEmpty
from overstory.index import DocumentChange
from overstory.knowledge import Knowledge
from overstory.sources import ReadOptions

NAMES: dict[str, str] = dict.fromkeys(("Anna", "Bert", "Carl", "Dora", "Emil"), "PERSON")
TRIPLES = '{"_id": "r1", "entities": ["Rome", "Tiber"], "triples": [["Rome", "lies on", "Tiber"]]}\n'


def sentence(chance: random.Random) -> str:
    return f"{chance.choice(list(NAMES))} {chance.choice(['knows', 'sees', 'likes'])} {chance.choice(list(NAMES))}."


def change(folder: Path, chance: random.Random) -> None:
    """One random change of the folder: of a file, or of a record in one."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".jsonl")
    chosen = chance.choice(files)
    new = folder / chance.choice(["", "x", "y"]) / f"{chance.randrange(10**6)}.txt"
    match chance.choice(["add", "change", "move", "rename", "remove", "record"]):
        case "add":
            write(new, sentence(chance))
        case "change":
            write(chosen, f"{sentence(chance)} {sentence(chance)}")
        case "move":
            write(new.with_name(chosen.name), chosen.read_bytes())
            if new.with_name(chosen.name) != chosen:
                chosen.unlink()
        case "rename":
            new.parent.mkdir(exist_ok=True)
            chosen.rename(new)
        case "remove" if len(files) > 2:
            chosen.unlink()
        case _:
            rows = [f'{{"id": "r{i}", "text": "{sentence(chance)}"}}\n' for i in sorted(chance.sample(range(5), 3))]
            write(folder / "records.jsonl", "".join(rows))
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()  # an empty folder may be a disk that is not mounted, whose documents would stay


def mirror_and_other(open_corpus: OpenCorpus, folder: Path, chance: random.Random) -> tuple[Knowledge, Knowledge]:
    """Two corpora, and files in the folder."""
    extractor = ScriptedExtractor(NAMES)
    for number in range(5):
        write(folder / f"{number}.txt", sentence(chance))
    write(folder / "records.jsonl", '{"id": "r0", "text": "Anna sees Rome."}\n')
    return (
        open_corpus(embedder=HashingEmbedder(8), extractor=extractor),
        open_corpus("fresh", embedder=HashingEmbedder(8), extractor=extractor),
    )


def test_after_each_of_ten_random_changes_the_corpus_is_that_of_the_folder(
    open_corpus: OpenCorpus, tmp_path: Path
) -> None:
    chance = random.Random(14)  # noqa: S311
    synced, fresh = mirror_and_other(open_corpus, tmp_path, chance)
    synced.ingest(tmp_path)
    synced.index()
    for _ in range(10):
        change(tmp_path, chance)
        report = synced.ingest(tmp_path, sync=True)
        synced.index()
        fresh.ingest(tmp_path)
        fresh.index()
        assert synced.digest() == fresh.digest()
        assert report.in_corpus == report.documents == fresh.count_documents()
        empty(fresh.graph, [fresh.corpus_name])


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_a_sync_of_the_files_that_changed_gives_the_corpus_of_the_folder(
    open_corpus: OpenCorpus, tmp_path: Path
) -> None:
    chance = random.Random(35)  # noqa: S311
    synced, fresh = mirror_and_other(open_corpus, tmp_path, chance)
    write(tmp_path / "beir" / "corpus.jsonl", '{"_id": "1", "title": "", "text": "Carl likes Rome."}\n')
    synced.ingest(tmp_path)
    synced.index()
    for _ in range(8):
        before = contents(tmp_path)
        change(tmp_path, chance)
        after = contents(tmp_path)
        changed = [path for path in before.keys() | after.keys() if before.get(path) != after.get(path)]
        report = synced.ingest(tmp_path, sync=True, only=changed)
        assert report.documents < len(after)
        synced.index()
        fresh.ingest(tmp_path)
        fresh.index()
        assert synced.digest() == fresh.digest()
        assert synced.count_documents() == fresh.count_documents()
        assert {d.source: d.metadata.get("folder") for d in synced.documents()} == {
            d.source: d.metadata.get("folder") for d in fresh.documents()
        }
        empty(fresh.graph, [fresh.corpus_name])


def test_of_the_files_that_changed_only_those_a_walk_reads_count(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    knowledge = open_corpus(embedder=HashingEmbedder(8))
    for name in ("a.md", "drafts/b.md", "beir/corpus.jsonl", "x/y/c.md", "x/y/d.md"):
        write(tmp_path / name, '{"_id": "1", "title": "", "text": "One."}\n')
    knowledge.ingest(tmp_path)

    def sync(*names: str, **options: object) -> tuple[int, int, int]:
        given = ReadOptions(**options)  # type: ignore[arg-type] # of several types
        only = [tmp_path / name for name in names]
        report = knowledge.ingest(tmp_path, sync=True, only=only, options=given)
        return report.documents, report.removed, knowledge.count_documents()

    write(tmp_path / ".hidden" / "e.md", "Hidden.")
    assert sync(".hidden/e.md", "a.md") == (1, 0, 5)
    write(tmp_path / "drafts" / "b.md", "Changed.")
    assert sync("drafts/b.md", exclude=("drafts/",)) == (0, 0, 5)
    assert sync("beir/corpus.jsonl") == (1, 0, 5)
    shutil.rmtree(tmp_path / "x")
    assert sync("x/y/c.md", "x/y/d.md", "x/y", "a.md") == (1, 2, 3)
    shutil.rmtree(tmp_path / "drafts")
    shutil.rmtree(tmp_path / "beir")
    (tmp_path / "a.md").unlink()
    shutil.rmtree(tmp_path / ".hidden")
    with pytest.raises(SourcesEmpty):  # the whole folder is empty, as a disk is that is not mounted
        sync("a.md", "drafts/b.md", "beir/corpus.jsonl")
    tmp_path.rmdir()
    with pytest.raises(SourcesEmpty):
        sync("a.md", "drafts/b.md")
    assert knowledge.count_documents() == 3


def test_files_that_fail_are_remembered_until_they_are_read_or_gone(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    knowledge = open_corpus(embedder=HashingEmbedder(8))
    write(tmp_path / "docs" / "good.md", "Good.")
    knowledge.ingest(tmp_path)
    latin = write(tmp_path / "docs" / "latin.txt", "Köln".encode("cp1252"))
    records = write(tmp_path / "records.jsonl", '{"id": "1", "text": "One."}\n{broken\n[]\n')
    knowledge.ingest(tmp_path)
    first, second = knowledge.failed_files()
    assert (first.source, first.line, first.faults, first.root) == (str(latin), 1, 1, str(tmp_path))
    assert first.reason.startswith("is not UTF-8")
    assert "--encoding" in first.remedy
    assert (second.source, second.line, second.faults) == (str(records), 2, 2)
    assert knowledge.failed_files(tmp_path / "docs") == [first]
    version = knowledge.status().corpus.version
    assert knowledge.ingest(retry=True).documents == 1  # the record that can be read; the good file is not read
    assert knowledge.status().corpus.version == version  # nothing changed
    assert knowledge.failed_files() == [first, second]
    assert knowledge.ingest(tmp_path / "docs", retry=True, options=ReadOptions(encoding="cp1252")).added == 1
    assert [d.metadata["folder"] for d in knowledge.documents() if d.source == str(latin)] == ["docs"]
    assert knowledge.failed_files() == [second]
    knowledge.ingest(tmp_path / "docs", options=ReadOptions(exclude=("latin.txt",)))
    assert knowledge.failed_files() == [second]
    knowledge.ingest(tmp_path, options=ReadOptions(exclude=("*.jsonl",), encoding="cp1252"))
    assert knowledge.failed_files() == []
    knowledge.ingest(records)
    assert knowledge.failed_files()[0].faults == 2
    records.unlink()
    knowledge.ingest(tmp_path, sync=True, options=ReadOptions(encoding="cp1252"))
    assert knowledge.failed_files() == []
    assert knowledge.ingest(retry=True).broken == []
    write(tmp_path / "late" / "photo.png", b"\0")
    knowledge.ingest(tmp_path / "late")
    assert [each.source for each in knowledge.failed_files()] == [str(tmp_path / "late")]  # nothing in it to load
    write(tmp_path / "late" / "notes.md", "Notes.")
    knowledge.ingest(tmp_path / "late")
    assert knowledge.failed_files() == []


@pytest.mark.slow
def test_what_moved_is_neither_embedded_nor_extracted_again_and_keeps_its_annotations(
    open_corpus: OpenCorpus, tmp_path: Path
) -> None:
    embedder = HashingEmbedder(8)
    synced = open_corpus(embedder=embedder, extractor=ScriptedExtractor(NAMES))
    fresh = open_corpus("fresh", embedder=HashingEmbedder(8), extractor=ScriptedExtractor(NAMES))
    triples = write(tmp_path / "triples.jsonl", TRIPLES)
    records = write(tmp_path / "docs" / "records.jsonl", '{"id": "r1", "text": "Anna knows Rome. Rome likes Anna."}\n')
    note = write(tmp_path / "docs" / "note.md", "# Note\n\nBert knows Anna.\n\n# More\n\nBert knows Anna.\n")
    synced.ingest(tmp_path / "docs")
    synced.ingest(triples)
    synced.index()
    embedded = len(embedder.embedded)
    (tmp_path / "docs" / "new").mkdir()
    records.rename(tmp_path / "docs" / "new" / "records.jsonl")
    note.rename(tmp_path / "docs" / "new" / "note.md")
    told: list[DocumentChange] = []
    report = synced.ingest(tmp_path / "docs", sync=True, on_change=told.append)
    assert (report.added, report.moved, report.removed) == (0, 2, 0)
    assert DocumentChange("moved", f"{tmp_path}/docs/new/note.md", f"{tmp_path}/docs/note.md") in told
    pending = synced.status().pending
    assert (pending["embed"], pending["extract"]) == (0, 0)
    synced.index()
    assert len(embedder.embedded) == embedded
    fresh.ingest([tmp_path / "docs", triples])
    fresh.index()
    assert synced.digest() == fresh.digest()


def test_a_sync_that_was_interrupted_before_it_deleted_anything_is_completed_by_the_next(
    open_corpus: OpenCorpus, tmp_path: Path
) -> None:
    knowledge = open_corpus(embedder=HashingEmbedder(8), extractor=ScriptedExtractor(NAMES))
    old = write(tmp_path / "old" / "a.txt", "Anna knows Bert.")
    write(tmp_path / "b.txt", "Carl knows Dora.")
    knowledge.ingest(tmp_path)
    knowledge.index()
    (tmp_path / "new").mkdir()
    old.rename(tmp_path / "new" / "a.txt")
    old.parent.rmdir()
    assert knowledge.ingest(tmp_path).vanished == 1  # what an interrupted sync has done by then
    assert knowledge.status().pending["extract"] == 1  # its text has a vector already
    assert knowledge.ingest(tmp_path, sync=True).removed == 1
    assert knowledge.status().pending["extract"] == 0
    assert knowledge.status().pending["embed"] == 0
    assert knowledge.ingest(tmp_path, sync=True).unchanged == knowledge.count_documents() == 2


def test_documents_that_may_be_there_stay(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    knowledge = open_corpus(embedder=HashingEmbedder(8))
    records = write(tmp_path / "a.jsonl", '{"id": "1", "text": "One."}\n{"id": "2", "text": "Two."}\n')
    write(tmp_path / "b.txt", "Three.")
    disk = write(tmp_path / "disk" / "c.txt", "Four.")
    knowledge.ingest(tmp_path)
    write(records, '{"id": "1", "text": "One."}\n{broken\n')
    disk.unlink()
    report = knowledge.ingest(tmp_path, sync=True)
    assert report.removed == 0
    kept = {Path(each.path).name: (each.documents, each.empty) for each in report.kept}
    assert kept == {"a.jsonl": (1, False), "disk": (1, True)}
    assert knowledge.ingest(tmp_path, sync=True, allow_empty=True).removed == 1
    for path in (records, tmp_path / "b.txt"):
        path.unlink()
    with pytest.raises(SourcesEmpty) as refused:
        knowledge.ingest(tmp_path, sync=True)
    assert refused.value.documents == knowledge.count_documents() == 3
    assert knowledge.ingest(tmp_path, sync=True, allow_empty=True).removed == 3


def test_of_a_folder_that_was_emptied_what_is_elsewhere_moved(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    knowledge = open_corpus(embedder=HashingEmbedder(8))
    for name in ("one", "two", "three"):
        write(tmp_path / "old" / f"{name}.txt", f"This is {name}.")
    knowledge.ingest(tmp_path)
    (tmp_path / "new").mkdir()
    for name in ("one", "two"):
        (tmp_path / "old" / f"{name}.txt").rename(tmp_path / "new" / f"{name}.txt")
    (tmp_path / "old" / "three.txt").unlink()
    for run in (knowledge.preview, knowledge.ingest):
        report = run(tmp_path, sync=True)
        assert (report.moved, report.removed) == (2, 0)
        assert [(Path(each.path).name, each.documents, each.empty) for each in report.kept] == [("old", 1, True)]
    assert knowledge.count_documents() == 3
    report = knowledge.ingest([tmp_path / "old", tmp_path / "new"], sync=True, allow_empty=True)
    assert (report.removed, knowledge.count_documents()) == (1, 2)


def test_what_patterns_leave_out_stays_unless_a_sync_is_to_delete_it(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    knowledge = open_corpus(embedder=HashingEmbedder(8))
    for name in ("a.md", "b.md", "drafts/c.md", "drafts/d.md"):
        write(tmp_path / name, f"Text of {name}.")
    knowledge.ingest(tmp_path)
    (tmp_path / "b.md").unlink()
    options = ReadOptions(exclude=("drafts/",))
    for report in (
        knowledge.preview(tmp_path, sync=True, options=options),
        knowledge.ingest(tmp_path, sync=True, options=options),
    ):
        assert [(kept.path, kept.documents, kept.excluded) for kept in report.kept] == [(str(tmp_path), 2, True)]
        assert (report.removed, report.excluded, report.in_corpus) == (1, 1, 3)
    deleting = ReadOptions(exclude=("drafts/",), delete_excluded=True)
    assert knowledge.preview(tmp_path, sync=True, options=deleting).removed == 2
    assert knowledge.ingest(tmp_path, sync=True, options=deleting).removed == 2
    with pytest.raises(SettingsError, match="requires sync"):
        knowledge.ingest(tmp_path, options=deleting)
    nothing = ReadOptions(include=("*.rst",), delete_excluded=True)
    with pytest.raises(SourcesEmpty):
        knowledge.ingest(tmp_path, sync=True, options=nothing)
    assert knowledge.count_documents() == 1


def test_documents_are_listed_counted_and_deleted_by_files_folders_and_patterns(
    open_corpus: OpenCorpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    knowledge = open_corpus(embedder=HashingEmbedder(8))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "overstory.index.stored_documents._SOURCE_DOCUMENTS_A_PAGE", 2
    )  # so that pages end within a source
    for name in ("docs/b.txt", "docs/a.md", "docs/x/c.txt", "docs-2/d.txt"):
        write(tmp_path / name, name)
    write(tmp_path / "docs" / "r.jsonl", "".join(f'{{"id": "{i}", "text": "Record {i}."}}\n' for i in range(5)))
    knowledge.ingest(".")
    knowledge.ingest_documents(["A text of its own."])
    listed = [(document.source, document.source_key) for document in knowledge.documents()]
    assert listed == sorted(listed)
    assert len(listed) == knowledge.count_documents() == 10
    assert [document.title for document in knowledge.documents(source=["docs/*.txt", "docs/b.txt"])] == ["b"]
    assert knowledge.count_documents(source=["docs/**/*.txt", "docs/r.jsonl"]) == 7
    with pytest.raises(DocumentNotFound) as missing:
        knowledge.delete_documents(source=["docs/a.md", "docs/a.mdx"])
    assert f"{tmp_path}/docs/a.md" in missing.value.nearest
    assert knowledge.count_documents() == 10
    write(tmp_path / "docs" / "r.jsonl", "".join(f'{{"id": "{i}", "text": "Record {i}."}}\n' for i in range(1, 4)))
    assert knowledge.ingest("docs/r.jsonl", sync=True).removed == 2
    assert knowledge.delete_documents(source="docs/r.jsonl") == 3
    assert knowledge.delete_documents(source=["docs", "text"]) == 4
    assert [document.title for document in knowledge.documents()] == ["d"]
