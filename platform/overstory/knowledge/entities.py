"""The entities of the corpus, as people read them: most mentioned ones, facts and passages of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from overstory.display import counted
from overstory.errors import QuestionError
from overstory.filters import Where
from overstory.graph import Corpus, GraphClient, Transaction, batches
from overstory.graph.client import Row
from overstory.graph.schema import text_index
from overstory.index.metadata_values import stored_metadata
from overstory.index.name_edits import ListedName, edited_names, listed_names, most_mentioned
from overstory.index.stages.entities import KINDS, MOST_ALIASES_OF_AN_ENTITY, most_frequent
from overstory.knowledge.connection import CorpusPart
from overstory.model.entity_paths import MentioningPassage, NameFacts, NamePassages
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
from overstory.text.words import telling_words

_NAMED_DOCUMENTS_A_STATEMENT = 2_000


@dataclass(slots=True)
class _NameCounts:
    """In how many passages a name stands: those of parsers, and those of the dictionary."""

    key: str
    type: str
    parsed: int = 0
    listed: int = 0
    written: dict[bool, Counter[str]] = field(default_factory=lambda: {True: Counter[str](), False: Counter[str]()})

    @property
    def surfaces(self) -> list[str]:
        """Its spellings, the most frequent first: those that parsers saw, or else those of the dictionary and
        of titles."""
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
    by_kind: bool = False,
) -> list[ListedName]:
    """The names that most passages of some documents mention, as `most_mentioned` has those of all.

    Spellings and passages are those of these documents, types those of the whole corpus. Looks twice at every mention
    of these documents.

    Args:
        documents: ids.
        words: as keys have them; names have a word that begins with each.
        by_kind: as `Knowledge.names` takes it, but that a name need not be in a fact.
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
    kinds = {id_: _kind(each) if by_kind else 0 for id_, each in found.items()}
    named = sorted(wanted, key=lambda each: (kinds[each[0]], _most_first(each)))[:limit]
    shown = dict(named)
    for page in pages if shown else ():
        for row in tx.run("corpus/names_as_written", corpus.label, documents=page, ids=list(shown), kinds=list(KINDS)):
            for surface, times, parsed in row["surfaces"]:
                shown[row["id"]].written[parsed][surface] += times
    names: list[ListedName] = []
    for each in shown.values():
        surfaces = edits.name_first(each.key, each.surfaces)
        name, aliases = (surfaces[0], surfaces[1 : 1 + MOST_ALIASES_OF_AN_ENTITY]) if surfaces else (each.key, [])
        names.append(ListedName(each.key, name, each.type, tuple(aliases), each.passages))
    of_key = {each.key: kinds[id_] for id_, each in shown.items()}
    return sorted(names, key=lambda name: (of_key[name.key], -name.passages, name.name, name.key))


def _has_words(key: str, words: Collection[str]) -> bool:
    return all(f" {word}" in f" {key}" for word in words)


def _kind(name: _NameCounts) -> int:
    """The place of its kind: those that parsers know, others, numbers."""
    return 0 if name.type else 2 if name.key[:1].isdigit() else 1


def _most_first(named: tuple[str, _NameCounts]) -> tuple[int, str]:
    return -named[1].passages, named[1].key


MOST_NAMES_LISTED = 50
MOST_NAME_FACTS = 100
"""Facts of a name that are returned, and names that are related to it."""
MOST_NAME_PASSAGES = 100
"""Passages of a name that are returned."""
_MOST_PASSAGES_OF_WORDS = 1_000
"""In which names with some words are looked for; likewise names that begin, and that end with these words."""
_LEAST_LETTERS_OF_A_BEGINNING = 3
"""A word that is shorter may begin too many others; names are compared with it once they are found."""


def names_with_words(
    graph: GraphClient, corpus: Corpus, words: str, *, limit: int, type_: str = ""
) -> list[ListedName]:
    """The names that have a word which begins with each of these, those that begin so first. What this takes does not
    grow with the corpus."""
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
    """A Lucene query for passages that have all of these words, or others that begin so; of words that are short, if
    there are longer ones, nothing is asked."""
    asked = full_text_query(" ".join(telling_words(words))).split()
    long = [f"+({word} {word}*)" for word in asked if len(word) >= _LEAST_LETTERS_OF_A_BEGINNING]
    return " ".join(long or asked)


class CorpusEntities(CorpusPart):
    """The entities of the corpus."""

    @one_question()
    def names(
        self,
        *,
        limit: int = MOST_NAMES_LISTED,
        type: str = "",  # noqa: A002 # what it is
        like: str = "",
        words: str = "",
        by_kind: bool = False,
        where: Where | None = None,
    ) -> list[ListedName]:
        """The names that most passages mention, the most frequent first.

        Args:
            limit: the most that are returned, 1 or more.
            type: only names of this type (PERSON, ORG, CODE, TERM, …).
            like: only names that begin so, whatever their case, accents and punctuation, or that others which begin
                so were merged into.
            words: instead of `like`: only names that have a word which begins with each of these, wherever it stands;
                those that begin so come first. Indexes find them in passages with these words: of words that more than
                1,000 passages have, not all names may be found.
            by_kind: people, organisations, places, works and terms of which facts are known come before others of these
                kinds, and these before names of no kind and numbers.
            where: only names that documents mention whose metadata fulfil this filter, as of `search`; passages and
                spellings are those of these documents. What type a name has is decided by all documents.

        Raises:
            QuestionError: `limit` is below 1.
        """
        if limit < 1:
            raise QuestionError(f"limit is {limit}.", remedy="Ask for 1 or more.")
        corpus = asked_corpus(self.graph, self.corpus_name)
        prefix = entity_key(like) or " ".join(key_words(like))
        asked = key_words(words)
        if (like and not prefix) or (words and not asked):
            return []
        among = self.among_enabled(where)
        if among is None and asked:
            return names_with_words(self.graph, corpus, words, limit=limit, type_=type)
        if among is None:
            return most_mentioned(self.graph, corpus, limit=limit, type_=type, prefix=prefix, by_kind=by_kind)

        def read(tx: Transaction) -> list[ListedName]:
            found = among(tx, corpus)
            return most_mentioned_in(
                tx,
                found.corpus,
                found.matching.documents,
                limit=limit,
                type_=type,
                prefix=prefix,
                words=asked,
                by_kind=by_kind,
            )

        return self.graph.reading("retrieve/names", read)

    @one_question()
    def name(self, name: str, *, limit: int = 20, where: Where | None = None) -> NameFacts:
        """What the corpus says of a name: its type and spellings, its facts with the sentences that state them, and the
        names that facts tie to it.

        Args:
            name: as texts write it; case, accents and punctuation do not matter.
            limit: the most facts, and the most names, 1 to 100.
            where: a filter on the metadata of documents, as of `search`: passages, spellings and facts of others are
                not told, and a name that only they mention is unknown. What type a name has is decided by all
                documents.

        Raises:
            QuestionError: the name is empty, or `limit` is out of bounds.
            NameNotFound: no passage mentions it; `suggestions` has the most similar names.
            IndexMissing: the corpus has no names yet.
        """
        if not 1 <= limit <= MOST_NAME_FACTS:
            raise QuestionError(f"limit is {limit}.", remedy=f"Ask for 1 to {MOST_NAME_FACTS} facts.")
        among = self.among_enabled(where)
        return find_entity_facts(self.graph, self.corpus_name, name, limit=limit, among=among)

    @one_question()
    def name_passages(self, name: str, *, first: int = 0, limit: int = 20, where: Where | None = None) -> NamePassages:
        """The passages that mention a name, or are about it, a page at a time.

        Args:
            name: as texts write it; case, accents and punctuation do not matter.
            first: how many are left out before the others, to go on from a page.
            limit: the most, 1 to 100.
            where: as of `name`.

        Raises:
            QuestionError: the name is empty, or `first` or `limit` is out of bounds.
            NameNotFound, IndexMissing: as `name`.
        """
        if not 1 <= limit <= MOST_NAME_PASSAGES or first < 0:
            raise QuestionError(
                f"first is {first} and limit {limit}.", remedy=f"Ask for 1 to {MOST_NAME_PASSAGES} passages from 0 on."
            )
        among = self.among_enabled(where)
        return find_name_passages(self.graph, self.corpus_name, name, first=first, limit=limit, among=among)


def find_name_passages(
    graph: GraphClient,
    corpus_name: str,
    name: str,
    *,
    first: int,
    limit: int,
    among: Callable[[Transaction, Corpus], Among] | None = None,
) -> NamePassages:
    """The passages that mention a name, or are about it.

    Args:
        first: how many are left out before them.
        among: the documents that may be told of; None for all.
    """

    def work(tx: Transaction) -> NamePassages:
        corpus = asked_corpus(graph, corpus_name, tx)
        matching = None if among is None else MatchingPassages(among(tx, corpus))
        known, outdated = known_name(tx, corpus, name, matching)
        found = _page(tx, corpus, known, matching, first, limit + 1)
        rows = chunk_rows(tx, corpus, found[:limit])
        notes = list(matching.among.notes) if matching is not None else []
        if matching is None or not matching.matching.restricted:
            if known["df"] > LISTED_PASSAGES_OF_A_NAME:
                passages = counted(known["df"], "passage")
                notes.append(f"of {passages} only {LISTED_PASSAGES_OF_A_NAME:,} are listed")
            notes += [NAMES_OUTDATED] if outdated else []
        return NamePassages(
            _written(tx, corpus, known, matching),
            tuple(_passage(rows[id_]) for id_ in found[:limit] if id_ in rows),
            first + limit if len(found) > limit else None,
            tuple(notes),
        )

    return graph.reading("retrieve/name_passages", work)


def _page(
    tx: Transaction, corpus: Corpus, known: Row, matching: MatchingPassages | None, first: int, limit: int
) -> Sequence[str]:
    if matching is not None:
        return sorted(matching.of([known["id"]])[known["id"]].chunks)[first : first + limit]
    rows = tx.run(
        "retrieve/name_passages",
        corpus.label,
        id=known["id"],
        most=LISTED_PASSAGES_OF_A_NAME,
        own=OWN,
        skip=first,
        limit=limit,
    )
    return [row["chunk"] for row in rows]


def _written(tx: Transaction, corpus: Corpus, known: Row, matching: MatchingPassages | None) -> str:
    """The name as passages write it that may be told of."""
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
