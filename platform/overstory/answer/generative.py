"""Answers that a language model writes from numbered passages."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Literal

from overstory.answer.citations import CheckedCitations, without_citations
from overstory.answer.context import Context
from overstory.display import counted, printable
from overstory.errors import AnswerTruncated, AnswerUnusable
from overstory.llm import Chat, prompt
from overstory.llm.budget import prompt_tokens_at_most
from overstory.model import Completion

Found = Literal["repeated", "blank"]
"""Letters or digits that stood there before, or none for long."""

_GRAM_LETTERS = 12  # letters that are looked up together
_LEAST_REPEATED_LETTERS = 150  # letters in a row that stood there before: some thirty words
_WHOLE_REPETITIONS = 2  # whole repetitions after the first time
_LONGEST_PERIOD_LETTERS = 2_000  # letters of the longest passage whose repetition is noticed
_LONGEST_BLANK_CHARACTERS = 1_000
"""Characters in a row without a letter or a digit, after which no answer is expected."""
_LONGEST_END_CHARACTERS = 200
"""Characters that are kept of a repetition, to end a sentence that it cuts."""

_COMPLETE = re.compile(r"[.!?…。！？:;][\"'”’»)\]*_\d\[]*$")
_END = re.compile(r"[.!?…。！？](?=\s|$)|(?=\n)")


class Repetition:
    """Reads a text piece by piece and notices when it repeats itself, or goes on without a letter or a digit.

    Only letters count, so that "1. Ulm, 2. Ulm, 3. Ulm" repeats itself; digits count where there are no letters. Time
    is linear in the text, and memory constant.

    Attributes:
        found: why the rest need not be read; None as long as it must be.
        end: the characters before the repetition, if `found`.
    """

    def __init__(self) -> None:
        self.found: Found | None = None
        self.end = 0
        self._at = 0
        self._blank = 0
        self._letters = _Loop()
        self._digits: _Loop | None = None

    def take(self, piece: str) -> Found | None:
        """Read on, up to the character that shows it; return `found`."""
        for character in piece:
            if self.found:
                break
            self._read(character)
            self._at += 1
        return self.found

    def _read(self, character: str) -> None:
        if not character.isalnum():
            self._blank += 1
            if self._blank >= _LONGEST_BLANK_CHARACTERS:
                self.found, self.end = "blank", self._at + 1 - self._blank
            return
        self._blank = 0
        if character.isalpha():
            loop, self._digits = self._letters, None
        else:
            loop = self._digits = self._digits or _Loop()
        end = loop.read(character.lower(), self._at)
        if end is not None:
            self.found, self.end = "repeated", end


class _Loop:
    """Finds letters that stood there before, in the same order, often enough."""

    def __init__(self) -> None:
        self._gram = ""
        self._count = 0
        self._begin = 0  # of the repeated letters, in characters of the text
        self._repeated = 0
        self._starts: deque[int] = deque(maxlen=_GRAM_LETTERS)  # of the last letters
        self._recent: dict[str, int] = {}  # where a gram was last, counted in letters
        self._older: dict[str, int] = {}

    def read(self, letter: str, at: int) -> int | None:
        """The character at which the repetition begins, once there are enough of them."""
        self._count += 1
        self._starts.append(at)
        self._gram = (self._gram + letter)[-_GRAM_LETTERS:]
        if len(self._gram) < _GRAM_LETTERS:
            return None
        before = self._recent.get(self._gram) or self._older.get(self._gram)
        self._remember()
        if before is None or self._count - before > _LONGEST_PERIOD_LETTERS:
            self._repeated = 0
            return None
        if not self._repeated:
            self._begin = self._starts[0]
        self._repeated += 1
        enough = max(_LEAST_REPEATED_LETTERS, _WHOLE_REPETITIONS * (self._count - before))
        return self._begin if self._repeated + _GRAM_LETTERS > enough else None

    def _remember(self) -> None:
        if len(self._recent) >= _LONGEST_PERIOD_LETTERS:
            self._older, self._recent = self._recent, {}
        self._recent[self._gram] = self._count


def before_repetition(text: str) -> str:
    """The text up to where it begins to repeat itself or goes blank, and then to the end of the sentence or line; all
    of it if it does neither."""
    repetition = Repetition()
    if not repetition.take(text):
        return text
    kept = text[: repetition.end].rstrip()
    if kept and not _COMPLETE.search(kept) and "\n" not in text[len(kept) : repetition.end]:
        end = _END.search(text, len(kept), len(kept) + _LONGEST_END_CHARACTERS)
        kept = text[: end.end()].rstrip() if end else kept
    lines = kept.split("\n")
    while len(lines) > 1 and not any(map(str.isalpha, lines[-1])):  # the number of an item that was a repetition
        lines.pop()
    return "\n".join(lines).rstrip()


OnText = Callable[[str], object]
AnswerStyle = Literal["short", "report"]
"""The answer itself, or a report in sections on all that the passages say of it."""
PROMPTS: Mapping[AnswerStyle, str] = {"short": "answer", "report": "report"}

_LEAST_PASSAGES_TOKENS = 200
"""Tokens of passages, however small a model's context: where these do not fit, the model says so."""

NOT_IN_EVIDENCE = "not in the evidence"
NONE = "Not in the evidence."
_MOST_WORDS_OF_A_REFUSAL = 25
"""An answer that says so in more words, or cites a passage, is taken for an answer."""

_REFUSAL = re.compile(r"\W*not\s+in\s+the\s+evidence\b(?P<between>(?:\[\d+\]|[^\w\[])*)", re.IGNORECASE)
_STOP = re.compile(r"[^\w\s\[\]]")
_WORDS = re.compile(r"\w+")
_THOUGHT = ("<think>", "</think>")
_STOPPED: Mapping[Found, str] = {
    "repeated": "The model repeated itself and was stopped.",
    "blank": "The model went on without a word and was stopped.",
}


@dataclass(frozen=True, slots=True)
class Written:
    """A model's answer: `text` with the numbers in `cited`, each of which is a passage's; `answered` is whether it is
    one, cited or not."""

    text: str
    model: str
    answered: bool
    cited: tuple[int, ...]
    notes: tuple[str, ...]


def room_for_passages(chat: Chat, question: str, style: AnswerStyle = "short") -> int | None:
    """The tokens left for passages after question and longest answer; None without a known limit."""
    context = getattr(chat.model, "context", None)
    if not isinstance(context, int):
        return None
    asked = prompt_tokens_at_most(prompt(PROMPTS[style]).messages(question=question, passage=[]))
    return max(_LEAST_PASSAGES_TOKENS, context - chat.model.max_tokens - asked)


def write(
    chat: Chat, question: str, context: Context, on_text: OnText | None = None, style: AnswerStyle = "short"
) -> Written:
    """The answer of a language model; `on_text` hears it while it is made, as far as it can be shown.

    An answer that was cut at the limit of tokens is given as far as it goes, with a note. One that begins to repeat
    itself, or goes on without a letter or a digit, is stopped, and given as far as that, with a note.
    """
    stream = _Stream(len(context.items), on_text)
    messages = prompt(PROMPTS[style]).messages(question=question, passage=[each.text for each in context.items])
    quoted = (id_ for each in context.items for id_ in each.chunks)
    pieces = chat.quoting(quoted).stream(messages)
    notes: list[str] = []
    model = ""
    try:
        completion = stream.all_of(pieces)
        model = _name_of(chat) if completion is None else completion.model
    except AnswerTruncated as error:
        stream.end()
        model = _name_of(chat)
        notes.append(f"{error} {error.remedy}")
    finally:
        pieces.close()
    text = stream.text.strip()
    stopped = stream.repetition.found
    if stopped:
        text = before_repetition(text)
        notes.append(f"{_STOPPED[stopped]} What it said until then was kept.")
    if not text:
        why = _STOPPED[stopped] if stopped else "The model's answer has nothing to show."
        raise AnswerUnusable(why, remedy="Ask again, or use another model.")
    answered = not is_refusal(text)
    # Of what was said some may have been dropped, so that they are looked for in what is left.
    left = CheckedCitations(len(context.items))
    left.take(text)
    left.rest()
    notes += [*stream.notes, *_notes(stream.citations, cites=bool(left.cited), answered=answered)]
    return Written(text, model, answered, tuple(sorted(left.cited)) if answered else (), tuple(notes))


def _name_of(chat: Chat) -> str:
    """The name by which a model was requested, from its fingerprint: a truncated answer has none."""
    kind, *name = chat.model.fingerprint.split(":")
    return ":".join(name[:-1]) or kind


def is_refusal(text: str) -> bool:
    """Whether an answer says that there is none: the words of the prompt, few others, and no citation."""
    words = _WORDS.findall(text.lower())
    if NOT_IN_EVIDENCE not in " ".join(words) or without_citations(text) != text.strip():
        return False
    return " ".join(words).startswith(NOT_IN_EVIDENCE) or len(words) <= _MOST_WORDS_OF_A_REFUSAL


def without_contradiction(text: str) -> tuple[str, tuple[str, ...]]:
    """An answer that begins by saying that there is none, without that if it goes on and cites a passage, else that
    alone; and notes on what was dropped. Others as they are."""
    refusal = _REFUSAL.match(text)
    if refusal is None:
        return text, ()
    rest = text[refusal.end() :].strip()
    if without_citations(rest) == rest:  # cites nothing
        dropped = "What the model said beyond that cites no passage and was left out."
        return NONE, (dropped,) if rest else ()
    if not _STOP.search(refusal["between"]):  # "not in the evidence of [1], but …" is one sentence
        return text, ()
    return rest, ("The model first said that it is not in the evidence, and then answered: the first was left out.",)


def _notes(citations: CheckedCitations, *, cites: bool, answered: bool) -> tuple[str, ...]:
    notes: list[str] = []
    if citations.removed:
        number = len(citations.removed)
        was = "was" if number == 1 else "were"
        notes.append(f"{counted(number, 'citation')} of the model named no passage and {was} removed.")
    if answered and not cites:
        notes.append(
            "The model cited no passage: nothing says what this answer rests on. Ask with another --model (use_model),"
            " or with none for sentences of the passages."
        )
    return tuple(notes)


class _Stream:
    """The displayable part of an answer while it streams: no control characters, thoughts or invalid numbers.

    One that begins with "not in the evidence" is shown at its end: only then is it known whether it is an answer.
    """

    def __init__(self, passages: int, on_text: OnText | None) -> None:
        self.citations = CheckedCitations(passages)
        self.text = ""
        self.notes: tuple[str, ...] = ()
        self.repetition = Repetition()
        self._on_text = on_text
        self._denied: str | None = ""  # as long as it may say that there is no answer
        self._beginning: str | None = ""  # as long as it may be a thought

    def all_of(self, pieces: Generator[str, None, Completion]) -> Completion | None:
        """What was generated; None if it was not heard to its end, since it repeated itself."""
        while True:
            try:
                piece = next(pieces)
            except StopIteration as end:
                self.end()
                completion: Completion = end.value
                return completion
            stopped = self.repetition.take(piece)
            self._show(self.citations.take(printable(self._thought_over(piece))))
            if stopped:
                self.end()
                return None

    def end(self) -> None:
        held, self._beginning = self._beginning or "", None
        unfinished = held.lstrip().startswith(_THOUGHT[0])
        self._show(self.citations.take("" if unfinished else printable(held)) + self.citations.rest())
        if self._denied:
            text, self.notes = without_contradiction(self._denied)
            self._denied = None
            self._show(text)

    def _show(self, text: str) -> None:
        if self._denied is not None:
            self._denied += text
            words = " ".join(_WORDS.findall(self._denied.lower()))
            if words.startswith(NOT_IN_EVIDENCE) or NOT_IN_EVIDENCE.startswith(words):
                return
            text, self._denied = self._denied, None
        text = text if self.text else text.lstrip()
        self.text += text
        if text and self._on_text is not None:
            self._on_text(text)

    def _thought_over(self, piece: str) -> str:
        """The piece, unless the model still thinks, which some servers give as a part of the answer."""
        if self._beginning is None:
            return piece
        self._beginning += piece
        text = self._beginning.lstrip()
        begin, end = _THOUGHT
        if text.startswith(begin):
            _, ended, after = text.partition(end)
            if not ended:
                return ""
            text = after
        elif begin.startswith(text):
            return ""
        self._beginning = None
        return text
