"""Reads names, and the chunks that names lead to, from the graphs of all searched corpora.

If one corpus contains a name, the name is looked up in all corpora, and its frequencies are added up. Manual edits of
names in any of the corpora apply to the question.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
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
from overstory.text.names.subjects import OWN, name_uses
from overstory.text.names.tokens import idf_weight, tokenise
from overstory.text.questions.kinds import Form, form_of
from overstory.text.questions.names import (
    longest_first,
    may_be_name,
    unknown_names,
    without_names,
    words_of_longer_name,
)

_MOST_PHRASES_OF_A_QUESTION = 30

_LEAST_IDF_OF_A_CLEAR_NAME = 0.35
"""Names with a lower IDF weight are too frequent to tell what a question is about: "Perl" in a manual of Perl. At
this weight, one in ten of 1,000 passages mentions the name."""


@dataclass(frozen=True, slots=True)
class QuestionNames:
    """The names in a question.

    Attributes:
        known: the entities in the name dictionary that the question names.
        phrases: positions and keys of other phrases that look like names, longest first.
        rest: the question without its known names, or the entire question if nothing would be left.
        words: all words of the question, spelt as in keys of names.
        clear: the names and phrases with a capitalised word that is not a name of many passages itself: "Windows Perl",
            but not "Perl operators". The first word of the question does not count.
        outdated: True if a corpus has changed since its entities were last indexed.
        spelt: map from the key of a known name to its spelling in the question.
        longer: map from the key of a known name to the other words of the longer name that it is a part of in the
            question: "christina" for "Aguilera" in "Where was Christina Aguilera born?".
    """

    question: str
    known: tuple[QuestionEntity, ...]
    phrases: tuple[Match, ...]
    rest: str
    words: frozenset[str]
    form: Form
    clear: frozenset[str]
    outdated: bool
    spelt: Mapping[str, str] = field(default_factory=dict[str, str])
    longer: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])

    def quoted(self) -> dict[str, str]:
        """Return a map from the key of each phrase to a Lucene query for the phrase."""
        return {phrase.key: _quoted(self.question[phrase.start : phrase.end]) for phrase in self.phrases}


def names_in(question: Question, found: QuestionEntities, common: Set[str] = frozenset()) -> QuestionNames:
    """Return all names in a question.

    Args:
        found: the entities in the name dictionary that the question names.
        common: names of one word that many passages mention.
    """
    tokens = question.tokens
    shaped = {shape.key for shape in tokens.shapes}
    rest = without_names(question.text, found.matches)
    possible = unknown_names(tokens, found.matches)
    phrases = [phrase for phrase in possible if may_be_name(question.text[phrase.start : phrase.end])]
    telling = {
        word for word in range(1, len(tokens.forms)) if tokens.capital[word] and tokens.forms[word] not in common
    }
    of_key = {name.key: name.name for name in found.entities}
    named = [(of_key[match.key], match) for match in found.matches if match.key in of_key]
    named += ((question.text[phrase.start : phrase.end], phrase) for phrase in phrases)
    return QuestionNames(
        question=question.text,
        known=found.entities,
        phrases=tuple(phrases[:_MOST_PHRASES_OF_A_QUESTION]),
        rest=rest if any(character.isalnum() for character in rest) else question.text,
        words=frozenset(tokens.forms) | {form for form, _ in tokens.bare.values()} | shaped,
        form=form_of(question.text),
        clear=frozenset(name for name, match in named if not telling.isdisjoint(range(match.first, match.stop))),
        outdated=found.outdated,
        spelt={match.key: question.text[match.start : match.end] for match in reversed(found.matches)},
        longer={match.key: words_of_longer_name(question.text, tokens, match) for match in found.matches},
    )


def named_chunks(corpus: Corpus) -> int:
    """Return the number of chunks in which names were counted.

    Before names are counted, the number is 0. All IDF weights are then 0.
    """
    return max(0, corpus.named_chunks)


def rare_phrases(names: QuestionNames, found: Mapping[str, Mapping[str, str]], chunks: int) -> dict[str, Seed]:
    """Return a map from chunk id to seed, for chunks that contain a rare phrase which looks like a name.

    Args:
        found: for each query from `QuestionNames.quoted`, a map from chunk id to the chunk's title, heading and text.
            The map holds the chunks that may contain the phrase.
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
    """Return a Lucene query for a phrase. Between quotation marks, only a backslash and a quotation mark are syntax."""
    return '"' + phrase.replace("\\", " ").replace('"', " ") + '"'


_MOST_CHUNKS_ABOUT_A_NAME = 100
"""Maximum number of chunks about a name that are followed. Thousands of documents may have the title "Introduction"."""

_MOST_CHUNKS_COMPARED = 1_000
"""The chunks about a name with the highest weights are chosen from at most this many chunks, at 2 µs per chunk."""

_CHUNKS_A_PHRASE = 10
"""Number of chunks to read per phrase. Not all of them contain it, because the full-text index matches stems."""

_MOST_CHUNKS_LISTED = 5_000
"""Maximum number of chunks to check against a filter, per name or phrase."""


class ListedChunk(NamedTuple):
    """A chunk that was found by meaning, by a name in the question, or by a phrase that looks like a name.

    Attributes:
        key: key of the name that found the chunk; None if it was not found by a name.
        weight: weight by which the chunk is about the name; None if the chunk only mentions the name.
        phrase: Lucene query for the phrase that found the chunk; None if it was not found by a phrase.
        text: title, heading and text of the chunk, if it was found by a phrase.
    """

    chunk: str
    document: str
    key: str | None = None
    weight: float | None = None
    phrase: str | None = None
    text: str | None = None


class FoundByWords(NamedTuple):
    """The result of the first query to the graph.

    Attributes:
        found: the chunks found by names and phrases.
        has_links: True if the corpora contain links between documents.
        notes: one note for each name whose chunks were not all read.
    """

    sections: list[FoundSection]
    found: list[ListedChunk]
    has_links: bool
    notes: tuple[str, ...] = ()


class LeadingName(NamedTuple):
    """A name, and the chunks of one corpus that the name leads to.

    Attributes:
        df: number of chunks that mention the name.
        sources: the sources that mention the name, each as (chunk id, number of the first sentence with the name). The
            number is `NO_SENTENCE` if no sentence contains the name.
        shared: the chunks that mention the name, each as (chunk id, number of the sentence, document id). The sequence
            is empty if too many chunks mention the name.
        about: the chunks about the name, each as (chunk id, weight by which the chunk is about the name, document id),
            highest weight first.
    """

    key: str
    name: str
    df: int
    sources: Sequence[tuple[str, int]]
    shared: Sequence[tuple[str, int, str]]
    about: Sequence[tuple[str, float, str]]


class NameLinks(NamedTuple):
    """The names that lead from chunks to other chunks.

    Attributes:
        links: the names. Their `LinkingName.nearest` is not set yet.
        documents: map from chunk id to document id, for the chunks that the names lead to.
    """

    links: list[LinkingName]
    documents: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ChunkNames:
    """The names that a chunk mentions, and those that it is about.

    Attributes:
        about: keys of the names that the chunk's title, heading or definition gives in full.
        leads: keys of the names with which a paragraph begins.
        spellings: for each key, the spellings of the name in the chunk's text.
        types: for each key, the type of the entity.
    """

    about: set[str] = field(default_factory=set[str])
    leads: set[str] = field(default_factory=set[str])
    spellings: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    types: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class CorpusNames:
    """Reads the names of one corpus, in one transaction. With a filter, names lead only to matching documents."""

    of: CorpusPassages

    @property
    def edits(self) -> EditedNames:
        return cached_edits(self.of.tx, self.of.corpus)

    def entities(self, keys: Sequence[str], terms: Sequence[str]) -> QuestionEntities:
        """Look up entities by keys, as `question_entities.LookUp` specifies. `matches` of the result is empty."""
        matching = None if self.of.among is None else self.of.among.matching
        documents = matching.documents if matching is not None and matching.restricted else None
        known = StoredEntities(self.of.tx, self.of.corpus, in_dictionary=True, of_documents=documents)
        found = tuple(known(keys, terms))
        hidden = matching is not None and matching.by_rights  # `outdated` may reveal that other documents have changed
        return QuestionEntities(found, (), outdated=known.outdated and not hidden)

    def found(self, names: QuestionNames, depth: int) -> FoundByWords:
        """Find sections and chunks in this corpus, as `StoredNames.found` does in all corpora."""
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
        """Return the names that the given chunks mention, and the chunks that these names lead to.

        Args:
            asked: keys of names to leave out, because the question contains them.
            keys: keys of further names to include.
            nowhere: True to include names that lead to no other chunk in this corpus.
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

    def of_chunks(self, chunks: Sequence[str], keys: Sequence[str]) -> dict[str, ChunkNames]:
        """Return which of some names the chunks mention, as `StoredNames.of_chunks` does in all corpora."""
        (row,) = self.of.tx.run(
            "retrieve/canopy_shown", self.of.corpus.label, chunks=list(chunks), keys=list(keys), own=OWN
        )
        found: dict[str, ChunkNames] = {}
        for chunk, key, type_, spellings, source in row["names"]:
            names = found.setdefault(chunk, ChunkNames())
            names.types[key] = type_
            if source == "lead":
                names.leads.add(key)
            elif source:
                names.about.add(key)
            else:
                names.spellings.setdefault(key, set()).update(spellings)
        return found

    def _deeper(self, most: int) -> int:
        """Return how many chunks to read, so that about `most` of them match the filter."""
        share = 1.0 if self.of.among is None else self.of.among.matching.share
        return min(math.ceil(most / share), _MOST_CHUNKS_LISTED)

    def _ids(self, keys: Iterable[str]) -> list[str]:
        return [entity_id(self.of.corpus.label, key) for key in keys]


class StoredNames:
    """Reads names in all searched corpora."""

    def __init__(self, passages: Passages, chunks: int) -> None:
        """
        Args:
            chunks: number of chunks in which names were counted, over all corpora.
        """
        self._passages = passages
        self._corpora = passages.corpora
        self.chunks = chunks

    def question_names(self, question: Question) -> QuestionNames:
        outdated = False
        common: set[str] = set()

        def look_up(keys: Sequence[str], terms: Sequence[str]) -> Sequence[QuestionEntity]:
            nonlocal outdated
            found = self._entities(keys, terms)
            outdated = found.outdated
            common.update(
                name.key for name in found.entities if idf_weight(self.chunks, name.df) < _LEAST_IDF_OF_A_CLEAR_NAME
            )
            return found.entities

        entities, matches = entities_in(question, self._resolve, look_up)
        return names_in(question, QuestionEntities(entities, matches, outdated=outdated), common)

    def found(self, names: QuestionNames, depth: int) -> FoundByWords:
        """Return the sections that contain words of the question, and the chunks that contain its names or phrases.

        Args:
            depth: maximum number of sections to return.
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
        """Return the names that the given chunks mention, and the chunks that these names lead to.

        Args:
            asked: keys of names to leave out, because the question contains them.
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

    def of_chunks(self, chunks: Iterable[str], keys: Iterable[str]) -> dict[str, ChunkNames]:
        """Return a map from chunk id to those of its names that contain one of the given keys."""
        wanted = list(dict.fromkeys(keys))
        found = self._corpora.each_of(chunks, lambda corpus, own: CorpusNames(corpus).of_chunks(own, wanted))
        return {chunk: names for each in found.values() for chunk, names in each.items()}

    def _add_names_of_others(
        self, mentioned: dict[str, dict[str, int]], sources: Sequence[str], asked: frozenset[str]
    ) -> None:
        """Search the sources for names that are stored only in other corpora, and add these names to `mentioned`.

        Args:
            mentioned: for each name, by key, a map from source chunk to the number of the first sentence with the name.
        """
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
            idf=idf_weight(self.chunks, df),
            sources=list(sources.items()),
            about=about[:_MOST_CHUNKS_ABOUT_A_NAME],
            shared=sorted(shared) if 2 <= df <= MOST_CHUNKS_OF_A_SHARED_NAME else (),
            rare=df <= MOST_CHUNKS_OF_A_SHARED_NAME,
        )


def _surest(about: tuple[str, float]) -> tuple[float, str]:
    return -about[1], about[0]


def _common(found: Iterable[QuestionEntity]) -> list[QuestionEntity]:
    """Merge the entities of several corpora that have the same key, and add up their frequencies."""
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
