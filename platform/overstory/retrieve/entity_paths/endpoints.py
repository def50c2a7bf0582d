"""The two names at the ends of paths, as in the corpus, or the most similar names that it has."""

from __future__ import annotations

import difflib
import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from overstory.display import index_command, shortened
from overstory.errors import IndexMissing, NameNotFound, QuestionError
from overstory.graph import Corpus, Transaction
from overstory.graph.client import Row
from overstory.graph.ids import entity_id
from overstory.graph.schema import text_index
from overstory.index.stages.entities import most_frequent
from overstory.retrieve.among import Among
from overstory.retrieve.matching_documents import Matching
from overstory.retrieve.question import full_text_query, read_question
from overstory.retrieve.question_entities import cached_edits
from overstory.text.names.keys import entity_key
from overstory.text.names.subjects import OWN

LISTED_PASSAGES_OF_A_NAME = 5_000
"""Passages of a name, and facts, among which those are looked for that a filter lets through."""


@dataclass(frozen=True, slots=True)
class NamePlaces:
    """Where a name stands.

    Attributes:
        chunks: ids of the passages that mention it, or are about it by their own words: that "Holt" is short for a name
            which other documents have is nothing that these say.
        tied: ids of the names that a fact ties to it.
    """

    chunks: tuple[str, ...]
    tied: tuple[str, ...]


@dataclass(slots=True)
class MatchingPassages:
    """The passages of names of the documents that a filter lets through, in one transaction."""

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
        """Where some names stand, by their ids; those that stand nowhere are left out."""
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
        """Whether the document of a row is one."""
        return row["document"] in self.matching.documents

    def named_in(self, chunks: Sequence[str]) -> list[tuple[str, str, str, int]]:
        """The names that some of these passages mention, or have as titles: id, key, how most of them write it, and how
        many have it. One that they do not spell out is written as its key, and not as other documents write it."""
        edits = cached_edits(self.tx, self.corpus)
        found: list[tuple[str, str, str, int]] = []
        for row in self.tx.run("retrieve/names_in_chunks", self.corpus.label, chunks=list(dict.fromkeys(chunks))):
            surfaces = edits.name_first(row["key"], spellings(row["surfaces"] or row["titled"]))
            found.append((row["id"], row["key"], surfaces[0] if surfaces else row["key"], row["chunks"]))
        return found


def spellings(written: Iterable[str]) -> list[str]:
    """How a name is written, the most frequent spelling first."""
    return most_frequent(list(Counter(written).items()))


_PASSAGES_SEARCHED_FOR_NAMES = 50
"""In which names like an unknown one are looked for."""

_MOST_SUGGESTED_NAMES = 5  # names that are suggested for one that is unknown
_LEAST_LIKENESS = 0.65
"""How like an unknown name another one must be, from 0 to 1."""

_WITHIN_LIKENESS = 0.9
"""How like a name it is that stands, word by word, within another."""

_LONGEST_COMPARED_CHARACTERS = 100
"""Characters of an unknown name that others are compared with: comparing takes time in the product of both lengths, and
a longer one is a sentence."""

_SHORT_WORD_LETTERS = 4
"""A longer word of an unknown name may be misspelt: by a letter, by two from `_LONG_WORD_LETTERS` on."""
_LONG_WORD_LETTERS = 8


@dataclass(frozen=True, slots=True)
class CorpusName:
    """A name as the corpus has it. `df` is the number of passages that mention it."""

    id: str
    key: str
    name: str
    df: int


@dataclass(frozen=True, slots=True)
class Ends:
    """The names at the ends of paths.

    Attributes:
        chunks: the size of the corpus.
        outdated: whether its index is older than its documents.
        linked: whether its documents have links.
    """

    start: CorpusName
    end: CorpusName
    chunks: int
    outdated: bool
    linked: bool


def read_ends(tx: Transaction, corpus: Corpus, start: str, end: str, passages: MatchingPassages | None = None) -> Ends:
    """The two names; whatever case, accents and punctuation they are written with.

    Args:
        passages: those that may be gone through; all if left out. A name that no other mentions is unknown.
    """
    restricted = passages is not None and passages.matching.restricted
    remedy = "Name two things, like: overstory path Dracula Dublin"
    asked = [name_key(tx, corpus, name, restricted=restricted, remedy=remedy) for name in (start, end)]
    if asked[0][1] == asked[1][1]:
        raise QuestionError(
            f"{asked[0][0]!r} and {asked[1][0]!r} are one name, to which no path leads.",
            remedy="Name two different things.",
        )
    (row,) = tx.run("retrieve/path_ends", corpus.label, ids=[entity_id(corpus.label, key) for _, key in asked])
    if not row["named"]:
        run = "Run: " if row["chunks"] else "Load something (overstory ingest, Knowledge.ingest in Python), then run: "
        raise IndexMissing(
            f"Corpus {corpus.name!r} has no names yet.",
            remedy=f"{run}{index_command(corpus.name)}, or Knowledge.index() in Python.",
        )
    known = {name["key"]: CorpusName(name["id"], name["key"], name["name"], name["df"]) for name in row["names"]}
    outdated = (row["changed"] > 0 or not corpus.named_by) and not restricted
    if passages is not None:
        own = passages.of(name.id for name in known.values())
        known = {key: replace(name, df=len(own[name.id].chunks)) for key, name in known.items() if name.id in own}
    unknown = [(text, key) for text, key in asked if key not in known]
    if unknown:
        raise name_not_found(tx, corpus, unknown, outdated=outdated, passages=passages)
    return Ends(known[asked[0][1]], known[asked[1][1]], row["chunks"], outdated, row["links"] > 0)


def most_alike(key: str, candidates: Iterable[tuple[str, str, int]]) -> tuple[str, ...]:
    """The names (key, name, passages) most similar to an unknown one, the most similar first.

    Of equally similar names, the one that more passages mention comes first. None is similar to one that is longer than
    `_LONGEST_COMPARED_CHARACTERS`, nor compared if it is so itself.
    """
    if len(key) > _LONGEST_COMPARED_CHARACTERS:
        return ()
    short = ((other, name, df) for other, name, df in candidates if len(other) <= _LONGEST_COMPARED_CHARACTERS)
    ranked = sorted((-likeness(key, other), -df, name) for other, name, df in short)
    return tuple(dict.fromkeys(name for unlike, _, name in ranked if -unlike >= _LEAST_LIKENESS))[
        :_MOST_SUGGESTED_NAMES
    ]


def likeness(key: str, other: str) -> float:
    """0 to 1: of the whole names, or, a little less, of each word of the first to the likest of the second."""
    whole = difflib.SequenceMatcher(None, key, other).ratio()
    words = [max(difflib.SequenceMatcher(None, word, each).ratio() for each in other.split()) for word in key.split()]
    return max(whole, _WITHIN_LIKENESS * sum(words) / len(words))


def fuzzy_query(name: str) -> str:
    """A Lucene query for the words of a name and for words that are spelt nearly so; "" if it has none, or is longer
    than any name that is compared."""
    if len(name) > _LONGEST_COMPARED_CHARACTERS:
        return ""
    words = full_text_query(name).split()
    fuzzy = [
        f"{word}~{1 if len(word) < _LONG_WORD_LETTERS else 2}" for word in words if len(word) >= _SHORT_WORD_LETTERS
    ]
    return " ".join([*words, *fuzzy])


def name_key(tx: Transaction, corpus: Corpus, name: str, *, restricted: bool, remedy: str) -> tuple[str, str]:
    """The name without characters that no name has, and the key of the one that it leads to by edits.

    Args:
        restricted: whether nothing may be told of names that were hidden: they are as unknown as others.
        remedy: of the error where it is no name.

    Raises:
        QuestionError, NameNotFound: it is no name, or was hidden.
    """
    try:
        text = read_question(name).text
    except QuestionError as error:
        raise QuestionError("The name is empty.", remedy=remedy) from error
    key = entity_key(text)
    if not key:
        raise QuestionError(f"{shortened(text)!r} is no name.", remedy=remedy)
    resolved = cached_edits(tx, corpus).resolve(key)
    if not resolved and not restricted:
        raise NameNotFound(
            f"The name {shortened(text)!r} was hidden by hand.",
            name=text,
            suggestions=(),
            remedy=f"overstory entities edits --corpus {shlex.quote(corpus.name)} lists edits, undo N undoes one.",
        )
    return text, resolved or key


def name_not_found(
    tx: Transaction,
    corpus: Corpus,
    unknown: Sequence[tuple[str, str]],
    *,
    outdated: bool = False,
    hint: str = "",
    passages: MatchingPassages | None = None,
) -> NameNotFound:
    """The error that says that no passage mentions a name, or either of two, with the nearest names that some do.

    Args:
        unknown: names, each with its key.
        hint: what else the reader may do.
        passages: those that may be looked at; all if left out.
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
        remedies.append(f"The index is older than the documents: {index_command(corpus.name)}")
    if passages is not None and (passages.matching.notes or not passages.matching.restricted):
        remedies += [f"{note[0].upper()}{note[1:]}." for note in passages.matching.all_notes]
    elif hint:
        remedies.append(hint)
    first = unknown[0][0]
    if not remedies:
        command = f"overstory search {shlex.quote(shortened(first))} --corpus {shlex.quote(corpus.name)}"
        remedies.append(f"Names are what texts call people, places, works and the like; {command} finds other words.")
    filtered = "" if passages is None or passages.matching.restricted else " that fulfils the filter"
    return NameNotFound(
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
    """The names of the corpus, or of some passages, that are most similar to an unknown one."""
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
