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
"""Why a stream is stopped: the text repeats itself, or no letter or digit has arrived for a long time."""

_GRAM_LETTERS = 12  # length of the letter n-grams with which repetitions are detected
_LEAST_REPEATED_LETTERS = 150  # shorter repetitions (about thirty words) are ignored
_WHOLE_REPETITIONS = 2  # the text must occur this many more times after its first occurrence
_LONGEST_PERIOD_LETTERS = 2_000  # the repetition of a longer text is not detected
_LONGEST_BLANK_CHARACTERS = 1_000
"""An answer is stopped after this many consecutive characters without a letter or digit."""
_LONGEST_END_CHARACTERS = 200
"""To complete a sentence, at most this many characters of a repetition are kept."""

_COMPLETE = re.compile(r"[.!?…。！？:;][\"'”’»)\]*_\d\[]*$")
_END = re.compile(r"[.!?…。！？](?=\s|$)|(?=\n)")


class Repetition:
    """Reads a text piece by piece, and detects if it repeats itself or stops containing letters and digits.

    Only letters are compared. "1. Ulm, 2. Ulm, 3. Ulm" is therefore a repetition. In stretches without letters, digits
    are compared instead. This takes linear time and constant memory.

    Attributes:
        found: the reason to stop reading; None as long as there is no reason.
        end: if `found` is set, the number of characters before the repetition or blank stretch.
    """

    def __init__(self) -> None:
        self.found: Found | None = None
        self.end = 0
        self._at = 0
        self._blank = 0
        self._letters = _Loop()
        self._digits: _Loop | None = None

    def take(self, piece: str) -> Found | None:
        """Read a piece of the text, and return `found`. Reading stops as soon as a repetition is detected."""
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
    def __init__(self) -> None:
        self._gram = ""
        self._count = 0
        self._begin = 0  # offset in the text at which the repetition begins
        self._repeated = 0
        self._starts: deque[int] = deque(maxlen=_GRAM_LETTERS)  # offsets in the text of the last letters
        self._recent: dict[str, int] = {}  # maps each n-gram to the number of letters up to its last occurrence
        self._older: dict[str, int] = {}

    def read(self, letter: str, at: int) -> int | None:
        """Read one letter. If this makes a repetition long enough, return the offset at which the repetition begins."""
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
    """Return the text before its repetition or blank stretch, if possible up to the end of a sentence or line.

    A text without a repetition or blank stretch is returned unchanged.
    """
    repetition = Repetition()
    if not repetition.take(text):
        return text
    kept = text[: repetition.end].rstrip()
    if kept and not _COMPLETE.search(kept) and "\n" not in text[len(kept) : repetition.end]:
        end = _END.search(text, len(kept), len(kept) + _LONGEST_END_CHARACTERS)
        kept = text[: end.end()].rstrip() if end else kept
    lines = kept.split("\n")
    while len(lines) > 1 and not any(map(str.isalpha, lines[-1])):  # the last line is the number of a missing list item
        lines.pop()
    return "\n".join(lines).rstrip()


OnText = Callable[[str], object]
AnswerStyle = Literal["short", "report"]
"""A short answer, or a report. A report has sections and covers everything that the passages state on the question."""
PROMPTS: Mapping[AnswerStyle, str] = {"short": "answer", "report": "report"}

_LEAST_PASSAGES_TOKENS = 200
"""Minimum number of tokens for passages. If even this exceeds the model's context window, the request fails."""

NOT_IN_EVIDENCE = "not in the evidence"
NONE = "Not in the evidence."
_MOST_WORDS_OF_A_REFUSAL = 25
"""A text with more words is an answer, not a refusal. A text that cites a passage is always an answer."""

_REFUSAL = re.compile(r"\W*not\s+in\s+the\s+evidence\b(?P<between>(?:\[\d+\]|[^\w\[])*)", re.IGNORECASE)
_STOP = re.compile(r"[^\w\s\[\]]")
_WORDS = re.compile(r"\w+")
_THOUGHT = ("<think>", "</think>")
_STOPPED: Mapping[Found, str] = {
    "repeated": "The model repeated itself and was stopped.",
    "blank": "The model produced only white space or symbols and was stopped.",
}


@dataclass(frozen=True, slots=True)
class Written:
    """An answer that a language model wrote.

    Attributes:
        text: the answer, with citations.
        answered: False if the model refused to answer, because the passages do not answer the question.
        cited: numbers of the passages that the answer cites.
    """

    text: str
    model: str
    answered: bool
    cited: tuple[int, ...]
    notes: tuple[str, ...]


def room_for_passages(chat: Chat, question: str, style: AnswerStyle = "short") -> int | None:
    """Return how many tokens of the model's context window are left for passages.

    The tokens of the prompt and of the longest possible answer are subtracted. Return None if the size of the context
    window is unknown.
    """
    context = getattr(chat.model, "context", None)
    if not isinstance(context, int):
        return None
    asked = prompt_tokens_at_most(prompt(PROMPTS[style]).messages(question=question, passage=[]))
    return max(_LEAST_PASSAGES_TOKENS, context - chat.model.max_tokens - asked)


def write(
    chat: Chat, question: str, context: Context, on_text: OnText | None = None, style: AnswerStyle = "short"
) -> Written:
    """Ask the language model, and pass the displayable part of the answer to `on_text` while the answer streams.

    If the answer is cut at the token limit, the partial answer is returned with a note. If the model repeats itself, or
    produces no more letters or digits, the stream is stopped. The text up to that point is then returned with a note.

    Raises:
        AnswerUnusable: the answer contains no text.
        LlmError: the language model fails.
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
        notes.append(f"{_STOPPED[stopped]} The answer up to that point was kept.")
    if not text:
        why = _STOPPED[stopped] if stopped else "The model's answer contains no text."
        raise AnswerUnusable(why, remedy="Ask again, or use another model.")
    answered = not is_refusal(text)
    # The text may be shorter than the stream, so its citations are determined again.
    left = CheckedCitations(len(context.items))
    left.take(text)
    left.rest()
    notes += [*stream.notes, *_notes(stream.citations, cites=bool(left.cited), answered=answered)]
    return Written(text, model, answered, tuple(sorted(left.cited)) if answered else (), tuple(notes))


def _name_of(chat: Chat) -> str:
    """Return the requested name of the model, from its fingerprint. An answer that was cut does not state the name."""
    kind, *name = chat.model.fingerprint.split(":")
    return ":".join(name[:-1]) or kind


def is_refusal(text: str) -> bool:
    """Return True if the text is a refusal.

    A refusal contains the words that the prompt specifies for this case, few other words, and no citation.
    """
    words = _WORDS.findall(text.lower())
    if NOT_IN_EVIDENCE not in " ".join(words) or without_citations(text) != text.strip():
        return False
    return " ".join(words).startswith(NOT_IN_EVIDENCE) or len(words) <= _MOST_WORDS_OF_A_REFUSAL


def without_contradiction(text: str) -> tuple[str, tuple[str, ...]]:
    """Resolve the contradiction if the model first refuses and then answers. Return the text to keep, and notes.

    If the text after the refusal cites a passage, the refusal is dropped. Otherwise, only the refusal is kept. If the
    text does not begin with a refusal, it is returned unchanged.
    """
    refusal = _REFUSAL.match(text)
    if refusal is None:
        return text, ()
    rest = text[refusal.end() :].strip()
    if without_citations(rest) == rest:
        dropped = "The model refused and then answered without citing a passage: that answer was dropped."
        return NONE, (dropped,) if rest else ()
    if not _STOP.search(refusal["between"]):  # "not in the evidence of [1], but …" is one sentence
        return text, ()
    return rest, ("The model refused and then answered with a citation: the refusal was dropped.",)


def _notes(citations: CheckedCitations, *, cites: bool, answered: bool) -> tuple[str, ...]:
    notes: list[str] = []
    if citations.removed:
        number = len(citations.removed)
        was = "was" if number == 1 else "were"
        notes.append(f"{counted(number, 'citation')} of the model matched no passage and {was} removed.")
    if answered and not cites:
        notes.append(
            "The model cited no passage, so this answer cannot be checked. Ask with another --model (use_model), or"
            " without a model for sentences of the passages."
        )
    return tuple(notes)


class _Stream:
    """Extracts the displayable part of a streamed answer, without control characters, thoughts and invalid citations.

    An answer that begins with "not in the evidence" is held back until it is complete, because only then is it clear
    whether the model refuses.
    """

    def __init__(self, passages: int, on_text: OnText | None) -> None:
        self.citations = CheckedCitations(passages)
        self.text = ""
        self.notes: tuple[str, ...] = ()
        self.repetition = Repetition()
        self._on_text = on_text
        self._denied: str | None = ""  # text that is held back because it may be a refusal; None if it is not
        self._beginning: str | None = ""  # text that is held back because it may be a thought; None if it is not

    def all_of(self, pieces: Generator[str, None, Completion]) -> Completion | None:
        """Read the stream, and return the model's completion. Return None if the stream was stopped at a repetition."""
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
        """Return a piece of the answer without the model's thoughts, which some servers put before the answer."""
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
