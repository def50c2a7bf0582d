"""Documents that are disabled for a time, and enabled again."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence

from overstory import index
from overstory.filters import Where
from overstory.graph import Corpus, read_corpus, writing
from overstory.index import StoredDocument
from overstory.knowledge.connection import CorpusConnection

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
