"""The text read from the evidence for an answer, within equal numbers of tokens."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from overstory.answer import Answer, without_citations
from overstory.answer.answers import Extracting, answer
from overstory.answer.context import Context, read_within
from overstory.bench.metrics import answer_scores, stands_in, words
from overstory.model import Evidence

Count = Callable[[str], int]
"""Returns the number of tokens in a text."""

UNDECIDED = frozenset({"yes", "no"})
"""Answers that occur in many texts that do not answer the question."""

MOST_ABOVE = 8
"""Upper bound on how many times a tokenizer's tokens `read_within` counts, which includes the tags of a prompt."""


@dataclass(frozen=True, slots=True)
class Read:
    """The text read for one question.

    Attributes:
        tokens: Number of tokens, including titles.
        gold: Share of the gold documents that the text can cite.
        answered: 1.0 if the text contains a gold answer; None for a question without gold answer or with yes or no as
            answer.
    """

    tokens: int
    gold: float
    answered: float | None


def text_of(context: Context) -> str:
    """Return the text that is read, without the prompt around it."""
    return "\n\n".join(item.text for item in context.items)


def read_of(context: Context, gold: Collection[str], answers: Collection[str], count: Count) -> Read:
    """Return what was read for a question.

    Args:
        gold: Keys of documents, at least one.
        answers: Gold answers.
    """
    text = text_of(context)
    reached = {passage.source_key for item in context.items for passage in item.passages}
    wanted = [wanted for each in answers if (wanted := words(each)) and " ".join(wanted) not in UNDECIDED]
    whole = words(text)
    return Read(
        tokens=count(text) if text else 0,
        gold=len(reached.intersection(gold)) / len(gold),
        answered=max(stands_in(each, whole) for each in wanted) if wanted else None,
    )


def bound_for(tokens: int, evidence: Evidence, count: Count) -> int:
    """Return the largest bound for `read_within`, at least 1, whose text has at most `tokens` tokens."""
    bounds = range(1, MOST_ABOVE * tokens + 1)
    return max(1, bisect_right(bounds, tokens, key=lambda bound: count(text_of(read_within(bound, evidence)))))


def read_at(tokens: int, evidence: Evidence, count: Count) -> Context:
    """Return as much of the evidence as fits into `tokens` tokens, including parts other than passages."""
    return read_within(bound_for(tokens, evidence, count), evidence)


def extractive(tokens: int, evidence: Evidence, extracting: Extracting, count: Count) -> Answer:
    """Return the answer without a language model, from the passages that fit into `tokens` tokens."""
    passages = replace(evidence, shares={})  # an extractive answer quotes only passages
    return answer(passages, chat=None, extracting=extracting, tokens=bound_for(tokens, passages, count))


def answer_f1(found: Answer, gold: Sequence[str]) -> float:
    """Return the token F1 of the short answer with the best gold answer; 0 without an answer."""
    return answer_scores(found.short, without_citations(found.text), gold, answered=found.answered).f1
