"""The names of a corpus and their links, asked of the graph."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from typing import Any

from overstory.graph import Corpus, Transaction
from overstory.graph.ids import entity_id
from overstory.graph.index_sets import text_index, word_index
from overstory.retrieve.canopy.name_lookup import (
    CHUNKS_A_PHRASE,
    MOST_CHUNKS_ABOUT_A_NAME,
    FoundByWords,
    LeadingName,
    ListedChunk,
    NameLinks,
)
from overstory.retrieve.canopy.names import QuestionNames, named_chunks, names_in
from overstory.retrieve.canopy.scoring import MOST_CHUNKS_OF_A_RARE_NAME, MOST_CHUNKS_OF_A_SHARED_NAME, LinkingName
from overstory.retrieve.question import Question
from overstory.retrieve.question_entities import QuestionEntities, StoredEntities, question_entities
from overstory.retrieve.sections import FoundSection, section_query
from overstory.text.names.tokens import idf_weight

_MOST_CHUNKS_LISTED = 5_000
"""Chunks of a name or a phrase among which those are looked for that a filter lets through."""


class StoredNames:
    """A `NameLookup` by three statements: the names of a question, the chunks found by words and names, and where names
    lead, the last one twice. `CorpusNames`, too."""

    def __init__(
        self, tx: Transaction, corpus: Corpus, *, deeper: float = 1.0, of_documents: Set[str] | None = None
    ) -> None:
        """
        Args:
            deeper: how many times more chunks of a name or a phrase are listed, since some may not be shown.
            of_documents: ids of the documents whose names are known; those of all if left out.
        """
        self._of_documents = of_documents
        self._tx = tx
        self._corpus = corpus
        self._most_about = min(math.ceil(deeper * MOST_CHUNKS_ABOUT_A_NAME), _MOST_CHUNKS_LISTED)
        self._phrase_depth = min(math.ceil(deeper * CHUNKS_A_PHRASE), _MOST_CHUNKS_LISTED)

    def question_names(self, question: Question) -> QuestionNames:
        """As `NameLookup.question_names`."""
        found = question_entities(self._tx, self._corpus, question, in_dictionary=True, of_documents=self._of_documents)
        return names_in(question, found)

    def found(self, names: QuestionNames, depth: int) -> FoundByWords:
        """As `NameLookup.found`."""
        (row,) = self._tx.run(
            "retrieve/canopy_named",
            self._corpus.label,
            word_index=word_index(self._corpus.index_set),
            query=section_query(names.question, self._corpus.languages),
            depth=depth,
            subjects=[self._id(name.key) for name in names.known if name.subject],
            rare=[
                self._id(name.key) for name in names.known if not name.subject and name.df <= MOST_CHUNKS_OF_A_RARE_NAME
            ],
            most=self._most_about,
            text_index=text_index(self._corpus.index_set),
            phrases=list(dict.fromkeys(names.quoted().values())),
            phrase_depth=self._phrase_depth,
        )
        sections = [FoundSection(*each) for each in row["sections"]]
        return FoundByWords(sections, [ListedChunk(*each) for each in row["found"]], row["links"] > 0)

    def links(self, sources: Sequence[str], asked: Sequence[str]) -> NameLinks:
        """As `NameLookup.links`."""
        (row,) = self._tx.run(
            "retrieve/canopy_expand",
            self._corpus.label,
            sources=list(sources),
            asked=list(asked),
            most=self._most_about,
            most_shared=MOST_CHUNKS_OF_A_SHARED_NAME,
        )
        chunks = named_chunks(self._corpus)
        documents = {place[0]: place[2] for name in row["names"] for places in name[4:] for place in places}
        return NameLinks([_link(name, chunks) for name in row["names"]], documents)

    def entities(self, keys: Sequence[str], terms: Sequence[str]) -> QuestionEntities:
        """As `CorpusNames.entities`."""
        known = StoredEntities(self._tx, self._corpus, in_dictionary=True, of_documents=self._of_documents)
        return QuestionEntities(tuple(known(keys, terms)), (), outdated=known.outdated)

    def mentioned(self, sources: Sequence[str]) -> dict[str, dict[str, int]]:
        """As `CorpusNames.mentioned`."""
        (row,) = self._tx.run("retrieve/canopy_mentioned", self._corpus.label, sources=list(sources))
        return {key: dict(places) for key, places in row["names"]}

    def leading(self, keys: Sequence[str]) -> list[LeadingName]:
        """As `CorpusNames.leading`."""
        (row,) = self._tx.run(
            "retrieve/canopy_leading",
            self._corpus.label,
            ids=list(map(self._id, keys)),
            most=self._most_about,
            most_shared=MOST_CHUNKS_OF_A_SHARED_NAME,
        )
        return [LeadingName(*name) for name in row["names"]]

    def _id(self, key: str) -> str:
        return entity_id(self._corpus.label, key)


def _link(row: Sequence[Any], chunks: int) -> LinkingName:  # columns of several types, as the statement's header says
    key, name, df, sources, shared, about = row
    return LinkingName(
        key=key,
        name=name,
        idf=idf_weight(chunks, df),
        sources=[(chunk, sentence) for chunk, sentence in sources],
        about=[(chunk, weight) for chunk, weight, _ in about],
        shared=[(chunk, sentence) for chunk, sentence, _ in shared],
        rare=df <= MOST_CHUNKS_OF_A_SHARED_NAME,
    )
