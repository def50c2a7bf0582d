"""Names in all searched corpora, and the chunks that they lead to, read from the graph.

A name that one corpus knows is looked up in all corpora, and its frequency is the sum over all of them. Edits of names
in any of the corpora apply to the question.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from overstory.graph import Corpus
from overstory.graph.ids import entity_id
from overstory.graph.schema import text_index, word_index
from overstory.retrieve.canopy.scoring import (
    MOST_CHUNKS_OF_A_RARE_NAME,
    MOST_CHUNKS_OF_A_SHARED_NAME,
    RARE_SEED,
    LinkingName,
    Seed,
)
from overstory.retrieve.hits import content
from overstory.retrieve.passages import CorpusPassages, Passages
from overstory.retrieve.question import Question
from overstory.retrieve.question_entities import (
    QuestionEntities,
    QuestionEntity,
    StoredEntities,
    cached_edits,
    entities_in,
)
from overstory.retrieve.sections import FoundSection, check_sections, section_query
from overstory.text.names.dictionary import Match, NameDictionary, possible_names
from overstory.text.names.edits import EditedNames
from overstory.text.names.subjects import name_uses
from overstory.text.names.tokens import idf_weight, tokenise
from overstory.text.questions.kinds import Form, form_of
from overstory.text.questions.names import longest_first, may_be_name, unknown_names, without_names

_MOST_PHRASES_OF_A_QUESTION = 30  # maximum phrases of a question to look up


@dataclass(frozen=True, slots=True)
class QuestionNames:
    """The names in a question.

    Attributes:
        known: entities of the name dictionary.
        phrases: other phrases that look like names, with their positions and keys; longest first.
        rest: the question without its known names, or the whole question if nothing else is left.
        words: all words of the question, in the form of keys.
        capital: True if a word of the question, except the first, begins with a capital letter.
        outdated: True if the corpus has changed since its entities were last indexed.
    """

    question: str
    known: tuple[QuestionEntity, ...]
    phrases: tuple[Match, ...]
    rest: str
    words: frozenset[str]
    form: Form
    capital: bool
    outdated: bool

    def quoted(self) -> dict[str, str]:
        """Return key -> phrase query for Lucene."""
        return {phrase.key: _quoted(self.question[phrase.start : phrase.end]) for phrase in self.phrases}


def names_in(question: Question, found: QuestionEntities) -> QuestionNames:
    """Return the names of a question, given those that the dictionary has."""
    tokens = question.tokens
    shaped = {shape.key for shape in tokens.shapes}
    rest = without_names(question.text, found.matches)
    possible = unknown_names(tokens, found.matches)
    phrases = [phrase for phrase in possible if may_be_name(question.text[phrase.start : phrase.end])]
    return QuestionNames(
        question=question.text,
        known=found.entities,
        phrases=tuple(phrases[:_MOST_PHRASES_OF_A_QUESTION]),
        rest=rest if any(character.isalnum() for character in rest) else question.text,
        words=frozenset(tokens.forms) | {form for form, _ in tokens.bare.values()} | shaped,
        form=form_of(question.text),
        capital=any(question.text[start].isupper() for start in tokens.starts[1:]),
        outdated=found.outdated,
    )


def named_chunks(corpus: Corpus) -> int:
    """Return the number of chunks in which names were counted; 0 before the first count, so that IDF weights are 0."""
    return max(0, corpus.named_chunks)


def rare_phrases(names: QuestionNames, found: Mapping[str, Mapping[str, str]], chunks: int) -> dict[str, Seed]:
    """Return seeds for chunks with a rare phrase of the question that looks like a name.

    Args:
        found: phrase query from `quoted` -> id of a chunk that may have the phrase -> its title, heading and text.
        chunks: number of chunks in the corpus.
    """
    tokens = {chunk: tokenise(text) for texts in found.values() for chunk, text in texts.items()}
    having: dict[str, list[str]] = {}
    for key, quoted in names.quoted().items():
        name = NameDictionary([key])
        having[key] = [chunk for chunk in found.get(quoted, ()) if name.anywhere(tokens[chunk])]
    seeds: dict[str, Seed] = {}
    for phrase in longest_first(names.phrases, {key for key, ids in having.items() if ids}):
        ids = having[phrase.key]
        seed = Seed(names.question[phrase.start : phrase.end], RARE_SEED * idf_weight(chunks, len(ids)))
        for chunk in ids if len(ids) <= MOST_CHUNKS_OF_A_RARE_NAME else ():
            if chunk not in seeds or seeds[chunk].weight < seed.weight:
                seeds[chunk] = seed
    return seeds


def _quoted(phrase: str) -> str:
    """Return a phrase query for Lucene. Only these two characters have a meaning between quotes."""
    return '"' + phrase.replace("\\", " ").replace('"', " ") + '"'


_MOST_CHUNKS_ABOUT_A_NAME = 100
"""Maximum chunks about one name to follow. Thousands of documents may be called "Introduction"."""

_MOST_CHUNKS_COMPARED = 1_000
"""Maximum chunks about one name from which the ones with the highest weight are chosen, about 2 µs per chunk."""

_CHUNKS_A_PHRASE = 10
"""Chunks to read per phrase. More than a rare phrase has, because the full-text index matches stems."""

_MOST_CHUNKS_LISTED = 5_000
"""Maximum chunks of a name or phrase to check against a filter."""


class ListedChunk(NamedTuple):
    """A chunk that was found by meaning, a name or a phrase of the question.

    Attributes:
        key: key of the name, if it was found by a name.
        weight: weight by which the chunk is about the name; None if it only mentions the name.
        phrase, text: phrase that the chunk may have, and its text, if it was found by a phrase.
    """

    chunk: str
    document: str
    key: str | None = None
    weight: float | None = None
    phrase: str | None = None
    text: str | None = None


class FoundByWords(NamedTuple):
    """Result of the first query to the graph.

    Attributes:
        sections: sections found by words.
        found: chunks found by names and phrases.
        has_links: True if documents of the corpus have links.
        notes: notes on names whose chunks were not all read.
    """

    sections: list[FoundSection]
    found: list[ListedChunk]
    has_links: bool
    notes: tuple[str, ...] = ()


class LeadingName(NamedTuple):
    """A name and the chunks that it leads to in one corpus.

    Attributes:
        df: number of chunks that mention the name.
        sources: sources that mention the name, each with the first sentence that has the name, or `NO_SENTENCE`.
        shared: chunks that mention the name, if there are few, each with that sentence and its document.
        about: chunks about the name, each with the weight and its document, highest weight first.
    """

    key: str
    name: str
    df: int
    sources: Sequence[tuple[str, int]]
    shared: Sequence[tuple[str, int, str]]
    about: Sequence[tuple[str, float, str]]


class NameLinks(NamedTuple):
    """Names that lead from chunks to other chunks.

    Attributes:
        links: the names, without `LinkingName.nearest`.
        documents: chunk id -> document id, for the chunks that the names lead to.
    """

    links: list[LinkingName]
    documents: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class CorpusNames:
    """Names of a corpus in one transaction. With a filter, names lead only to passages of matching documents."""

    of: CorpusPassages

    @property
    def edits(self) -> EditedNames:
        return cached_edits(self.of.tx, self.of.corpus)

    def entities(self, keys: Sequence[str], terms: Sequence[str]) -> QuestionEntities:
        """Look up entities by keys, as `question_entities.LookUp` does; the result has no positions."""
        matching = None if self.of.among is None else self.of.among.matching
        documents = matching.documents if matching is not None and matching.restricted else None
        known = StoredEntities(self.of.tx, self.of.corpus, in_dictionary=True, of_documents=documents)
        found = tuple(known(keys, terms))
        hidden = matching is not None and matching.by_rights  # being outdated may reveal changes of other documents
        return QuestionEntities(found, (), outdated=known.outdated and not hidden)

    def found(self, names: QuestionNames, depth: int) -> FoundByWords:
        """Find sections and chunks, as `StoredNames.found` does; names may come from other corpora."""
        corpus, among = check_sections(self.of.corpus), self.of.among
        (row,) = self.of.tx.run(
            "retrieve/canopy_named",
            corpus.label,
            word_index=word_index(corpus.index_set),
            query=section_query(names.question, corpus.languages),
            depth=depth if among is None else 0,
            subjects=self._ids(name.key for name in names.known if name.subject),
            rare=self._ids(
                name.key for name in names.known if not name.subject and name.df <= MOST_CHUNKS_OF_A_RARE_NAME
            ),
            most=self._deeper(_MOST_CHUNKS_ABOUT_A_NAME),
            looked_at=self._deeper(_MOST_CHUNKS_COMPARED),
            text_index=text_index(corpus.index_set),
            phrases=list(dict.fromkeys(names.quoted().values())),
            phrase_depth=self._deeper(_CHUNKS_A_PHRASE),
        )
        listed = [ListedChunk(*each) for each in row["found"]]
        notes = tuple(
            f"{chunks:,} passages are about {name!r}, too many to read all of them" for name, chunks in row["many"]
        )
        if among is None:
            sections = [FoundSection(*each) for each in row["sections"]]
            return FoundByWords(sections, listed, row["links"] > 0, notes)
        own = [each for each in listed if each.document in among.matching.documents]
        sections = self.of.sections(names.question, depth)
        return FoundByWords(sections, own, row["links"] > 0, () if among.matching.restricted else notes)

    def leading(
        self, sources: Sequence[str], asked: Sequence[str], *, keys: Sequence[str] = (), nowhere: bool = False
    ) -> list[LeadingName]:
        """Return the names that chunks mention, and the chunks that they lead to.

        Args:
            sources: ids of the chunks.
            asked: keys of names to leave out.
            keys: keys of further names to include.
            nowhere: include names that lead to no other chunk in this corpus.
        """
        (row,) = self.of.tx.run(
            "retrieve/canopy_expand",
            self.of.corpus.label,
            sources=list(sources),
            ids=self._ids(keys),
            asked=list(asked),
            nowhere=nowhere,
            most=self._deeper(_MOST_CHUNKS_ABOUT_A_NAME),
            most_shared=MOST_CHUNKS_OF_A_SHARED_NAME,
            looked_at=self._deeper(_MOST_CHUNKS_COMPARED),
        )
        names = [LeadingName(*name) for name in row["names"]]
        if self.of.among is None:
            return names
        documents = self.of.among.matching.documents
        return [
            name._replace(
                shared=[place for place in name.shared if place[2] in documents],
                about=[place for place in name.about if place[2] in documents],
            )
            for name in names
        ]

    def _deeper(self, most: int) -> int:
        """Return the number of chunks to list so that about `most` of them match the filter."""
        share = 1.0 if self.of.among is None else self.of.among.matching.share
        return min(math.ceil(most / share), _MOST_CHUNKS_LISTED)

    def _ids(self, keys: Iterable[str]) -> list[str]:
        return [entity_id(self.of.corpus.label, key) for key in keys]


class StoredNames:
    """Names in all searched corpora."""

    def __init__(self, passages: Passages, chunks: int) -> None:
        """
        Args:
            chunks: number of chunks in which names were counted, over all corpora.
        """
        self._passages = passages
        self._corpora = passages.corpora
        self._chunks = chunks

    def question_names(self, question: Question) -> QuestionNames:
        outdated = False

        def look_up(keys: Sequence[str], terms: Sequence[str]) -> Sequence[QuestionEntity]:
            nonlocal outdated
            found = self._entities(keys, terms)
            outdated = found.outdated
            return found.entities

        entities, matches = entities_in(question, self._resolve, look_up)
        return names_in(question, QuestionEntities(entities, matches, outdated=outdated))

    def found(self, names: QuestionNames, depth: int) -> FoundByWords:
        """Return the sections with words of the question, and the chunks with its names or phrases.

        Args:
            depth: maximum number of sections.
        """
        found = self._corpora.each(lambda corpus: CorpusNames(corpus).found(names, depth))
        for title, each in found.items():
            self._corpora.found_in(title, (listed.chunk for listed in each.found))
        return FoundByWords(
            self._passages.best_sections({title: each.sections for title, each in found.items()}, depth),
            [listed for each in found.values() for listed in each.found],
            any(each.has_links for each in found.values()),
            tuple(dict.fromkeys(note for each in found.values() for note in each.notes)),
        )

    def links(self, sources: Sequence[str], asked: Sequence[str]) -> NameLinks:
        """Return the names that chunks mention, with the chunks that they lead to.

        Args:
            sources: ids of the chunks.
            asked: keys of names that are not followed.
        """
        one = self._corpora.is_one
        found = self._corpora.each_of(
            sources, lambda corpus, own: CorpusNames(corpus).leading(own, asked, nowhere=not one)
        )
        mentioned: dict[str, dict[str, int]] = {}
        for name in (name for each in found.values() for name in each):
            mentioned.setdefault(name.key, {}).update(name.sources)
        if not one:
            self._add_names_of_others(mentioned, sources, frozenset(asked))
            keys = list(mentioned)
            found = self._corpora.each(lambda corpus: CorpusNames(corpus).leading((), (), keys=keys, nowhere=True))
        leading: dict[str, list[LeadingName]] = {}
        documents: dict[str, str] = {}
        for title, names in found.items():
            for name in names:
                leading.setdefault(name.key, []).append(name)
                reached = {place[0]: place[2] for place in (*name.shared, *name.about)}
                self._corpora.found_in(title, reached)
                documents |= reached
        links = [self._link(key, mentioned[key], names) for key, names in leading.items()]
        return NameLinks([link for link in links if link.about or link.shared], documents)

    def _add_names_of_others(
        self, mentioned: dict[str, dict[str, int]], sources: Sequence[str], asked: frozenset[str]
    ) -> None:
        """Add names that only other corpora know to `mentioned`, by searching the texts of the sources."""
        rows = self._passages.rows(sources)
        texts = {id_: content(row) for id_, row in rows.items()}
        read = {id_: tokenise(text) for id_, text in texts.items()}
        possible = {key: self._resolve(key) for tokens in read.values() for key in possible_names(tokens).keys}
        named = self._entities(list(dict.fromkeys(possible.values())))
        known = {entity.key: entity for entity in named.entities}
        names = NameDictionary(key for key, name in possible.items() if name in known)
        subjects = NameDictionary(key for key, name in possible.items() if name in known and known[name].subject)
        for id_, tokens in read.items():
            row = rows[id_]
            said = name_uses(texts[id_], tokens, row["sentences"], names, subjects, language=row["language"] or "")
            for key, uses in said.items():
                if possible[key] not in asked:
                    mentioned.setdefault(possible[key], {}).setdefault(id_, uses.sentences[0])

    def _entities(self, keys: Sequence[str], terms: Sequence[str] = ()) -> QuestionEntities:
        found = self._corpora.each(lambda corpus: CorpusNames(corpus).entities(keys, terms)).values()
        common = _common(entity for each in found for entity in each.entities)
        return QuestionEntities(tuple(common), (), outdated=any(each.outdated for each in found))

    @cached_property
    def _edits(self) -> list[EditedNames]:
        return list(self._corpora.each(lambda corpus: CorpusNames(corpus).edits).values())

    def _resolve(self, key: str) -> str:
        return next((to for edits in self._edits if (to := edits.resolve(key)) != key), key)

    def _link(self, key: str, sources: Mapping[str, int], found: Sequence[LeadingName]) -> LinkingName:
        df = sum(each.df for each in found)
        about = sorted({(chunk, weight) for each in found for chunk, weight, _ in each.about}, key=_surest)
        shared = {(chunk, sentence) for each in found for chunk, sentence, _ in each.shared}
        return LinkingName(
            key=key,
            name=max(found, key=lambda each: each.df).name,
            idf=idf_weight(self._chunks, df),
            sources=list(sources.items()),
            about=about[:_MOST_CHUNKS_ABOUT_A_NAME],
            shared=sorted(shared) if 2 <= df <= MOST_CHUNKS_OF_A_SHARED_NAME else (),
            rare=df <= MOST_CHUNKS_OF_A_SHARED_NAME,
        )


def _surest(about: tuple[str, float]) -> tuple[float, str]:
    return -about[1], about[0]


def _common(found: Iterable[QuestionEntity]) -> list[QuestionEntity]:
    """Merge entities of several corpora that have the same key."""
    of: dict[str, list[QuestionEntity]] = {}
    for each in found:
        of.setdefault(each.key, []).append(each)
    return [
        replace(
            same[0],
            name=max(same, key=lambda each: each.df).name,
            df=sum(each.df for each in same),
            subject=any(each.subject for each in same),
            term=any(each.term for each in same),
        )
        for same in of.values()
    ]
