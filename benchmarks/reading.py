"""What is read of the evidence for an answer, within equal numbers of a tokenizer's tokens."""

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
"""The tokens of a text."""

UNDECIDED = frozenset({"yes", "no"})
"""Answers that many a text says without answering anything."""

MOST_ABOVE = 8
"""`read_within` counts from above, and the tags of a prompt: at most about so many times a tokenizer's tokens."""


@dataclass(frozen=True, slots=True)
class Read:
    """What was read for one question.

    Attributes:
        tokens: of its text, titles included.
        gold: share of the gold documents that something read can be cited for.
        said: 1.0 if the text contains a gold answer; None for a question without one, or answered by yes or no.
    """

    tokens: int
    gold: float
    said: float | None


def text_of(context: Context) -> str:
    """The text that is read, without what a prompt puts around it."""
    return "\n\n".join(item.text for item in context.items)


def read_of(context: Context, gold: Collection[str], answers: Collection[str], count: Count) -> Read:
    """
    Args:
        gold: keys of documents, at least one.
        answers: the gold answers.
    """
    text = text_of(context)
    reached = {passage.source_key for item in context.items for passage in item.passages}
    wanted = [wanted for each in answers if (wanted := words(each)) and " ".join(wanted) not in UNDECIDED]
    whole = words(text)
    return Read(
        tokens=count(text) if text else 0,
        gold=len(reached.intersection(gold)) / len(gold),
        said=max(stands_in(each, whole) for each in wanted) if wanted else None,
    )


def bound_for(tokens: int, evidence: Evidence, count: Count) -> int:
    """The largest bound for `read_within` whose text has at most so many tokens; at least 1, with which little is read.

    O(log tokens) readings.
    """
    bounds = range(1, MOST_ABOVE * tokens + 1)
    return max(1, bisect_right(bounds, tokens, key=lambda bound: count(text_of(read_within(bound, evidence)))))


def read_at(tokens: int, evidence: Evidence, count: Count) -> Context:
    """As much of the evidence as fits into so many tokens, parts other than passages included."""
    return read_within(bound_for(tokens, evidence, count), evidence)


def extractive(tokens: int, evidence: Evidence, extracting: Extracting, count: Count) -> Answer:
    """The answer without a language model, from the passages that fit into so many tokens."""
    passages = replace(evidence, shares={})  # an extractive answer quotes passages alone
    return answer(passages, chat=None, extracting=extracting, tokens=bound_for(tokens, passages, count))


def answer_f1(found: Answer, gold: Sequence[str]) -> float:
    """Token F1 of the short answer with the best gold answer; 0 without an answer."""
    return answer_scores(found.short, without_citations(found.text), gold, answered=found.answered).f1
