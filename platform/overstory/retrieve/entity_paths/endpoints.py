"""Look-up of the two entities that a path connects, with suggestions for unknown names."""

from __future__ import annotations

import difflib
import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from overstory.display import index_command, shortened
from overstory.errors import EntityNotFound, IndexMissing, QuestionError
from overstory.graph import Corpus, Transaction
from overstory.graph.client import Row
from overstory.graph.ids import entity_id
from overstory.graph.schema import text_index
from overstory.index.stages.entities import most_frequent
from overstory.retrieve.among import Among
from overstory.retrieve.matching_documents import Matching
from overstory.retrieve.question import full_text_query, read_question
from overstory.retrieve.question_entities import cached_edits, short_names
from overstory.text.names.keys import entity_key
from overstory.text.names.subjects import OWN

LISTED_PASSAGES_OF_A_NAME = 5_000
"""Maximum number of passages, and of facts, to check against a filter per entity."""


@dataclass(frozen=True, slots=True)
class NamePlaces:
    """The passages and related entities of an entity.

    Attributes:
        chunks: ids of the passages that mention the entity, or that are about it according to their own text. If a
            passage contains "Holt", and only another document shows whose last name that is, it is not included.
        tied: ids of the entities that occur in a fact together with this entity.
    """

    chunks: tuple[str, ...]
    tied: tuple[str, ...]


@dataclass(slots=True)
class MatchingPassages:
    """Reads the passages of entities in the documents that match a filter, in one transaction."""

    among: Among
    _known: dict[str, NamePlaces] = field(default_factory=dict[str, NamePlaces])

    @property
    def tx(self) -> Transaction:
        return self.among.tx

    @property
    def corpus(self) -> Corpus:
        return self.among.corpus

    @property
    def matching(self) -> Matching:
        return self.among.matching

    def of(self, names: Iterable[str]) -> dict[str, NamePlaces]:
        """Return a map from entity id to the entity's passages and related entities in matching documents.

        Entities that no matching document mentions are left out.

        Args:
            names: ids of the entities.
        """
        wanted = list(dict.fromkeys(names))
        if new := [name for name in wanted if name not in self._known]:
            documents = self.matching.documents
            for row in self.tx.run(
                "retrieve/path_passages",
                self.corpus.label,
                asked={"names": new},
                most=LISTED_PASSAGES_OF_A_NAME,
                own=OWN,
            ):
                self._known[row["id"]] = NamePlaces(
                    tuple(chunk for chunk, document in row["passages"] if document in documents),
                    tuple(dict.fromkeys(other for other, document in row["tied"] if document in documents)),
                )
        return {name: self._known[name] for name in wanted if name in self._known and self._known[name].chunks}

    def lets_through(self, row: Row) -> bool:
        """Return True if the document of a row matches the filter.

        Args:
            row: a row with the document's id as `document`.
        """
        return row["document"] in self.matching.documents

    def named_in(self, chunks: Sequence[str]) -> list[tuple[str, str, str, int]]:
        """Return the entities in the text or titles of passages, each as (id, key, spelling, number of passages).

        The spelling is the most frequent one in these passages. If the passages do not spell the name out, the key is
        used instead, because spellings from other documents must not be shown.
        """
        edits = cached_edits(self.tx, self.corpus)
        found: list[tuple[str, str, str, int]] = []
        for row in self.tx.run("retrieve/names_in_chunks", self.corpus.label, chunks=list(dict.fromkeys(chunks))):
            surfaces = edits.name_first(row["key"], spellings(row["surfaces"] or row["titled"]))
            found.append((row["id"], row["key"], surfaces[0] if surfaces else row["key"], row["chunks"]))
        return found


def spellings(written: Iterable[str]) -> list[str]:
    """Return the distinct spellings of a name, most frequent first."""
    return most_frequent(list(Counter(written).items()))


_PASSAGES_SEARCHED_FOR_NAMES = 50
"""Maximum number of passages that are searched for names similar to an unknown name."""

_MOST_SUGGESTED_NAMES = 5
_LEAST_LIKENESS = 0.65
"""Minimum similarity of a suggested name to the unknown name, from 0 to 1."""

_WITHIN_LIKENESS = 0.9
"""Minimum similarity of a name to a longer name that contains all its words."""

_LONGEST_COMPARED_CHARACTERS = 100
"""Longer texts are not compared. Names are shorter, and the time grows with the product of both lengths."""

_SHORT_WORD_LETTERS = 4
"""Words with at least this many letters are also found if one letter differs."""
_LONG_WORD_LETTERS = 8
"""Words with at least this many letters are also found if two letters differ."""


@dataclass(frozen=True, slots=True)
class CorpusName:
    """An entity of the corpus.

    Attributes:
        df: number of passages that mention the entity.
    """

    id: str
    key: str
    name: str
    df: int


@dataclass(frozen=True, slots=True)
class Ends:
    """The two entities that a path connects.

    Attributes:
        chunks: number of chunks in the corpus.
        outdated: True if the index of the corpus is older than its documents.
        linked: True if the corpus contains links between documents.
    """

    start: CorpusName
    end: CorpusName
    chunks: int
    outdated: bool
    linked: bool


def read_ends(tx: Transaction, corpus: Corpus, start: str, end: str, passages: MatchingPassages | None = None) -> Ends:
    """Look up the two entities that a path connects, ignoring case, accents and punctuation of their names.

    Args:
        passages: the passages that a path may use; None for all. An entity is unknown if none of them mentions it.

    Raises:
        IndexMissing: the corpus has no entities yet.
        EntityNotFound: no passage mentions one of the names.
        QuestionError: a text cannot be a name, or both names are the same.
    """
    restricted = passages is not None and passages.matching.restricted
    remedy = "Name two things, like: overstory path Dracula Dublin"
    asked = [name_key(tx, corpus, name, restricted=restricted, remedy=remedy) for name in (start, end)]
    if asked[0][1] == asked[1][1]:
        raise QuestionError(
            f"{asked[0][0]!r} and {asked[1][0]!r} are the same entity, so there is no path between them.",
            remedy="Name two different things.",
        )
    (row,) = tx.run("retrieve/path_ends", corpus.label, ids=[entity_id(corpus.label, key) for _, key in asked])
    if not row["named"]:
        run = "Run: " if row["chunks"] else "Load something (overstory ingest, Knowledge.ingest in Python), then run: "
        raise IndexMissing(
            f"Corpus {corpus.name!r} has no entities yet.",
            remedy=f"{run}{index_command(corpus.name)}, or Knowledge.index() in Python.",
        )
    known = {name["key"]: CorpusName(name["id"], name["key"], name["name"], name["df"]) for name in row["names"]}
    outdated = (row["changed"] > 0 or not corpus.named_by) and not restricted
    if passages is not None:
        own = passages.of(name.id for name in known.values())
        known = {key: replace(name, df=len(own[name.id].chunks)) for key, name in known.items() if name.id in own}
    unknown = [(text, key) for text, key in asked if key not in known]
    if unknown:
        raise entity_not_found(tx, corpus, unknown, outdated=outdated, passages=passages)
    return Ends(known[asked[0][1]], known[asked[1][1]], row["chunks"], outdated, row["links"] > 0)


def most_alike(key: str, candidates: Iterable[tuple[str, str, int]]) -> tuple[str, ...]:
    """Return the names most similar to an unknown name, the most similar first.

    Among equally similar names, the more frequent one comes first. Names longer than `_LONGEST_COMPARED_CHARACTERS`
    are not compared.

    Args:
        candidates: the names to compare, each as (key, name, number of passages).
    """
    if len(key) > _LONGEST_COMPARED_CHARACTERS:
        return ()
    short = ((other, name, df) for other, name, df in candidates if len(other) <= _LONGEST_COMPARED_CHARACTERS)
    ranked = sorted((-likeness(key, other), -df, name) for other, name, df in short)
    return tuple(dict.fromkeys(name for unlike, _, name in ranked if -unlike >= _LEAST_LIKENESS))[
        :_MOST_SUGGESTED_NAMES
    ]


def likeness(key: str, other: str) -> float:
    """Return the similarity of two names, from 0 to 1.

    It is the similarity of the complete names, or the mean similarity of the words of `key` to their most similar words
    in `other` times 0.9, whichever is higher.
    """
    whole = difflib.SequenceMatcher(None, key, other).ratio()
    words = [max(difflib.SequenceMatcher(None, word, each).ratio() for each in other.split()) for word in key.split()]
    return max(whole, _WITHIN_LIKENESS * sum(words) / len(words))


def fuzzy_query(name: str) -> str:
    """Return a Lucene query for the words of a name and for similar spellings.

    The query is "" if the name contains no words or is too long.
    """
    if len(name) > _LONGEST_COMPARED_CHARACTERS:
        return ""
    words = full_text_query(name).split()
    fuzzy = [
        f"{word}~{1 if len(word) < _LONG_WORD_LETTERS else 2}" for word in words if len(word) >= _SHORT_WORD_LETTERS
    ]
    return " ".join([*words, *fuzzy])


def name_key(tx: Transaction, corpus: Corpus, name: str, *, restricted: bool, remedy: str) -> tuple[str, str]:
    """Return the cleaned text of a name, and the key of its entity after manual edits.

    A name that documents use for exactly one entity leads to that entity (see `short_names`).

    Args:
        restricted: True if the caller may not learn that a name was hidden. Hidden names are then treated as unknown.
        remedy: remedy of the error that is raised if the text cannot be a name.

    Raises:
        QuestionError: the text cannot be a name.
        EntityNotFound: the name was hidden by hand.
    """
    try:
        text = read_question(name).text
    except QuestionError as error:
        raise QuestionError("The name is empty.", remedy=remedy) from error
    key = entity_key(text)
    if not key:
        raise QuestionError(f"{shortened(text)!r} is not a name: it has no letters or digits.", remedy=remedy)
    short = {} if restricted else short_names(tx, corpus, [key])
    resolved = cached_edits(tx, corpus).resolve(short.get(key, key))
    if not resolved and not restricted:
        raise EntityNotFound(
            f"The name {shortened(text)!r} was hidden by hand.",
            name=text,
            suggestions=(),
            remedy=f"List the edits: overstory entities edits --corpus {shlex.quote(corpus.name)}. Undo one: "
            f"overstory entities undo N --corpus {shlex.quote(corpus.name)}.",
        )
    return text, resolved or key


def entity_not_found(
    tx: Transaction,
    corpus: Corpus,
    unknown: Sequence[tuple[str, str]],
    *,
    outdated: bool = False,
    hint: str = "",
    passages: MatchingPassages | None = None,
) -> EntityNotFound:
    """Return an error which states that no passage mentions the given names, and suggests similar names.

    Args:
        unknown: one or two unknown names, each as (name, key).
        outdated: True if the index of the corpus is older than its documents.
        hint: remedy to show if no filter explains why the names are unknown; "" for none.
        passages: the passages that the caller may see; None for all.
    """
    suggestions = {name: _suggestions(tx, corpus, name, key, passages) for name, key in unknown}
    shown = [repr(shortened(name)) for name in suggestions]
    several = len(shown) > 1
    remedies = [
        f"Did you mean {_either(alike)}{f' for {name}' if several else ''}?"
        for name, alike in zip(shown, suggestions.values(), strict=True)
        if alike
    ]
    if outdated:
        remedies.append(f"The index is older than the documents. Run: {index_command(corpus.name)}")
    if passages is not None and (passages.matching.notes or not passages.matching.restricted):
        remedies += [f"{note[0].upper()}{note[1:]}." for note in passages.matching.all_notes]
    elif hint:
        remedies.append(hint)
    first = unknown[0][0]
    if not remedies:
        command = f"overstory search {shlex.quote(shortened(first))} --corpus {shlex.quote(corpus.name)}"
        remedies.append(f"Entities are people, places, works and the like. To find other words: {command}.")
    filtered = "" if passages is None or passages.matching.restricted else " that matches the filter"
    return EntityNotFound(
        f"No passage of corpus {corpus.name!r}{filtered} mentions the {'names' if several else 'name'} "
        f"{' or '.join(shown)}.",
        name=first,
        suggestions=suggestions[first],
        remedy=" ".join(remedies),
        unknown=suggestions,
    )


def _suggestions(
    tx: Transaction, corpus: Corpus, name: str, key: str, passages: MatchingPassages | None
) -> tuple[str, ...]:
    rows: list[Row] = []
    query = fuzzy_query(name)
    if passages is not None:
        near = passages.among.chunks(query, _PASSAGES_SEARCHED_FOR_NAMES)
        return most_alike(key, ((other, name, df) for _, other, name, df in passages.named_in([c.chunk for c in near])))
    if query:
        rows = tx.run(
            "retrieve/path_suggestions",
            corpus.label,
            index=text_index(corpus.index_set),
            query=query,
            depth=_PASSAGES_SEARCHED_FOR_NAMES,
        )
    return most_alike(key, ((row["key"], row["name"], row["df"]) for row in rows))


def _either(names: tuple[str, ...]) -> str:
    quoted = [repr(name) for name in names]
    return " or ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)
