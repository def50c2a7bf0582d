"""The stage `extract`, which finds the sentences, mentions and facts of chunks. It also stores annotations."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from overstory.display import counted
from overstory.errors import BrokenSource
from overstory.graph import GraphClient, Transaction, Writer, batches
from overstory.graph.client import Row
from overstory.graph.ids import document_id
from overstory.graph.times import FactTimes
from overstory.index.ledger import corpus_counts, recorded
from overstory.index.name_edits import names_of
from overstory.index.write_extractions import Findings, FoundFact, FoundMention, write_findings
from overstory.model import Annotation, ChunkText, Extraction, FactStatement
from overstory.model.passage_text import without_boilerplate
from overstory.protocols import Extractor, OnBroken, Progress
from overstory.text.document_dates import SectionTime, section_time
from overstory.text.extraction.extractors import ReadsLanguages, SharesParses
from overstory.text.extraction.mentions import NOT_NAMES
from overstory.text.names.keys import entity_key
from overstory.text.parsing.parsed_texts import ParsedTexts
from overstory.text.sentences import sentence_texts

BY = "openie"


def annotate(writer: Writer, annotations: Sequence[Annotation], on_broken: OnBroken) -> int:
    """Store annotations. They replace earlier annotations of the same documents. Return how many were stored.

    If an annotation's document is missing, or if its key matches several documents, `on_broken` is called instead.
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
    """The result is a map from the (source, key) of an annotation to its documents: a map from document id to chunks,
    in reading order.
    """
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
            f"{documents} documents have the key {annotation.source_key!r}, so the triples cannot be assigned.",
            source=annotation.source or "annotation",
            remedy="Load the triples into a corpus that has only one of the document sets.",
        )
    return BrokenSource(
        f"no document has the key {annotation.source_key!r} of these triples.",
        source=annotation.source or "annotation",
        remedy="Load the documents first, then the triples.",
    )


def _findings(annotation: Annotation, chunks: list[Row]) -> list[Findings]:
    """Assign the entities and the triples of an annotation to chunks.

    An entity is assigned to every chunk that contains its name. A triple is assigned to the first chunk that contains
    both its subject and its object or, failing that, to the first chunk that contains one of them. Whatever no chunk
    contains is assigned to the first chunk.
    """
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


_EXTRACTED_CHUNKS_A_PAGE = 1_000
_EXTRACTED_CHUNKS_A_TRANSACTION = 200

_MOST_UNREAD_SHARE = 0.2
"""If at most this fraction of the chunks is pending, they are found by their label; otherwise all chunks are read."""


def extract(writer: Writer, extractor: Extractor, *, progress: Progress, parsed: ParsedTexts | None = None) -> bool:
    """Process the chunks that this extractor has not processed yet. Return False if there was nothing to do.

    Args:
        parsed: store for parsed texts, so that later stages of the same run need not parse them again. It is filled if
            the extractor can share its parses.
    """
    label = writer.corpus.label
    _mark_languages(writer, extractor)
    read_by_it = writer.corpus.extracted_by == extractor.fingerprint
    missing, chunks = _count(writer.graph, label, extractor.fingerprint, read_by_it=read_by_it)
    if not missing:
        if chunks and not read_by_it:
            writer.set(extracted_by=extractor.fingerprint)
        return False
    few = read_by_it and missing <= _MOST_UNREAD_SHARE * chunks
    texts: dict[str, tuple[str, str]] = {}
    edits = names_of(writer)
    progress.start("extract", missing, "chunks")
    with recorded(writer, "extract", extractor.fingerprint, of=("chunks", missing)) as run:
        pending = _remembered(_pending(writer.graph, label, extractor.fingerprint, few=few), texts)
        for batch in batches(_extracted(extractor, pending, parsed), _EXTRACTED_CHUNKS_A_TRANSACTION):
            findings = [findings_of(each, *texts.pop(each.chunk_id)) for each in batch]
            marks: list[dict[str, object]] = [
                {"chunk": e.chunk_id, "fingerprint": extractor.fingerprint, "sentences": list(e.sentences)}
                for e in batch
            ]

            def write(
                tx: Transaction, findings: list[Findings] = findings, marks: list[dict[str, object]] = marks
            ) -> None:
                write_findings(tx, label, extractor.by, findings, edits)
                tx.run("ingest/mark_extracted", label, rows=marks)

            writer.commit("extract", write)
            run.count("chunks", len(batch))
            run.count("mentions", sum(len(found.mentions) for found in findings))
            run.count("facts", sum(len(found.facts) for found in findings))
            progress.advance(len(batch))
        if not read_by_it:
            writer.set(extracted_by=extractor.fingerprint)
    mentions, facts = run.counts.get("mentions", 0), run.counts.get("facts", 0)
    progress.finish(f"{counted(mentions, 'mention')}, {counted(facts, 'fact')}")
    return True


def _mark_languages(writer: Writer, extractor: Extractor) -> None:
    """Mark the chunks in each language that the extractor now processes differently, such as with a new segmenter."""
    corpus = writer.corpus
    if not corpus.languages or not isinstance(extractor, ReadsLanguages):
        return
    readings = {language: extractor.reading_of(language) for language in corpus.languages}
    known = dict(each.split("=", 1) for each in corpus.languages_read_by)
    others = [language for language, reading in readings.items() if known.get(language, reading) != reading]
    if others:
        writer.graph.run_in_batches("ingest/mark_languages_unread", corpus.label, languages=others)
    if known != readings:
        writer.set(languages_read_by=[f"{language}={reading}" for language, reading in readings.items()])


def _extracted(extractor: Extractor, chunks: Iterable[ChunkText], parsed: ParsedTexts | None) -> Iterator[Extraction]:
    if parsed is not None and parsed.readings and isinstance(extractor, SharesParses):
        return extractor.extract_sharing(chunks, parsed)
    return extractor.extract(chunks)


def _count(graph: GraphClient, label: str, fingerprint: str, *, read_by_it: bool) -> tuple[int, int]:
    """Return the number of unread chunks and the number of all chunks.

    Args:
        read_by_it: True if this extractor has processed the corpus before. The numbers are then known without reading
            all chunks.
    """
    if read_by_it:
        counts = corpus_counts(graph, label)
        return counts.unread, counts.chunks
    (state,) = graph.run("ingest/count_to_extract", label, read=True, fingerprint=fingerprint)
    return state["missing"], state["chunks"]


def _pending(graph: GraphClient, label: str, fingerprint: str, *, few: bool) -> Iterator[ChunkText]:
    """Yield the chunks to process. If they are few, they are found by their label; otherwise all chunks are read."""
    if few:
        pages = graph.pages("ingest/unread_chunks", label, size=_EXTRACTED_CHUNKS_A_PAGE)
    else:
        pages = graph.pages("ingest/chunks_to_extract", label, size=_EXTRACTED_CHUNKS_A_PAGE, fingerprint=fingerprint)
    for row in itertools.chain.from_iterable(pages):
        text = without_boilerplate(row["text"], row["boilerplate"])
        yield ChunkText(
            id=row["id"], title=row["title"], heading=row["heading"], text=text, language=row["language"] or ""
        )


# The caller removes each text from `texts` once it has the extraction of its chunk.
def _remembered(chunks: Iterator[ChunkText], texts: dict[str, tuple[str, str]]) -> Iterator[ChunkText]:
    for chunk in chunks:
        texts[chunk.id] = chunk.text, chunk.heading
        yield chunk


def findings_of(extraction: Extraction, text: str, heading: str) -> Findings:
    """Convert an extraction to findings, in which entities are identified by their keys.

    A fact without a time takes that of the headings above the chunk.
    """
    keys = ["" if m.type in NOT_NAMES else entity_key(m.surface) for m in extraction.mentions]
    mentions = [
        FoundMention(key=key, surface=mention.surface, type=mention.type, sentence=mention.sentence)
        for key, mention in zip(keys, extraction.mentions, strict=True)
        if key
    ]
    quotes = [sentence.strip() for sentence in sentence_texts(text, extraction.sentences)]
    above = section_time(heading) if extraction.facts else SectionTime()
    facts = [
        FoundFact(
            subject=fact.subject,
            subject_key="" if fact.subject_mention is None else keys[fact.subject_mention],
            predicate=fact.predicate,
            object=fact.object,
            object_key="" if fact.object_mention is None else keys[fact.object_mention],
            position=fact.position,
            sentence=fact.sentence,
            quote=quotes[fact.sentence],
            **_times(fact, above),
        )
        for fact in extraction.facts
    ]
    return Findings(chunk_id=extraction.chunk_id, mentions=mentions, facts=facts)


def _times(fact: FactStatement, above: SectionTime) -> FactTimes:
    is_dated = bool(fact.time_words)
    first, last = (fact.holds_from, fact.holds_to) if is_dated else (above.holds_from, above.holds_to)
    words = " … ".join(filter(None, (fact.time_words, above.words if above.said_at or not is_dated else "")))
    return FactTimes(holds_from=first, holds_to=last, said_at=above.said_at, ended=fact.ended, time_words=words)
