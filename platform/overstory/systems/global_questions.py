"""Finds evidence for questions about the whole corpus.

The first available source is used:

1. A system that answers such questions itself.
2. Reports on the coarsest communities of any tree.
3. The most representative passages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from overstory.display import index_command, on_one_line
from overstory.errors import IndexMissing
from overstory.graph import Corpus, Transaction
from overstory.graph.client import Row
from overstory.model import Evidence, RatedReport, Reason
from overstory.model.parts import ReportFinding
from overstory.protocols import Vectors
from overstory.retrieve.context import RetrievalContext, query_current_corpus
from overstory.retrieve.hits import chunk_rows, ranked_hits, source_hits
from overstory.systems.base import System
from overstory.systems.corpus_overview import with_overview
from overstory.systems.settings import SettingsClass
from overstory.systems.state import StaleNotes, require_state
from overstory.systems.texts.reports import Report
from overstory.systems.tree.lookup import FoundTree, find_tree

_COMPARED_PASSAGES = 400  # size of the sample whose passages are compared with each other, which takes about 0.2 s
_MOST_PASSAGES_DRAWN_FROM = 20_000  # maximum number of passages from which the sample is drawn
_STANDS_FOR_COSINE = 0.3  # minimum cosine with which a passage represents another; unrelated passages reach 0.2


def central_passages(context: RetrievalContext, question: str, k: int) -> Evidence:
    """Return the `k` most representative passages of the corpus, with at most one passage per document.

    The passages do not depend on the question.
    """

    def query(tx: Transaction, corpus: Corpus) -> Evidence:
        drawn = tx.run(
            "retrieve/some_vectors",
            corpus.label,
            property=corpus.embedding_property,
            most=_COMPARED_PASSAGES,
            looked_at=_MOST_PASSAGES_DRAWN_FROM,
        )
        rows = chunk_rows(tx, corpus, (row["id"] for row in drawn))
        there = [row for row in drawn if row["id"] in rows]
        vectors = np.array([row["vector"] for row in there], dtype=np.float32)
        documents = [rows[row["id"]]["document_id"] for row in there]
        shares = {there[place]["id"]: share for place, share in representatives(vectors, documents, k)}
        hits = ranked_hits(rows, shares, lambda id_: [_stands_for(shares[id_])])
        return Evidence(question, "central passages", hits)

    return query_current_corpus(context, "retrieve/central", query)


def representatives(vectors: Vectors, documents: list[str], most: int) -> list[tuple[int, float]]:
    """Choose the most representative vectors, and return the index of each with the coverage that it adds.

    At most one vector per document is chosen. Each step adds the vector that increases the coverage most. This greedy
    algorithm (facility location) reaches at least half of the best possible coverage.

    Args:
        vectors: Unit vectors of passages, shape (n, d).
        documents: Document id of each passage.
    """
    if not len(vectors):
        return []
    near: npt.NDArray[np.float64] = np.maximum(vectors @ vectors.T - _STANDS_FOR_COSINE, 0.0).astype(np.float64)
    reached = np.zeros(len(vectors))
    free = np.ones(len(vectors), dtype=np.bool_)
    found: list[tuple[int, float]] = []
    for _ in range(most):
        gains = np.where(free, np.maximum(near - reached, 0.0).sum(axis=1), -1.0)
        best = int(gains.argmax())
        if gains[best] <= 0.0:
            break
        found.append((best, float(gains[best]) / (len(vectors) * (1.0 - _STANDS_FOR_COSINE))))
        reached = np.maximum(reached, near[best])
        free &= np.array([document != documents[best] for document in documents])
    return found


def _stands_for(share: float) -> Reason:
    return Reason("central", share, "coverage of the corpus that it adds", "represents many other passages")


_OVERVIEW_REPORTS = 8
_FEW_OVERVIEW_REPORTS = 5  # while fewer reports than this are found, the next level of the tree is searched, too
_FINDINGS_OF_A_REPORT = 3
_PASSAGES_OF_A_FINDING = 3
_MOST_OVERVIEW_LEVELS = 3


def answers_itself(systems: Sequence[System[Any, Any]], retriever: str | SettingsClass) -> bool:
    """Return True if a retriever should also be used for questions about the whole corpus.

    This is the case if its system answers such questions itself, or if it is given as a settings object.
    """
    if not isinstance(retriever, str):
        return True
    return any(system.answers_on_all for system in systems if system.name == retriever.partition(":")[0])


def retriever_for_all(systems: Sequence[System[Any, Any]], corpus: Corpus) -> str:
    """Return the name of an indexed system that answers questions about the whole corpus; "" if there is none."""
    for system in systems:
        if system.answers_on_all:
            try:
                require_state(system, corpus)
            except IndexMissing:
                continue
            return system.name
    return ""


def overview(systems: Sequence[System[Any, Any]], context: RetrievalContext, question: str) -> Evidence:
    """Return evidence for a question about the whole corpus, with a note on how to get a better answer.

    The evidence consists of reports on the coarsest communities. If there are no reports, it consists of representative
    passages.
    """

    def query(tx: Transaction, corpus: Corpus) -> Evidence | None:
        try:
            found = find_tree(systems, corpus, with_reports=True)
        except IndexMissing:
            return None
        stored = list(_stored(tx, corpus, found))
        rows = chunk_rows(tx, corpus, (chunk for _, report in stored for chunk in _chunks(report)))
        parts = [part for row, report in stored if (part := _part(row, report, rows)) is not None]
        if not parts:
            return None
        chunks = dict.fromkeys(chunk for part in parts for chunk in part.chunks)
        system = found.system
        notes = StaleNotes(system).of(tx, corpus, found.state)
        return Evidence(
            question,
            system.name,
            (),
            notes=tuple(notes),
            parts=tuple(parts),
            sources=source_hits(rows, chunks),
            shares={"report": 1.0},
        )

    evidence = query_current_corpus(context, "retrieve/on_all", query)
    better = next((system for system in systems if system.answers_on_all), None)
    command = "" if better is None else index_command(context.corpus_name, better.name)
    more = f" For a better answer, run {command} and ask again." if command else ""
    if evidence is not None:
        evidence = described(context, evidence)
        by = next(system.title for system in systems if system.name == evidence.retriever)
        note = f"This question is about all documents: reports of {by} on the coarsest communities answer it.{more}"
        return replace(evidence, notes=(note, *evidence.notes))
    found = described(context, central_passages(context, question, 2 * _OVERVIEW_REPORTS))
    reports = f" For an answer from reports, run {command} and ask again." if command else ""
    note = f"This question is about all documents: their kinds, folders, names and typical passages answer it.{reports}"
    return replace(found, notes=(note, *found.notes))


def described(context: RetrievalContext, evidence: Evidence) -> Evidence:
    """Add an overview of the documents to evidence for a question about all of them."""
    return query_current_corpus(context, "retrieve/overview", lambda tx, corpus: with_overview(tx, corpus, evidence))


def _stored(tx: Transaction, corpus: Corpus, found: FoundTree) -> Iterator[tuple[Row, Report]]:
    tree = {"tree": found.kind.name, "generation": found.state.generation}
    levels = tx.run(found.kind.statement("systems/tree/report_levels"), corpus.label, **tree)
    titles: set[str] = set()
    for row in [row for row in levels if row["reports"]][:_MOST_OVERVIEW_LEVELS]:
        if len(titles) >= _FEW_OVERVIEW_REPORTS:
            return
        statement = found.kind.statement("systems/tree/report_list")
        for listed in tx.run(statement, corpus.label, **tree, level=row["level"], limit=_OVERVIEW_REPORTS):
            if len(titles) < _OVERVIEW_REPORTS and listed["title"] not in titles:
                of = tx.run(found.kind.statement("systems/tree/report_of"), corpus.label, id=listed["id"], below=0)
                if of and of[0]["report"]:
                    titles.add(listed["title"])
                    yield listed, Report.from_properties(of[0]["report"], ())


def _chunks(report: Report) -> Iterable[str]:
    return (
        chunk
        for finding in report.findings[:_FINDINGS_OF_A_REPORT]
        for chunk in finding.chunks[:_PASSAGES_OF_A_FINDING]
    )


def _part(listed: Row, report: Report, rows: Mapping[str, Row]) -> RatedReport | None:
    findings = tuple(
        ReportFinding(finding.text, chunks)
        for finding in report.findings[:_FINDINGS_OF_A_REPORT]
        if (chunks := tuple(chunk for chunk in finding.chunks[:_PASSAGES_OF_A_FINDING] if chunk in rows))
    )
    carried = tuple(dict.fromkeys(chunk for finding in findings for chunk in finding.chunks))
    if not carried:
        return None
    heading = on_one_line(report.title)
    return RatedReport(
        text="\n".join(filter(None, [heading, report.summary, *(f"- {finding.text}" for finding in findings)])),
        score=report.rating,
        chunks=carried,
        documents=tuple(dict.fromkeys(rows[chunk]["document_id"] for chunk in carried)),
        community=listed["id"],
        level=listed["level"],
        size=listed["size"],
        heading=heading,
        summary=report.summary,
        rating=report.rating,
        findings=findings,
    )
