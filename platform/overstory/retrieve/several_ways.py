"""A question asked in several ways, which a language model finds: in parts, and as a passage that would answer it.

Each way is asked of the same retriever, and their ranks are fused with those of the question itself. Source of the
passage: HyDE, Gao et al. 2022 (arXiv 2212.10496), which searches with it instead of the question; here it is added.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from overstory.display import on_one_line, shortened
from overstory.errors import LlmNotSet, NoUsableAnswer, QuestionError
from overstory.llm import Chat, prompt
from overstory.model import Evidence, Hit, Reason
from overstory.protocols import Retriever
from overstory.retrieve.context import forget_asked_corpora
from overstory.retrieve.hits import best_of, clause_of, with_hits
from overstory.retrieve.question import check_question

_RANK_CONSTANT = 2
"""How slowly the weight of a rank falls: it is weight / (_RANK_CONSTANT + rank)."""
_QUESTION_WEIGHT = 1.0  # of the question as it was asked
_MODEL_WEIGHT = 0.5
"""Of each way that the model found: its first passage counts as much as the question's fourth. Not tuned."""
_PASSAGES_OF_A_WAY = 20
"""Passages that each way is asked for, or as many as are asked for if these are more."""

_MOST_MODEL_TOKENS = 300  # per answer of the model

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class WayToAsk:
    """One way to ask.

    Attributes:
        kind: of the reasons.
        shown: what it is, for details.
        clause: why a passage that it found was found, in words; "" if the hit's own words say it.
    """

    kind: str
    text: str
    weight: float
    shown: str
    clause: str = ""


class SeveralWays:
    """A retriever asked in several ways. Scores are sums of reciprocal ranks; each reason is what one way brought.

    Parts of the evidence other than hits are those that the question itself found.
    """

    def __init__(
        self, retriever: Retriever, chat: Callable[[], Chat | None], *, decompose: bool, hypothetical: bool
    ) -> None:
        """
        Args:
            decompose: ask for simpler questions, too.
            hypothetical: search for a passage that the model writes, too.
        """
        self.name = retriever.name + ("+decompose" if decompose else "") + ("+hypothetical" if hypothetical else "")
        self._retriever = retriever
        self._chat = chat
        self._decompose = decompose
        self._hypothetical = hypothetical

    def retrieve(self, question: str, k: int) -> Evidence:
        """The `k` best passages of all ways together. If the model's answer cannot be used, the question is asked as
        it is, and a note says so.
        """
        ways, notes = self._ways(question)
        forget_asked_corpora()  # the model took its time
        if not ways:
            evidence = self._retriever.retrieve(question, k)
            return replace(evidence, retriever=self.name, notes=(*evidence.notes, *notes))
        asked = [WayToAsk("question", question, _QUESTION_WEIGHT, "the question"), *ways]
        found = [self._retriever.retrieve(way.text, max(k, _PASSAGES_OF_A_WAY)) for way in asked]
        hits = _fused([(way, evidence.hits) for way, evidence in zip(asked, found, strict=True)], k)
        of_question = replace(found[0], retriever=self.name)
        return replace(with_hits(of_question, hits), notes=(*of_question.notes, *notes))

    def _ways(self, question: str) -> tuple[list[WayToAsk], list[str]]:
        """The ways that the model found, and notes on what they are."""
        check_question(question)  # before the model is asked
        chat = needed_chat(self._chat)
        ways, notes = list[WayToAsk](), list[str]()
        if self._decompose:
            try:
                parts = _other_than(question, _simpler_questions(chat, question))
                ways += [_part(text) for text in parts]
                listed = "; ".join(_shown(text) for text in parts)
                notes.append(f"also asked, as parts: {listed}" if parts else "the model left the question whole")
            except NoUsableAnswer as error:
                notes.append(f"the question was not taken apart: {error}")
        if self._hypothetical:
            try:
                passages = _other_than(question, [_hypothetical_passage(chat, question)])
                ways += map(_passage, passages)
                notes += [f"also searched for, made up by the model: {_shown(text)}" for text in passages]
                notes += (
                    [] if passages else ["searched without a hypothetical passage: the model repeated the question"]
                )
            except NoUsableAnswer as error:
                notes.append(f"searched without a hypothetical passage: {error}")
        return ways, notes


def needed_chat(chat: Callable[[], Chat | None]) -> Chat:
    """The language model."""
    opened = chat()
    if opened is None:
        raise LlmNotSet(
            "No language model is set, which decomposing and hypothetical passages need.",
            remedy="Set one (docs/llm.md), or name it with --model NAME, in Python Knowledge.use_model. Or search"
            " without them.",
        )
    return opened


# The answer models are local classes because importing this module must not need pydantic. Their docstrings are sent
# as part of the JSON schema.


def _simpler_questions(chat: Chat, question: str) -> list[str]:
    from pydantic import BaseModel, Field

    class SimplerQuestions(BaseModel):
        """What a question is made of."""

        questions: list[str] = Field(min_length=1, max_length=4)

    booked, limit = chat.booked("decompose", question), min(_MOST_MODEL_TOKENS, chat.model.max_tokens)
    messages = prompt("decompose").messages(question=question)
    return booked.ask_for(SimplerQuestions, messages, max_tokens=limit, once=True).value.questions


def _hypothetical_passage(chat: Chat, question: str) -> str:
    from pydantic import BaseModel, Field

    class AnsweringPassage(BaseModel):
        """What might answer a question."""

        passage: str = Field(min_length=1, max_length=800)

    booked, limit = chat.booked("hypothetical", question), min(_MOST_MODEL_TOKENS, chat.model.max_tokens)
    messages = prompt("hypothetical").messages(question=question)
    return booked.ask_for(AnsweringPassage, messages, max_tokens=limit, once=True).value.passage


def _fused(found: Iterable[tuple[WayToAsk, Sequence[Hit]]], k: int) -> list[Hit]:
    """The `k` hits with the highest sums of reciprocal ranks; ties in the order of their ids."""
    known: dict[str, Hit] = {}
    reasons: dict[str, list[Reason]] = {}
    for way, hits in found:
        for rank, hit in enumerate(hits, start=1):
            known.setdefault(hit.chunk_id, hit)
            detail = f"rank {rank} for {way.shown}, score {hit.score:.4f} ({hit.figures})"
            brought = Reason(way.kind, way.weight / (_RANK_CONSTANT + rank), detail, way.clause or clause_of(hit))
            reasons.setdefault(hit.chunk_id, []).append(brought)
    scores = {id_: sum(reason.score for reason in each) for id_, each in reasons.items()}
    return [replace(known[id_], score=scores[id_], reasons=tuple(reasons[id_])) for id_ in best_of(scores, k)]


def _other_than(question: str, texts: Iterable[str]) -> list[str]:
    """The texts that can be asked, on one line each, without repetitions and without the question itself. Case, white
    space and punctuation make no difference."""
    asked: dict[tuple[str, ...], str] = {}
    for text in map(on_one_line, texts):
        with suppress(QuestionError):
            check_question(text)
            asked.setdefault(_words(text), text)
    asked.pop(_words(question), None)
    return list(asked.values())


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold()))


def _part(text: str) -> WayToAsk:
    clause = f"was found for a part of the question: {_shown(text)}"
    return WayToAsk("part", text, _MODEL_WEIGHT, f"the part {_shown(text)}", clause)


def _passage(text: str) -> WayToAsk:
    clause = "was found for a passage that the model made up as an answer"
    return WayToAsk("hypothetical", text, _MODEL_WEIGHT, "the made-up passage", clause)


def _shown(text: str) -> str:
    return f'"{shortened(text, 200)}"'
