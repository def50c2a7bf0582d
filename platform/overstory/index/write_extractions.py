"""Storing findings, which are the mentions and facts that an extractor, an annotation or a model finds in chunks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace

from overstory.graph import GraphClient, Transaction, batches
from overstory.graph.client import Row
from overstory.graph.ids import entity_argument, entity_id, fact_id, text_argument
from overstory.graph.times import FactTimes, time_properties, times_of
from overstory.text.names.edits import NO_EDITS, EditedNames, NamesInDocument, ResolvesNames

ABOUT = "about"
"""Kind of an `OriginalNames` node that stores a chunk's subjects before edits. Only the stage `mentions` reads it."""


def originals_of(tx: Transaction, label: str, ids: Sequence[str]) -> dict[str, list[Findings]]:
    """Return a map from each kind of findings (`by`) to the findings in these chunks before edits."""
    by_chunk: dict[tuple[str, str], Findings] = {}
    mentions = _grouped(tx.run("export/mentions", label, chunks=list(ids)))
    facts = _grouped(tx.run("export/statements", label, chunks=list(ids)))
    for by, chunk in mentions.keys() | facts.keys():
        found = mentions.get((by, chunk), [])
        stated = facts.get((by, chunk), [])
        by_chunk[by, chunk] = Findings(chunk, [m for row in found for m in _mentions(row)], [_fact(r) for r in stated])
    by_chunk |= {(row["by"], row["chunk"]): unpacked(row["chunk"], row["found"]) for row in kept(tx, label, ids)}
    result: dict[str, list[Findings]] = {}
    for by, chunk in sorted(by_chunk):
        result.setdefault(by, []).append(by_chunk[by, chunk])
    return result


def kept(graph: GraphClient | Transaction, label: str, ids: Sequence[str]) -> list[Row]:
    """Return the stored findings before edits, as rows of `ingest/original_names`. Only edited chunks have them."""
    if isinstance(graph, Transaction):
        rows = graph.run("ingest/original_names", label, chunks=list(ids))
    else:
        rows = graph.run("ingest/original_names", label, read=True, chunks=list(ids))
    return [row for row in rows if row["by"] != ABOUT]


def _grouped(rows: list[Row]) -> dict[tuple[str, str], list[Row]]:
    result: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        result.setdefault((row["by"], row["chunk"]), []).append(row)
    return result


def _mentions(row: Row) -> list[FoundMention]:
    sentences = row["sentences"] or [None] * len(row["surfaces"])
    return [
        FoundMention(row["key"], surface, type_, sentence)
        for surface, type_, sentence in zip(row["surfaces"], row["types"], sentences, strict=True)
    ]


def _fact(row: Row) -> FoundFact:
    return FoundFact(
        subject=row["subject"],
        subject_key=row["subject_key"],
        predicate=row["predicate"],
        object=row["object"],
        object_key=row["object_key"],
        position=row["position"],
        sentence=row["sentence"],
        quote=row["quote"],
        **times_of(row["times"]),
    )


_FINDING_ROWS_A_STATEMENT = 5_000


@dataclass(frozen=True, slots=True)
class FoundMention:
    """A mention of an entity in a chunk.

    Attributes:
        key: normalised name of the entity.
        surface: the name as it is spelled in the text.
        sentence: index of the sentence in the chunk; None if unknown.
    """

    key: str
    surface: str
    type: str
    sentence: int | None


@dataclass(frozen=True, slots=True)
class FoundFact:
    """A fact in a chunk.

    Attributes:
        subject_key, object_key: key of the entity that the subject or the object is; "" if it is not an entity that the
            chunk mentions.
        sentence: index of the sentence in the chunk; None if unknown.
        holds_from, holds_to, said_at, ended, time_words: as in `FactTimes`.
    """

    subject: str
    subject_key: str
    predicate: str
    object: str
    object_key: str
    position: int
    sentence: int | None
    quote: str
    holds_from: str = ""
    holds_to: str = ""
    said_at: str = ""
    ended: bool = False
    time_words: str = ""

    @property
    def times(self) -> FactTimes:
        return FactTimes(
            holds_from=self.holds_from,
            holds_to=self.holds_to,
            said_at=self.said_at,
            ended=self.ended,
            time_words=self.time_words,
        )


def fact_record(fact: FoundFact) -> dict[str, object]:
    """Return the fields of a fact as exports contain them, without times that are unknown."""
    return {name: value for name, value in asdict(fact).items() if value or name not in FactTimes.__annotations__}


@dataclass(frozen=True, slots=True)
class Findings:
    chunk_id: str
    mentions: Sequence[FoundMention]
    facts: Sequence[FoundFact]


def write_findings(
    tx: Transaction,
    label: str,
    by: str,
    findings: Sequence[Findings],
    edits: EditedNames | None,
    same: Mapping[str, Mapping[str, str]] | None = None,
) -> None:
    """Replace the findings of one kind in these chunks.

    Args:
        by: kind of the findings.
        findings: findings before edits.
        edits: edits to apply. For each chunk that they affect, the findings before edits are stored, too. None if the
            corpus never contained edits.
        same: for some chunks, by id, the names in their document that stand for others (see `same_in_document`).
    """
    tx.run("ingest/clear_extraction", label, by=by, ids=[found.chunk_id for found in findings])
    tx.run("ingest/remove_original_names", label, by=by, ids=[found.chunk_id for found in findings])
    if edits or same:
        manual, standing = edits or NO_EDITS, same or {}
        edited: list[Findings] = []
        originals: list[Row] = []
        for found in findings:
            names = NamesInDocument(manual, standing[found.chunk_id]) if found.chunk_id in standing else manual
            if keys := _edited_keys(found, names):
                originals.append({"chunk": found.chunk_id, "keys": keys, "found": packed(found)})
            edited.append(with_edits(found, names))
        if originals:
            tx.run("ingest/write_original_names", label, by=by, rows=originals)
        findings = edited
    for rows in batches(_entity_rows(label, findings), _FINDING_ROWS_A_STATEMENT):
        tx.run("ingest/write_entities", label, rows=rows)
    for rows in batches(_mention_rows(label, findings), _FINDING_ROWS_A_STATEMENT):
        tx.run("ingest/write_mentions", label, by=by, rows=rows)
    stated = [(found.chunk_id, fact, _fact_id(label, fact)) for found in findings for fact in found.facts]
    for part in batches(stated, _FINDING_ROWS_A_STATEMENT):
        _write_facts(tx, label, by, part)


def with_edits(findings: Findings, edits: ResolvesNames) -> Findings:
    """Apply edits to findings: remove hidden entities and their facts, and merge entities.

    A fact about a name that several people of the document bear stays, as a fact about words.
    The result does not depend on the order in which different entities were found.
    """
    if not _edited_keys(findings, edits):
        return findings
    mentions = [
        replace(mention, key=key)
        for mention in sorted(findings.mentions, key=lambda mention: mention.key)
        if (key := edits.resolve(mention.key))
    ]
    nowhere = {mention.key for mention in mentions if mention.sentence is None}
    written = {mention.key: mention.surface for mention in sorted(findings.mentions, key=_last_first)}
    facts: list[FoundFact] = []
    for fact in findings.facts:
        subject, object_ = edits.resolve(fact.subject_key), edits.resolve(fact.object_key)
        if not (edits.hides_facts(fact.subject_key) or edits.hides_facts(fact.object_key)):
            facts.append(
                replace(
                    fact,
                    subject=fact.subject if subject or not fact.subject_key else written[fact.subject_key],
                    subject_key=subject,
                    object=fact.object if object_ or not fact.object_key else written[fact.object_key],
                    object_key=object_,
                )
            )
    return Findings(
        findings.chunk_id,
        [replace(mention, sentence=None) if mention.key in nowhere else mention for mention in mentions],
        facts,
    )


def _last_first(mention: FoundMention) -> tuple[int, str]:
    return (-(mention.sentence or 0), mention.surface)


def packed(findings: Findings) -> str:
    """Encode findings as JSON, which `unpacked` decodes.

    If the subject or the object of a fact is an entity, its key is stored in place of its words.
    """
    mentions = sorted(findings.mentions, key=lambda mention: mention.key)
    facts = [
        replace(fact, subject=fact.subject_key or fact.subject, object=fact.object_key or fact.object)
        for fact in findings.facts
    ]
    ordered = sorted(facts, key=lambda fact: (fact.position, fact.subject, fact.predicate, fact.object))
    return json.dumps(
        {"mentions": [astuple(mention) for mention in mentions], "facts": [astuple(fact) for fact in ordered]},
        ensure_ascii=False,
    )


def unpacked(chunk_id: str, found: str) -> Findings:
    record = json.loads(found)
    return Findings(
        chunk_id, [FoundMention(*each) for each in record["mentions"]], [FoundFact(*each) for each in record["facts"]]
    )


def _edited_keys(findings: Findings, edits: ResolvesNames) -> list[str]:
    keys = {mention.key for mention in findings.mentions}
    keys |= {key for fact in findings.facts for key in (fact.subject_key, fact.object_key) if key}
    return sorted(key for key in keys if key in edits.resolved)


def _write_facts(tx: Transaction, label: str, by: str, stated: list[tuple[str, FoundFact, str]]) -> None:
    facts: dict[str, FoundFact] = {}
    statements: dict[str, list[Row]] = {}
    for chunk, fact, id_ in stated:
        facts[id_] = fact
        statement: Row = {"chunk": chunk, "position": fact.position, "sentence": fact.sentence, "quote": fact.quote}
        statement["times"] = time_properties(fact.times)
        statements.setdefault(id_, []).append(statement)
    rows = [
        {
            "id": id_,
            "subject": f.subject,
            "predicate": f.predicate,
            "object": f.object,
            "subject_entity": entity_id(label, f.subject_key) if f.subject_key else None,
            "object_entity": entity_id(label, f.object_key) if f.object_key else None,
            "statements": statements[id_],
        }
        for id_, f in sorted(facts.items())
    ]
    tx.run("ingest/write_facts", label, by=by, rows=rows)


def _entity_rows(label: str, findings: Iterable[Findings]) -> list[Row]:
    """Return one row per entity, sorted by id. All transactions then lock nodes in the same order."""
    keys = {mention.key for found in findings for mention in found.mentions}
    rows: list[Row] = [{"id": entity_id(label, key), "key": key} for key in keys]
    return sorted(rows, key=lambda row: str(row["id"]))


def _mention_rows(label: str, findings: Iterable[Findings]) -> Iterator[Row]:
    for found in findings:
        by_key: dict[str, list[FoundMention]] = {}
        for mention in found.mentions:
            by_key.setdefault(mention.key, []).append(mention)
        for key, mentions in by_key.items():
            yield {
                "chunk": found.chunk_id,
                "entity": entity_id(label, key),
                "sentences": [m.sentence for m in mentions if m.sentence is not None],
                "surfaces": [m.surface for m in mentions],
                "types": [m.type for m in mentions],
            }


def _fact_id(label: str, fact: FoundFact) -> str:
    subject = entity_argument(fact.subject_key) if fact.subject_key else text_argument(fact.subject)
    object_ = entity_argument(fact.object_key) if fact.object_key else text_argument(fact.object)
    return fact_id(label, subject, fact.predicate, object_)
