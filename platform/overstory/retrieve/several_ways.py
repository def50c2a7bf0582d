"""Query expansion, in which a language model writes further queries for a question.

The model splits the question into sub-questions, or writes a hypothetical answer. The same retriever searches for the
question and for each of these texts, and the rankings are fused. Hypothetical answers are from the HyDE paper (Gao et
al. 2022, arXiv 2212.10496). HyDE searches for the hypothetical answer only.
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
"""Each query adds weight / (_RANK_CONSTANT + rank) to the score of a passage at this rank."""
_QUESTION_WEIGHT = 1.0
_MODEL_WEIGHT = 0.5
"""Weight of each query that the model wrote. Its first passage counts as much as the fourth passage of the original
question. This value was not tuned."""
_PASSAGES_OF_A_WAY = 20
"""Minimum number of passages to retrieve per query."""

_MOST_MODEL_TOKENS = 300

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class WayToAsk:
    """One of the queries that are searched for a question.

    Attributes:
        kind: kind of the reasons for hits of this query: "question", "part" or "hypothetical".
        shown: how the details of reasons refer to the query.
        clause: explanation of hits that this query found; "" to keep the explanation by the retriever.
    """

    kind: str
    text: str
    weight: float
    shown: str
    clause: str = ""


class SeveralWays:
    """Retriever that searches several queries for a question and fuses their rankings.

    The score of a hit is the sum of its weighted reciprocal ranks. Each query that found the hit adds one reason. The
    other parts of the evidence come from the original question alone.
    """

    def __init__(
        self, retriever: Retriever, chat: Callable[[], Chat | None], *, decompose: bool, hypothetical: bool
    ) -> None:
        """
        Args:
            decompose: let the model write sub-questions, and search for them as well.
            hypothetical: let the model write a hypothetical answer, and search for it as well.
        """
        self.name = retriever.name + ("+decompose" if decompose else "") + ("+hypothetical" if hypothetical else "")
        self._retriever = retriever
        self._chat = chat
        self._decompose = decompose
        self._hypothetical = hypothetical

    def retrieve(self, question: str, k: int) -> Evidence:
        """Return the `k` best passages of all queries. If the answer of the model is unusable, add a note."""
        ways, notes = self._ways(question)
        forget_asked_corpora()  # the corpus may have changed while the model was working
        if not ways:
            evidence = self._retriever.retrieve(question, k)
            return replace(evidence, retriever=self.name, notes=(*evidence.notes, *notes))
        asked = [WayToAsk("question", question, _QUESTION_WEIGHT, "the question"), *ways]
        found = [self._retriever.retrieve(way.text, max(k, _PASSAGES_OF_A_WAY)) for way in asked]
        hits = _fused([(way, evidence.hits) for way, evidence in zip(asked, found, strict=True)], k)
        of_question = replace(found[0], retriever=self.name)
        return replace(with_hits(of_question, hits), notes=(*of_question.notes, *notes))

    def _ways(self, question: str) -> tuple[list[WayToAsk], list[str]]:
        check_question(question)  # raises an error before the model is asked
        chat = needed_chat(self._chat)
        ways, notes = list[WayToAsk](), list[str]()
        if self._decompose:
            try:
                parts = _other_than(question, _simpler_questions(chat, question))
                ways += [_part(text) for text in parts]
                listed = "; ".join(_shown(text) for text in parts)
                notes.append(f"also searched for: {listed}" if parts else "the model did not split the question")
            except NoUsableAnswer as error:
                notes.append(f"the question was not split: {error}")
        if self._hypothetical:
            try:
                passages = _other_than(question, [_hypothetical_passage(chat, question)])
                ways += map(_passage, passages)
                notes += [f"also searched for a hypothetical answer: {_shown(text)}" for text in passages]
                notes += [] if passages else ["searched without a hypothetical answer: the model repeated the question"]
            except NoUsableAnswer as error:
                notes.append(f"searched without a hypothetical answer: {error}")
        return ways, notes


def needed_chat(chat: Callable[[], Chat | None]) -> Chat:
    """Return the language model, or raise `LlmNotSet`."""
    opened = chat()
    if opened is None:
        raise LlmNotSet(
            "No language model is set, but splitting a question and hypothetical answers need one.",
            remedy="Set one (docs/llm.md), or name it with --model NAME, in Python Knowledge.use_model. Or search"
            " without these options.",
        )
    return opened


# The pydantic models of the answers are local classes, because importing this module must not import pydantic. The
# language model receives their docstrings as part of the JSON schema.


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
    """Return the distinct usable texts, each on one line.

    A text is left out if its words are those of the question or of an earlier text.
    """
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
    clause = f"was found with the sub-question {_shown(text)}"
    return WayToAsk("part", text, _MODEL_WEIGHT, f"the sub-question {_shown(text)}", clause)


def _passage(text: str) -> WayToAsk:
    clause = "was found with a hypothetical answer by the model"
    return WayToAsk("hypothetical", text, _MODEL_WEIGHT, "the hypothetical answer", clause)


def _shown(text: str) -> str:
    return f'"{shortened(text, 200)}"'
