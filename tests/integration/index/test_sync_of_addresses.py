"""A corpus that is synced with a sitemap or a store follows it, and loses nothing that only could not be fetched."""

from __future__ import annotations

from typing import Any

import pytest
from tests.commands import Run
from tests.fakes import HashingEmbedder
from tests.passages import OpenCorpus
from tests.website import Answer, website

from overstory.errors import SourcesEmpty
from overstory.knowledge import Knowledge
from overstory.sources import ReadOptions

FAST = ReadOptions(allow_private=True, delay_seconds=0)
fsspec: Any = pytest.importorskip("fsspec")


def sources(knowledge: Knowledge, base: str) -> list[str]:
    return [document.source.removeprefix(base) for document in knowledge.documents()]


@pytest.mark.slow
def test_a_sitemap_is_mirrored(open_corpus: OpenCorpus, overstory: Run) -> None:
    knowledge = open_corpus(embedder=HashingEmbedder(8))
    with website() as site:
        for name in ("a", "b", "c", "other"):
            site.page(f"/{name}.html", f"Text of {name}.", etag=f'"{name}"')
        site.sitemap("/sitemap.xml", "/a.html", "/b.html", "/c.html")
        site.sitemap("/blog/sitemap.xml", "/other.html")
        sitemap = f"{site.url}/sitemap.xml"
        knowledge.ingest([sitemap, f"{site.url}/blog/sitemap.xml"], sync=True, options=FAST)
        assert sources(knowledge, site.url) == ["/a.html", "/b.html", "/c.html", "/other.html"]
        assert knowledge.count_documents(source=f"{site.url}/") == 4
        assert knowledge.count_documents(source=f"{site.url}/[ab].html") == 2
        site.asked.clear()
        assert knowledge.ingest(sitemap, sync=True, options=FAST).unchanged == 3
        assert [status for path, status in site.asked if path.endswith(".html")] == [304, 304, 304]

        site.sitemap("/sitemap.xml", "/a.html", "/c.html", "/d.html")
        site.answers["/c.html"] = Answer(status=500)
        site.page("/d.html", "Text of b.")
        report = knowledge.ingest(sitemap, sync=True, options=FAST)
        assert (report.added, report.removed, report.moved) == (0, 0, 1)
        assert [(kept.path, kept.documents) for kept in report.kept] == [(f"{site.url}/c.html", 1)]
        assert sources(knowledge, site.url) == ["/a.html", "/c.html", "/d.html", "/other.html"]
        (failed,) = knowledge.failed_files()
        assert (failed.source, failed.root) == (f"{site.url}/c.html", sitemap)

        site.page("/c.html", "Better now.")
        site.asked.clear()
        assert knowledge.ingest(retry=True, options=FAST).changed == 1
        assert [path for path, _ in site.asked] == ["/robots.txt", "/sitemap.xml", "/c.html"]
        assert knowledge.failed_files() == []

        site.answers["/a.html"] = Answer(status=410)
        assert knowledge.ingest(sitemap, sync=True, options=FAST).removed == 1
        del site.answers["/sitemap.xml"]
        assert knowledge.ingest(sitemap, sync=True, options=FAST).removed == 0
        site.sitemap("/sitemap.xml", "/c.html", "/d.html")
        assert knowledge.ingest(retry=True, options=FAST).unchanged == 2
        assert knowledge.failed_files() == []
        page = ("ingest", f"{site.url}/other.html", "--corpus", knowledge.corpus_name)
        refused = overstory(*page)
        assert refused.code == 8
        assert "If you trust it: --allow-private" in refused.err
        assert "1 unchanged" in overstory(*page, "--allow-private", "--delay", "0").out
    assert knowledge.ingest(sitemap, sync=True, options=FAST).removed == 0  # the server is away
    assert knowledge.count_documents() == 3


def test_a_store_is_mirrored(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus(embedder=HashingEmbedder(8))
    store: Any = fsspec.filesystem("memory")
    root = "memory://overstory-synced"
    for name in ("a", "b", "drafts/c"):
        store.pipe(f"/overstory-synced/{name}.md", f"Text of {name}.".encode())
    knowledge.ingest(root)
    store.mv("/overstory-synced/b.md", "/overstory-synced/x/b.md")
    store.rm("/overstory-synced/a.md")
    report = knowledge.ingest(root, sync=True, options=ReadOptions(exclude=("drafts/",)))
    assert (report.moved, report.removed, [kept.excluded for kept in report.kept]) == (1, 1, [True])
    assert sources(knowledge, root) == ["/drafts/c.md", "/x/b.md"]
    store.rm("/overstory-synced", recursive=True)
    with pytest.raises(SourcesEmpty):
        knowledge.ingest(root, sync=True)
    assert knowledge.ingest(root, sync=True, allow_empty=True).removed == 2
