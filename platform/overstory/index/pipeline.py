"""The stages in their order: sections, metadata, embed, extract, entities, mentions. Each does only what is missing."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from overstory.graph import Writer, schema
from overstory.index.boilerplate import sync_boilerplate
from overstory.index.stages.embed import begin_vector_index, embed, re_embed, sync_vectors
from overstory.index.stages.entities import sync_entities
from overstory.index.stages.extract import extract
from overstory.index.stages.mentions import sync_mentions
from overstory.index.stages.metadata import sync_metadata
from overstory.index.stages.sections import sync_sections
from overstory.protocols import Embedder, Extractor, Progress
from overstory.text.parsing.parsed_texts import ParsedTexts


def rebuild_indexes(writer: Writer, others: Mapping[str, Callable[[], None]], *, progress: Progress) -> None:
    """Drops the indexes over vectors and words, and makes them again; then those of systems.

    Searches by meaning scan all vectors meanwhile. Those by words fail between the drop of their index and the moment
    when it is made, and say why.

    Args:
        others: how each other index is made again, by its name.
    """
    graph, label = writer.graph, writer.corpus.label
    corpus = writer.corpus
    progress.start("rebuild", len(schema.SET_INDEXES) + 1 + len(others), "indexes")
    if corpus.vector_index:
        writer.set(vector_index="")  # first: from now on searches scan
    for each in schema.PROPERTIES:
        schema.drop_vector_index(graph, label, each)
    if corpus.embedder:
        sync_vectors(writer, dimension=corpus.dimension)
    progress.advance(1)
    for kind in schema.SET_INDEXES:
        writer.renew()  # or another corpus may have the set by now
        schema.drop_set_index(graph, kind, corpus.index_set)
        schema.create_set_indexes(graph, corpus.index_set)
        progress.advance(1)
    for make in others.values():
        make()
        progress.advance(1)
    progress.finish("all indexes were made again")


@dataclass(frozen=True, slots=True, repr=False)
class IndexReport:
    """The stages that had something to do, by name, and notes."""

    done: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """The stages that ran, and a line for each note."""
        return "\n".join(
            [f"<IndexReport: {', '.join(self.done) or 'nothing to do'}>", *(f"Note: {note}" for note in self.notes)]
        )


def build_index(
    writer: Writer,
    embedder: Embedder,
    extractor: Extractor,
    *,
    replace_vectors: bool,
    embedder_name: str = "",
    megabytes: int,
    progress: Progress,
    parsed: ParsedTexts | None = None,
) -> IndexReport:
    """Brings the index of a corpus up to date with its chunks.

    Args:
        replace_vectors: change to this embedder where the corpus has another one's vectors.
        embedder_name: the name by which the corpus is to have it from now on, with `replace_vectors`.
        megabytes: see `sync_mentions`.
        parsed: see `extract`.
    """
    schema.create_database_indexes(writer.graph)  # one may have been dropped
    schema.create_set_indexes(writer.graph, writer.corpus.index_set)
    sync_boilerplate(writer, progress=progress)  # which an interrupted load or deletion left to do
    fill = functools.partial(re_embed, name=embedder_name) if replace_vectors else embed
    did = {
        "sections": sync_sections(writer, progress=progress),
        "metadata": sync_metadata(writer, progress=progress),
        "embed": fill(writer, embedder, progress=progress),
    }
    grows = begin_vector_index(writer, dimension=embedder.dimension)  # by itself, while other stages read the texts
    did |= {
        "extract": extract(writer, extractor, progress=progress, parsed=parsed),
        "entities": sync_entities(writer, progress=progress),
        "mentions": sync_mentions(writer, megabytes=megabytes, progress=progress),
    }
    if grows:
        sync_vectors(writer, dimension=embedder.dimension, progress=progress)
    return IndexReport(done=tuple(stage for stage, something in did.items() if something))
