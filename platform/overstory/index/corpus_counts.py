"""How much a corpus has, and how much is left for the stages of its index."""

from __future__ import annotations

from dataclasses import dataclass

from overstory.graph import GraphClient


@dataclass(frozen=True, slots=True)
class CorpusCounts:
    """Numbers that the server keeps, so that reading them costs the same for every size of corpus.

    Attributes:
        links: between stored documents.
        unresolved: links to documents that are not stored.
        unembedded, unread: chunks for the stages embed and extract; an extractor that replaces another reads all.
        stale: entities and facts for the entities stage.
        renamed: chunks in which that stage has to edit names.
        changed: chunks and entities that came or changed since the mentions stage last ran.
        boilerplate_only: chunks that hold nothing but boilerplate.
        boilerplate: chunks that hold any.
        boilerplate_stale: folders and documents to look at for boilerplate.
    """

    documents: int
    chunks: int
    vectors: int
    entities: int
    links: int
    unresolved: int
    unembedded: int
    unread: int
    stale: int
    renamed: int
    changed: int
    boilerplate_only: int
    boilerplate: int
    boilerplate_stale: int


def corpus_counts(graph: GraphClient, label: str) -> CorpusCounts:
    """The numbers of the corpus with this label."""
    (row,) = graph.run("corpus/kept_counts", label, read=True)
    return CorpusCounts(**row)
