"""AutoPrunedRetriever's policy, trained and compared with the best constant action.

    python -m benchmarks.apr_policy DIR… [--questions N] [--write FILE]

The folders are BEIR folders whose corpora are indexed for `apr`, as `overstory bench` leaves them. Of each the first N
questions are taken. Every second one is asked and its answer remembered, so that the memory has something to recall;
then each question gets the prompts of all 27 actions. No language model is asked: accuracy is the F1 of the documents
that a prompt stands on against the gold ones, and faithfulness is left out, since every fact is quoted. The memory of
the corpora is emptied before and after.

Half of the questions, by digests of their ids, train the policy and choose the best constant action; the others are
held out. Prints Markdown: for each price of 1,000 tokens the mean utility of the policy, of that constant, of the
defaults and of the best action of each question, and by how much the policy is better than the constant, with a 95 %
bootstrap interval of the paired differences. `--write` stores the policy of the default prices, trained on all
questions, as `overstory_systems/apr/policy.json` has it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np

from overstory.bench.bootstrap import difference_interval
from overstory.bench.dataset import BenchQuestion, load_dataset
from overstory.bench.packing import Layout, corpus_name, source_name
from overstory.embed import make_embedder
from overstory.knowledge import Knowledge
from overstory.protocols import Embedder, Vectors
from overstory.settings import Settings
from overstory_systems.apr import prompt
from overstory_systems.apr import retriever as retriever_module
from overstory_systems.apr.codebook import RecalledAnswer, RelatedQuestion, ScoredRun, Triple
from overstory_systems.apr.encodings import KnowledgePart, TokenCounter
from overstory_systems.apr.policy import (
    ACTIONS,
    Floats,
    Outcomes,
    Policy,
    UtilityWeights,
    best_constant,
    default_actions,
    features_of,
    picked,
    train,
)
from overstory_systems.apr.settings import AprRetrieverSettings

K = 5
WITH_MEMORY = AprRetrieverSettings(recall="always", answers="all", questions="all")
TOKEN_PRICES = (0.0, 0.1, 0.3, 1.0, 3.0)


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a prompt is built from: see `prompt.build`."""

    question: Sequence[Triple]
    runs: Sequence[ScoredRun]
    recalled: Sequence[RecalledAnswer]
    related: Sequence[RelatedQuestion]
    counter: TokenCounter
    asked: str
    vector: Vectors | None


@dataclass(frozen=True, slots=True)
class Tried:
    """A question with what each of the 27 actions gave.

    Attributes:
        features: float64[features].
        accuracy, recall, tokens, seconds: float64[27]; recall is of the gold documents.
        remembered: whether it had been asked before.
    """

    folder: str
    question: BenchQuestion
    remembered: bool
    features: Floats
    accuracy: Floats
    recall: Floats
    tokens: Floats
    seconds: Floats

    @property
    def trains(self) -> bool:
        return hashlib.sha256(self.question.id.encode()).digest()[0] % 2 == 0


class Recorder:
    """Builds prompts, and keeps what the last one was built from."""

    def __init__(self) -> None:
        self.last: Inputs | None = None

    def __call__(
        self,
        question: Sequence[Triple],
        runs: Sequence[ScoredRun],
        recalled: Sequence[RecalledAnswer],
        related: Sequence[RelatedQuestion],
        settings: AprRetrieverSettings,
        counter: TokenCounter,
        asked: str,
        vector: Vectors | None = None,
    ) -> prompt.PrunedPrompt:
        self.last = Inputs(question, runs, recalled, related, counter, asked, vector)
        return prompt.build(question, runs, recalled, related, settings, counter, asked, vector)


def tried(folder: Path, most: int, settings: Settings, embedder: Embedder) -> Iterator[Tried]:
    """All actions on the first questions of a folder."""
    dataset = load_dataset(folder)
    source = source_name(dataset)
    questions = list(islice(dataset.questions, most))
    recorder = Recorder()
    with Knowledge(corpus_name(dataset, Layout(), embedder=embedder.fingerprint), settings=settings) as knowledge:
        knowledge.use(embedder=embedder)
        knowledge.memory.forget_all()
        try:
            for question in questions[::2]:
                knowledge.ask(question.text, K, retriever=WITH_MEMORY, remember=True)
            print(f"{folder.name}: {knowledge.memory.sizes()}", file=sys.stderr, flush=True)
            setattr(retriever_module, "build", recorder)  # noqa: B010 # it says whence it has it, to mypy
            for number, question in enumerate(questions):
                knowledge.search(question.text, K, retriever=WITH_MEMORY)
                assert recorder.last is not None
                gold = {
                    knowledge.document_id(source, key) for key, score in dataset.qrels[question.id].items() if score
                }
                yield outcome(recorder.last, question, gold, folder.name, remembered=number % 2 == 0)
        finally:
            setattr(retriever_module, "build", prompt.build)  # noqa: B010
            knowledge.memory.forget_all()


def outcome(found: Inputs, question: BenchQuestion, gold: set[str], folder: str, *, remembered: bool) -> Tried:
    """The prompts of one question."""
    rows: list[tuple[float, float, float, float]] = []
    for actions in ACTIONS:
        settings = replace(WITH_MEMORY, **actions._asdict())
        began = time.perf_counter()
        made = prompt.build(
            found.question,
            found.runs,
            found.recalled,
            found.related,
            settings,
            found.counter,
            found.asked,
            found.vector,
        )
        seconds = time.perf_counter() - began
        documents = {id_ for part in made.parts for id_ in part.documents}
        tokens = sum(part.prompt_tokens for part in made.parts if isinstance(part, KnowledgePart))
        rows.append((f1(documents, gold), len(documents & gold) / len(gold), float(tokens), seconds))
    accuracy, recall, tokens_of, seconds_of = np.array(rows).T
    features = features_of(found.question, found.runs, prompt.near(found.recalled), found.related)
    return Tried(folder, question, remembered, features.row, accuracy, recall, tokens_of, seconds_of)


def f1(found: set[str], gold: set[str]) -> float:
    return 2.0 * len(found & gold) / (len(found) + len(gold))


def outcomes_of(each: Sequence[Tried]) -> Outcomes:
    accuracy, tokens, seconds = (
        np.array([getattr(one, name) for one in each]) for name in ("accuracy", "tokens", "seconds")
    )
    return Outcomes(accuracy, np.zeros_like(accuracy), tokens, seconds)


def features(each: Sequence[Tried]) -> Floats:
    return np.array([one.features for one in each])


def trained(learnt: Sequence[Tried], price: float) -> tuple[Policy, int]:
    """The policy for a price of 1,000 tokens, and the best constant action."""
    utility = outcomes_of(learnt).utility(UtilityWeights(tokens=price))
    return train(features(learnt), utility), best_constant(utility)


def gains(learnt: Sequence[Tried], held_out: Sequence[Tried], price: float) -> Floats:
    """By how much the trained policy is above the best constant action, for each question that is held out."""
    policy, constant = trained(learnt, price)
    utility = outcomes_of(held_out).utility(UtilityWeights(tokens=price))
    return picked(utility, policy, features(held_out)) - utility[:, constant]


def compare(title: str, learnt: Sequence[Tried], held_out: Sequence[Tried]) -> Iterator[str]:
    """The lines of a table on held-out questions, a row for each price of tokens."""
    yield f"\n### {title}: {len(learnt)} questions to learn from, {len(held_out)} held out\n"
    columns = "tokens cost|best constant|its utility|policy|defaults|best of each|policy − constant [95 %]"
    more = "tokens: constant|policy|F1: constant|policy"
    yield f"| {' | '.join((columns + '|' + more).split('|'))} |"
    yield "|" + "---|" * len((columns + "|" + more).split("|"))
    others, test = features(held_out), outcomes_of(held_out)
    for price in TOKEN_PRICES:
        policy, constant = trained(learnt, price)
        utility = test.utility(UtilityWeights(tokens=price))
        by_policy, by_constant = picked(utility, policy, others), utility[:, constant]
        better = difference_interval(by_policy, by_constant)
        yield (
            f"| {price:g} | {'/'.join(ACTIONS[constant])} | {by_constant.mean():.4f} | {by_policy.mean():.4f} "
            f"| {utility[:, ACTIONS.index(default_actions())].mean():.4f} | {utility.max(axis=1).mean():.4f} "
            f"| {better.mean:+.4f} [{better.low:+.4f}, {better.high:+.4f}] "
            f"| {test.tokens[:, constant].mean():.0f} | {picked(test.tokens, policy, others).mean():.0f} "
            f"| {test.accuracy[:, constant].mean():.3f} | {picked(test.accuracy, policy, others).mean():.3f} |"
        )


def actions_table(title: str, each: Sequence[Tried]) -> Iterator[str]:
    """Mean F1, recall and tokens of every action; those that give the same are one row."""
    yield f"\n### {title}, {len(each)} questions\n"
    yield "| answers | facts | questions | F1 | evidence recall | tokens | ms |\n|---|---|---|---|---|---|---|"
    names = ("accuracy", "recall", "tokens", "seconds")
    means = np.array([[getattr(one, name) for name in names] for one in each]).mean(axis=0)
    alike: dict[str, list[int]] = {}
    for place, (accuracy, recall, tokens, _) in enumerate(means.T):
        alike.setdefault(f"{accuracy:.3f} | {recall:.3f} | {tokens:.0f}", []).append(place)
    for figures, places in alike.items():
        taken = (" or ".join(dict.fromkeys(of)) for of in zip(*(ACTIONS[place] for place in places), strict=True))
        yield f"| {' | '.join(taken)} | {figures} | {1_000 * means[3, places].mean():.1f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--questions", type=int, default=100, metavar="N", help="of each folder (100)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="the policy trained on all questions")
    given = parser.parse_args()
    settings = Settings.from_environment()
    embedder = make_embedder(settings.embedding)
    every: list[Tried] = []
    for folder in given.folders:
        every += tried(folder, given.questions, settings, embedder)
        print(f"{folder.name}: {len(every)} questions so far", file=sys.stderr, flush=True)
    learnt = [one for one in every if one.trains]
    held_out = [one for one in every if not one.trains]
    for title, remembered in (("Asked before", True), ("New", False)):
        print(*actions_table(title, [one for one in every if one.remembered == remembered]), sep="\n")
    print(*compare("All sets", learnt, held_out), sep="\n")
    for folder, count in Counter(one.folder for one in held_out).items():
        if count >= 20:
            print(*compare(folder, learnt, [one for one in held_out if one.folder == folder]), sep="\n")
    if given.write is not None:
        policy = train(features(every), outcomes_of(every).utility(UtilityWeights()))
        given.write.write_text(json.dumps(policy.as_json(), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
