"""Converts the passages of a benchmark to documents: where titles go, and how passages are packed into documents."""

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
    """Specifies how passages are converted to documents.

    Attributes:
        titles: what happens to the title of a passage. "field" makes it the title of the document, "text" puts it in
            front of the text, and "none" drops it.
        pack: number of passages per document, in shuffled order; None for one passage per document.
    """

    titles: TitleMode = "field"
    pack: int | None = None
    seed: int = 0


def corpus_name(dataset: BenchDataset, layout: Layout, *, embedder: str) -> str:
    """Return the name of the corpus for a dataset in a layout.

    The name is the same in every run, so later runs find the corpus and its indexes.

    Args:
        embedder: fingerprint of the embedder. It is part of the name, because chunks and vectors depend on it.
    """
    packed = "" if layout.pack is None else f"-pack{layout.pack}-seed{layout.seed}"
    model = hashlib.sha256(embedder.encode()).hexdigest()
    return f"bench-{dataset.digest[:16]}-{layout.titles}{packed}-{model[:8]}"


def source_name(dataset: BenchDataset) -> str:
    """Return the `source` of the documents of a dataset, which is the namespace of their keys."""
    return f"bench:{dataset.digest[:16]}"


def documents(passages: Iterable[Passage], layout: Layout, *, source: str) -> Iterator[Document]:
    """Yield the documents to ingest, leaving out empty documents.

    Passages are read lazily, unless they are packed. The `source_key` of a document is the id of its passage, or the
    name of its pack.
    """
    made: Iterator[Document]
    if layout.pack is None:
        made = (_single(passage, layout.titles, source) for passage in passages)
    else:
        made = _packed(passages, layout.pack, layout, source)
    return (document for document in made if document.text)


def document_qrels(qrels: Qrels, passage_ids: Iterable[str], layout: Layout) -> Qrels:
    """Convert judgements of passages to judgements of documents.

    A document that packs several passages is as relevant as its most relevant passage.
    """
    if layout.pack is None:
        return qrels
    order = shuffled(passage_ids, layout.seed)
    pack_of = {passage: pack_name(rank // layout.pack) for rank, passage in enumerate(order)}
    return {question: _at_best(scores.items(), pack_of) for question, scores in qrels.items()}


def shuffled(ids: Iterable[str], seed: int) -> list[str]:
    """Return the ids in a pseudo-random order that depends only on the ids and the seed."""
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
    """Join passages into one document with one paragraph per passage.

    If `titles` is "field", the title of each passage is also the heading of its paragraph.
    """
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
