"""How what was found in a chunk (by an extractor, an annotation, a model) becomes entities, mentions and facts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace

from overstory.graph import GraphClient, Transaction, batches
from overstory.graph.client import Row
from overstory.graph.ids import entity_argument, entity_id, fact_id, text_argument
from overstory.text.names.edits import EditedNames

ABOUT = "about"
"""Whose original names are subjects, not findings: the mentions stage reads those itself."""


def originals_of(tx: Transaction, label: str, ids: Sequence[str]) -> dict[str, list[Findings]]:
    """What was found in some chunks without any edits, by its kind."""
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
    """The findings that chunks keep because edits concern them; rows of `ingest/original_names`."""
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
    )


_FINDING_ROWS_A_STATEMENT = 5_000


@dataclass(frozen=True, slots=True)
class FoundMention:
    """A name as a chunk says it. `key` is its normalised form; `sentence` is None where it is not known."""

    key: str
    surface: str
    type: str
    sentence: int | None


@dataclass(frozen=True, slots=True)
class FoundFact:
    """A fact as a chunk states it. A key is "" where the argument is no entity that the chunk mentions."""

    subject: str
    subject_key: str
    predicate: str
    object: str
    object_key: str
    position: int
    sentence: int | None
    quote: str


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings in one chunk."""

    chunk_id: str
    mentions: Sequence[FoundMention]
    facts: Sequence[FoundFact]


def write_findings(
    tx: Transaction, label: str, by: str, findings: Sequence[Findings], edits: EditedNames | None
) -> None:
    """Replaces what the same kind (`by`) found in these chunks before.

    Args:
        findings: as they were found, without the edits.
        edits: what is written follows them; chunks that they concern keep what was found. None where the corpus never
            had any.
    """
    tx.run("ingest/clear_extraction", label, by=by, ids=[found.chunk_id for found in findings])
    if edits is not None:
        tx.run("ingest/remove_original_names", label, by=by, ids=[found.chunk_id for found in findings])
        originals: list[Row] = [
            {"chunk": found.chunk_id, "keys": keys, "found": packed(found)}
            for found in findings
            if (keys := _edited_keys(found, edits))
        ]
        tx.run("ingest/write_original_names", label, by=by, rows=originals)
        findings = [with_edits(found, edits) for found in findings]
    for rows in batches(_entity_rows(label, findings), _FINDING_ROWS_A_STATEMENT):
        tx.run("ingest/write_entities", label, rows=rows)
    for rows in batches(_mention_rows(label, findings), _FINDING_ROWS_A_STATEMENT):
        tx.run("ingest/write_mentions", label, by=by, rows=rows)
    stated = [(found.chunk_id, fact, _fact_id(label, fact)) for found in findings for fact in found.facts]
    for part in batches(stated, _FINDING_ROWS_A_STATEMENT):
        _write_facts(tx, label, by, part)


def with_edits(findings: Findings, edits: EditedNames) -> Findings:
    """The findings as edits of names have them: hidden names go, with the facts about them, and merged ones are one.

    The result does not depend on the order in which different names were found.
    """
    if not _edited_keys(findings, edits):
        return findings
    mentions = [
        replace(mention, key=key)
        for mention in sorted(findings.mentions, key=lambda mention: mention.key)
        if (key := edits.resolve(mention.key))
    ]
    nowhere = {mention.key for mention in mentions if mention.sentence is None}
    facts: list[FoundFact] = []
    for fact in findings.facts:
        subject, object_ = edits.resolve(fact.subject_key), edits.resolve(fact.object_key)
        if bool(subject) == bool(fact.subject_key) and bool(object_) == bool(fact.object_key):
            facts.append(replace(fact, subject_key=subject, object_key=object_))
    return Findings(
        findings.chunk_id,
        [replace(mention, sentence=None) if mention.key in nowhere else mention for mention in mentions],
        facts,
    )


def packed(findings: Findings) -> str:
    """Findings as JSON; `unpacked` reads them. Where an argument is a name, its key stands for its words, which the
    entities stage writes."""
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
    """The findings in a chunk that `packed` wrote."""
    record = json.loads(found)
    return Findings(
        chunk_id, [FoundMention(*each) for each in record["mentions"]], [FoundFact(*each) for each in record["facts"]]
    )


def _edited_keys(findings: Findings, edits: EditedNames) -> list[str]:
    """The names among the findings that edits hide or merge; facts are about names that are mentioned."""
    keys = {mention.key for mention in findings.mentions}
    keys |= {key for fact in findings.facts for key in (fact.subject_key, fact.object_key) if key}
    return sorted(keys & edits.resolved.keys())


def _write_facts(tx: Transaction, label: str, by: str, stated: list[tuple[str, FoundFact, str]]) -> None:
    facts: dict[str, FoundFact] = {}
    statements: dict[str, list[Row]] = {}
    for chunk, fact, id_ in stated:
        facts[id_] = fact
        statement: Row = {"chunk": chunk, "position": fact.position, "sentence": fact.sentence, "quote": fact.quote}
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
    """Each entity once, in order of id: two writers that meet lock in one order."""
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
