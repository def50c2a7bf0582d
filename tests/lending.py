"""Corpora that are lent to tests and emptied afterwards.

The server forgets the plans of all statements when an index is made or dropped, and plans each statement again for a
corpus that is new to it: seconds a corpus. A lent corpus keeps its name and the indexes that every corpus has, so the
plans of one test serve the next.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import LiteralString

from tests.passages import OpenCorpus

from overstory.graph import GraphClient, schema
from overstory.graph.corpora import DEFAULT_ANALYZER
from overstory.graph.ids import corpus_label
from overstory.index.removal import delete_contents
from overstory.knowledge import Knowledge
from overstory.protocols import Embedder, Extractor
from overstory.settings import Settings

PREPARED = {"lent": 5, "kept": 6}
"""As many as tests and modules borrow at a time; one more would change the schema."""

ALSO_PREPARED = ("shared", "pages")
"""Corpora by names of their own that tests index."""

DELETE_CORPUS: LiteralString = "MATCH (corpus:Overstory:Corpus {id: $id}) DETACH DELETE corpus"


class Lending:
    """Lends corpora by fixed names, as many at a time as are asked for."""

    def __init__(self, settings: Settings, graph: GraphClient, embedder: Embedder, extractor: Extractor) -> None:
        self._settings = settings
        self._graph = graph
        self._embedder = embedder
        self._extractor = extractor
        self._lent: set[str] = set()

    def prepare(self) -> None:
        """Makes the full-text indexes of the first corpora."""
        schema.prepare(self._graph)
        borrowed = [_name(pool, number) for pool, most in PREPARED.items() for number in range(1, most + 1)]
        for name in (*borrowed, *ALSO_PREPARED):
            schema.create_indexes(self._graph, corpus_label(name), DEFAULT_ANALYZER)

    @contextmanager
    def opened(self, pool: str = "lent") -> Generator[OpenCorpus]:
        """A function that opens corpora; when the block ends, they are closed and emptied.

        Args:
            pool: "lent", or "kept" for those of a module, which thus leave the first names to its tests.
        """
        names: dict[str, str] = {}
        opened: list[Knowledge] = []

        def open_corpus(
            name: str = "corpus",
            *,
            embedder: Embedder | None = None,
            extractor: Extractor | None = None,
            kind: type[Knowledge] = Knowledge,
        ) -> Knowledge:
            if name not in names:
                names[name] = self._take(pool)
            knowledge = kind(names[name], settings=self._settings)
            knowledge.use(embedder=embedder or self._embedder, extractor=extractor or self._extractor)
            opened.append(knowledge)
            return knowledge

        try:
            yield open_corpus
        finally:
            for knowledge in opened:
                knowledge.close()
            empty(self._graph, names.values())
            self._lent -= set(names.values())

    def _take(self, pool: str) -> str:
        name = next(name for number in range(1, 100) if (name := _name(pool, number)) not in self._lent)
        self._lent.add(name)
        return name


def _name(pool: str, number: int) -> str:
    return f"{pool} {number}"  # with a space, which messages that show a command have to quote


def empty(graph: GraphClient, names: Iterable[str]) -> None:
    """Deletes corpora without the indexes that every corpus has, which one that is made again by this name finds."""
    for name in names:
        label = corpus_label(name)
        own = {f"overstory_{kind}_{label}" for kind in schema.CORPUS_INDEXES}
        for index in schema.index_names(graph, label):
            if index not in own:
                schema.drop_index(graph, index)
        for _ in delete_contents(graph, label):
            pass
        graph.native_driver().execute_query(DELETE_CORPUS, id=corpus_label(name), database_=graph.database)
