"""Facts about an entity, and the other entities that occur in these facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date

from overstory.display import counted, index_command
from overstory.errors import EntityNotFound, IndexMissing, QuestionError
from overstory.graph import Corpus, GraphClient, Transaction
from overstory.graph.client import Row
from overstory.graph.ids import entity_id
from overstory.model.entity_paths import EntityFact, EntityFacts, MergedName, RelatedEntity, TypeVotes
from overstory.retrieve.among import Among
from overstory.retrieve.context import NAMES_OUTDATED, asked_corpus
from overstory.retrieve.entity_paths.endpoints import (
    LISTED_PASSAGES_OF_A_NAME,
    MatchingPassages,
    entity_not_found,
    likeness,
    name_key,
    spellings,
)
from overstory.retrieve.hits import chunk_rows, fact_times
from overstory.retrieve.question_entities import cached_edits
from overstory.text.names.document_names import merge_reason
from overstory.text.names.keys import entity_key

_LEAST_MISSPELT_LIKENESS = 0.75
"""Minimum similarity, from 0 to 1, between an unknown name and a name that is suggested instead."""
_MOST_NAMES_MEANT = 3
"""Maximum number of names that are suggested for an unknown name."""
_MOST_FACTS_LOOKED_AT = 2_000
"""Maximum number of facts to read per entity. If an entity has more facts, the remaining ones are not ranked."""


def find_entity_facts(
    graph: GraphClient,
    corpus_name: str,
    name: str,
    *,
    limit: int,
    among: Callable[[Transaction, Corpus], Among] | None = None,
    as_of: date | None = None,
) -> EntityFacts:
    """Return an entity with at most `limit` facts and at most `limit` related entities.

    Args:
        among: returns the documents that the caller may see; None if the caller may see all documents.
        as_of: day by which facts must have been said and begun; None for any. It applies with `among` only.
    """

    def work(tx: Transaction) -> EntityFacts:
        corpus = asked_corpus(graph, corpus_name, tx)
        passages = None if among is None else MatchingPassages(among(tx, corpus))
        known, outdated = known_name(tx, corpus, name, passages)
        if passages is not None:
            return _stated_by(passages, known, limit=limit, outdated=outdated, as_of=as_of)
        (row,) = tx.run(
            "retrieve/name_facts", corpus.label, id=known["id"], looked_at=_MOST_FACTS_LOOKED_AT, limit=limit
        )
        return EntityFacts(
            name=known["name"],
            type=row["type"],
            aliases=tuple(row["aliases"]),
            passages=known["df"],
            facts=_facts(tx, corpus, row["facts"]),
            related=tuple(
                RelatedEntity(each["name"], each["type"], tuple(each["predicates"]), int(each["statements"]))
                for each in row["related"]
            ),
            votes=tuple(map(TypeVotes, row["types"], row["votes"])),
            merged=_merged(tx, corpus, known["key"], row["aliases"]),
            notes=tuple(_notes(row, outdated=outdated)),
        )

    return graph.reading("retrieve/name_facts", work)


def known_name(tx: Transaction, corpus: Corpus, name: str, passages: MatchingPassages | None) -> tuple[Row, bool]:
    """Return the row of `retrieve/path_ends` for a name, and True if the index is older than the corpus.

    Args:
        name: the name in any spelling.
        passages: the passages that the caller may see; None for all.

    Raises:
        IndexMissing: the corpus has no entities yet.
        EntityNotFound: no passage mentions the name.
        QuestionError: the text cannot be a name.
    """
    restricted = passages is not None and passages.matching.restricted
    text, key = name_key(tx, corpus, name, restricted=restricted, remedy="Enter a person, place or thing.")
    (ends,) = tx.run("retrieve/path_ends", corpus.label, ids=[entity_id(corpus.label, key)])
    if not ends["named"]:
        raise IndexMissing(
            f"Corpus {corpus.name!r} has no entities yet.",
            remedy=f"Run `{index_command(corpus.name)}`, or call Knowledge.index() in Python.",
        )
    outdated = (ends["changed"] > 0 or not corpus.named_by) and not restricted
    known = next(iter(ends["names"]), None)
    if known is not None and passages is not None and not passages.of([known["id"]]):
        known = None
    if known is None:
        raise entity_not_found(tx, corpus, [(text, key)], outdated=outdated, passages=passages)
    return known, outdated


def nearest_names(
    graph: GraphClient,
    corpus_name: str,
    names: Sequence[str],
    *,
    among: Callable[[Transaction, Corpus], Among] | None = None,
) -> dict[str, tuple[str, ...]]:
    """Return a map from each name that no passage mentions to the most similar names in the passages.

    Args:
        among: returns the documents that the caller may see; None if the caller may see all documents.
    """

    def work(tx: Transaction) -> dict[str, tuple[str, ...]]:
        corpus = asked_corpus(graph, corpus_name, tx)
        passages = None if among is None else MatchingPassages(among(tx, corpus))
        unknown: dict[str, tuple[str, ...]] = {}
        for name in names:
            try:
                known_name(tx, corpus, name, passages)
            except EntityNotFound as error:
                unknown[name] = tuple(each for each in error.suggestions if _is_like(name, each))[:_MOST_NAMES_MEANT]
            except (IndexMissing, QuestionError):  # the corpus has no entities, or the text cannot be a name
                continue
        return unknown

    return graph.reading("retrieve/name_facts", work)


def _is_like(name: str, other: str) -> bool:
    return likeness(entity_key(name), entity_key(other)) >= _LEAST_MISSPELT_LIKENESS


def _facts(tx: Transaction, corpus: Corpus, facts: Sequence[Row]) -> tuple[EntityFact, ...]:
    chunks = chunk_rows(tx, corpus, (fact["chunk"] for fact in facts))
    return tuple(
        EntityFact(
            subject=fact["subject"],
            predicate=fact["predicate"],
            object=fact["object"],
            sentence=fact["sentence"] or "",
            title=chunk["title"],
            heading=chunk["heading"],
            source=chunk["source"],
            source_key=chunk["source_key"],
            document_id=chunk["document_id"],
            chunk_id=fact["chunk"],
            passages=fact["passages"],
            **fact_times(fact["times"], chunk),
        )
        for fact in facts
        if (chunk := chunks.get(fact["chunk"])) is not None
    )


def _stated_by(
    passages: MatchingPassages, known: Row, *, limit: int, outdated: bool, as_of: date | None
) -> EntityFacts:
    """Return an entity with only those facts, aliases and spellings that occur in the documents matching a filter."""
    tx, corpus, matching = passages.tx, passages.corpus, passages.matching
    (row,) = tx.run(
        "retrieve/name_facts_among",
        corpus.label,
        id=known["id"],
        looked_at=_MOST_FACTS_LOOKED_AT,
        most=LISTED_PASSAGES_OF_A_NAME,
        as_of=as_of,
    )
    stated: dict[str, list[str]] = {}
    for fact, chunk, document in row["stated"]:
        if document in matching.documents:
            stated.setdefault(fact, []).append(chunk)
    shown = sorted(
        (fact for fact in row["facts"] if fact["id"] in stated), key=lambda f: (-len(stated[f["id"]]), f["id"])
    )
    best = [fact | {"chunk": min(stated[fact["id"]]), "passages": len(stated[fact["id"]])} for fact in shown[:limit]]
    sentences = {
        each["fact"]: {"sentence": each["sentence"], "times": each["times"]}
        for each in tx.run(
            "retrieve/fact_sentences", corpus.label, asked={"facts": [[fact["id"], fact["chunk"]] for fact in best]}
        )
    }
    written = [each for document, surfaces in row["written"] if document in matching.documents for each in surfaces]
    titled = [surface for document, surface in row["titled"] if document in matching.documents]
    surfaces = cached_edits(tx, corpus).name_first(known["key"], spellings(written or titled)) or [known["key"]]
    notes = [] if matching.restricted else _notes(row, shown=len(best), matching=len(shown), outdated=outdated)
    return EntityFacts(
        name=surfaces[0],
        type=row["type"],
        aliases=tuple(surfaces[1:]),
        passages=len(passages.of([known["id"]])[known["id"]].chunks),
        facts=_facts(tx, corpus, [fact | sentences.get(fact["id"], {"sentence": None, "times": {}}) for fact in best]),
        related=_related(passages, shown, stated, limit=limit),
        merged=_merged(tx, corpus, known["key"], surfaces[1:]),
        notes=(*passages.among.notes, *notes),
    )


def _merged(tx: Transaction, corpus: Corpus, key: str, aliases: Sequence[str]) -> tuple[MergedName, ...]:
    by_hand = cached_edits(tx, corpus).resolved
    others = {alias: entity_key(alias) for alias in aliases}
    reasons = {alias: merge_reason(other, key) for alias, other in others.items() if other not in (key, *by_hand)}
    return tuple(MergedName(alias, reason) for alias, reason in reasons.items() if reason)


def _related(
    passages: MatchingPassages, facts: Sequence[Row], stated: Mapping[str, Sequence[str]], *, limit: int
) -> tuple[RelatedEntity, ...]:
    """Return the other entities in the facts, spelt as in the passages that state the facts."""
    statements = Counter[str]()
    predicates: dict[str, Counter[str]] = {}
    ends: dict[str, Row] = {}
    chunk_of: dict[str, str] = {}
    for fact in facts:
        for end in fact["ends"]:
            id_, count = end["id"], len(stated[fact["id"]])
            statements[id_] += count
            predicates.setdefault(id_, Counter())[fact["predicate"]] += count
            ends.setdefault(id_, end)
            chunk_of.setdefault(id_, min(stated[fact["id"]]))
    best = sorted(statements, key=lambda id_: (-statements[id_], ends[id_]["text"], id_))[:limit]
    written = {id_: name for id_, _, name, _ in passages.named_in([chunk_of[id_] for id_ in best])}
    return tuple(
        RelatedEntity(
            written.get(id_) or str(ends[id_]["text"]),
            ends[id_]["type"],
            tuple(sorted(predicates[id_], key=lambda each: (-predicates[id_][each], each))),
            statements[id_],
        )
        for id_ in best
    )


def _notes(row: Row, *, outdated: bool, shown: int | None = None, matching: int | None = None) -> list[str]:
    notes = []
    if row["held"] > _MOST_FACTS_LOOKED_AT:
        notes.append(f"only {_MOST_FACTS_LOOKED_AT:,} of {counted(row['held'], 'fact')} were read")
    elif matching is not None and shown is not None:
        if matching > shown:
            notes.append(f"there are more facts, {matching:,} in total")
    elif row["held"] > len(row["facts"]):
        notes.append(f"there are more facts, at most {row['held']:,} in total")
    return [*notes, *([NAMES_OUTDATED] if outdated else [])]
