"""Running the index stages, in this order: sections, metadata, embed, extract, entities, mentions.

Each stage processes only its pending work.
"""

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
    """Drop and rebuild the vector index and the full-text indexes, and then the indexes of systems.

    Until the vector index exists again, a search by meaning compares all vectors. Until the full-text indexes exist
    again, a search by words fails with a message.

    Args:
        others: functions that rebuild the systems' indexes, by index name.
    """
    graph, label = writer.graph, writer.corpus.label
    corpus = writer.corpus
    progress.start("rebuild", len(schema.SET_INDEXES) + 1 + len(others), "indexes")
    if corpus.vector_index:
        writer.set(vector_index="")  # from now on, searches compare all vectors instead of using the index
    for each in schema.PROPERTIES:
        schema.drop_vector_index(graph, label, each)
    if corpus.embedder:
        sync_vectors(writer, dimension=corpus.dimension)
    progress.advance(1)
    for kind in schema.SET_INDEXES:
        writer.renew()  # reads the corpus again: another one may have taken its set of full-text indexes
        schema.drop_set_index(graph, kind, corpus.index_set)
        schema.create_set_indexes(graph, corpus.index_set)
        progress.advance(1)
    for make in others.values():
        make()
        progress.advance(1)
    progress.finish("all indexes were rebuilt")


@dataclass(frozen=True, slots=True, repr=False)
class IndexReport:
    """The result of `index`: the stages and systems that had pending work (`done`), and notes."""

    done: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
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
    """Bring the index of a corpus up to date.

    Args:
        replace_vectors: True to replace vectors that come from another embedder.
        embedder_name: with `replace_vectors`, name of the embedder to which the corpus is switched permanently.
        megabytes: memory limit for `sync_mentions`.
        parsed: parsed texts to share with other stages, as for `extract`.
    """
    schema.create_database_indexes(writer.graph)  # in case an index was dropped
    schema.create_set_indexes(writer.graph, writer.corpus.index_set)
    sync_boilerplate(writer, progress=progress)  # in case a load or deletion was interrupted before this step
    fill = functools.partial(re_embed, name=embedder_name) if replace_vectors else embed
    did = {
        "sections": sync_sections(writer, progress=progress),
        "metadata": sync_metadata(writer, progress=progress),
        "embed": fill(writer, embedder, progress=progress),
    }
    grows = begin_vector_index(writer, dimension=embedder.dimension)  # built in the background, while other stages run
    did |= {
        "extract": extract(writer, extractor, progress=progress, parsed=parsed),
        "entities": sync_entities(writer, progress=progress),
        "mentions": sync_mentions(writer, megabytes=megabytes, progress=progress),
    }
    if grows:
        sync_vectors(writer, dimension=embedder.dimension, progress=progress)
    return IndexReport(done=tuple(stage for stage, something in did.items() if something))
