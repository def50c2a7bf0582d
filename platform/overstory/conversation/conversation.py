"""Conversations: each follow-up question is rewritten as a self-contained question and then answered."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import logging
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypedDict, Unpack

from overstory.answer import Answer, AnswerStyle, OnText, without_citations
from overstory.answer.support import content_words
from overstory.answer.unsupported_names import unsupported_names
from overstory.conversation.names import names_in, turn_of
from overstory.display import on_one_line
from overstory.errors import AnswerUnusable, LlmCancelled, LlmError, ModelError, QuestionError
from overstory.filters import Where
from overstory.llm import Chat, prompt, record_usage
from overstory.llm.digests import digest_of
from overstory.model import Hit
from overstory.protocols import Extractor
from overstory.retrieve.question import check_question
from overstory.settings import Settings
from overstory.systems.settings import SettingsClass
from overstory.text.questions.antecedents import Named, Turn
from overstory.text.questions.follow_up import Completed, complete, refers_back
from overstory.text.questions.kinds import form_of
from overstory.whole_files import write_whole

MOST_TURNS = 6
"""Maximum number of previous turns that a follow-up question can refer to."""
_CHOSEN_READING_SHARE = 0.65
"""If a pronoun was ambiguous, the confidence of the answer is multiplied by this factor. It is the fraction of
ambiguous pronouns that were resolved correctly in `benchmarks/follow_ups.py`."""

_MOST_REWRITING_TOKENS = 300

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
    """The methods of `Knowledge` that a conversation calls."""

    @property
    def ask(self) -> Callable[..., Answer]:
        """A function that answers a question. Its arguments are the question, `k` and `AskOptions`."""
        ...

    def chat(self) -> Chat | None: ...

    @property
    def extractor(self) -> Extractor: ...


class Conversation:
    """A series of questions about a corpus.

    Conversations are safe to share between threads. Questions are answered one at a time.
    """

    def __init__(self, knowledge: Answering, turns: Iterable[Turn] = ()) -> None:
        """
        Args:
            turns: turns of an earlier conversation to continue. Only the last `MOST_TURNS` are used.
        """
        self._knowledge = knowledge
        self._turns: deque[Turn] = deque(turns, maxlen=MOST_TURNS)
        self._asking = threading.Lock()

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The last turns, oldest first. Each turn contains the completed question and its short answer."""
        return tuple(self._turns)

    def ask(
        self, question: str, k: int = 5, *, on_question: OnQuestion | None = None, **options: Unpack[AskOptions]
    ) -> Answer:
        """Complete a follow-up question from the previous turns, then answer it with `Knowledge.ask`.

        For example, "And when did he die?" becomes "When did Bram Stoker die?". `Answer.question` is the completed
        question, and `Answer.follow_up` is the question as typed. A self-contained question is not changed.

        If a language model is set, it completes the question. Otherwise, rules for English do. If the model fails, the
        rules are used and a note is added to the answer.

        Args:
            on_question: called with the completed question before it is answered, if it differs from the typed one.

        Raises:
            LlmError: The language model failed and `strict` is set.
            Exception: `Knowledge.ask` may raise any of its errors.
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
                confidence=sure * _CHOSEN_READING_SHARE if completed.is_ambiguous and sure is not None else sure,
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
        try:
            return Completed(_rewritten(chat, question, turns))
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
        # If there is no extractor, names are found by their capitals and have no types.
        try:
            return self._knowledge.extractor
        except ModelError:
            return None


def _stands_alone(question: str, own: tuple[Named, ...]) -> bool:
    """Return True if a question is certainly self-contained: an ASCII sentence that contains a name."""
    return bool(own) and question.isascii() and form_of(question) != "phrase"


def _rewritten(chat: Chat, question: str, turns: Sequence[Turn]) -> str:
    """Return the self-contained question that the language model writes for a follow-up question.

    Raises:
        AnswerUnusable: The model's question is empty, introduces new names, or asks something else.
    """
    from pydantic import BaseModel, Field  # imported here, because importing this module must not require pydantic

    class StandaloneQuestion(BaseModel):  # this docstring is sent to the model as part of the JSON schema
        """A question that can be understood by itself."""

        question: str = Field(min_length=1, max_length=1_000)

    booked, limit = chat.booked("follow-up", question), min(_MOST_REWRITING_TOKENS, chat.model.max_tokens)
    spoken = [f"Question: {turn.question}\nAnswer: {turn.answer or '(none)'}" for turn in turns]
    messages = prompt("follow_up").messages(turn=spoken, question=question)
    quoting = booked.quoting(chunk for turn in turns for chunk in turn.chunks)
    found = on_one_line(quoting.ask_for(StandaloneQuestion, messages, max_tokens=limit, once=True).value.question)
    try:
        check_question(found)
    except QuestionError as error:
        raise AnswerUnusable(f"The model's question is empty: {error}", remedy="Ask again.") from error
    invented = unsupported_names(found, [question, *spoken])
    if invented:
        raise AnswerUnusable(
            f"The model's question contains names that were not mentioned before: {', '.join(invented)}.",
            remedy="Use another model.",
        )
    asked, words = content_words(question), content_words(found)
    repeated = any(words == content_words(turn.question) for turn in turns) and words != asked
    if (repeated and asked) or (asked and not asked & words):
        raise AnswerUnusable(f"The model changed the question to another one: {found}", remedy="Use another model.")
    return found


# The last turns are stored on disk, so that the next call of the command line can continue the conversation.
#
# There is one file per corpus, in the user's private data folder. The file contains questions and short answers. It is
# deleted when the corpus is deleted, and when a cited passage is deleted or changed.

_KEPT_VERSION = 1
_MOST_KEPT_BYTES = 1_000_000

_log = logging.getLogger(__name__)


class KeptConversation:
    """The last turns of a conversation about a corpus, stored in a file."""

    def __init__(self, settings: Settings, corpus_label: str) -> None:
        place = digest_of(settings.database.uri or "", settings.database.database, corpus_label)[:32]
        self.path: Path = settings.places.data / "conversations" / f"{place}.json"

    def read(self) -> list[Turn]:
        """Return the stored turns, oldest first. The list is empty if the file is missing or cannot be read."""
        try:
            if self.path.stat().st_size > _MOST_KEPT_BYTES:
                return []
            kept = json.loads(self.path.read_text(encoding="utf-8"))
            return [_turn(fields) for fields in kept["turns"]] if kept["version"] == _KEPT_VERSION else []
        except (OSError, ValueError, KeyError, TypeError):
            return []

    def write(self, turns: Iterable[Turn]) -> None:
        """Store the last `MOST_TURNS` turns, replacing the previously stored turns."""
        kept = [dataclasses.asdict(turn) for turn in turns][-MOST_TURNS:]
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(self.path, json.dumps({"version": _KEPT_VERSION, "turns": kept}, ensure_ascii=True))

    def forget(self) -> None:
        """Delete the file. If that fails, log a warning, so that the caller can still delete passages."""
        try:
            with contextlib.suppress(FileNotFoundError):
                self.path.unlink()
        except OSError as error:
            _log.warning("The stored conversation %s could not be deleted: %s. Delete the file.", self.path, error)

    def forget_passages(self, chunks: Collection[str]) -> None:
        """Delete the file if a stored answer cites a chunk with one of these ids."""
        if not self.path.exists():
            return
        gone = set(chunks)
        if any(gone.intersection(turn.chunks) for turn in self.read()):
            self.forget()


def _turn(fields: Mapping[str, Any]) -> Turn:
    return Turn(
        question=str(fields["question"]),
        answer=str(fields["answer"]),
        named=tuple(Named(**each) for each in fields["named"]),
        answered_with=tuple(Named(**each) for each in fields["answered_with"]),
        chunks=tuple(map(str, fields["chunks"])),
        mentioned=tuple(Named(**each) for each in fields.get("mentioned", ())),
    )


# The functions below serve chat clients that send all earlier messages with each request.

_MOST_NAMES_ADDED = 3
_MOST_TURNS_SEARCHED_AGAIN = 2
"""Number of last turns whose passages are retrieved again. These passages show which names a pronoun can refer to."""


def turns_spoken(
    pairs: Sequence[tuple[str, str]], extractor: Extractor | None, find: Callable[[str], Sequence[Hit]] | None = None
) -> list[Turn]:
    """Convert the last `MOST_TURNS` questions and answers of a chat to turns, oldest first.

    Follow-up questions are completed by rules.

    Args:
        pairs: questions with their answers. The answer of an unanswered question is "".
    """
    turns: list[Turn] = []
    last = list(pairs)[-MOST_TURNS:]
    for left, (question, answer) in zip(range(len(last), 0, -1), last, strict=True):
        completed = complete(question, names_in(question, extractor), turns)
        asked = question if completed is None else completed.question
        first_line = without_citations(answer).partition("\n")[0]
        hits = find(asked) if find is not None and left <= _MOST_TURNS_SEARCHED_AGAIN else ()
        turns.append(turn_of(asked, first_line, first_line, extractor, hits=hits))
    return turns


def stands_alone(question: str, turns: Sequence[Turn], extractor: Extractor | None) -> bool:
    """Return True if a question can be understood without the previous turns."""
    own = names_in(question, extractor)
    if refers_back(question, own) or complete(question, own, turns) is not None:
        return False
    return bool(own) or form_of(question) != "phrase"


def with_last_names(question: str, turns: Sequence[Turn], extractor: Extractor | None) -> str:
    """Append the names of the last question to a phrase without names.

    For example, "date of death" becomes "date of death (Stoker)". Full sentences are returned unchanged, and so are
    phrases that the rules can complete.
    """
    if not turns or form_of(question) != "phrase" or names_in(question, extractor):
        return question
    if complete(question, (), turns) is not None:
        return question
    names = dict.fromkeys(each.name for each in turns[-1].named)
    return f"{question} ({', '.join(list(names)[:_MOST_NAMES_ADDED])})" if names else question
