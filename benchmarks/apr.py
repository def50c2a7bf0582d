"""AutoPrunedRetriever measured: what memory saves when a question is asked again, and which encoding is shortest.

    python -m benchmarks.apr paraphrases CORPUS DIR     asks twenty questions, remembers the answers, and asks again
                                                        in other words: tokens of the prompts, and the gold in them
    python -m benchmarks.apr encodings CORPUS DIR       tokens of the prompts of all questions, as words, as numbers,
                                                        and as a matrix

CORPUS is indexed for `apr`; DIR has its questions in BEIR's layout (examples/hotpotqa for the paraphrases, which stand
in benchmarks/apr_paraphrases.jsonl). The memory of CORPUS is emptied before and after. Prints Markdown.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from overstory.bench.bootstrap import difference_interval, mean_interval
from overstory.bench.dataset import read_questions
from overstory.bench.qrels import choose_qrels, read_judgements
from overstory.knowledge import Knowledge
from overstory.model import Evidence
from overstory_systems.apr.parts import KnowledgePart

PARAPHRASES = Path(__file__).parent / "apr_paraphrases.jsonl"
WITH, WITHOUT = "apr:memory", "apr:no-memory"
K = 5


@dataclass(frozen=True, slots=True)
class Asked:
    """The prompt that a question gets.

    Attributes:
        tokens: of the parts that a language model reads.
        recall: the share of gold documents among those that the parts stand on.
        remembered: whether there is a remembered answer; of it the facts are read.
    """

    tokens: int
    recall: float
    remembered: bool


def gold_of(folder: Path) -> dict[str, set[str]]:
    """The keys of the gold documents, by question."""
    gold: dict[str, set[str]] = {}
    for judgement in read_judgements(choose_qrels(folder)):
        if judgement.score > 0:
            gold.setdefault(judgement.question, set()).add(judgement.passage)
    return gold


def prompt_of(knowledge: Knowledge, evidence: Evidence, gold: set[str]) -> Asked:
    """What a language model would read of the evidence, counted by the embedder's tokenizer."""
    keys = {hit.document_id: hit.source_key for hit in (*evidence.sources, *evidence.hits)}
    read = [part for part in evidence.parts if part.kind in evidence.shares]
    documents = {keys[id_] for part in read for id_ in part.documents if id_ in keys}
    tokens = sum(knowledge.embedder.count_tokens([part.text for part in read]))
    return Asked(tokens, len(gold & documents) / len(gold), any(part.kind == "answer" for part in evidence.parts))


def paraphrases(knowledge: Knowledge, folder: Path) -> None:
    """Prints what asking again takes, beside asking without a memory."""
    gold = gold_of(folder)
    texts = {question.id: question.text for question in read_questions(folder / "queries.jsonl")}
    again = {each["_id"]: each["text"] for each in map(json.loads, PARAPHRASES.read_text().splitlines())}
    first = {id_: texts[id_] for id_ in again}
    knowledge.memory.forget_all()
    kept = [knowledge.ask(text, K, retriever=WITH, remember=True) for text in first.values()]
    remembered = knowledge.memory.sizes()["apr"].answers
    print(f"{sum(answer.answered for answer in kept)} of {len(again)} answered, {remembered} answers remembered.\n")
    rows: list[tuple[str, list[Asked]]] = []
    for name, retriever, questions in (
        ("asked first, without memory", WITHOUT, first),
        ("asked again in the same words", WITH, first),
        ("in other words, without memory", WITHOUT, again),
        ("in other words, with memory", WITH, again),
    ):
        rows.append((name, asked_all(knowledge, retriever, questions, gold)))
    knowledge.memory.forget_all()
    print("| | remembered answer found | tokens | evidence recall |\n|---|---|---|---|")
    for name, asked in rows:
        recall = mean_interval([each.recall for each in asked])
        print(
            f"| {name} | {sum(each.remembered for each in asked)} of {len(asked)} "
            f"| {np.mean([each.tokens for each in asked]):.0f} | {recall.mean:.3f} |"
        )
    compare("the same words", rows[0][1], rows[1][1])
    compare("other words", rows[2][1], rows[3][1])


def asked_all(
    knowledge: Knowledge, retriever: str, questions: Mapping[str, str], gold: Mapping[str, set[str]]
) -> list[Asked]:
    """The prompts of all questions, by their ids, asked in one way."""
    return [
        prompt_of(knowledge, knowledge.search(text, K, retriever=retriever), gold[id_])
        for id_, text in questions.items()
    ]


def compare(words: str, without: Sequence[Asked], with_memory: Sequence[Asked]) -> None:
    """Prints what memory changes."""
    shorter = 1 - sum(each.tokens for each in with_memory) / sum(each.tokens for each in without)
    recall = difference_interval([each.recall for each in with_memory], [each.recall for each in without])
    print(
        f"\nIn {words}: {shorter:.0%} fewer tokens; evidence recall {recall.mean:+.3f} "
        f"[{recall.low:+.3f}, {recall.high:+.3f}]."
    )


def encodings(knowledge: Knowledge, folder: Path) -> None:
    """Prints the tokens of the encodings, question by question of a folder."""
    by_form: dict[str, list[int]] = {}
    shortest: dict[str, int] = {}
    tokenizer = ""
    for question in read_questions(folder / "queries.jsonl"):
        evidence = knowledge.search(question.text, K, retriever=WITHOUT)
        for part in evidence.parts:
            if isinstance(part, KnowledgePart):
                tokenizer, tokens = part.tokenizer, dict(part.tokens_by_encoding)
                for form, count in tokens.items():
                    by_form.setdefault(form, []).append(count)
                best = min(tokens, key=tokens.__getitem__)
                shortest[best] = shortest.get(best, 0) + 1
    print(f"Counted by {tokenizer}.\n\n| encoding | tokens | shortest |\n|---|---|---|")
    for name, counts in by_form.items():
        print(f"| {name} | {np.mean(counts):.0f} | {shortest.get(name, 0)} of {len(counts)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("paraphrases", "encodings"))
    parser.add_argument("corpus")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", help="a language model whose tokenizer counts, and which answers")
    given = parser.parse_args()
    with Knowledge(given.corpus) as knowledge:
        if given.model:
            knowledge.use_model(given.model)
        {"paraphrases": paraphrases, "encodings": encodings}[given.what](knowledge, given.folder)


if __name__ == "__main__":
    main()
