"""AutoPrunedRetriever measured: what memory saves when a question is asked again, and which encoding is shortest.

    python -m benchmarks.apr paraphrases CORPUS DIR     asks twenty questions, remembers the answers, and asks again
                                                        in other words: tokens of the prompts, and the gold in them
    python -m benchmarks.apr encodings CORPUS DIR       tokens of the prompts of all questions, as words, as numbers,
                                                        and as a matrix
    python -m benchmarks.apr pairs CORPUS               twenty other questions, each with a paraphrase and a follow-up,
                                                        and what a wrong answer that is remembered takes away
    python -m benchmarks.apr conversations CORPUS       ten conversations of five questions: facts read before, tokens

CORPUS is indexed for `apr`; DIR has its questions in BEIR's layout (examples/hotpotqa for the paraphrases, which stand
in benchmarks/apr_paraphrases.jsonl). The questions of the last two stand in benchmarks/apr_pairs.jsonl and
apr_conversations.jsonl, on benchmarks/own_questions/documents. Answers are recorded ones, remembered as a language
model's. The memory of CORPUS is emptied before and after. Prints Markdown.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from overstory.answer import answer
from overstory.bench.bootstrap import difference_interval, mean_interval
from overstory.bench.dataset import read_questions
from overstory.bench.qrels import choose_qrels, read_judgements
from overstory.graph import read_corpus
from overstory.knowledge import Knowledge
from overstory.llm import Chat
from overstory.model import Completion, Evidence, JsonSchema, Message, Usage
from overstory.systems.base import LearningRun
from overstory_systems.apr import Apr
from overstory_systems.apr.encodings import KnowledgePart

PARAPHRASES, PAIRS, CONVERSATIONS = (
    Path(__file__).parent / f"apr_{name}.jsonl" for name in ("paraphrases", "pairs", "conversations")
)
WITH, WITHOUT = "apr:memory", "apr:no-memory"
PAPER_WITH, PAPER_WITHOUT = "apr:paper,recall=always", "apr:paper,recall=never"
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


class Recorded:
    """A language model that gives an answer written by hand, and cites what it read first."""

    fingerprint = "recorded"
    max_tokens = 200

    def __init__(self, text: str) -> None:
        self._text = text

    def complete(
        self,
        messages: Sequence[Message],  # noqa: ARG002 # it says the same to all
        schema: JsonSchema | None = None,  # noqa: ARG002
        *,
        max_tokens: int | None = None,  # noqa: ARG002
    ) -> Completion:
        return Completion(f"{self._text} [1]", self.fingerprint, Usage(0, 0))

    def cancel(self) -> None:
        """Nothing runs."""

    def close(self) -> None:
        """Nothing is open."""


def remember(knowledge: Knowledge, question: str, text: str, retriever: str = WITHOUT) -> bool:
    """Remembers an answer as if a language model had given it; False if it says no fact that was found."""
    evidence = knowledge.search(question, K, retriever=retriever)
    given = answer(evidence, chat=Chat(Recorded(text)), extracting=_no_other, strict=True)
    run = LearningRun(knowledge.graph, read_corpus(knowledge.graph, knowledge.corpus_name), knowledge.embedder, None)
    return any("is remembered, with" in note for note in Apr().learn(given, evidence, run))


def _no_other(question: str, context: object) -> Any:
    raise AssertionError(question, context)


def facts_of(evidence: Evidence) -> list[tuple[str, str]]:
    """The facts of a prompt, remembered ones first: of each its edge and its words."""
    parts = [part for part in evidence.parts if isinstance(part, KnowledgePart)]
    return [(fact.edge, " ".join(fact.words)) for part in parts for fact in (*part.knowledge, *part.facts)]


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def said(words: Sequence[str], evidence: Evidence) -> float:
    """The share of words that the facts of a prompt say."""
    text = " ".join(words for _, words in facts_of(evidence)).lower()
    return float(np.mean([word.lower() in text for word in words]))


def tokens_of(knowledge: Knowledge, evidence: Evidence) -> int:
    """Of what a language model would read, counted by the embedder's tokenizer."""
    return sum(knowledge.embedder.count_tokens([part.text for part in evidence.parts if part.kind in evidence.shares]))


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
    tokens = tokens_of(knowledge, evidence)
    return Asked(tokens, len(gold & documents) / len(gold), any(part.kind == "answer" for part in evidence.parts))


def paraphrases(knowledge: Knowledge, folder: Path) -> None:
    """Prints what asking again takes, beside asking without a memory."""
    gold = gold_of(folder)
    given = {each["_id"]: each for each in lines_of(folder / "queries.jsonl")}
    again = {each["_id"]: each["text"] for each in lines_of(PARAPHRASES)}
    first = {id_: given[id_]["text"] for id_ in again}
    knowledge.memory.forget_all()
    kept = [remember(knowledge, text, given[id_]["metadata"]["answers"][0]) for id_, text in first.items()]
    print(f"Of {len(again)} answers {sum(kept)} say a fact that was found, and are remembered.\n")
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
    for part in prompts(knowledge, folder):
        tokenizer = part.tokenizer
        for form, count in part.tokens_by_encoding.items():
            by_form.setdefault(form, []).append(count)
        best = shortest_form(part)
        shortest[best] = shortest.get(best, 0) + 1
    print(f"Counted by {tokenizer}.\n\n| encoding | tokens | shortest |\n|---|---|---|")
    for name, counts in by_form.items():
        print(f"| {name} | {np.mean(counts):.0f} | {shortest.get(name, 0)} of {len(counts)} |")


def prompts(knowledge: Knowledge, folder: Path) -> Iterator[KnowledgePart]:
    """What the questions of a folder get to read, without memory."""
    for question in read_questions(folder / "queries.jsonl"):
        evidence = knowledge.search(question.text, K, retriever=WITHOUT)
        yield from (part for part in evidence.parts if isinstance(part, KnowledgePart))


def shortest_form(part: KnowledgePart) -> str:
    return min(part.tokens_by_encoding, key=part.tokens_by_encoding.__getitem__)


def pairs(knowledge: Knowledge) -> None:
    """Prints what remembered answers, right and wrong ones, change in prompts of questions like theirs."""
    given = lines_of(PAIRS)
    knowledge.memory.forget_all()
    kept = sum(remember(knowledge, each["question"], each["answer"]) for each in given)
    print(f"Of {len(given)} answers {kept} say a fact that was found, and are remembered.\n")
    print(
        "| | tokens: without memory | with | prompts with facts left out | words of the answer in it: without | with |"
    )
    print("|---|---|---|---|---|---|")
    for title, key, words in (
        ("same words", "question", "words"),
        ("paraphrases", "paraphrase", "words"),
        ("follow-ups", "follow_up", "follow_up_words"),
    ):
        _row(knowledge, title, [(each[key], each[words]) for each in given])
    knowledge.memory.forget_all()
    for each in given:
        found = facts_of(knowledge.search(each["question"], K, retriever=WITHOUT))
        others = [text for _, text in found if not any(word.lower() in text.lower() for word in each["words"])]
        remember(knowledge, each["question"], others[min(1, len(others) - 1)])
    _row(knowledge, "same words, a wrong answer remembered", [(each["question"], each["words"]) for each in given])
    knowledge.memory.forget_all()


def _row(knowledge: Knowledge, title: str, questions: Sequence[tuple[str, Sequence[str]]]) -> None:
    rows = []
    for text, words in questions:
        without, found = (knowledge.search(text, K, retriever=retriever) for retriever in (WITHOUT, WITH))
        left_out = {edge for edge, _ in facts_of(without)} - {edge for edge, _ in facts_of(found)}
        tokens = [tokens_of(knowledge, each) for each in (without, found)]
        rows.append((*tokens, bool(left_out), said(words, without), said(words, found)))
    before, after, shorter, gold, kept = np.array(rows, dtype=float).T
    print(
        f"| {title} | {before.mean():.0f} | {after.mean():.0f} ({after.sum() / before.sum() - 1:+.0%}) "
        f"| {shorter.sum():.0f} of {len(rows)} | {gold.mean():.2f} | {kept.mean():.2f} |"
    )


def conversations(knowledge: Knowledge) -> None:
    """Prints how much of a prompt was read earlier in its conversation, and what memory and novelty save."""
    print(
        "| | tokens of a conversation | facts of later prompts that were read before | words of the answers in them |"
    )
    print("|---|---|---|---|")
    for retriever in (WITHOUT, WITH, PAPER_WITHOUT, PAPER_WITH):
        rows = conversations_with(knowledge, retriever)
        tokens, before, words = np.mean(rows, axis=0)
        print(f"| `{retriever}` | {tokens:.0f} | {before:.2f} | {words:.2f} |")


def conversations_with(knowledge: Knowledge, retriever: str) -> list[tuple[float, float, float]]:
    """Of each conversation its tokens, and the mean shares of facts read before and of words of the answers."""
    return [_conversation(knowledge, each["turns"], retriever) for each in lines_of(CONVERSATIONS)]


def _conversation(
    knowledge: Knowledge, turns: Sequence[Mapping[str, Any]], retriever: str
) -> tuple[float, float, float]:
    knowledge.memory.forget_all()
    read: set[str] = set()
    tokens, before, words = 0, list[float](), list[float]()
    for turn in turns:
        evidence = knowledge.search(turn["question"], K, retriever=retriever)
        edges = [edge for edge, _ in facts_of(evidence)]
        tokens += tokens_of(knowledge, evidence)
        words.append(said(turn["words"], evidence))
        if read and edges:
            before.append(float(np.mean([edge in read for edge in edges])))
        read.update(edges)
        remember(knowledge, turn["question"], turn["answer"], retriever)
    knowledge.memory.forget_all()
    return tokens, float(np.mean(before)), float(np.mean(words))


def main() -> None:
    experiments: dict[str, Callable[[Knowledge], None]] = {"pairs": pairs, "conversations": conversations}
    of_folders = {"paraphrases": paraphrases, "encodings": encodings}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=(*of_folders, *experiments))
    parser.add_argument("corpus")
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--model", help="a language model whose tokenizer counts")
    given = parser.parse_args()
    with Knowledge(given.corpus) as knowledge:
        if given.model:
            knowledge.use_model(given.model)
        if given.what in experiments:
            experiments[given.what](knowledge)
        elif given.folder is None:
            parser.error("DIR is missing")
        else:
            of_folders[given.what](knowledge, given.folder)


if __name__ == "__main__":
    main()
