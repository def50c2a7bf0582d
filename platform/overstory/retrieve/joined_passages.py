"""The passages of several corpora at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from overstory.graph.client import Row
from overstory.model import Hit
from overstory.protocols import Vectors
from overstory.retrieve.joined_corpora import OpenedCorpora
from overstory.retrieve.passages import CorpusPassages
from overstory.retrieve.sections import FoundSection
from overstory.retrieve.vector_search import Nearest


class JoinedPassages:
    """`Passages` of several corpora. BM25 is that of each corpus, which counts the words of its own."""

    def __init__(self, corpora: OpenedCorpora[CorpusPassages]) -> None:
        self._corpora = corpora
        self._said: dict[str, None] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """As `Passages.notes`, with those on corpora that were left out."""
        return (*self._said, *self._corpora.notes)

    def near(self, vector: Vectors, limit: int, *, vector_depth: int | None = None) -> Nearest:
        """As `Passages.near`."""

        def nearest(passages: CorpusPassages) -> tuple[Nearest, tuple[str, ...]]:
            return passages.near(vector, limit, vector_depth=vector_depth), passages.notes

        found: list[tuple[str, str, float]] = []
        notes: dict[str, None] = {}
        for title, (near, said) in self._corpora.each(nearest).items():
            self._corpora.found_in(title, near.cosines)
            found += [(chunk, near.documents[chunk], cosine) for chunk, cosine in near.cosines.items()]
            notes |= dict.fromkeys(f"{title}: {note}" for note in near.notes)
            self._said |= dict.fromkeys(f"{title}: {note}" for note in said)
        merged = Nearest.of(dict.fromkeys(found), tuple(notes))
        first = list(merged.cosines.items())[:limit]
        return Nearest(dict(first), merged.documents, merged.notes)

    def sections(self, question: str, limit: int) -> list[FoundSection]:
        """As `Passages.sections`."""
        return self.best_sections(self._corpora.each(lambda passages: passages.sections(question, limit)), limit)

    def best_sections(self, found: dict[str, list[FoundSection]], limit: int) -> list[FoundSection]:
        """The first of the sections that each corpus found."""
        for title, sections in found.items():
            self._corpora.found_in(title, (chunk for section in sections for chunk in section.chunks))
        every = {section.chunks[0]: section for sections in found.values() for section in sections}
        return sorted(every.values(), key=lambda section: -section.words)[:limit]

    def vectors(self, ids: Sequence[str]) -> Vectors:
        """As `Passages.vectors`."""
        return self._by_row(ids, self._corpora.dimension, lambda passages, own: passages.vectors(own))

    def own_cosines(self, ids: Sequence[str], vectors: Vectors) -> Vectors:
        """As `Passages.own_cosines`."""
        return self._by_row(ids, len(vectors), lambda passages, own: passages.own_cosines(own, vectors))

    def _by_row(
        self, ids: Sequence[str], width: int, ask: Callable[[CorpusPassages, Sequence[str]], Vectors]
    ) -> Vectors:
        """float32[len(ids), width]: what each corpus says of its own, zeros where it could not be asked."""
        known: dict[str, Vectors] = {}
        for of, rows in self._corpora.each_of(ids, lambda passages, own: (own, ask(passages, own))).values():
            known |= zip(of, rows, strict=True)
        found = np.zeros((len(ids), width), dtype=np.float32)
        for place, id_ in enumerate(ids):
            if id_ in known:
                found[place] = known[id_]
        return found

    def rows(self, ids: Iterable[str]) -> dict[str, Row]:
        """As `Passages.rows`, each with the title of its `corpus`."""
        found = self._corpora.each_of(ids, lambda passages, own: passages.rows(own))
        return {id_: row | {"corpus": title} for title, rows in found.items() for id_, row in rows.items()}

    def counted(self, hits: Iterable[Hit]) -> tuple[Hit, ...]:
        """As `Passages.counted`."""
        of = {each.chunk_id: each for each in hits}

        def counted(passages: CorpusPassages, own: Iterable[str]) -> tuple[Hit, ...]:
            return passages.counted(of[id_] for id_ in own)

        for found in self._corpora.each_of(of, counted).values():
            of |= {each.chunk_id: each for each in found}
        return tuple(of.values())
