"""Annotations: entities and triples from external extraction, tied to the chunks that mention them."""

from __future__ import annotations

from collections.abc import Sequence

from overstory.errors import BrokenSource
from overstory.graph import Transaction, Writer
from overstory.graph.client import Row
from overstory.graph.ids import document_id
from overstory.index.name_edits import names_of
from overstory.index.write_extractions import Findings, FoundFact, FoundMention, write_findings
from overstory.model import Annotation
from overstory.protocols import OnBroken
from overstory.text.names.keys import entity_key

BY = "openie"


def annotate(writer: Writer, annotations: Sequence[Annotation], on_broken: OnBroken) -> int:
    """Writes annotations, replacing earlier ones of the same documents; how many found their document.

    One whose document is missing, or whose key fits several documents, goes to `on_broken`.
    """
    if not annotations:
        return 0
    label = writer.corpus.label
    chunks = _chunks_of(writer, annotations)
    findings: list[Findings] = []
    found = 0
    for annotation in annotations:
        own = chunks.get((annotation.source, annotation.source_key), {})
        if len(own) != 1:
            on_broken(_unmatched(annotation, len(own)))
            continue
        found += 1
        findings += _findings(annotation, next(iter(own.values())))
    if findings:
        edits = names_of(writer)

        def write(tx: Transaction) -> None:
            write_findings(tx, label, BY, findings, edits)

        writer.commit("annotate", write)
    return found


def _chunks_of(writer: Writer, annotations: Sequence[Annotation]) -> dict[tuple[str, str], dict[str, list[Row]]]:
    """(source, key) of an annotation -> document id -> its chunks in order."""
    label = writer.corpus.label
    rows = [
        {
            "source": a.source,
            "source_key": a.source_key,
            "id": document_id(label, a.source, a.source_key) if a.source else "",
        }
        for a in annotations
    ]
    result: dict[tuple[str, str], dict[str, list[Row]]] = {}
    for row in writer.graph.run("ingest/chunks_to_annotate", label, read=True, rows=rows):
        documents = result.setdefault((row["source"], row["source_key"]), {})
        documents.setdefault(row["document"], []).append(row)
    return result


def _unmatched(annotation: Annotation, documents: int) -> BrokenSource:
    if documents:
        return BrokenSource(
            f"{documents} documents have the key {annotation.source_key!r}, so that its triples could belong to any.",
            source=annotation.source or "annotation",
            remedy="Load the triples into a corpus that has only one of the document sets.",
        )
    return BrokenSource(
        f"no document has the key {annotation.source_key!r}, so that its triples have nothing to belong to.",
        source=annotation.source or "annotation",
        remedy="Load the documents first, then the triples.",
    )


def _findings(annotation: Annotation, chunks: list[Row]) -> list[Findings]:
    """Names go to every chunk that has them, triples to the first chunk that has most of them."""
    texts = [str(chunk["text"]).casefold() for chunk in chunks]
    keys = {name: entity_key(name) for name in annotation.entities}
    mentions: list[list[FoundMention]] = [[] for _ in chunks]
    for name, key in keys.items():
        if key:
            for place in _places(texts, name):
                mentions[place].append(FoundMention(key=key, surface=name, type="", sentence=None))
    known = set(keys.values()) - {""}
    facts: list[list[FoundFact]] = [[] for _ in chunks]
    for position, (subject, predicate, object_) in enumerate(annotation.triples):
        place = max(
            range(len(texts)), key=lambda i: ((subject.casefold() in texts[i]) + (object_.casefold() in texts[i]), -i)
        )
        facts[place].append(_fact(subject, predicate, object_, position, known))
    return [Findings(chunk_id=chunk["chunk"], mentions=mentions[i], facts=facts[i]) for i, chunk in enumerate(chunks)]


def _places(texts: list[str], name: str) -> list[int]:
    return [i for i, text in enumerate(texts) if name.casefold() in text] or [0]


def _fact(subject: str, predicate: str, object_: str, position: int, known: set[str]) -> FoundFact:
    subject_key, object_key = entity_key(subject), entity_key(object_)
    return FoundFact(
        subject=subject,
        subject_key=subject_key if subject_key in known else "",
        predicate=predicate,
        object=object_,
        object_key=object_key if object_key in known else "",
        position=position,
        sentence=None,
        quote="",
    )
