"""API methods that list the entities of the corpus, and the facts and passages of an entity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from overstory.display import counted
from overstory.errors import QuestionError
from overstory.filters import Where
from overstory.filters.expression import as_of
from overstory.graph import Corpus, GraphClient, Transaction, batches
from overstory.graph.client import Row
from overstory.graph.schema import text_index
from overstory.index.metadata_values import stored_metadata
from overstory.index.name_edits import ListedEntity, edited_names, listed_names, most_mentioned
from overstory.index.stages.entities import KINDS, MOST_ALIASES_OF_AN_ENTITY, most_frequent
from overstory.knowledge.connection import CorpusPart
from overstory.model.entity_kinds import LISTED_LATER, type_of_kind
from overstory.model.entity_paths import EntityFacts, EntityPassages, MentioningPassage
from overstory.model.metadata import page_of, page_starts
from overstory.retrieve.among import Among
from overstory.retrieve.context import NAMES_OUTDATED, asked_corpus, one_question
from overstory.retrieve.entity_facts import find_entity_facts, known_name
from overstory.retrieve.entity_paths.endpoints import LISTED_PASSAGES_OF_A_NAME, MatchingPassages
from overstory.retrieve.hits import chunk_rows
from overstory.retrieve.question import full_text_query
from overstory.retrieve.question_entities import cached_edits
from overstory.text.names.keys import entity_key, key_words
from overstory.text.names.subjects import OWN
from overstory.text.words import query_terms

_NAMED_DOCUMENTS_A_STATEMENT = 2_000


@dataclass(slots=True)
class _NameCounts:
    key: str
    type: str
    parsed: int = 0
    listed: int = 0
    written: dict[bool, Counter[str]] = field(default_factory=lambda: {True: Counter[str](), False: Counter[str]()})

    @property
    def surfaces(self) -> list[str]:
        """Spellings, most frequent first. If a parser found the name, only the parser's spellings are listed."""
        return most_frequent(list((self.written[True] or self.written[False]).items()))

    @property
    def passages(self) -> int:
        return max(self.parsed, self.listed)


def most_mentioned_in(
    tx: Transaction,
    corpus: Corpus,
    documents: Iterable[str],
    *,
    limit: int,
    type_: str = "",
    prefix: str = "",
    words: Collection[str] = (),
) -> list[ListedEntity]:
    """Return the entities of these documents in the order of `Knowledge.entities`.

    `most_mentioned` does the same for the whole corpus. Spellings and counts come from these documents; entity types
    come from the whole corpus. Every mention in the documents is read twice.

    Args:
        type_: entity type to list; "" for all.
        prefix: start of the normalised name; "" for all.
        words: normalised words. For each, the name must contain a word that starts with it.
    """
    edits = edited_names(tx, corpus)
    others = sorted({name for key, name in edits.resolved.items() if name and key.startswith(prefix)}) if prefix else []
    pages = list(batches(sorted(documents), _NAMED_DOCUMENTS_A_STATEMENT))
    found: dict[str, _NameCounts] = {}
    for page in pages:
        (row,) = tx.run(
            "corpus/names_of_documents",
            corpus.label,
            documents=page,
            type=type_,
            prefix=prefix,
            others=others,
            kinds=list(KINDS),
        )
        for id_, key, of_type, parsed, listed in row["names"]:
            counted = found.setdefault(id_, _NameCounts(key, of_type))
            counted.parsed += parsed
            counted.listed += listed
    wanted = ((id_, each) for id_, each in found.items() if each.passages and _has_words(each.key, words))
    kinds = {id_: LISTED_LATER.get(each.type, 0) for id_, each in found.items()}
    named = sorted(wanted, key=lambda each: (kinds[each[0]], _most_first(each)))[:limit]
    shown = dict(named)
    for page in pages if shown else ():
        for row in tx.run("corpus/names_as_written", corpus.label, documents=page, ids=list(shown), kinds=list(KINDS)):
            for surface, times, parsed in row["surfaces"]:
                shown[row["id"]].written[parsed][surface] += times
    names: list[ListedEntity] = []
    for each in shown.values():
        surfaces = edits.name_first(each.key, each.surfaces)
        name, aliases = (surfaces[0], surfaces[1 : 1 + MOST_ALIASES_OF_AN_ENTITY]) if surfaces else (each.key, [])
        names.append(ListedEntity(each.key, name, each.type, tuple(aliases), each.passages))
    of_key = {each.key: kinds[id_] for id_, each in shown.items()}
    return sorted(names, key=lambda name: (of_key[name.key], -name.passages, name.name, name.key))


def _has_words(key: str, words: Collection[str]) -> bool:
    return all(f" {word}" in f" {key}" for word in words)


def _most_first(named: tuple[str, _NameCounts]) -> tuple[int, str]:
    return -named[1].passages, named[1].key


MOST_NAMES_LISTED = 50
MOST_NAME_FACTS = 100
MOST_NAME_PASSAGES = 100
_MOST_PASSAGES_OF_WORDS = 1_000
"""Maximum number of passages with the given words in which entities are searched.

It also limits how many entities are read whose names start with the words, or end with them.
"""
_LEAST_LETTERS_OF_A_BEGINNING = 3
"""Minimum number of letters with which words in passages are searched by their beginnings. Fewer match too many."""


def names_with_words(
    graph: GraphClient, corpus: Corpus, words: str, *, limit: int, type_: str = ""
) -> list[ListedEntity]:
    """Return the entities whose names contain, for each of the given words, a word that starts with it.

    Names that start with `words` come first.
    """
    keys = key_words(words)
    start = " ".join(keys)
    rows = graph.run(
        "corpus/names_with_words",
        corpus.label,
        read=True,
        index=text_index(corpus.index_set),
        query=_query(words),
        depth=_MOST_PASSAGES_OF_WORDS,
        start=start,
        end=f"{start[::-1]} ",
        words=keys,
        type=type_,
        limit=limit,
    )
    return listed_names(rows)


def _query(words: str) -> str:
    """Return a Lucene query for texts that contain, for each of these words, a word that starts with it.

    Words with fewer than `_LEAST_LETTERS_OF_A_BEGINNING` letters are ignored. If all words are that short, the query
    matches texts that contain one of them.
    """
    asked = full_text_query(" ".join(query_terms(words))).split()
    long = [f"+({word} {word}*)" for word in asked if len(word) >= _LEAST_LETTERS_OF_A_BEGINNING]
    return " ".join(long or asked)


class CorpusEntities(CorpusPart):
    """Methods that list the entities of the corpus, and the facts and passages of an entity."""

    @one_question()
    def entities(
        self,
        *,
        limit: int = MOST_NAMES_LISTED,
        type: str = "",  # noqa: A002 # the natural name for an entity type
        like: str = "",
        words: str = "",
        where: Where | None = None,
    ) -> list[ListedEntity]:
        """List the entities of the corpus.

        People, organisations, places, works, products, events and laws come first, then groups of people, languages and
        terms, then entities without a type, and technical names last. In each group, those that most passages mention
        come first.

        Args:
            limit: maximum number of entities, 1 or more.
            type: list only entities of this type (PERSON, ORG, CODE, TERM, …) or kind ("person", "file", …).
            like: list only entities whose name starts with this text, and entities into which an entity with such a
                name was merged. Case, accents and punctuation are ignored.
            words: use this instead of `like` to match words at any position. Each of these words must be the start of a
                word in the entity's name; names that start with `words` come first. If more than 1,000 passages contain
                the words, some entities may be missing.
            where: metadata filter as for `search`. Only entities in matching documents are listed. Their counts and
                spellings come from these documents; their types come from the whole corpus.

        Raises:
            QuestionError: `limit` is below 1.
        """
        if limit < 1:
            raise QuestionError(f"limit is out of range: {limit}.", remedy="Ask for 1 or more.")
        corpus = asked_corpus(self.graph, self.corpus_name)
        type = type_of_kind(type)  # noqa: A001
        prefix = entity_key(like) or " ".join(key_words(like))
        asked = key_words(words)
        if (like and not prefix) or (words and not asked):
            return []
        among = self.among_enabled(where)
        if among is None and asked:
            return names_with_words(self.graph, corpus, words, limit=limit, type_=type)
        if among is None:
            return most_mentioned(self.graph, corpus, limit=limit, type_=type, prefix=prefix)

        def read(tx: Transaction) -> list[ListedEntity]:
            found = among(tx, corpus)
            return most_mentioned_in(
                tx,
                found.corpus,
                found.matching.documents,
                limit=limit,
                type_=type,
                prefix=prefix,
                words=asked,
            )

        return self.graph.reading("retrieve/names", read)

    @one_question()
    def entity(self, name: str, *, limit: int = 20, where: Where | None = None) -> EntityFacts:
        """Return an entity's type, spellings, facts with their sentences, and related entities.

        Args:
            name: entity name in any spelling; case, accents and punctuation are ignored.
            limit: maximum number of facts, and likewise of related entities, 1 to 100.
            where: metadata filter as for `search`. Passages, spellings and facts of documents that do not match are
                left out. An entity that only such documents mention raises `EntityNotFound`. The type comes from the
                whole corpus.

        Raises:
            QuestionError: the name is empty, or `limit` is out of range.
            EntityNotFound: no passage mentions the entity. The error's `suggestions` lists similar names.
            IndexMissing: the corpus has no entities yet.
        """
        if not 1 <= limit <= MOST_NAME_FACTS:
            raise QuestionError(f"limit is out of range: {limit}.", remedy=f"Ask for 1 to {MOST_NAME_FACTS} facts.")
        among = self.among_enabled(where)
        day = as_of(self.within(where))
        return find_entity_facts(self.graph, self.corpus_name, name, limit=limit, among=among, as_of=day)

    @one_question()
    def entity_passages(
        self, name: str, *, first: int = 0, limit: int = 20, where: Where | None = None
    ) -> EntityPassages:
        """Return the passages that mention an entity or are about it, at most `limit` at a time.

        Args:
            name: entity name in any spelling; case, accents and punctuation are ignored.
            first: number of passages to skip, for paging.
            limit: maximum number of passages, 1 to 100.
            where: as for `entity`.

        Raises:
            QuestionError: the name is empty, or `first` or `limit` is out of range.
            EntityNotFound, IndexMissing: as for `entity`.
        """
        if not 1 <= limit <= MOST_NAME_PASSAGES or first < 0:
            raise QuestionError(
                f"first or limit is out of range: first={first}, limit={limit}.",
                remedy=f"Ask for 1 to {MOST_NAME_PASSAGES} passages, and skip 0 or more.",
            )
        among = self.among_enabled(where)
        return find_entity_passages(self.graph, self.corpus_name, name, first=first, limit=limit, among=among)


def find_entity_passages(
    graph: GraphClient,
    corpus_name: str,
    name: str,
    *,
    first: int,
    limit: int,
    among: Callable[[Transaction, Corpus], Among] | None = None,
) -> EntityPassages:
    """Return the passages that mention an entity or are about it, at most `limit` at a time.

    Args:
        among: function that finds the documents whose passages may be returned; None for all documents.
    """

    def work(tx: Transaction) -> EntityPassages:
        corpus = asked_corpus(graph, corpus_name, tx)
        matching = None if among is None else MatchingPassages(among(tx, corpus))
        known, outdated = known_name(tx, corpus, name, matching)
        found = _page(tx, corpus, known, matching, first, limit + 1)
        rows = chunk_rows(tx, corpus, found[:limit])
        notes = list(matching.among.notes) if matching is not None else []
        if matching is None or not matching.matching.restricted:
            if known["df"] > LISTED_PASSAGES_OF_A_NAME:
                passages = counted(known["df"], "passage")
                notes.append(f"of {passages}, only {LISTED_PASSAGES_OF_A_NAME:,} are listed")
            notes += [NAMES_OUTDATED] if outdated else []
        return EntityPassages(
            _written(tx, corpus, known, matching),
            tuple(_passage(rows[id_]) for id_ in found[:limit] if id_ in rows),
            first + limit if len(found) > limit else None,
            tuple(notes),
        )

    return graph.reading("retrieve/entity_passages", work)


def _page(
    tx: Transaction, corpus: Corpus, known: Row, matching: MatchingPassages | None, first: int, limit: int
) -> Sequence[str]:
    if matching is not None:
        return sorted(matching.of([known["id"]])[known["id"]].chunks)[first : first + limit]
    rows = tx.run(
        "retrieve/entity_passages",
        corpus.label,
        id=known["id"],
        most=LISTED_PASSAGES_OF_A_NAME,
        own=OWN,
        skip=first,
        limit=limit,
    )
    return [row["chunk"] for row in rows]


def _written(tx: Transaction, corpus: Corpus, known: Row, matching: MatchingPassages | None) -> str:
    if matching is None:
        return str(known["name"])
    chunks = matching.of([known["id"]])[known["id"]].chunks[:1]
    written = {id_: name for id_, _, name, _ in matching.named_in(chunks)}
    return written.get(known["id"]) or (cached_edits(tx, corpus).name_first(known["key"], []) or [known["key"]])[0]


def _passage(row: Row) -> MentioningPassage:
    return MentioningPassage(
        chunk_id=row["chunk_id"],
        document_id=row["document_id"],
        source=row["source"],
        source_key=row["source_key"],
        title=row["title"],
        heading=row["heading"],
        text=row["text"],
        page=page_of(row["start"], row["text"], page_starts(stored_metadata(row["document"]))),
    )
