"""The names of a corpus, and of the chunks that they lead to those of some documents."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from overstory.retrieve.among import Among
from overstory.retrieve.canopy.name_lookup import FoundByWords, LeadingName, NameLinks
from overstory.retrieve.canopy.names import QuestionNames
from overstory.retrieve.canopy.scoring import LinkingName
from overstory.retrieve.canopy.stored_names import StoredNames
from overstory.retrieve.question import Question
from overstory.retrieve.question_entities import QuestionEntities
from overstory.retrieve.sections import section_query


class MatchingNames:
    """A `NameLookup` that knows all names, or those of what may be seen at all, and leads through passages that match a
    filter. `CorpusNames`, too."""

    def __init__(self, among: Among) -> None:
        self._among = among
        self._tells = not among.matching.by_rights  # the corpus may be outdated for a document of others
        self._names = StoredNames(
            among.tx,
            among.corpus,
            deeper=1 / among.matching.share,
            of_documents=among.matching.documents if among.matching.restricted else None,
        )

    def question_names(self, question: Question) -> QuestionNames:
        """As `NameLookup.question_names`."""
        names = self._names.question_names(question)
        return names.of_state(outdated=names.outdated and self._tells)

    def found(self, names: QuestionNames, depth: int) -> FoundByWords:
        """As `NameLookup.found`."""
        listed = self._names.found(names, 0)
        found = [each for each in listed.found if each.document in self._among.matching.documents]
        return FoundByWords(
            self._among.sections(section_query(names.question, self._among.corpus.languages), depth),
            found,
            listed.has_links,
        )

    def links(self, sources: Sequence[str], asked: Sequence[str]) -> NameLinks:
        """As `NameLookup.links`."""
        led = self._names.links(sources, asked)
        own = {chunk: of for chunk, of in led.documents.items() if of in self._among.matching.documents}
        links = [_to(link, own.keys()) for link in led.links]
        return NameLinks([link for link in links if link.about or link.shared], own)

    def entities(self, keys: Sequence[str], terms: Sequence[str]) -> QuestionEntities:
        """As `CorpusNames.entities`."""
        found = self._names.entities(keys, terms)
        return replace(found, outdated=found.outdated and self._tells)

    def mentioned(self, sources: Sequence[str]) -> dict[str, dict[str, int]]:
        """As `CorpusNames.mentioned`."""
        return self._names.mentioned(sources)

    def leading(self, keys: Sequence[str]) -> list[LeadingName]:
        """As `CorpusNames.leading`."""
        documents = self._among.matching.documents
        return [
            name._replace(
                shared=[place for place in name.shared if place[2] in documents],
                about=[place for place in name.about if place[2] in documents],
            )
            for name in self._names.leading(keys)
        ]


def _to(link: LinkingName, chunks: Set[str]) -> LinkingName:
    """A name that leads to some chunks alone."""
    return replace(
        link,
        about=[place for place in link.about if place[0] in chunks],
        shared=[place for place in link.shared if place[0] in chunks],
    )
