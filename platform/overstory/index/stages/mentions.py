"""The stage `mentions`: it finds what each chunk is about, and where chunks mention entities of the corpus.

The stage writes relationships `ABOUT` from entities to chunks, and `MENTIONS {by: 'dictionary'}` from chunks to
entities. It also writes these properties of entities:

- `dictionary_df`: the number of chunks with such mentions.
- `subject`: True if a chunk is about the entity.
- `common`: True if texts are not searched for the name, because it is a common word.
- `type`: only for entities that no parser found.

The result depends only on the texts and on what the parser found in them. Pending nodes have the label
`Corpus_…_Changed`, which is set in the transactions that change them.

The stage has three steps. Each can be interrupted:

1. Find the subjects of documents with changed chunks, and the subjects of other documents that depend on them
   (`index/passage_names.py`). Before the subjects are written, all chunks that contain a new or dropped name are marked
   as changed.
2. Find the mentions in the changed chunks, batch by batch, and mark the entities concerned as changed.
3. Update `dictionary_df` of the changed entities, and the names of entities that no parser found.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field

from overstory.display import counted
from overstory.graph import Transaction, Writer, batches
from overstory.graph.client import Row
from overstory.graph.corpora import Corpus
from overstory.graph.ids import entity_id
from overstory.index.document_names import same_names
from overstory.index.ledger import CorpusCounts, StageRun, corpus_counts, recorded
from overstory.index.name_edits import MOST_NAMES_LOOKED_UP, names_of
from overstory.index.passage_names import PARSED, Dictionaries, find_all, find_changed
from overstory.index.prefetch import MarkedEntities, marked, prefetch
from overstory.index.spooled_names import PassageNames
from overstory.index.stages.entities import MOST_ALIASES_OF_AN_ENTITY, most_frequent
from overstory.index.write_extractions import ABOUT
from overstory.model.passage_text import without_boilerplate
from overstory.protocols import Progress
from overstory.text.names.dictionary import FROM_COMMAND_LINES, NOT_LOOKED_FOR, types_left_out
from overstory.text.names.edits import NO_EDITS, EditedNames
from overstory.text.names.entity_types import head_type
from overstory.text.names.subjects import (
    OWN,
    SURE_SUBJECT_WEIGHT,
    NameUses,
    Subject,
    name_start,
    name_starts,
    name_uses,
)
from overstory.text.names.tokens import tokenise

_MENTION_ROWS_A_TRANSACTION = 5_000
_MENTIONING_CHUNKS_A_TRANSACTION = 500
_MENTIONED_ENTITIES_A_TRANSACTION = 2_000

_MOST_CHANGED_CORPUS_SHARE = 0.2
"""If more than this fraction of all chunks and entities changed, all of them are processed."""

_BYTES_A_CHANGE = 5_000
"""Approximate memory, in bytes, that each changed chunk or entity takes if only changes are processed."""
_CHANGES_ALWAYS_HELD = 1_000
"""If there are at most this many changes, the rest of the corpus is not processed, even if there is little memory."""

_STARTS_A_QUERY = 500

FINGERPRINT = "names-7"
"""Version of this stage. Change it whenever the stage may find other names in the same texts."""


def sync_mentions(writer: Writer, *, megabytes: int, progress: Progress) -> bool:
    """Update the subjects of chunks and the dictionary mentions. Return False if there was nothing to do.

    Args:
        megabytes: memory limit for names (`Settings.memory_megabytes`).
    """
    graph, label = writer.graph, writer.corpus.label
    corpus = writer.corpus
    counts = corpus_counts(graph, label)
    if not pending_mentions(corpus, counts):
        return False
    with recorded(writer, "mentions", FINGERPRINT) as run:
        if corpus.named_by != FINGERPRINT:
            graph.run_in_batches("ingest/mark_all_changed", label)
            counts = corpus_counts(graph, label)
        progress.start("mentions", None, "chunks")
        edits = names_of(writer)
        with PassageNames(megabytes / 2) as names:
            _find_subjects(writer, names, edits, run, counts, megabytes)
            dictionaries = Dictionaries(graph, label, names, edits or NO_EDITS, megabytes=megabytes / 2)
            scanned = _scan_changed(writer, dictionaries, edits or NO_EDITS, run, progress)
        _sync_changed(writer, edits or NO_EDITS, run)
        writer.set(named_by=FINGERPRINT, named_chunks=counts.chunks)
    progress.finish(f"{counted(scanned, 'chunk')} read")
    return True


def sync_mentions_if_extracted(writer: Writer, *, megabytes: int, progress: Progress) -> bool:
    """Run `sync_mentions` after a deletion or a restore.

    If chunks still wait for extraction, this does nothing and returns False, because `index` must be run anyway.
    """
    counts = corpus_counts(writer.graph, writer.corpus.label)
    return not counts.unread and sync_mentions(writer, megabytes=megabytes, progress=progress)


def pending_mentions(corpus: Corpus, counts: CorpusCounts) -> int:
    """Return the number of changes since the stage `mentions` last ran; 0 if the stage has nothing to do."""
    if counts.changed:
        return counts.changed
    if not counts.chunks and not corpus.named_by:
        return 0
    return int(corpus.named_by != FINGERPRINT or corpus.named_chunks != counts.chunks)


def _find_subjects(
    writer: Writer, names: PassageNames, log: EditedNames | None, run: StageRun, counts: CorpusCounts, megabytes: int
) -> None:
    graph, label, edits = writer.graph, writer.corpus.label, log or NO_EDITS
    held = max(_CHANGES_ALWAYS_HELD, megabytes * 1_000_000 // _BYTES_A_CHANGE)
    if counts.changed > min(held, _MOST_CHANGED_CORPUS_SHARE * (counts.chunks + counts.entities)):
        find_all(names, graph, label, log, edits)
    else:
        _mark_edited(writer, edits)
        find_changed(names, graph, label, log, edits)
    if counts.changed < counts.chunks + counts.entities:  # if everything changed, all chunks are already marked
        _mark_changed(writer, names, edits)
    _keep_originals(writer, names)
    _write_about(writer, names, run)
    _forget_originals(writer, names)  # done last, because nothing else records the subjects before edits


def _mark_edited(writer: Writer, edits: EditedNames) -> None:
    """Mark the chunks about an entity that an edit now hides or merges."""
    if not edits.resolved:
        return
    label = writer.corpus.label
    changed = {row["key"] for row in writer.graph.stream("ingest/changed_names", label)}
    for keys in batches(sorted(changed & edits.resolved.keys()), _STARTS_A_QUERY):
        _commit(writer, "ingest/mark_about", ids=[entity_id(label, key) for key in keys], own=list(OWN))


def _keep_originals(writer: Writer, names: PassageNames) -> None:
    rows: Iterator[Row] = ({"chunk": chunk, "keys": keys, "found": found} for chunk, keys, found in names.to_keep())
    for some in batches(rows, _MENTION_ROWS_A_TRANSACTION):
        _commit(writer, "ingest/write_original_names", by=ABOUT, rows=some)


def _forget_originals(writer: Writer, names: PassageNames) -> None:
    for ids in batches(names.to_forget(), _MENTION_ROWS_A_TRANSACTION):
        _commit(writer, "ingest/remove_original_names", by=ABOUT, ids=ids)


def _mark_changed(writer: Writer, names: PassageNames, edits: EditedNames) -> None:
    label = writer.corpus.label
    for keys in batches(names.gone(), _STARTS_A_QUERY):
        ids = [entity_id(label, key) for key in keys]
        _commit(writer, "ingest/mark_mentioning", ids=ids)
    # When a vocabulary was changed, the chunks that may contain its names were already marked.
    new = (key for key in names.came() if key not in edits.given)
    came = edits.with_aliases(set(itertools.islice(new, MOST_NAMES_LOOKED_UP + 1)))
    if len(came) > MOST_NAMES_LOOKED_UP:
        writer.graph.run_in_batches("ingest/mark_all_changed", label)
        return
    for starts in batches(sorted({name_start(key) for key in came}), _STARTS_A_QUERY):
        query = " ".join(f'"{start}"' for start in starts)
        _commit(writer, "ingest/mark_starting", query=query)


def _write_about(writer: Writer, names: PassageNames, run: StageRun) -> None:
    label = writer.corpus.label
    gone = (_edge(label, chunk, key) for chunk, key in names.no_longer_about())
    for rows in batches(gone, _MENTION_ROWS_A_TRANSACTION):
        _commit(writer, "ingest/remove_about", rows=rows)
        run.count("about_removed", len(rows))
    new = (
        _edge(label, chunk, key) | {"key": key, "about": _properties(subject)}
        for chunk, key, subject in names.newly_about()
    )
    for rows in batches(new, _MENTION_ROWS_A_TRANSACTION):
        _commit(writer, "ingest/write_about", rows=rows)
        run.count("about", len(rows))


def _properties(subject: Subject) -> Row:
    return {
        "weight": subject.weight,
        "source": subject.source,
        "full": subject.full,
        "surface": subject.surface or None,
        "type": subject.type or None,
        "common": subject.common or None,
    }


@dataclass(slots=True)
class _MentionChanges:
    """The changes to the mentions in a batch of chunks.

    Attributes:
        starts: one row per chunk, with the beginnings of names that its text may contain.
        changed: rows of mentions whose spellings or sentences changed.
        made: rows of the mentioned entities that come from a vocabulary or an edit.
    """

    starts: list[Row] = field(default_factory=list[Row])
    gone: list[Row] = field(default_factory=list[Row])
    new: list[Row] = field(default_factory=list[Row])
    changed: list[Row] = field(default_factory=list[Row])
    made: list[Row] = field(default_factory=list[Row])


def _scan_changed(
    writer: Writer, dictionaries: Dictionaries, edits: EditedNames, run: StageRun, progress: Progress
) -> int:
    """Run the second step: find the mentions in the changed chunks. Return the number of these chunks."""
    label = writer.corpus.label
    scanned = 0
    # The batches must be closed before the temporary file from which they are read.
    with closing(prefetch(_scanned(writer, dictionaries, edits))) as pages:
        for page in pages:

            def write(tx: Transaction, page: _MentionChanges = page) -> None:
                if page.gone:
                    tx.run("ingest/remove_dictionary_mentions", label, rows=page.gone)
                if page.made:
                    tx.run("ingest/write_vocabulary_entities", label, rows=page.made)
                if page.new:
                    tx.run("ingest/write_dictionary_mentions", label, rows=page.new)
                if page.changed:
                    tx.run("ingest/change_dictionary_mentions", label, rows=page.changed)
                tx.run("ingest/finish_chunks", label, rows=page.starts)

            writer.commit("mentions", write)
            scanned += len(page.starts)
            run.count("chunks", len(page.starts))
            run.count("mentions", len(page.new) + len(page.changed))
            progress.advance(len(page.starts))
    return scanned


def _scanned(writer: Writer, dictionaries: Dictionaries, edits: EditedNames) -> Iterator[_MentionChanges]:
    graph, label = writer.graph, writer.corpus.label
    for ids in marked(graph, label, "ingest/changed_chunk_ids", size=_MENTIONING_CHUNKS_A_TRANSACTION):
        rows = graph.run(
            "ingest/changed_chunks", label, read=True, ids=ids, sure=SURE_SUBJECT_WEIGHT, kinds=list(PARSED)
        )
        texts = [without_boilerplate(row["text"], row["boilerplate"]) for row in rows]
        read = [tokenise(text) for text in texts]
        names, subjects = dictionaries.of(read)
        page = _MentionChanges()
        listed: set[str] = set()
        for row, text, tokens in zip(rows, texts, read, strict=True):
            chunk = row["id"]
            page.starts.append({"chunk": chunk, "starts": name_starts(tokens)})
            wanted = dict.fromkeys(row["subjects"], NameUses())
            wanted |= name_uses(
                text,
                tokens,
                row["sentences"],
                names,
                subjects,
                edits,
                parsed=set(row["parsed"]),
                same=same_names(row["same"]),
                language=row["language"] or "",
            )
            stored = {key: NameUses(tuple(surfaces), tuple(sentences)) for key, surfaces, sentences in row["mentions"]}
            page.gone += [_edge(label, chunk, key) for key in stored.keys() - wanted.keys()]
            for key, found in wanted.items():
                if stored.get(key) != found:
                    mention = _edge(label, chunk, key)
                    mention |= {"surfaces": list(found.surfaces), "sentences": list(found.sentences)}
                    (page.changed if key in stored else page.new).append(mention)
            listed |= wanted.keys() & edits.given.keys()
        page.made = [{"id": entity_id(label, key), "key": key} for key in sorted(listed)]
        yield page


def _edge(label: str, chunk: str, key: str) -> Row:
    return {"chunk": chunk, "entity": entity_id(label, key)}


def _sync_changed(writer: Writer, edits: EditedNames, run: StageRun) -> None:
    """Run the third step: update `dictionary_df` of the changed entities, and name those that no parser found."""
    changed = MarkedEntities(
        stage="mentions",
        ids="ingest/changed_entity_ids",
        read="ingest/changed_entities",
        parameters={"kinds": list(PARSED), "never": sorted(NOT_LOOKED_FOR), "commands": sorted(FROM_COMMAND_LINES)},
        written=lambda entity: _entity_row(entity, edits),
        write="ingest/sync_names",
        size=_MENTIONED_ENTITIES_A_TRANSACTION,
    )
    for held, dead in changed.sync(writer):
        run.count("entities", held)
        run.count("entities_removed", dead)


def _entity_row(row: Row, edits: EditedNames) -> Row:
    surfaces = edits.name_first(row["key"], most_frequent([(text, count) for text, count in row["surfaces"]]))
    head = head_type(row["key"])
    types = [head] if head else most_frequent([(type_, count) for type_, count in row["about_types"]])
    left_out = types_left_out(row["key"])
    parsed = left_out is not None and row["found_word" if left_out >= FROM_COMMAND_LINES else "found"]
    in_dictionary = row["subject"] or parsed or row["key"] in edits.given
    return {
        "id": row["id"],
        "df": row["df"] if in_dictionary else None,
        "subject": row["subject"] or None,
        "common": (row["common"] and not parsed and row["key"] not in edits.given) or None,
        "name": None if row["linked"] else (surfaces[0] if surfaces else row["key"]),
        "aliases": None
        if row["linked"]
        else (surfaces[1 : 1 + MOST_ALIASES_OF_AN_ENTITY] if row["key"] in edits.called else []),
        "type": None if row["linked"] else edits.type_of(row["key"], types),
    }


def _commit(writer: Writer, statement: str, **parameters: object) -> None:
    writer.commit("mentions", lambda tx: tx.run(statement, writer.corpus.label, **parameters))
