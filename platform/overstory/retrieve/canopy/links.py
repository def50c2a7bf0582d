"""Where links between documents lead, as canopy weighs them.

A link leads from a source p to the chunk t of the document at its other end, in either direction:
    linked(t) = max A(p)·q·r        over the links of p's document
with q = 1 where type or text of the link has a word of the question, else .75. Of m > 1 documents to which p's is
linked by the same type in the same direction, with as many words of the question, r is 1 for the one that is nearest to
the rest of the question, and 1/√m for the others: one is meant. That many documents link to one is no reason to doubt
it: what most packages need is the answer, too. Hyperlinks lead nowhere, for they say what to read next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from overstory.model import HYPERLINK
from overstory.retrieve.canopy.scoring import Candidate, DocumentLink, MentionWay, WeighedWay
from overstory.retrieve.passages import CorpusPassages, Passages
from overstory.text.questions.asked_words import AskedWords

_UNASKED_LINK_WEIGHT = 0.75
"""q of a link that has no word of the question."""

_MOST_LINKS_OF_A_DOCUMENT = 100
"""Links of a document that are followed to chunks which nothing else found."""

_MOST_CHUNKS_OF_A_LINKED_DOCUMENT = 100
"""Of a document that nothing else found: its first chunk is looked for among so many."""


class FoundLinks(NamedTuple):
    """The links of some chunks' documents; notes name documents of which not all links were followed."""

    links: list[DocumentLink]
    notes: tuple[str, ...] = ()


def document_links(passages: Passages, sources: Sequence[str], found: Sequence[str]) -> FoundLinks:
    """The links of the documents of some chunks, in either direction. No link leads from one corpus to another.

    Args:
        found: ids of the documents to which a document with many links may lead.
    """
    of = passages.corpora.each_of(sources, lambda corpus, own: _corpus_links(corpus, own, found))
    for title, each in of.items():
        passages.corpora.found_in(title, (link.first for link in each.links if link.first is not None))
    links = [link for each in of.values() for link in each.links]
    return FoundLinks(links, tuple(note for each in of.values() for note in each.notes))


def _corpus_links(passages: CorpusPassages, sources: Sequence[str], found: Sequence[str]) -> FoundLinks:
    rows = passages.tx.run(
        "retrieve/canopy_links",
        passages.corpus.label,
        sources=list(sources),
        found=list(found),
        most=_MOST_LINKS_OF_A_DOCUMENT,
        most_chunks=_MOST_CHUNKS_OF_A_LINKED_DOCUMENT,
        hyperlink=HYPERLINK,
    )
    links = [DocumentLink(*each) for row in rows for each in row["links"]]
    if passages.among is not None:
        links = [link for link in links if link.document in passages.among.matching.documents]
        if passages.among.matching.restricted:  # the number of links is that of all documents
            return FoundLinks(links)
    many = {row["title"]: row["degree"] for row in rows if row["degree"] > _MOST_LINKS_OF_A_DOCUMENT}
    said = "links: only those to passages that were found otherwise were followed"
    return FoundLinks(links, tuple(f"{title!r} has {degree:,} {said}" for title, degree in many.items()))


def linked(
    activations: Mapping[str, float],
    reached: Mapping[DocumentLink, str],
    asked: AskedWords,
    candidates: Mapping[str, Candidate],
) -> dict[str, WeighedWay]:
    """The best link to each chunk.

    Args:
        activations: of the sources; nothing is reached from one that has none.
        reached: links of their documents -> the chunk that each leads to.
        candidates: these chunks, compared with the question.
    """
    alike: dict[tuple[str, str, bool, int], dict[DocumentLink, str]] = {}
    for link, chunk in reached.items():
        said = len(asked.found_in(link.type.replace("_", " "), link.text))
        alike.setdefault((link.source, link.type, link.outgoing, said), {})[link] = chunk
    found: dict[str, WeighedWay] = {}
    for (source, _, _, said), chunks in alike.items():
        nearest = max(chunks.values(), key=lambda chunk: (candidates[chunk].rest, chunk))
        others = len(set(chunks.values())) ** -0.5
        for link, chunk in chunks.items():
            value = (
                activations[source] * (1.0 if said else _UNASKED_LINK_WEIGHT) * (1.0 if chunk == nearest else others)
            )
            if value > 0 and (chunk not in found or value > found[chunk].value):
                found[chunk] = WeighedWay(MentionWay(source, "", link.name, None, link=link), value)
    return found
