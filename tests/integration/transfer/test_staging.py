"""Documents staged without a database: loaded, they are what they are if they are loaded directly."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from tests.commands import Run
from tests.kills import Killed
from tests.passages import OpenCorpus
from tests.sources import write

from overstory.errors import BrokenSource, ModelError, SettingsError, SourceError
from overstory.knowledge import Knowledge
from overstory.model import ChunkText, Document, Extraction
from overstory.progress import Step, progress_to
from overstory.protocols import Embedder, Extractor
from overstory.settings import Settings
from overstory.transfer import StageReport, shard_folder, staged_folder
from overstory.transfer.staged_folder import MANIFEST

GERMAN = (
    "Die Bibliothek in Köln wurde von Ada Lovelace gegründet und ist für alle geöffnet, die in der Stadt wohnen. Wer "
    "Bücher ausleihen möchte, braucht nur einen Ausweis, der nichts kostet, auch nicht für Kinder."
)
LICENCE = "This page is published under the terms of the Leith Public Licence, version three of the year 1999."


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """Files of several kinds, with blocks that all repeat, links, metadata, a language, and something broken."""
    folder = tmp_path / "docs"
    for number in range(40):
        text = f"# Page {number}\n\nAda Stone{number} wrote the Leith Guide {number}. See [next](p{number + 1}.md).\n\n"
        write(folder / f"p{number}.md", f"{text}{LICENCE}\n")
    write(folder / "front.md", "---\nauthor: Bob\ndate: 2024-02-29\n---\n# Notes\n\nBob Fern lives in Ulm.\n")
    write(folder / "de.txt", GERMAN)
    write(folder / "rows.jsonl", '{"id": "a", "text": "Carl Berg lives in Bern.", "year": 1999}\n{"id": "b"}\n')
    write(folder / "table.csv", "id,text,n\n1,Dora Lind sings.,5\n2,Eva Moss paints.,6\n")
    return folder


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make shards of 8 documents, wherever the files are; otherwise a shard ends where the digest of a path says."""
    monkeypatch.setattr(staged_folder, "_MOST_DOCUMENTS_A_SHARD", 8)


def shards(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("shard-*.jsonl")}


@pytest.mark.slow
def test_what_is_staged_and_loaded_is_what_is_loaded_directly(
    stager: Knowledge, open_corpus: OpenCorpus, sources: Path, tmp_path: Path
) -> None:
    direct, staged = open_corpus("direct"), open_corpus("staged")
    loaded = direct.ingest(sources, metadata={"team": "a"})
    direct.index()
    out = tmp_path / "out"
    report = stager.stage(sources, out, metadata={"team": "a"})
    assert (report.documents, report.chunks) == (loaded.added, loaded.chunks)
    assert [str(each) for each in report.broken] == [str(each) for each in loaded.broken]
    assert report.written == len(shards(out)) > 4
    assert not report.left_out
    restored = staged.ingest(out)
    assert (restored.added, restored.links) == (loaded.added, loaded.links)
    staged.index()
    assert staged.digest() == direct.digest()
    assert not any(staged.status().pending.values())
    assert staged.ingest(sources, metadata={"team": "a"}).unchanged == loaded.added
    assert staged.digest() == direct.digest()


def test_one_document_more_changes_a_shard_and_one_that_is_gone_leaves_none(
    stager: Knowledge, sources: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    write(sources / "rows.jsonl", '{"id": "a", "text": "Carl Berg lives in Bern.", "year": 1999}\n')
    stager.stage(sources, out)
    before, text, time = shards(out), (sources / "p7.md").read_text(), (sources / "p7.md").stat().st_mtime_ns
    again = stager.stage(sources, out)
    assert (again.written, again.kept, again.deleted) == (0, len(before), 0)
    write(sources / "p7.md", "# Page 7\n\nOlga Penn wrote it again.\n")
    changed = stager.stage(sources, out)
    assert (changed.written, changed.deleted) == (1, 1)
    assert len(before.keys() & shards(out).keys()) == len(before) - 1
    write(sources / "p7.md", text)
    os.utime(sources / "p7.md", ns=(time, time))
    stager.stage(sources, out)
    assert shards(out).keys() == before.keys()
    (sources / "p7.md").unlink()
    stager.stage(sources, out)
    assert str(sources / "p7.md") not in staged_sources(out)
    write(sources / "rows.jsonl", "{broken\n")
    assert stager.stage(sources, out).deleted == 0


def staged_sources(folder: Path) -> set[str]:
    lines = [line for content in shards(folder).values() for line in content.splitlines()[1:-1]]
    return {json.loads(line)["source"] for line in lines}


class Silent:
    """An extractor that finds nothing."""

    fingerprint, by = "silent", "ner"

    def extract(self, chunks: Iterable[ChunkText]) -> Iterator[Extraction]:
        return (Extraction(chunk.id, (0,), (), ()) for chunk in chunks)


class Dying:
    """An extractor that dies at a chunk."""

    def __init__(self, extractor: Extractor, at: int) -> None:
        self.fingerprint, self.by = extractor.fingerprint, extractor.by
        self._extractor, self._left = extractor, at

    def extract(self, chunks: Iterable[ChunkText]) -> Iterator[Extraction]:
        for found in self._extractor.extract(chunks):
            if not self._left:
                raise Killed
            self._left -= 1
            yield found


@pytest.mark.slow
def test_a_document_more_moves_no_other_into_another_shard(
    models: tuple[Embedder, Extractor], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staged_folder, "_MOST_DOCUMENTS_A_SHARD", 1_000)
    documents = [Document(f"files/{number}.txt", "", f"This is text {number}.") for number in range(600)]

    def staged(items: list[Document]) -> set[str]:
        report = StageReport()
        staged_folder.stage(
            items,
            shard_folder(str(tmp_path / "out")),
            models[0],
            Silent(),
            report=report,
            on_broken=report.broken.append,
            progress=progress_to(None),
        )
        assert report.documents == len(items)
        return shards(tmp_path / "out").keys() - {MANIFEST}

    every = staged(documents)
    without = staged(documents[:100] + documents[101:])
    assert len(every) > 3
    assert len(every - without) == len(without - every) == 1


def test_a_run_that_is_killed_goes_on_and_is_not_loaded_before_it_ends(
    stager: Knowledge,
    open_corpus: OpenCorpus,
    models: tuple[Embedder, Extractor],
    sources: Path,
    tmp_path: Path,
) -> None:
    whole, out = tmp_path / "whole", tmp_path / "out"
    stager.stage(sources, whole)
    for at in (0, 11, 29):
        stager.use(extractor=Dying(models[1], at))
        with pytest.raises(Killed):
            stager.stage(sources, out)
        assert shards(out).items() <= shards(whole).items()
        with pytest.raises(SourceError, match="has not finished"):
            open_corpus().ingest(out)
    stager.use(extractor=models[1])
    assert stager.stage(sources, out).kept > 1
    assert shards(out) == shards(whole)
    assert json.loads((out / MANIFEST).read_text())["complete"]


@pytest.mark.slow
def test_processes_write_what_this_one_does_also_when_one_is_killed(
    stager: Knowledge, settings: Settings, sources: Path, tmp_path: Path
) -> None:
    stager.stage(sources, tmp_path / "whole")
    killed: list[int] = []

    def kill_one(step: Step) -> None:
        if step.done and not killed:
            first = workers()[0]
            first.kill()
            killed.append(first.pid)

    out = tmp_path / "out"
    with Knowledge("staged", uri="bolt://127.0.0.1:9", settings=settings, progress=kill_one) as knowledge:
        report = knowledge.stage(sources, out, workers=2)
    assert killed
    assert (report.written, report.kept) == (len(shards(out)), 0)
    assert shards(out) == shards(tmp_path / "whole")
    assert workers() == []


def test_documents_that_no_worker_survives_are_an_error_and_the_same_call_goes_on(
    stager: Knowledge, sources: Path, tmp_path: Path
) -> None:
    out, is_over = tmp_path / "out", threading.Event()

    def kill_all() -> None:
        while not is_over.wait(0.1):
            for each in workers():
                with suppress(psutil.Error):
                    each.kill()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(kill_all)
        try:
            with pytest.raises(ModelError, match="ended unexpectedly on the same documents") as caught:
                stager.stage(sources, out, workers=1)
        finally:
            is_over.set()
    assert "fewer --workers" in caught.value.remedy
    assert not shards(out)
    assert stager.stage(sources, out).written > 4


def test_what_a_worker_cannot_do_is_said_as_if_it_were_done_here(
    stager: Knowledge, models: tuple[Embedder, Extractor], sources: Path, tmp_path: Path
) -> None:
    with pytest.raises(SettingsError, match="workers must be at least 1, got 0"):
        stager.stage(sources, tmp_path / "out", workers=0)
    stager.use(extractor=Silent())
    with pytest.raises(ModelError, match=r"A worker has the models .*silent"):
        stager.stage(sources, tmp_path / "out", workers=1)


def workers() -> list[psutil.Process]:
    found: list[psutil.Process] = []
    for each in psutil.Process().children():
        with suppress(psutil.Error):  # it may end meanwhile
            if any("transfer.staged_folder" in word for word in each.cmdline()):
                found.append(each)
    return found


def test_what_is_wrong_with_a_folder_is_said(
    stager: Knowledge, open_corpus: OpenCorpus, sources: Path, tmp_path: Path
) -> None:
    with pytest.raises(SourceError, match="contains other files"):
        stager.stage(sources, sources)
    (tmp_path / "file").write_text("x")
    with pytest.raises(SourceError, match="cannot be written"):
        stager.stage(sources, tmp_path / "file" / "out")
    out = tmp_path / "out"
    stager.stage(sources, out)
    with pytest.raises(SourceError, match="is already an export"):
        stager.stage(out, tmp_path / "other")
    (tmp_path / "empty").mkdir()
    before = shards(out)
    with pytest.raises(SourceError, match="No document was read"):
        stager.stage(tmp_path / "empty", out)
    assert shards(out) == before
    assert json.loads((out / MANIFEST).read_text())["complete"]
    with pytest.raises(BrokenSource, match=r"rows\.jsonl, line 2"):
        stager.stage(sources, tmp_path / "strict", strict=True)
    manifest = (out / MANIFEST).read_text()
    fewer = json.loads(manifest)
    fewer["shards"].pop()
    of_others = {"shards": ["../x"], "checksum": hashlib.sha256(b"../x").hexdigest()}
    for damaged in (
        "[]",
        "",
        "[" * 100_000,
        json.dumps(fewer),
        json.dumps(json.loads(manifest) | of_others),
        manifest.replace("shard-", "shard_", 1),
    ):
        copy = tmp_path / "damaged"
        shutil.copytree(out, copy, dirs_exist_ok=True)
        (copy / MANIFEST).write_text(damaged)
        with pytest.raises(SourceError, match="damaged"):
            open_corpus().ingest(copy)


def test_a_damaged_shard_is_refused_at_its_line_and_staged_again(
    stager: Knowledge, open_corpus: OpenCorpus, sources: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    stager.stage(sources, out)
    whole = shards(out)
    shard = out / min(whole)
    header, first, *others = whole[shard.name].splitlines(keepends=True)
    shard.write_bytes(b"".join([header, first.replace(b"Ada", b"Bda", 1).replace(b"text", b"tezt", 1), *others]))
    (broken,) = [each for each in open_corpus().ingest(out).broken if each.source == str(shard)]
    assert broken.line == 2
    assert "only the lines before it were loaded: 0 documents" in str(broken)
    shard.unlink()
    shard.with_name(max(whole)).write_bytes(b"{}")
    again = stager.stage(sources, out)
    assert (again.written, again.kept) == (2, len(whole) - 2)
    assert shards(out) == whole
    next(iter(sorted(out.glob("shard-*")))).unlink()
    with pytest.raises(SourceError, match="lacks 1 shard"):
        open_corpus().ingest(out)


@pytest.mark.slow
def test_the_commands(open_corpus: OpenCorpus, overstory: Run, sources: Path, tmp_path: Path) -> None:
    knowledge = open_corpus()
    (sources / "rows.jsonl").unlink()
    out = str(tmp_path / "out")
    staged = overstory("stage", str(sources), "--out", out, "--set", "team=a")
    assert staged.code == 0
    assert "with 44 documents and 44 chunks" in staged.out
    assert f"Next: overstory ingest {out} --index" in staged.err
    assert overstory("stage", str(sources), "--out", out, "--set", "team=a", "--json").json()["written"] == 0
    loaded = overstory("ingest", out, "--corpus", knowledge.corpus_name, "--index")
    assert loaded.code == 0
    assert knowledge.count_documents(where="team = 'a'") == 44
    shutil.rmtree(out)
