"""The API: one corpus, from documents to evidence. Every command and every integration goes through it.

Source of truth is the graph. A `Knowledge` holds a connection, an embedder and an extractor, each made when it is first
needed; several may be open on one corpus, in one process or many.

Methods block until they are done, but for those that asynchronous code awaits (`asearch`, `aask`, `aingest`, `aindex`).
It calls the others in a thread: `await asyncio.to_thread(…)`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from overstory import index, sources, transfer
from overstory.errors import QuestionError, SourceError
from overstory.filters import Where, read_filter
from overstory.graph import Corpus, read_corpus, writing
from overstory.index import LoadReport, StoredDocument
from overstory.index.document_passages import DocumentPassage, document_by_id, document_passages, passage_position
from overstory.knowledge.asynchronous import Asynchronous
from overstory.knowledge.connection import CorpusConnection
from overstory.knowledge.contents import CorpusContents
from overstory.knowledge.loading import Loading, hearing_broken, listed_paths
from overstory.knowledge.names import NameEditing
from overstory.knowledge.restricted import RestrictedKnowledge
from overstory.knowledge.several import SeveralCorpora
from overstory.knowledge.single_names import SingleNames
from overstory.model import Metadata
from overstory.sources import ReadOptions
from overstory.transfer import StageReport

_ID = re.compile("[0-9a-f]{32}")


class Disabling(CorpusConnection):
    """Documents that are disabled for a time, and enabled again."""

    def disable_documents(self, named: str | Iterable[str] = (), *, where: Where | None = None) -> int:
        """Disables documents: from now on nothing of them is in any answer, though they stay stored and indexed.

        Nothing is computed for it, and `enable_documents` restores everything as it was. While documents are disabled,
        every question is asked with a filter that leaves them out, and so are names, paths, trees and reports;
        `suggested_merges` says `DocumentsDisabled`. A document that is loaded again, or moved by a sync, stays
        disabled, and one that is exported is disabled where it is restored.

        Args:
            named: documents by their ids, sources or origins ("table.csv#7"), one or several, sources as `documents`
                takes them.
            where: all documents that fulfil this filter; of `named` where it is given, too.

        Returns:
            how many were not disabled before.

        Raises:
            DocumentNotFound: there is no such document; `nearest` has the sources that are most like it. Nothing was
                changed.
            FilterError, MetadataNotFound: `where` cannot be read, or asks for a key that no document has; likewise.
            CorpusNotFound, WriterBusy, LeaseLost, DatabaseError: what was committed before stays; call again to go on.
        """
        return self._set_disabled(named, where, disabled=True)

    def enable_documents(self, named: str | Iterable[str] = (), *, where: Where | None = None) -> int:
        """Enables documents that were disabled; all that was found of them is found again.

        Args:
            named, where: as of `disable_documents`.

        Returns:
            how many were disabled before.

        Raises:
            DocumentNotFound, FilterError, MetadataNotFound, CorpusNotFound, WriterBusy, LeaseLost, DatabaseError: as
                `disable_documents`.
        """
        return self._set_disabled(named, where, disabled=False)

    def count_disabled(self) -> int:
        """How many documents are disabled.

        Raises:
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        return read_corpus(self.graph, self.corpus_name).disabled

    def disabled_documents(self) -> list[StoredDocument]:
        """The documents that are disabled, in order of source and key.

        Raises:
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        corpus = read_corpus(self.graph, self.corpus_name)
        found = index.documents_by_id(self.graph, corpus, index.disabled_ids(self.graph, corpus))
        return sorted(found, key=lambda document: (document.source, document.source_key))

    def _set_disabled(self, named: str | Iterable[str], where: Where | None, *, disabled: bool) -> int:
        given = list(dict.fromkeys([named] if isinstance(named, str) else named))
        with writing(self.graph, read_corpus(self.graph, self.corpus_name), "disable" if disabled else "enable") as by:
            matching = self._matching(where)
            chosen: Iterable[str] = matching or ()
            if given:
                found = self._ids_of(by.corpus, given)
                chosen = found if matching is None else (id_ for id_ in found if id_ in matching)
            if not disabled:
                return index.set_disabled(by, chosen, disabled=False)
            changed = index.set_disabled(by, chosen, disabled=True)
            if changed:
                self._forget_answers(by.corpus)
            return changed

    def _ids_of(self, corpus: Corpus, given: Sequence[str]) -> Iterator[str]:
        """The ids of documents that are named by ids or sources; all are looked up before the first is returned."""
        possible = {each: [each] if _ID.fullmatch(each) else index.ids_of_origin(corpus, each) for each in given}
        every = list(itertools.chain.from_iterable(possible.values()))
        ids = {document.id for document in index.documents_by_id(self.graph, corpus, every)}
        sources = [each for each, known in possible.items() if ids.isdisjoint(known)]
        chosen = index.select_all(self.graph, corpus, sources) if sources else []
        of_sources = (str(row["id"]) for row in index.rows_of_all(self.graph, corpus, chosen))
        return (id_ for some in (sorted(ids), of_sources) for id_ in some)

    def _forget_answers(self, corpus: Corpus) -> None:
        """Forgets the last turns of a conversation that was kept if one of its answers cites a disabled document."""
        chunks = sorted({chunk for turn in self.kept_conversation.read() for chunk in turn.chunks})
        if chunks:
            disabled = set(index.disabled_ids(self.graph, corpus))
            (row,) = self.graph.run("retrieve/chunk_documents", corpus.label, read=True, ids=chunks)
            self.kept_conversation.forget_passages([chunk for chunk, of in row["documents"] if of in disabled])


class Staging(Loading):
    """Documents read, embedded and extracted without a database, to be loaded later or elsewhere."""

    def stage(
        self,
        paths: str | Path | Sequence[str | Path],
        folder: str | Path,
        *,
        loader: str | None = None,
        strict: bool = False,
        metadata: Metadata | None = None,
        workers: int | None = None,
        on: str | None = None,
        worker_cpus: float = 1.0,
        worker_gpus: float = 0.0,
        options: ReadOptions | None = None,
    ) -> StageReport:
        """Writes what `ingest` and `index` compute for each document by itself (chunks, vectors, mentions, facts) to
        files in a folder, which `ingest` takes: on this machine, or on the one that has the database. No server is
        started or asked.

        The folder holds the shards of these paths alone. Killed, the same call goes on with what is missing; called
        again, it computes the shards with changed documents. Annotations, and the links of graphs, are left out.

        Args:
            paths, loader, strict, metadata, options: as of `ingest`.
            folder: a new one, or one that was staged before.
            workers: processes that embed and extract, each with models of its own; without them, this process embeds.
            on: where workers run: "ray" for the Ray cluster that this machine is of, or else one of this machine alone,
                "ray://HOST:PORT" for another; None for this machine without Ray. On a cluster there are as many workers
                as it has processors for, if `workers` is left out.
            worker_cpus, worker_gpus: what Ray keeps for each worker.

        Raises:
            BrokenSource, SettingsError, LoaderNotFound: as `ingest`; also for fewer than 1 worker, and a cluster that
                is not there or has no room for a worker.
            ExtraMissing: Ray is not installed.
            SourceError: nothing was read, one of the paths is an export, or the folder cannot be written or has other
                files in it.
            ModelError: a model cannot be used, or two workers ended unexpectedly over the same documents.
        """
        heard = LoadReport()
        report = StageReport(broken=heard.broken, skipped=heard.skipped, decoded=heard.decoded)
        given = index.checked_metadata(metadata or {})
        named, on_broken = listed_paths(paths), hearing_broken(heard, strict=strict)
        exports, _ = transfer.separate_exports(named)
        if exports:
            raise SourceError(f"{exports[0]} is an export already.", remedy="Load it: overstory ingest")
        target = transfer.shard_folder(str(folder))
        engine = transfer.stage_engine(
            self._shard_job(target.address), workers, on=on, cpus=worker_cpus, gpus=worker_gpus
        )
        read = self._read(
            named, heard, sources.Coverage(), on_broken, options or ReadOptions(), loader=loader, from_uri=None
        )
        transfer.stage(
            index.with_metadata(read, given),
            target,
            self.embedder,
            self.extractor,
            engine=engine,
            report=report,
            on_broken=on_broken,
            progress=self.progress,
        )
        return report

    def _shard_job(self, folder: str) -> transfer.ShardJob:
        models = transfer.models_of(self.embedder, self.extractor)
        embedding = self.settings.embedding
        if self._embedder_name:  # that of a corpus may be another than that of the settings
            embedding = replace(embedding, embedder=self._embedder_name)
        return transfer.ShardJob(folder, embedding, self.settings.extraction, models)


_MOST_PASSAGES_READ = 1_000


class SingleDocuments(CorpusConnection):
    """Documents by their ids."""

    def document(self, document: str) -> StoredDocument:
        """The document that has an id, as hits and `documents` name it.

        Raises:
            DocumentNotFound: there is none.
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        return document_by_id(self.graph, read_corpus(self.graph, self.corpus_name), document)

    def document_passages(
        self, document: str, *, first: int = 0, limit: int = 100, around: str = ""
    ) -> list[DocumentPassage]:
        """The text of a document: its passages in reading order; they may overlap, as `start` and `end` say.

        Args:
            first: how many passages are left out before.
            limit: the most that are returned, 1 to 1,000.
            around: the id of one of its passages: those before and after it, in place of `first`.

        Raises:
            QuestionError: `first` or `limit` is out of bounds.
            DocumentNotFound: there is no such document, or no passage `around` in it.
            CorpusNotFound, DatabaseError: as `document`.
        """
        if first < 0 or not 1 <= limit <= _MOST_PASSAGES_READ:
            raise QuestionError(
                f"first is {first}, and limit {limit}.",
                remedy=f"Leave out 0 or more passages, and ask for 1 to {_MOST_PASSAGES_READ:,}.",
            )
        corpus = read_corpus(self.graph, self.corpus_name)
        if around:
            first = max(0, passage_position(self.graph, corpus, document, around) - limit // 2)
        found = document_passages(self.graph, corpus, document, first=first, limit=limit)
        if not found:
            document_by_id(self.graph, corpus, document)
        return found

    def fulfils(self, document: str, where: Where) -> bool:
        """Whether a document is there, and its metadata fulfil a filter.

        Raises:
            FilterError, MetadataNotFound, CorpusNotFound, DatabaseError: as `documents`.
        """
        matching = self._matching(where)
        return matching is not None and document in matching


class Knowledge(Asynchronous, Staging, NameEditing, CorpusContents, SingleDocuments, SingleNames, Disabling):
    """One corpus. Use it in a `with` or `async with` block, or call `close`. Safe to share between threads.

    A method that changes the corpus says `WriterBusy` while another one does; searches never wait.
    """

    @staticmethod
    def over(corpora: Sequence[Knowledge | RestrictedKnowledge | str]) -> SeveralCorpora:
        """Several corpora, in one database or in many, that are searched and asked as if they were one.

        Args:
            corpora: each a `Knowledge`, a part of one (`restricted_to`), whose filter holds for it alone, or the name
                of a corpus in the database of the settings.

        Raises:
            SettingsError: there are none, or one is named twice.
        """
        opened = {name: Knowledge(name) for name in corpora if isinstance(name, str)}
        every = [opened[each] if isinstance(each, str) else each for each in corpora]
        return SeveralCorpora(every, opened=list(opened.values()))

    def restricted_to(self, where: Where) -> RestrictedKnowledge:
        """The documents that fulfil a filter, to be read by somebody who may see no others.

        Raises:
            FilterError: `where` cannot be read.
            MetadataNotFound: no document has a key that it asks for.
            CorpusNotFound, IndexMissing, DatabaseError: the corpus cannot be filtered.
        """
        fixed = read_filter(where)
        self._matching(fixed)
        return RestrictedKnowledge(self, fixed)
