"""Names one at a time: what the corpus says of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from overstory.display import counted
from overstory.errors import QuestionError
from overstory.filters import Where
from overstory.graph import Corpus, GraphClient, Transaction
from overstory.graph.client import Row
from overstory.index.stored_metadata import stored_metadata
from overstory.knowledge.connection import CorpusConnection
from overstory.model.entity_paths import MentioningPassage, NameFacts, NamePassages
from overstory.model.metadata import page_of, page_starts
from overstory.retrieve.among import Among
from overstory.retrieve.context import NAMES_OUTDATED, asked_corpus, one_question
from overstory.retrieve.entity_paths.endpoints import LISTED_PASSAGES_OF_A_NAME, MatchingPassages
from overstory.retrieve.hits import chunk_rows
from overstory.retrieve.name_facts import find_name_facts, known_name
from overstory.retrieve.question_entities import cached_edits
from overstory.text.names.subjects import OWN


def find_name_passages(
    graph: GraphClient,
    corpus_name: str,
    name: str,
    *,
    first: int,
    limit: int,
    among: Callable[[Transaction, Corpus], Among] | None = None,
) -> NamePassages:
    """The passages that mention a name, or are about it.

    Args:
        first: how many are left out before them.
        among: the documents that may be told of; None for all.
    """

    def work(tx: Transaction) -> NamePassages:
        corpus = asked_corpus(graph, corpus_name, tx)
        matching = None if among is None else MatchingPassages(among(tx, corpus))
        known, outdated = known_name(tx, corpus, name, matching)
        found = _page(tx, corpus, known, matching, first, limit + 1)
        rows = chunk_rows(tx, corpus, found[:limit])
        notes = list(matching.among.notes) if matching is not None else []
        if matching is None or not matching.matching.restricted:
            if known["df"] > LISTED_PASSAGES_OF_A_NAME:
                passages = counted(known["df"], "passage")
                notes.append(f"of {passages} only {LISTED_PASSAGES_OF_A_NAME:,} are listed")
            notes += [NAMES_OUTDATED] if outdated else []
        return NamePassages(
            _written(tx, corpus, known, matching),
            tuple(_passage(rows[id_]) for id_ in found[:limit] if id_ in rows),
            first + limit if len(found) > limit else None,
            tuple(notes),
        )

    return graph.reading("retrieve/name_passages", work)


def _page(
    tx: Transaction, corpus: Corpus, known: Row, matching: MatchingPassages | None, first: int, limit: int
) -> Sequence[str]:
    """Ids of passages."""
    if matching is not None:
        return sorted(matching.of([known["id"]])[known["id"]].chunks)[first : first + limit]
    rows = tx.run(
        "retrieve/name_passages",
        corpus.label,
        id=known["id"],
        most=LISTED_PASSAGES_OF_A_NAME,
        own=OWN,
        skip=first,
        limit=limit,
    )
    return [row["chunk"] for row in rows]


def _written(tx: Transaction, corpus: Corpus, known: Row, matching: MatchingPassages | None) -> str:
    """The name as passages write it that may be told of."""
    if matching is None:
        return str(known["name"])
    chunks = matching.of([known["id"]])[known["id"]].chunks[:1]
    written = {id_: name for id_, _, name, _ in matching.named_in(chunks)}
    return written.get(known["id"]) or (cached_edits(tx, corpus).name_first(known["key"], []) or [known["key"]])[0]


def _passage(row: Row) -> MentioningPassage:
    return MentioningPassage(
        chunk_id=row["chunk_id"],
        document_id=row["document_id"],
        source=row["source"],
        source_key=row["source_key"],
        title=row["title"],
        heading=row["heading"],
        text=row["text"],
        page=page_of(row["start"], row["text"], page_starts(stored_metadata(row["document"]))),
    )


MOST_NAME_FACTS = 100
"""Facts of a name that are returned, and names that are related to it."""
MOST_NAME_PASSAGES = 100
"""Passages of a name that are returned."""


class SingleNames(CorpusConnection):
    """Names one at a time."""

    @one_question()
    def name(self, name: str, *, limit: int = 20, where: Where | None = None) -> NameFacts:
        """What the corpus says of a name: its type and spellings, its facts with the sentences that state them, and the
        names that facts tie to it.

        Args:
            name: as texts write it; case, accents and punctuation do not matter.
            limit: the most facts, and the most names, 1 to 100.
            where: a filter on the metadata of documents, as of `search`: passages, spellings and facts of others are
                not told, and a name that only they mention is unknown. What type a name has is decided by all
                documents.

        Raises:
            QuestionError: the name is empty, or `limit` is out of bounds.
            NameNotFound: no passage mentions it; `suggestions` has the most similar names.
            FilterError, MetadataNotFound: `where` cannot be read, or asks for a key that no document has.
            IndexMissing: the corpus has no names yet.
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        if not 1 <= limit <= MOST_NAME_FACTS:
            raise QuestionError(f"limit is {limit}.", remedy=f"Ask for 1 to {MOST_NAME_FACTS} facts.")
        among = self._among_enabled(where)
        return find_name_facts(self.graph, self.corpus_name, name, limit=limit, among=among)

    @one_question()
    def name_passages(self, name: str, *, first: int = 0, limit: int = 20, where: Where | None = None) -> NamePassages:
        """The passages that mention a name, or are about it, a page at a time.

        Args:
            name: as texts write it; case, accents and punctuation do not matter.
            first: how many are left out before the others, to go on from a page.
            limit: the most, 1 to 100.
            where: as of `name`.

        Raises:
            QuestionError: the name is empty, or `first` or `limit` is out of bounds.
            NameNotFound, FilterError, MetadataNotFound, IndexMissing, CorpusNotFound, DatabaseError: as `name`.
        """
        if not 1 <= limit <= MOST_NAME_PASSAGES or first < 0:
            raise QuestionError(
                f"first is {first} and limit {limit}.", remedy=f"Ask for 1 to {MOST_NAME_PASSAGES} passages from 0 on."
            )
        among = self._among_enabled(where)
        return find_name_passages(self.graph, self.corpus_name, name, first=first, limit=limit, among=among)
