"""The memory after a build: answers are joined again to what was rewritten, and go with what is no longer stated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from overstory.display import counted
from overstory.graph import Transaction
from overstory.graph.client import Row
from overstory.systems.base import SystemRun
from overstory.vectors.packed import packed
from overstory_systems.apr.ids import memory_id
from overstory_systems.apr.memory.citing import read
from overstory_systems.apr.store import remove_loose

_DOUBTFUL_ANSWERS_A_PAGE = 200
_QUESTIONS_A_PAGE = 500


def after_build(run: SystemRun[Any]) -> None:
    """Brings what is remembered in line with what the index has now; counts what was done, and notes what was lost.

    Looks at the answers that stand on a chunk that was read again, and at those that lost something. Safe to repeat.
    """
    label = run.corpus.label
    rows = run.graph.run("systems/apr/memory/state", label, read=True, memory=memory_id(label))
    if not rows:
        return
    if run.before is not None and run.before.built and run.before.settings.triples != run.settings.triples:
        run.notes.append(
            "remembered answers whose facts the index has no more, since triples are from another source now, are kept "
            "and not read; they are read again when it has their facts (overstory memory list)"
        )
        return
    forgotten = 0
    for page in run.graph.pages(
        "systems/apr/memory/doubtful", label, size=_DOUBTFUL_ANSWERS_A_PAGE, read_to=run.read_to
    ):
        forgotten += _check(run, page)
    if rows[0]["embedder"] != run.context.embedder.fingerprint:
        _encode_again(run)
    run.graph.run_in_batches("systems/apr/memory/link_questions", label)
    if forgotten:
        remove_loose(run.writer)
        run.ledger.count("forgotten_answers", forgotten)
        run.notes.append(
            f"{counted(forgotten, 'remembered answer')} went: the passages do not state any more what they cite"
        )


def _check(run: SystemRun[Any], page: Sequence[Row]) -> int:
    """Joins answers to their edges, or deletes them; returns how many were deleted."""
    label = run.corpus.label
    cited = {row["id"]: read(row["citations"]) for row in page}

    def work(tx: Transaction) -> int:
        facts = sorted({(fact.edge, fact.chunk) for each in cited.values() for fact in each})
        (found,) = tx.run("systems/apr/memory/still_stated", label, facts=[list(fact) for fact in facts])
        stated = {(edge, chunk) for edge, chunk in found["stated"]}
        lost = [id_ for id_, each in cited.items() if any((fact.edge, fact.chunk) not in stated for fact in each)]
        kept = [
            {"id": row["id"], "edges": [[fact.edge, at, run] for at, (fact, run) in pairs]}
            for row in page
            if row["id"] not in lost
            for pairs in [list(enumerate(zip(cited[row["id"]], row["runs"], strict=True)))]
        ]
        tx.run("systems/apr/memory/relink", label, rows=kept)
        (row,) = tx.run("systems/apr/memory/forget", label, memory=memory_id(label), ids=lost)
        return int(row["forgotten"])

    return run.writer.commit(run.system.name, work)


def _encode_again(run: SystemRun[Any]) -> None:
    """Gives all questions vectors by the embedder in use now."""
    label, embedder = run.corpus.label, run.context.embedder
    for page in run.graph.pages("systems/apr/memory/question_pages", label, size=_QUESTIONS_A_PAGE):
        vectors = packed(embedder.embed([row["text"] for row in page]))
        rows = [{"id": row["id"], "vector": vector} for row, vector in zip(page, vectors, strict=True)]

        def write(tx: Transaction, rows: list[Row] = rows) -> None:
            tx.run("systems/apr/memory/write_question_vectors", label, rows=rows)

        run.commit(write)

    def publish(tx: Transaction) -> None:
        tx.run("systems/apr/memory/set_embedder", label, memory=memory_id(label), embedder=embedder.fingerprint)

    run.commit(publish)
