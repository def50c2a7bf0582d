"""Compare our retrievers with the contexts that other systems retrieved, on the questions of a paper.

    python -m benchmarks.published CORPUS QUESTIONS FOUND…

CORPUS was made from the text of the paper. QUESTIONS is a JSON list of {id, question, evidence}, with the sentences
noted as evidence for the answer. Each FOUND is a JSON list of {id, context}: the text that another system read for each
question. Each of our retrievers reads as many tokens as that system did, question by question. Compared is the share of
the words of the evidence in the text read. Tokens are the embedder's. The data of AutoPrunedRetriever's paper are in
its authors' repository (py_files/data, py_files/results/results_exp2), with contexts of its two versions, of HippoRAG 2
and of LightRAG. Prints Markdown.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.read_text import Count, read_at, text_of
from benchmarks.which import counting, indexed, markdown, mean

from overstory.bench.metrics import difference_interval
from overstory.embed import make_embedder
from overstory.knowledge import Knowledge
from overstory.settings import Settings
from overstory.text.words import asked_words

PASSAGES_FOR_A_CONTEXT = 60  # passages requested: more than fit into the longest context
RETRIEVERS = "canopy,dense,hirag,slimrag,serag,tretriever,apr"


@dataclass(frozen=True, slots=True)
class PublishedQuestion:
    id: str
    text: str
    evidence: frozenset[str]


def content_words(text: str) -> frozenset[str]:
    """Return the stems of a text's words, without function words."""
    return frozenset(asked_words(text))


def covered(question: PublishedQuestion, context: str) -> float:
    """Return the share of the evidence words in a context, not counting words of the question."""
    return len(question.evidence & content_words(context)) / len(question.evidence)


def read_questions(path: Path) -> list[PublishedQuestion]:
    """Return the questions whose evidence contains a word that the question does not."""
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    found = [
        PublishedQuestion(
            row["id"], row["question"], content_words(" ".join(row["evidence"])) - content_words(row["question"])
        )
        for row in rows
    ]
    return [question for question in found if question.evidence]


def read_contexts(path: Path) -> dict[str, str]:
    """Return the text that a system read, by question id. LightRAG's file is grouped by kind of question."""
    found: Any = json.loads(path.read_text(encoding="utf-8"))
    rows: list[dict[str, Any]] = (
        found if isinstance(found, list) else [row for of in found.values() for row in of["detailed"]]
    )
    return {row["id"]: row.get("context") or row.get("contexts") or "" for row in rows}


def rows_of(
    knowledge: Knowledge,
    names: Sequence[str],
    questions: Sequence[PublishedQuestion],
    found: Mapping[str, Mapping[str, str]],
    count: Count,
) -> list[list[str]]:
    contexts = {name: [of[question.id] for question in questions] for name, of in found.items()}
    budgets = {name: [count(text) if text else 0 for text in texts] for name, texts in contexts.items()}
    theirs = {name: list(map(covered, questions, texts)) for name, texts in contexts.items()}
    header = ["", *(f"{name}, {mean(budgets[name]):,.0f} tokens" for name in found)]
    rows = [header, ["itself", *(f"{mean(theirs[name]):.3f}" for name in found)]]
    for retriever in names:
        ours: dict[str, list[float]] = {name: [] for name in found}
        for place, question in enumerate(questions):
            evidence = knowledge.search(question.text, PASSAGES_FOR_A_CONTEXT, retriever=retriever)
            for name in found:
                ours[name].append(covered(question, text_of(read_at(budgets[name][place], evidence, count))))
        cells: list[str] = []
        for name in found:
            apart = difference_interval(ours[name], theirs[name])
            cells.append(f"{mean(ours[name]):.3f}, {apart.mean:+.3f} [{apart.low:+.3f}, {apart.high:+.3f}]")
        rows.append([f"`{retriever}`", *cells])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("questions", type=Path)
    parser.add_argument("found", type=Path, nargs="+")
    parser.add_argument("--retrievers", default=RETRIEVERS, help=f"default: {RETRIEVERS}")
    given = parser.parse_args()
    settings = Settings.from_environment()
    embedder = make_embedder(settings.embedding)
    questions = read_questions(given.questions)
    found = {path.stem: read_contexts(path) for path in given.found}
    asked = [question for question in questions if all(question.id in of for of in found.values())]
    with Knowledge(given.corpus, settings=settings) as knowledge:
        knowledge.use(embedder=embedder)
        names = indexed(knowledge, given.retrievers.split(","))
        print("\n".join(markdown(rows_of(knowledge, names, asked, found, counting(embedder)))))
    print(f"\n{len(asked)} of {len(questions)} questions, those that all systems were asked.")


if __name__ == "__main__":
    main()
