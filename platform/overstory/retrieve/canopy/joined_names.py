"""The names of several corpora, put in common by their keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from overstory.retrieve.canopy.linked_passages import LinkedCorpus
from overstory.retrieve.canopy.name_lookup import MOST_CHUNKS_ABOUT_A_NAME, FoundByWords, LeadingName, NameLinks
from overstory.retrieve.canopy.names import QuestionNames, names_in
from overstory.retrieve.canopy.scoring import MOST_CHUNKS_OF_A_SHARED_NAME, LinkingName
from overstory.retrieve.hits import content
from overstory.retrieve.joined_corpora import OpenedCorpora
from overstory.retrieve.joined_passages import JoinedPassages
from overstory.retrieve.question import Question
from overstory.retrieve.question_entities import QuestionEntities, QuestionEntity, entities_in
from overstory.text.names.dictionary import NameDictionary, possible_names
from overstory.text.names.edits import EditedNames
from overstory.text.names.subjects import said_names
from overstory.text.names.tokens import idf_weight, tokenise


class JoinedNames:
    """A `NameLookup` over several corpora: a name that one of them knows is looked for in all, and is as rare as it is
    in all of them together. Edits of names by hand, in whichever corpus, hold for the question.
    """

    def __init__(self, corpora: OpenedCorpora[LinkedCorpus], passages: JoinedPassages, chunks: int) -> None:
        """
        Args:
            chunks: among which names were counted, in all corpora.
        """
        self._corpora = corpora
        self._passages = passages
        self._chunks = chunks
        self._edits: list[EditedNames] | None = None

    def question_names(self, question: Question) -> QuestionNames:
        """As `NameLookup.question_names`."""
        outdated = False

        def look_up(keys: Sequence[str], terms: Sequence[str]) -> Sequence[QuestionEntity]:
            nonlocal outdated
            found = self._entities(keys, terms)
            outdated = found.outdated
            return found.entities

        entities, matches = entities_in(question, self._resolve, look_up)
        return names_in(question, QuestionEntities(entities, matches, outdated=outdated))

    def found(self, names: QuestionNames, depth: int) -> FoundByWords:
        """As `NameLookup.found`."""
        found = self._corpora.each(lambda corpus: corpus.names.found(names, depth))
        for title, each in found.items():
            self._corpora.found_in(title, (listed.chunk for listed in each.found))
        return FoundByWords(
            self._passages.best_sections({title: each.sections for title, each in found.items()}, depth),
            [listed for each in found.values() for listed in each.found],
            any(each.has_links for each in found.values()),
        )

    def links(self, sources: Sequence[str], asked: Sequence[str]) -> NameLinks:
        """As `NameLookup.links`."""
        mentioned = self._mentioned(sources)
        for key in asked:
            mentioned.pop(key, None)
        leading: dict[str, list[LeadingName]] = {}
        documents: dict[str, str] = {}
        keys = list(mentioned)
        for title, found in self._corpora.each(lambda corpus: corpus.names.leading(keys)).items():
            for name in found:
                leading.setdefault(name.key, []).append(name)
                documents |= {chunk: document for chunk, _, document in (*name.shared, *name.about)}
                self._corpora.found_in(title, (place[0] for place in (*name.shared, *name.about)))
        links = [self._link(key, mentioned[key], found) for key, found in leading.items()]
        return NameLinks([link for link in links if link.about or link.shared], documents)

    def _mentioned(self, sources: Sequence[str]) -> dict[str, dict[str, int]]:
        """The keys of the names that chunks mention, each with these chunks and its first sentence there. Their texts
        are read for the names that another corpus knows; what they are about is told by their own.
        """
        mentioned: dict[str, dict[str, int]] = {}
        for own in self._corpora.each_of(sources, lambda corpus, own: corpus.names.mentioned(own)).values():
            for key, places in own.items():
                mentioned.setdefault(key, {}).update(places)
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
            said = said_names(texts[id_], tokens, row["sentences"], names, subjects, language=row["language"] or "")
            for key, uses in said.items():
                mentioned.setdefault(possible[key], {}).setdefault(id_, uses.sentences[0])
        return mentioned

    def _entities(self, keys: Sequence[str], terms: Sequence[str] = ()) -> QuestionEntities:
        """As `CorpusNames.entities`."""
        found = self._corpora.each(lambda corpus: corpus.names.entities(keys, terms)).values()
        common = _common(entity for each in found for entity in each.entities)
        return QuestionEntities(tuple(common), (), outdated=any(each.outdated for each in found))

    def _resolve(self, key: str) -> str:
        if self._edits is None:
            self._edits = list(self._corpora.each(lambda corpus: corpus.edits).values())
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
            about=about[:MOST_CHUNKS_ABOUT_A_NAME],
            shared=sorted(shared) if 2 <= df <= MOST_CHUNKS_OF_A_SHARED_NAME else (),
            rare=df <= MOST_CHUNKS_OF_A_SHARED_NAME,
        )


def _surest(about: tuple[str, float]) -> tuple[float, str]:
    return -about[1], about[0]


def _common(found: Iterable[QuestionEntity]) -> list[QuestionEntity]:
    """Entities of several corpora, those of one key as one."""
    of: dict[str, list[QuestionEntity]] = {}
    for each in found:
        of.setdefault(each.key, []).append(each)
    return [
        QuestionEntity(
            id=same[0].id,
            key=key,
            name=max(same, key=lambda each: each.df).name,
            df=sum(each.df for each in same),
            subject=any(each.subject for each in same),
            term=any(each.term for each in same),
        )
        for key, same in of.items()
    ]
