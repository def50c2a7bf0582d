"""Layout of a benchmark's passages as documents: the place of titles, and packing into longer documents."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from overstory.bench.dataset import BenchDataset, Passage, Qrels
from overstory.model import Document, Heading

TitleMode = Literal["field", "text", "none"]


@dataclass(frozen=True, slots=True)
class Layout:
    """How passages are laid out as documents.

    Attributes:
        titles: "field" keeps a title in its field, "text" prepends it to the text instead, "none" drops it.
        pack: number of shuffled passages per document; None for one document per passage.
        seed: seed of the shuffle.
    """

    titles: TitleMode = "field"
    pack: int | None = None
    seed: int = 0


def corpus_name(dataset: BenchDataset, layout: Layout, *, embedder: str) -> str:
    """Return the name of the corpus for a dataset in a layout, so that a later run finds its index.

    Args:
        embedder: fingerprint of the embedder, because chunks and vectors depend on it.
    """
    packed = "" if layout.pack is None else f"-pack{layout.pack}-seed{layout.seed}"
    model = hashlib.sha256(embedder.encode()).hexdigest()
    return f"bench-{dataset.digest[:16]}-{layout.titles}{packed}-{model[:8]}"


def source_name(dataset: BenchDataset) -> str:
    """Return the source of the documents, which is the namespace of their keys."""
    return f"bench:{dataset.digest[:16]}"


def documents(passages: Iterable[Passage], layout: Layout, *, source: str) -> Iterator[Document]:
    """Yield the documents to ingest, without empty ones. Passages are read lazily, unless they are packed.

    A document's `source_key` is the id of its passage, or the name of its pack.
    """
    made: Iterator[Document]
    if layout.pack is None:
        made = (_single(passage, layout.titles, source) for passage in passages)
    else:
        made = _packed(passages, layout.pack, layout, source)
    return (document for document in made if document.text)


def document_qrels(qrels: Qrels, passage_ids: Iterable[str], layout: Layout) -> Qrels:
    """Return the judgements of documents. A pack has the relevance of its most relevant passage."""
    if layout.pack is None:
        return qrels
    order = shuffled(passage_ids, layout.seed)
    pack_of = {passage: pack_name(rank // layout.pack) for rank, passage in enumerate(order)}
    return {question: _at_best(scores.items(), pack_of) for question, scores in qrels.items()}


def shuffled(ids: Iterable[str], seed: int) -> list[str]:
    """Return the ids in an order that depends only on the seed, not on their order or the version of Python."""
    return sorted(ids, key=lambda each: hashlib.sha256(f"{seed}\n{each}".encode()).digest())


def pack_name(number: int) -> str:
    return f"pack{number:06d}"


def _single(passage: Passage, titles: TitleMode, source: str) -> Document:
    if titles == "field" and passage.text:
        return Document(source, passage.id, passage.text, passage.title, passage.metadata)
    return Document(source, passage.id, _paragraph(passage, titles), metadata=passage.metadata)


def _packed(passages: Iterable[Passage], size: int, layout: Layout, source: str) -> Iterator[Document]:
    by_id = {passage.id: passage for passage in passages}
    order = shuffled(by_id, layout.seed)
    for number, start in enumerate(range(0, len(order), size)):
        members = [by_id[each] for each in order[start : start + size]]
        yield _joined(members, layout.titles, source, pack_name(number))


def _joined(members: Sequence[Passage], titles: TitleMode, source: str, key: str) -> Document:
    """Join passages into one document. With titles "field", each title is the heading of its paragraph."""
    parts: list[str] = []
    headings: list[Heading] = []
    start = 0
    for passage in members:
        paragraph = _paragraph(passage, titles)
        if not paragraph:
            continue
        if titles == "field":
            headings.append(Heading(start=start, level=1, text=passage.title))
        parts.append(paragraph)
        start += len(paragraph) + len(_BLANK_LINE)
    return Document(
        source=source,
        source_key=key,
        text=_BLANK_LINE.join(parts),
        metadata={"passages": [passage.id for passage in members]},
        headings=tuple(headings),
    )


_BLANK_LINE = "\n\n"


def _paragraph(passage: Passage, titles: TitleMode) -> str:
    return passage.text if titles == "none" else f"{passage.title}\n{passage.text}".strip()


def _at_best(scores: Iterable[tuple[str, int]], pack_of: dict[str, str]) -> dict[str, int]:
    best: dict[str, int] = {}
    for passage, score in scores:
        pack = pack_of.get(passage)
        if pack is not None:
            best[pack] = max(score, best.get(pack, score))
    return best
