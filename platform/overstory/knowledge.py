"""The API: one corpus, from documents to evidence. Every command and every integration goes through it.

Source of truth is the graph. A `Knowledge` holds a connection, an embedder and an extractor, each made when it is first
needed, and nothing else; several may be open on one corpus, in one process or many.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from overstory import index
from overstory.embed import make_embedder
from overstory.errors import BrokenSource, CorpusError, CorpusNotFound, QuestionError, SourceError
from overstory.graph import (
    Corpus,
    CorpusSize,
    GraphClient,
    Writer,
    create_corpus,
    list_corpora,
    read_corpus,
    writing,
)
from overstory.graph.ids import document_id
from overstory.index import CorpusStatus, IndexReport, LoadReport, StoredDocument
from overstory.model import Annotation, Document, Evidence
from overstory.protocols import Embedder, Extractor, OnBroken, Progress, Retriever, Silence
from overstory.retrieve import DEFAULT_RETRIEVER, RetrievalContext, make_retriever
from overstory.settings import Settings
from overstory.text import make_extractor

DEFAULT_CORPUS = "default"


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What was exported: how many documents, and the digest of the corpus."""

    documents: int
    digest: str


class Knowledge:
    """One corpus. Use it in a `with` block, or call `close`. Safe to share between threads."""

    def __init__(
        self, corpus: str = DEFAULT_CORPUS, *, settings: Settings | None = None, progress: Progress | None = None
    ) -> None:
        """Nothing is started, opened or read before it is needed.

        Args:
            settings: what the OVERSTORY_* environment variables say, if left out.
            progress: hears of everything that takes long.
        """
        self.corpus_name = corpus
        self.settings = settings or Settings.from_environment()
        self.progress: Progress = progress or Silence()
        self._graph: GraphClient | None = None
        self._embedder: Embedder | None = None
        self._extractor: Extractor | None = None
        self._retrievers: dict[str, Retriever] = {}
        self._making = threading.RLock()  # each of these is made once, whoever asks first

    @property
    def graph(self) -> GraphClient:
        """The connection; starts the embedded server if no other is set.

        Raises:
            ServerError, DatabaseError: neither is to be had; the remedy says what to do.
        """
        with self._making:
            if self._graph is None:
                self._graph = GraphClient.open(self.settings, progress=self.progress)
            return self._graph

    @property
    def embedder(self) -> Embedder:
        """
        Raises:
            ModelError: its files are missing or not what they should be.
        """
        with self._making:
            if self._embedder is None:
                self._embedder = make_embedder(self.settings.embedding)
            return self._embedder

    @property
    def extractor(self) -> Extractor:
        """
        Raises:
            ModelError: the spaCy pipeline is not installed.
        """
        with self._making:
            if self._extractor is None:
                self._extractor = make_extractor(self.settings.extraction)
            return self._extractor

    def use(self, *, embedder: Embedder | None = None, extractor: Extractor | None = None) -> None:
        """Takes an embedder or extractor that is at hand instead of making what the settings name: one of your own, or
        one that several corpora share."""
        with self._making:
            self._embedder = embedder or self._embedder
            self._extractor = extractor or self._extractor
            self._retrievers.clear()  # they hold the embedder

    def ingest(
        self,
        paths: Sequence[str | Path],
        *,
        loader: str | None = None,
        strict: bool = False,
    ) -> LoadReport:
        """Loads files and folders. The same content twice changes nothing; changed content replaces the old.

        Args:
            loader: the name of a loader; found by the source itself if left out.
            strict: stop at the first broken source instead of skipping it.

        Raises:
            BrokenSource: `strict`, and something cannot be read.
            LoaderNotFound: no loader has this name, or none knows a file that was named.
            EmbedderMismatch, WriterBusy, LeaseLost, DatabaseError: what was committed before stays.
        """
        report = LoadReport()
        on_broken = _on_broken(report, strict=strict)
        named, sources = index.separate_exports([str(path) for path in paths])
        exports = index.usable_exports(named, on_broken)
        documents = index.read_sources(sources, loader=loader, on_broken=on_broken, on_skipped=report.skipped.append)
        first = list(itertools.islice(documents, 1))  # what cannot be read at all makes no corpus
        if not exports and not first:
            return report
        with self._writing("ingest") as writer:
            for export in exports:
                index.restore_file(writer, export, report=report, on_broken=on_broken, progress=self.progress)
            if exports:
                index.settle_vectors(writer, self.embedder)
                index.link(writer, progress=self.progress)
            if first:
                self._load(writer, itertools.chain(first, documents), report, on_broken)
        return report

    def ingest_documents(self, documents: Iterable[Document | Annotation], *, strict: bool = False) -> LoadReport:
        """Loads documents that are at hand, from a loader of your own, say.

        Raises:
            as `ingest`.
        """
        report = LoadReport()
        with self._writing("ingest") as writer:
            self._load(writer, documents, report, _on_broken(report, strict=strict))
        return report

    def preview(self, paths: Sequence[str | Path], *, loader: str | None = None, strict: bool = False) -> LoadReport:
        """What `ingest` would do, without doing it; restoring exports is not previewed.

        Raises:
            SourceError, DatabaseError: as `ingest`.
        """
        report = LoadReport()
        exports, sources = index.separate_exports([str(path) for path in paths])
        if exports:
            raise SourceError(
                f"{exports[0]} is an export; what restoring it would do cannot be previewed.",
                remedy="Restore it into a corpus of its own: --corpus NAME",
            )
        documents = index.read_sources(
            sources,
            loader=loader,
            on_broken=_on_broken(report, strict=strict),
            on_skipped=report.skipped.append,
        )
        index.preview(self.graph, self._corpus_if_there(), documents, report=report)
        return report

    def index(self, *, re_embed: bool = False) -> IndexReport:
        """Brings the index up to date: vectors, mentions, facts, relationships. Nothing is done twice.

        Args:
            re_embed: change to the embedder of the settings where the corpus has another one's vectors.

        Raises:
            CorpusNotFound: nothing was loaded yet.
            EmbedderMismatch, ModelError, WriterBusy, LeaseLost, DatabaseError: what was committed before stays;
                call again to go on.
        """
        with writing(self.graph, read_corpus(self.graph, self.corpus_name), "index") as writer:
            return index.build_index(
                writer, self.embedder, self.extractor, replace_vectors=re_embed, progress=self.progress
            )

    def search(self, question: str, k: int = 5, *, retriever: str = DEFAULT_RETRIEVER) -> Evidence:
        """The best `k` chunks for a question, with the reasons for each.

        Raises:
            QuestionError: the question is empty.
            CorpusNotFound, IndexMissing, EmbedderMismatch, DatabaseError: as their names say.
            SettingsError: there is no such retriever.
        """
        if k < 1:
            raise QuestionError(f"{k} passages cannot be found.", remedy="Ask for one or more.")
        return self.retriever(retriever).retrieve(question, k)

    def retriever(self, name: str = DEFAULT_RETRIEVER) -> Retriever:
        """A retriever over this corpus, made once.

        Raises:
            SettingsError: there is none of this name.
        """
        with self._making:
            if name not in self._retrievers:
                context = RetrievalContext(self.graph, self.corpus_name, self.embedder)
                self._retrievers[name] = make_retriever(name, context)
            return self._retrievers[name]

    def status(self) -> CorpusStatus:
        """What the corpus holds, what its index lacks, what each stage did, and who writes.

        Raises:
            CorpusNotFound, DatabaseError: as their names say.
        """
        return index.read_status(self.graph, read_corpus(self.graph, self.corpus_name))

    def digest(self) -> str:
        """64 hexadecimal digits that two corpora share exactly if they hold the same.

        Raises:
            CorpusNotFound, DatabaseError: as their names say.
        """
        return index.digest(self.graph, read_corpus(self.graph, self.corpus_name))

    def corpora(self) -> list[CorpusSize]:
        """All corpora of the database, by name."""
        return list_corpora(self.graph)

    def documents(self, *, source: str | None = None) -> Iterator[StoredDocument]:
        """The documents of the corpus, lazily; those of one source (a path), if it is given.

        Raises:
            CorpusNotFound, DatabaseError: as their names say.
        """
        return index.stored_documents(self.graph, read_corpus(self.graph, self.corpus_name), source=source)

    def delete_documents(self, ids: Iterable[str]) -> int:
        """Deletes documents by id, with what only they mentioned or stated; how many there were.

        Raises:
            CorpusNotFound, WriterBusy, LeaseLost, DatabaseError: what was committed before stays deleted.
        """
        with writing(self.graph, read_corpus(self.graph, self.corpus_name), "delete") as writer:
            removed = index.remove_documents(writer, ids, progress=self.progress)
            index.link(writer, progress=self.progress)
            return removed

    def delete_corpus(self) -> None:
        """Deletes the corpus with everything in it.

        Raises:
            CorpusNotFound, WriterBusy, DatabaseError: as their names say.
        """
        with writing(self.graph, read_corpus(self.graph, self.corpus_name), "delete") as writer:
            index.remove_corpus(writer)

    def export(self, write: Callable[[str], object]) -> ExportReport:
        """Gives every line of an export (JSON lines, with line ends) to `write`; `ingest` reads them back.

        Raises:
            CorpusError: the corpus is not there, or changed meanwhile.
            DatabaseError: as its name says.
        """
        corpus = read_corpus(self.graph, self.corpus_name)
        lines = 0
        self.progress.start("export", None, "documents")
        for line in index.export_lines(self.graph, corpus):
            write(line + "\n")
            lines += 1
            self.progress.advance(1)
        self.progress.finish(f"{lines - 1} documents")
        computed = index.digest(self.graph, corpus)
        if read_corpus(self.graph, self.corpus_name).version != corpus.version:
            raise CorpusError(
                f"Corpus {self.corpus_name!r} changed while it was exported, so that the export is of no one state.",
                remedy="Export it again when nobody writes to it (overstory status).",
            )
        return ExportReport(documents=lines - 1, digest=computed)

    def document_id(self, source: str, source_key: str = "") -> str:
        """The id that a document of this origin has in this corpus, whether it is there or not."""
        return document_id(read_corpus(self.graph, self.corpus_name).label, source, source_key)

    def close(self) -> None:
        """Closes the connection if one was opened; the server goes on."""
        with self._making:
            if self._graph is not None:
                self._graph.close()
                self._graph = None
                self._retrievers.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        where = self.settings.database.uri or "embedded server"
        return f"<Knowledge corpus={self.corpus_name!r} at {where}>"

    @contextmanager
    def _writing(self, doing: str) -> Generator[Writer]:
        """The lease of the corpus, which is made if it is not there."""
        with writing(self.graph, create_corpus(self.graph, self.corpus_name), doing) as writer:
            writer.corpus.check_embedder(self.embedder)
            yield writer

    def _load(
        self, writer: Writer, documents: Iterable[Document | Annotation], report: LoadReport, on_broken: OnBroken
    ) -> None:
        index.load(writer, documents, self.embedder, report=report, on_broken=on_broken, progress=self.progress)

    def _corpus_if_there(self) -> Corpus | None:
        try:
            return read_corpus(self.graph, self.corpus_name)
        except CorpusNotFound:
            return None


def _on_broken(report: LoadReport, *, strict: bool) -> OnBroken:
    def heard(error: BrokenSource) -> None:
        if strict:
            raise error
        report.broken.append(error)

    return heard
