"""Questions that go on from the ones before, each answered as a question that can be understood by itself."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Protocol, TypedDict, Unpack

from overstory.answer import Answer, AnswerStyle, OnText
from overstory.conversation.names import names_in, turn_of
from overstory.errors import LlmCancelled, LlmError, ModelError
from overstory.filters import Where
from overstory.llm import Chat, record_usage
from overstory.protocols import Extractor
from overstory.retrieve.question import check_question
from overstory.systems.settings import SettingsClass
from overstory.text.questions.antecedents import Named, Turn
from overstory.text.questions.follow_up import Completed, complete
from overstory.text.questions.kinds import form_of

MOST_TURNS = 6
"""Turns that a question may go on from; older ones are forgotten."""
_CHOSEN_READING_SHARE = 0.65
"""By which the confidence of an answer is multiplied where a pronoun may stand for several names: the share of such
readings that were right (`benchmarks/follow_ups.py`)."""

OnQuestion = Callable[[str], object]


class AskOptions(TypedDict, total=False):
    """Options of `Knowledge.ask`."""

    retriever: str | SettingsClass
    rerank: bool
    decompose: bool
    hypothetical: bool
    on_text: OnText | None
    context_tokens: int
    strict: bool
    remember: bool
    least_confidence: float
    style: AnswerStyle | None
    where: Where | None


class Answering(Protocol):
    """What a conversation needs of `Knowledge`."""

    @property
    def ask(self) -> Callable[..., Answer]:
        """Takes a question, `k` and `AskOptions`."""
        ...

    def chat(self) -> Chat | None: ...

    @property
    def extractor(self) -> Extractor: ...


class Conversation:
    """A corpus that is asked one question after the other. Safe to share between threads, whose questions wait for each
    other."""

    def __init__(self, knowledge: Answering, turns: Iterable[Turn] = ()) -> None:
        """
        Args:
            turns: of an earlier conversation; the last `MOST_TURNS` count.
        """
        self._knowledge = knowledge
        self._turns: deque[Turn] = deque(turns, maxlen=MOST_TURNS)
        self._asking = threading.Lock()

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The last questions, as they were completed, and their short answers; oldest first."""
        return tuple(self._turns)

    def ask(
        self, question: str, k: int = 5, *, on_question: OnQuestion | None = None, **options: Unpack[AskOptions]
    ) -> Answer:
        """The answer to a question, as of `Knowledge.ask`, after it was completed from the questions before.

        A language model completes it where one is set, and else rules, in English: "And when did he die?" is asked as
        "When did Bram Stoker die?". `Answer.question` is what was asked, `Answer.follow_up` what was typed; a question
        that stands alone is not changed. Where the model fails, the rules complete it, and a note says so.

        Args:
            on_question: receives the completed question before it is asked, if it is not what was typed.

        Raises:
            LlmError: `strict`, and the language model failed.
            what `Knowledge.ask` raises.
        """
        check_question(question)
        with self._asking, record_usage() as recorded:
            completed = self._completed(question, strict=options.get("strict", False))
            changed = completed.question != " ".join(question.split())
            if changed and on_question is not None:
                on_question(completed.question)
            asked = completed.question if changed else question
            answer = self._knowledge.ask(asked, k, **options)
            sure = answer.confidence
            answer = replace(
                answer,
                confidence=sure * _CHOSEN_READING_SHARE if completed.is_choice and sure is not None else sure,
                follow_up=question if changed else "",
                notes=(*completed.notes, *answer.notes),
                usage=recorded.spent,
            )
            self._turns.append(self._turn(answer))
            return answer

    def _completed(self, question: str, *, strict: bool) -> Completed:
        turns = tuple(self._turns)
        if not turns:
            return Completed(" ".join(question.split()))
        own = names_in(question, self._extractor())
        by_rules = complete(question, own, turns)
        chat = self._knowledge.chat()
        if chat is None or (by_rules is None and _stands_alone(question, own)):
            return by_rules or Completed(" ".join(question.split()))
        from overstory.conversation.rewriting import rewritten  # pydantic

        try:
            return Completed(rewritten(chat, question, turns))
        except LlmCancelled:
            raise
        except LlmError as error:
            if strict:
                raise
            found = by_rules or Completed(" ".join(question.split()))
            note = f"The question was completed by rules, without the language model: {error}"
            return replace(found, notes=(note, *found.notes))

    def _turn(self, answer: Answer) -> Turn:
        answered = answer.state in ("answered", "uncited")
        return turn_of(
            answer.question,
            answer.short,
            answer.text if answered else "",
            self._extractor(),
            guess=answer.guess,
            hits=answer.evidence.hits,
            chunks=tuple(dict.fromkeys(each.chunk_id for cited in answer.citations for each in cited.passages)),
        )

    def _extractor(self) -> Extractor | None:
        """None where there is none that can be used: names have no types then."""
        try:
            return self._knowledge.extractor
        except ModelError:
            return None


def _stands_alone(question: str, own: tuple[Named, ...]) -> bool:
    """Whether the rules can tell that it does: an English question with a name of its own."""
    return bool(own) and question.isascii() and form_of(question) != "phrase"
