"""Reused corpora for tests, which are emptied after each test.

A reused corpus has one of a few names, so that plans of statements with its label serve the next test.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import ExitStack, contextmanager
from typing import LiteralString

from tests.passages import OpenCorpus

from overstory.graph import GraphClient, schema
from overstory.graph.ids import corpus_label
from overstory.index.removal import delete_contents
from overstory.knowledge import Knowledge
from overstory.protocols import Embedder, Extractor
from overstory.settings import Settings

SETS_OF_INDEXES = 16
"""More than there are corpora at a time: the server forgets its plans when more are created."""

DELETE_CORPUS: LiteralString = """
MATCH (corpus:Overstory:Corpus {id: $id})
OPTIONAL MATCH (indexes:Overstory {id: 'index-set-' + corpus.index_set})
REMOVE indexes.lent_to
DETACH DELETE corpus
"""


def prepare_indexes(graph: GraphClient) -> None:
    """Creates the indexes of a run."""
    schema.prepare(graph)
    while len(graph.native_driver().execute_query("MATCH (i:IndexSet) RETURN i").records) < SETS_OF_INDEXES:
        schema.create_sets(graph)


class Lending:
    """Lends corpora by fixed names, as many at a time as are asked for."""

    def __init__(self, settings: Settings, graph: GraphClient, embedder: Embedder, extractor: Extractor) -> None:
        self._settings = settings
        self._graph = graph
        self._embedder = embedder
        self._extractor = extractor
        self._lent: set[str] = set()

    @contextmanager
    def opened(self, pool: str = "lent") -> Generator[OpenCorpus]:
        """Yield a function that opens corpora, which are closed and emptied when the block ends.

        Args:
            pool: "lent", or "kept" for the corpora of a module, which leave the first names to its tests.
        """
        names: dict[str, str] = {}

        def open_corpus(
            name: str = "corpus",
            *,
            embedder: Embedder | None = None,
            extractor: Extractor | None = None,
            kind: type[Knowledge] = Knowledge,
        ) -> Knowledge:
            if name not in names:
                # With a space, which messages that show a command have to quote.
                free = (f"{pool} {number}" for number in range(1, 100) if f"{pool} {number}" not in self._lent)
                names[name] = next(free)
                self._lent.add(names[name])
            knowledge = opened.enter_context(kind(names[name], settings=self._settings))
            knowledge.use(embedder=embedder or self._embedder, extractor=extractor or self._extractor)
            return knowledge

        try:
            with ExitStack() as opened:
                yield open_corpus
        finally:
            empty(self._graph, names.values())
            self._lent -= set(names.values())


def empty(graph: GraphClient, names: Iterable[str]) -> None:
    """Deletes corpora; another one may have their full-text indexes then."""
    for name in names:
        label = corpus_label(name)
        schema.drop_indexes(graph, label)
        for _ in delete_contents(graph, label):
            pass
        graph.native_driver().execute_query(DELETE_CORPUS, id=label, database_=graph.database)
