"""What a corpus holds, what its index lacks, and who writes to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from overstory.display import counted
from overstory.graph import Corpus, GraphClient, batches
from overstory.graph.client import Row
from overstory.graph.lease import current_writer
from overstory.index.boilerplate import FINGERPRINT
from overstory.index.corpus_counts import CorpusCounts, corpus_counts
from overstory.index.index_time import IndexTime
from overstory.index.ledger import StageRecord, read_ledger
from overstory.index.metadata_values import FINGERPRINT as METADATA
from overstory.index.sections import FINGERPRINT as SECTIONS
from overstory.index.stages.mentions import pending_mentions
from overstory.index.stored_metadata import stored_metadata
from overstory.model import MetadataValue
from overstory.model.origin import HasOrigin

_STATUS_DOCUMENTS_A_PAGE = 1_000


@dataclass(frozen=True, slots=True, repr=False)
class CorpusStatus:
    """The state of a corpus.

    Attributes:
        counts: numbers of documents, chunks, entities, facts, mentions and vectors (one for each distinct
            text); also of links between documents, of links to documents that are missing, and of documents that are
            disabled, where there are some.
        pending: what the next `index` would do: documents whose sections or metadata are to be written as this version
            has them, documents and folders to look at for boilerplate, chunks to embed,
            chunks to extract, entities and facts to link, what changed since names were looked for.
        writer: who holds the lease, "" if nobody does.
        boilerplate: how many chunks hold nothing but boilerplate (`only`), and how many also hold other text (`some`).
        index_time: about how long `index` takes for chunks to embed and to extract; None without any, or if unknown.
    """

    corpus: Corpus
    counts: dict[str, int]
    pending: dict[str, int]
    stages: list[StageRecord]
    writer: str
    boilerplate: dict[str, int] = field(default_factory=dict[str, int])
    index_time: IndexTime | None = None

    def __repr__(self) -> str:
        """The contents, what is missing, and a line for each stage."""
        kinds = (("documents", "document"), ("chunks", "chunk"), ("facts", "fact"), ("mentions", "mention"))
        sizes = [counted(self.counts[plural], singular) for plural, singular in kinds if self.counts]
        if self.counts:
            sizes.insert(2, counted(self.counts["entities"], "entity", "entities"))
        missing = ", ".join(f"{stage} {number:,}" for stage, number in self.pending.items() if number)
        state = f"to do: {missing}" if missing else "up to date"
        lines = [f"<CorpusStatus {self.corpus.name!r}: {'; '.join([*filter(None, [', '.join(sizes)]), state])}>"]
        lines += [f"  {stage.name:<9} {stage.status:<8} {stage.seconds:>8.1f} s" for stage in self.stages]
        return "\n".join([*lines, f"  now: {self.writer}"] if self.writer else lines)


@dataclass(frozen=True, slots=True)
class StoredDocument(HasOrigin):
    """A document as the graph has it; its text is in its chunks. `links` is the number of links that start at it, and
    one that is `disabled` is left out of everything that is found."""

    id: str
    source: str
    source_key: str
    title: str
    chunks: int
    metadata: dict[str, MetadataValue]
    links: int = 0
    disabled: bool = False


def read_status(graph: GraphClient, corpus: Corpus, *, sizes: bool = True) -> CorpusStatus:
    """The state of a corpus.

    Args:
        sizes: whether to count what it holds, which looks at every name. Without, `counts` is empty.
    """
    counts = corpus_counts(graph, corpus.label)
    uncounted = int(corpus.boilerplate_by != FINGERPRINT) * counts.documents
    return CorpusStatus(
        corpus=corpus,
        counts=_sizes(graph, corpus) | {"vectors": counts.vectors} | _where_any(corpus, counts) if sizes else {},
        pending={
            "sections": int(corpus.sectioned_by != SECTIONS) * counts.documents,
            "metadata": int(corpus.metadata_by != METADATA) * counts.documents,
            "boilerplate": counts.boilerplate_stale or uncounted,
            "embed": counts.unembedded,
            "extract": counts.unread,
            "entities": counts.stale + counts.renamed,
            "mentions": pending_mentions(corpus, counts),
        },
        stages=read_ledger(graph, corpus),
        writer=current_writer(graph, corpus),
        boilerplate={"only": counts.boilerplate_only, "some": counts.boilerplate - counts.boilerplate_only},
    )


def _sizes(graph: GraphClient, corpus: Corpus) -> dict[str, int]:
    (counts,) = graph.run("corpus/counts", corpus.label, read=True)
    return {name: int(number) for name, number in counts.items()}


def _where_any(corpus: Corpus, counts: CorpusCounts) -> dict[str, int]:
    named = {
        "links": counts.links,
        "unresolved_links": counts.unresolved,
        "disabled_documents": corpus.disabled,
    }
    return {name: number for name, number in named.items() if number}


def count_documents(graph: GraphClient, corpus: Corpus) -> int:
    """How many documents a corpus has."""
    (row,) = graph.run("corpus/count_documents", corpus.label, read=True)
    return int(row["documents"])


def documents_by_id(graph: GraphClient, corpus: Corpus, ids: Iterable[str]) -> Iterator[StoredDocument]:
    """The documents of these ids that exist, in no particular order, lazily."""
    for page in batches(ids, _STATUS_DOCUMENTS_A_PAGE):
        rows = graph.run("corpus/documents_by_id", corpus.label, read=True, ids=page)
        yield from (stored_document(row["document"]) for row in rows)


def stored_document(row: Row) -> StoredDocument:
    """A document by the properties of its node."""
    return StoredDocument(
        id=row["id"],
        source=row["source"],
        source_key=row["source_key"],
        title=row["title"],
        chunks=row["chunks"],
        links=row.get("links", 0),
        metadata=stored_metadata(row),
        disabled=row.get("disabled", False),
    )
