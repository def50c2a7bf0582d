"""Edges of a loaded graph that a question asks for.

The first step searches the edges of the vertices that the question names. An edge is returned if its type or text
contains words of the question. The second step does the same at the other ends of these edges. For example, "What does
the plant that Ada Huber manages make?" needs both steps.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from overstory.graph import Corpus, Transaction
from overstory.model import HYPERLINK, Evidence, LinkEdge, ShareKind
from overstory.retrieve.hits import chunk_rows, source_hits
from overstory.retrieve.question import read_question
from overstory.retrieve.question_entities import question_entities
from overstory.text.questions.asked_words import AskedWords
from overstory.text.questions.sets import set_question
from overstory.text.words import stem, word_matches

_MOST_VERTICES_OF_A_NAME = 8
"""Maximum number of vertices that are searched for one name."""
_MOST_EDGES_LOOKED_AT = 10_000  # maximum number of edges to search per vertex
_MOST_LINKS_OF_A_VERTEX = 20
"""Maximum number of matching edges to return per vertex."""
_MOST_LINKS_COUNTED = 1_000
"""Maximum number of matching edges to return per vertex, if the question counts or excludes things."""
_MOST_REACHED_VERTICES = 20
"""Maximum number of vertices to search in the second step."""
_SHORTEST_ASKED_WORD = 3  # shorter words of the question are not searched in edges
SHARES: Mapping[ShareKind, float] = {"relation": 0.3, "passage": 0.7}
"""Shares of the context window for relations and passages, used if the retriever does not set its own shares."""
CUT = f"at most {_MOST_LINKS_OF_A_VERTEX} matching edges of each vertex are read; there may be more"
NOT_COUNTED = f"more than {_MOST_LINKS_COUNTED:,} edges match: they were not counted"


def with_asked_edges(tx: Transaction, corpus: Corpus, evidence: Evidence) -> Evidence:
    """Add the edges that the question asks for to the evidence.

    The edges become parts of the evidence, and the passages of their end vertices become sources. If the question names
    no vertex with edges, the evidence is returned unchanged.
    """
    question = read_question(evidence.question)
    named = question_entities(tx, corpus, question).entities
    if not named:
        return evidence
    ids = [each.id for each in named if each.subject]
    (row,) = tx.run("retrieve/titled_documents", corpus.label, ids=ids, most=_MOST_VERTICES_OF_A_NAME)
    if not row["ids"]:
        return evidence
    asked = AskedWords.of(question.text)
    names = {stem(match.group()) for each in named for match in word_matches(each.name)}
    asked_set = set_question(question.text)
    counts = asked_set is not None and asked_set.operates
    most = _MOST_LINKS_COUNTED if counts else _MOST_LINKS_OF_A_VERTEX
    first = _edges(tx, corpus, row["ids"], asked, names, most, step=1)
    used = {stem(form) for edge in first for form in asked.found_in(*_words_of(edge))}
    reached = _reached(first, row["ids"])
    second = (
        _edges(tx, corpus, reached, asked, names | used, most, step=2)
        if reached and set(asked.forms) - names - used
        else []
    )
    edges = _joined(first, second)
    if counts and len(edges) >= most:
        return replace(evidence, notes=(*evidence.notes, NOT_COUNTED))
    if not edges:
        return evidence
    there = {hit.chunk_id for hit in (*evidence.hits, *evidence.sources)}
    rows = chunk_rows(tx, corpus, (chunk for edge in edges for chunk in edge.chunks if chunk not in there))
    known = there | set(rows)
    shown = tuple(edge for edge in edges if known.issuperset(edge.chunks))
    return replace(
        evidence,
        notes=(*evidence.notes, *([CUT] if len(edges) >= most else [])),
        parts=(*evidence.parts, *shown),
        sources=(*evidence.sources, *source_hits(rows, rows)),
        shares=evidence.shares or SHARES,
    )


def _edges(
    tx: Transaction,
    corpus: Corpus,
    documents: Sequence[str],
    asked: AskedWords,
    known: Collection[str],
    most: int,
    *,
    step: int,
) -> list[LinkEdge]:
    """Return the links of documents that contain a word of the question whose stem is not in `known`.

    In the first step, links between two of the documents are returned as well, whatever words they contain.
    """
    words = [word for word in asked.forms if word not in known and len(word) >= _SHORTEST_ASKED_WORD]
    rows = tx.run(
        "retrieve/asked_links",
        corpus.label,
        documents=list(documents),
        words=words,
        looked_at=_MOST_EDGES_LOOKED_AT,
        most=most,
        hyperlink=HYPERLINK,
    )
    found: dict[tuple[str, str, str, str], LinkEdge] = {}
    links = [link for row in rows for link in row["links"]]
    for source, source_title, first, target, target_title, second, kind, text, at in links:
        edge = LinkEdge.between(
            source_title or source,
            kind,
            target_title or target,
            text=text or "",
            step=step,
            at_source=at == source,
            chunks=(first, second),
            documents=(source, target),
        )
        stems = {stem(form) for form in asked.found_in(*_words_of(edge))} - set(known)
        between = step == 1 and source in documents and target in documents
        if first and second and (stems or between):
            found.setdefault((source, kind, target, text or ""), edge)
    return list(found.values())


def _words_of(edge: LinkEdge) -> tuple[str, str]:
    return edge.type.replace("_", " "), edge.link_text


def _reached(edges: Iterable[LinkEdge], named: Collection[str]) -> list[str]:
    ends = dict.fromkeys(end for edge in edges for end in edge.documents if end not in named)
    return list(ends)[:_MOST_REACHED_VERTICES]


def _joined(first: Sequence[LinkEdge], second: Sequence[LinkEdge]) -> list[LinkEdge]:
    """Return the edges of both steps.

    If the second step found edges, those of the first step that do not lead to them are dropped.
    """
    if not second:
        return list(first)
    ends = {end for edge in second for end in edge.documents}
    return [*(edge for edge in first if ends.intersection(edge.documents)), *second]
