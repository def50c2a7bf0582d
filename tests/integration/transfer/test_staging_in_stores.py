"""Shards in a store of objects: written, gone on with, and loaded from there as from a folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Run
from tests.passages import OpenCorpus

from overstory.errors import SourceError
from overstory.knowledge import Knowledge
from overstory.transfer import staged_folder

fsspec: Any = pytest.importorskip("fsspec", reason="make test-ray")
pytest.importorskip("s3fs", reason="make test-ray")
moto_server: Any = pytest.importorskip("moto.server", reason="make test-ray")


@pytest.fixture(scope="module")
def store() -> Iterator[Any]:
    """A store on this machine, with an empty bucket; the variables lead to it."""
    server = moto_server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "testing")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        files: Any = fsspec.filesystem("s3", skip_instance_cache=True)
        files.mkdir("bucket")
        yield files
    server.stop()
    fsspec.get_filesystem_class("s3").clear_instance_cache()


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(20):
        (folder / f"p{number}.md").write_text(f"# Page {number}\n\nAda Stone{number} lives in Bern. Bob likes it.\n")
    return folder


def test_a_store_holds_and_gives_what_a_folder_does(
    store: Any,
    stager: Knowledge,
    sources: Path,
    tmp_path: Path,
    open_corpus: OpenCorpus,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(staged_folder, "_MOST_DOCUMENTS_A_SHARD", 5)
    address, here = "s3://bucket/deep/staged", tmp_path / "here"
    stager.stage(sources, here)
    assert stager.stage(sources, address, workers=2).written == len(list(here.glob("shard-*")))
    assert stored(store, "bucket/deep/staged") == {path.name: path.read_bytes() for path in here.iterdir()}
    (sources / "p7.md").write_text("# Page 7\n\nOlga Penn wrote it again.\n")
    changed = stager.stage(sources, f"{address}/")
    assert (changed.written, changed.kept, changed.deleted) == (1, len(list(here.glob("shard-*"))) - 1, 1)
    direct, restored = open_corpus("direct"), open_corpus("restored")
    direct.ingest(sources)
    assert restored.ingest(address).added == 20
    for knowledge in (direct, restored):
        knowledge.index()
    assert restored.digest() == direct.digest()
    store.rm_file(f"bucket/deep/staged/{min(stored(store, 'bucket/deep/staged').keys() - {staged_folder.MANIFEST})}")
    with pytest.raises(SourceError, match="lacks 1 shard"):
        restored.ingest(address)


def stored(store: Any, folder: str) -> dict[str, bytes]:
    store.invalidate_cache()
    return {path.rpartition("/")[2]: store.cat_file(path) for path in store.ls(folder, detail=False)}


def test_what_is_wrong_with_a_store_is_said(
    store: Any, overstory: Run, stager: Knowledge, sources: Path, open_corpus: OpenCorpus
) -> None:
    store.pipe_file("bucket/other/notes.txt", b"x")
    with pytest.raises(SourceError, match="contains other files"):
        stager.stage(sources, "s3://bucket/other")
    with pytest.raises(SourceError, match=r"s3://nowhere/x/overstory-stage\.json cannot be used"):
        stager.stage(sources, "s3://nowhere/x")
    with pytest.raises(SourceError, match=r"nosuch://x cannot be accessed: .*nosuch"):
        stager.stage(sources, "nosuch://x")
    ran = overstory("ingest", "s3://bucket/other", "--corpus", open_corpus().corpus_name)  # files as in any folder
    assert (ran.code, "1 added" in ran.out) == (0, True)
