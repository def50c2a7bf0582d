"""The stage `entities`, which derives entities and facts from the stored mentions and statements.

It sets the name, the aliases and the `df` of each entity (the number of chunks that mention it), and the wording of
each fact. It also connects related entities by `RELATED`. The result does not depend on the order in which documents
were loaded. Pending nodes have the label `Corpus_…_Stale`, which is set in the transactions that change them.
"""

from __future__ import annotations

from collections.abc import Sequence

from overstory.display import counted
from overstory.graph import Transaction, Writer
from overstory.graph.client import Row
from overstory.index.document_names import same_names, sync_document_names
from overstory.index.ledger import corpus_counts, recorded
from overstory.index.name_edits import PARSER, names_of
from overstory.index.prefetch import MarkedEntities
from overstory.index.write_extractions import originals_of, write_findings
from overstory.protocols import Progress
from overstory.text.names.edits import NO_EDITS, EditedNames
from overstory.text.names.entity_types import entity_types
from overstory.text.names.keys import entity_key

_WRITTEN_ENTITIES_A_TRANSACTION = 1_000
_FACTS_A_TRANSACTION = 2_000
_RENAMED_CHUNKS_A_TRANSACTION = 200
KINDS = ("ner", "openie")
"""Kinds of mentions that determine an entity's name and `df`. Mentions that a system adds do not count."""

MOST_ALIASES_OF_AN_ENTITY = 50


def sync_entities(writer: Writer, *, progress: Progress) -> bool:
    """Update pending entities and facts, and `RELATED` between entities. Return False if there was nothing to do."""
    graph, label = writer.graph, writer.corpus.label
    edits = names_of(writer)
    sync_document_names(writer, edits or NO_EDITS)
    counts = corpus_counts(graph, label)
    if not (counts.stale or counts.renamed):
        return False
    progress.start("entities", counts.stale, "entities and facts")
    with recorded(writer, "entities", "link-1") as run:
        if counts.renamed:
            run.count("chunks_renamed", _edit_names(writer, edits or NO_EDITS))
        graph.run_in_batches("ingest/link_dead_facts", label)
        named, removed = _link_entities(writer, edits or NO_EDITS, progress)
        run.count("entities", named)
        run.count("entities_removed", removed)
        run.count("facts", _link_facts(writer, progress))
    progress.finish(f"{counted(named, 'entity', 'entities')}, {counted(run.counts['facts'], 'fact')}")
    return True


def most_frequent(counted: Sequence[tuple[str, int]]) -> list[str]:
    """Return the strings, most frequent first. Strings with equal counts are in alphabetical order."""
    return [text for text, _ in sorted(counted, key=lambda pair: (-pair[1], pair[0]))]


def _edit_names(writer: Writer, edits: EditedNames) -> int:
    graph, label = writer.graph, writer.corpus.label
    edited = 0
    while rows := graph.run("ingest/renamed_chunks", label, read=True, limit=_RENAMED_CHUNKS_A_TRANSACTION):
        same = {str(row["id"]): same_names(row["same"]) for row in rows}

        def write(tx: Transaction, same: dict[str, dict[str, str]] = same) -> None:
            ids = list(same)
            for by, findings in originals_of(tx, label, ids).items():
                write_findings(tx, label, by, findings, edits, same if by == PARSER else None)
            tx.run("ingest/finish_renamed", label, ids=ids)

        writer.commit("entities", write)
        edited += len(same)
    return edited


def _link_facts(writer: Writer, progress: Progress) -> int:
    label = writer.corpus.label

    def work(tx: Transaction) -> int:
        (row,) = tx.run("ingest/stale_fact_ids", label, limit=_FACTS_A_TRANSACTION)
        tx.run("ingest/link_facts", label, ids=row["ids"])
        return len(row["ids"])

    linked = 0
    while True:
        done = writer.commit("entities", work)
        linked += done
        progress.advance(done)
        if done < _FACTS_A_TRANSACTION:
            return linked


def _link_entities(writer: Writer, edits: EditedNames, progress: Progress) -> tuple[int, int]:
    stale = MarkedEntities(
        stage="entities",
        ids="ingest/stale_entity_ids",
        read="ingest/stale_entities",
        parameters={"kinds": list(KINDS)},
        written=lambda entity: _entity_row(entity, edits),
        write="ingest/link_entities",
        size=_WRITTEN_ENTITIES_A_TRANSACTION,
    )
    named = removed = 0
    for alive, dead in stale.sync(writer):
        named += alive
        removed += dead
        progress.advance(alive + dead)
    return named, removed


def _entity_row(row: Row, edits: EditedNames) -> Row:
    key = row["key"]
    spelt = most_frequent([(text, count) for text, count in row["surfaces"]])
    surfaces = edits.name_first(key, sorted(spelt, key=lambda each: (entity_key(each) != key, each[:-1] in spelt)))
    votes: dict[str, int] = dict(row["types"])
    types = entity_types(key, votes)
    return {
        "id": row["id"],
        "short": sorted({entity_key(surface) for surface in spelt} - {key, "", *edits.aliases(key)}),
        "votes": [votes[type_] for type_ in types],
        "types": types,
        "name": surfaces[0] if surfaces else row["key"],
        "aliases": surfaces[1 : 1 + MOST_ALIASES_OF_AN_ENTITY],
        "type": edits.type_of(key, types),
        "df": row["df"],
    }
