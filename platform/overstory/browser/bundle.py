"""Lays out the files that Browser fetches for one corpus: the guide, the style, the archive of queries."""

from __future__ import annotations

from collections.abc import Sequence

from overstory.browser.contribution import Contribution
from overstory.browser.files import archive, archive_name
from overstory.browser.guide import guide
from overstory.browser.guide_server import File, GuideServer
from overstory.browser.queries import all_queries, example_parameters, saved_queries
from overstory.browser.style import FILE_NAME, style_of
from overstory.graph import Corpus, GraphClient

GUIDE = "guide"
QUERIES = "queries.zip"


def serve_guide(
    server: GuideServer, graph: GraphClient, corpus: Corpus, contributions: Sequence[Contribution] = ()
) -> str:
    """Puts everything on the server as it is now; the guide's address."""
    chapters = saved_queries(corpus.label, contributions)
    page = guide(
        corpus.name,
        chapters,
        example_parameters(graph, corpus.label, contributions),
        style_url=server.url(FILE_NAME),
        queries_url=server.url(QUERIES),
        embedded=bool(graph.browser_url),
    )
    queries = archive(corpus.name, all_queries(chapters))
    server.put(GUIDE, File(page.encode(), "text/html; charset=utf-8"))
    server.put(FILE_NAME, File(style_of(graph, contributions).encode(), "text/plain; charset=utf-8"))
    server.put(QUERIES, File(queries, "application/zip", archive_name(corpus.name)))
    return server.url(GUIDE)
