"""The facts that an answer cites: of the passages that its numbers lead to, those that it says. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from overstory.answer import Answer, without_citations
from overstory.display import on_one_line
from overstory.protocols import Vectors
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.questions.asked_words import AskedWords

_LEAST_CITED_WORD_SHARE = 0.5
"""Of the words of a head or a tail, those that must be in the answer or the question."""
MOST_CITED_FACTS = 20
"""Of one answer."""

_REFUSAL = re.compile(
    r"\b(?:do(?:es)?|did)(?: not|n['’]t) (?:\w+ )?"
    r"(?:mention|say|state|contain|provide|specify|answer|include|tell|give|indicate|know)\b"
    r"|\b(?:can ?not|can['’]t|could not|couldn['’]t|unable to|not able to) (?:\w+ )?"
    r"(?:answer|determine|find|tell|say|help|assist|provide|confirm|identify)\b"
    r"|\bnot (?:in the (?:evidence|passages|documents)|mentioned|stated|specified|provided|enough information)\b"
    r"|\bno (?:information|mention|evidence|answer)\b|\binsufficient\b|\bas an ai\b"
    r"|^\W*(?:i['’]?m sorry|i am sorry|sorry|i apologi[sz]e|unknown|n/a)\b",
    re.IGNORECASE,
)


class CitedFact(NamedTuple):
    """A fact and the chunk that states it; the words are those in which it was first read."""

    edge: str
    chunk: str
    head: str
    relation: str
    tail: str


def written(facts: Iterable[CitedFact]) -> str:
    """For the property of a remembered answer."""
    return json.dumps([list(fact) for fact in facts], ensure_ascii=False)


def read(citations: str) -> tuple[CitedFact, ...]:
    """What `written` gave."""
    return tuple(CitedFact(*fact) for fact in json.loads(citations))


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact of a passage that an answer cites.

    Attributes:
        sentence: that states it, on one line; "" where that is not known.
        ends: ids of its head and its tail.
        vector: float32[d], of its edge.
    """

    fact: CitedFact
    sentence: str
    ends: tuple[str, str]
    vector: Vectors


def why_not(answer: Answer) -> str:
    """Why an answer cannot be remembered, whatever the passages state; "" if it can."""
    if not answer.answered:
        return "there is no answer"
    if not answer.citations:
        return "it cites no passage"
    if answer.kind == "llm" and _REFUSAL.search(answer.text):
        return "it says that something is not known"
    return ""


def short_of(answer: Answer) -> str:
    """The answer alone. Of an extractive one its sentences, never the guess at a name in them."""
    return answer.short if answer.kind == "llm" else " ".join(without_citations(answer.text).split())


def cited_facts(answer: Answer, stated: Sequence[StatedFact]) -> list[StatedFact]:
    """The facts that an answer cites, in the order of `stated`, each once a chunk; at most `MOST_CITED_FACTS`.

    An extractive answer cites the facts of the sentences that it quotes. A language model's cites those that it says:
    of head and tail, `_LEAST_CITED_WORD_SHARE` of the words are in the answer or the question, and the answer says
    something of the fact that the question did not; or it names one of both; or it just agrees.

    Args:
        stated: the facts of the passages that it cites.
    """
    found: dict[tuple[str, str], StatedFact] = {}
    quoted = _quoted(answer)
    said = _AnswerWords(answer.question, without_citations(answer.text))
    for each in stated:
        if each.sentence and answer.kind == "extractive":
            cited = any(each.sentence in line or line in each.sentence for line in quoted.get(each.fact.chunk, ()))
        else:
            cited = said.states(each.fact)
        if cited:
            found.setdefault((each.fact.edge, each.fact.chunk), each)
    return list(found.values())[:MOST_CITED_FACTS]


def _quoted(answer: Answer) -> dict[str, list[str]]:
    """The sentences that an answer quotes, by chunk."""
    found: dict[str, list[str]] = {}
    for citation in answer.citations:
        lines = [line for line in map(on_one_line, citation.text.splitlines()) if line]
        for passage in citation.passages:
            found.setdefault(passage.chunk_id, []).extend(lines)
    return found


class _AnswerWords:
    """What an answer says, together with its question."""

    def __init__(self, question: str, answer: str) -> None:
        self._question = question
        self._answer = answer
        words = AskedWords.of(answer)
        told = [word for word in words.forms.values() if word.lower() not in FUNCTION_WORDS]
        self._agrees = not told
        self._new = not set(told) <= set(words.found_in(question))

    def states(self, fact: CitedFact) -> bool:
        """Whether it says a fact; see `cited_facts`."""
        ends = [AskedWords.of(text) for text in (fact.head, fact.tail) if AskedWords.of(text).forms]
        if not ends or any(
            len(words.found_in(self._answer, self._question)) < _LEAST_CITED_WORD_SHARE * len(words.forms)
            for words in ends
        ):
            return False
        if self._agrees:  # "yes"
            return True
        if not self._new:  # one of the things that the question names
            return any(
                len(words.found_in(self._answer)) >= _LEAST_CITED_WORD_SHARE * len(words.forms) for words in ends
            )
        return any(set(words.found_in(self._answer)) - set(words.found_in(self._question)) for words in ends)
