"""Answer a question from evidence, with a language model or with sentences from the passages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from overstory.answer.citations import without_citations
from overstory.answer.confidence import Confidence
from overstory.answer.context import CONTEXT_TOKENS, Context, Item, read_within
from overstory.answer.extractive import Extract
from overstory.answer.generative import AnswerStyle, OnText, Written, room_for_passages, write
from overstory.answer.overview import Point, edges_in, overview_of, things_in, without_other_numbers
from overstory.answer.result import Answer, AnswerState, Citation, CitedPassage
from overstory.answer.tables import (
    NOT_COUNTED,
    not_excluded,
    note_on_count,
    rows_in,
    without_opposite,
    without_uncounted_rows,
)
from overstory.answer.unsupported_names import unsupported_names
from overstory.display import counted, printable
from overstory.errors import LlmCancelled, LlmError
from overstory.llm import Chat
from overstory.model import Evidence, Hit
from overstory.text.questions.sets import excluded_in
from overstory.text.questions.whole_corpus import asks_about_whole_corpus

NOTHING_FOUND = "Nothing was found."
NOT_IN_DOCUMENTS = "The documents found do not answer this."
NOTHING_FITS = "Nothing was read: the token limit is too low for any passage."
REPORT_NEEDS_MODEL = (
    "Writing a report needs a language model: set one with --model (use_model). Without one, passages are quoted."
)
_TEXTS: Mapping[AnswerState, str] = {
    "not_in_documents": NOT_IN_DOCUMENTS,
    "nothing_found": NOTHING_FOUND,
    "nothing_read": NOTHING_FITS,
}

_MOST_NAMES_OF_A_NOTE = 8  # maximum number of names and numbers in a note; `Answer.unsupported` contains all of them

_SENTENCE_ENDS = (".", "!", "?", "…", "。", "！", "？")

Extracting = Callable[[str, Context], Extract]
"""A function that takes a question and its context: `extractive.extract`, without the argument for the reader."""


def answer(
    evidence: Evidence,
    *,
    chat: Chat | None,
    extracting: Extracting,
    tokens: int = CONTEXT_TOKENS,
    on_text: OnText | None = None,
    strict: bool = False,
    style: AnswerStyle | None = None,
) -> Answer:
    """Answer the question of the evidence.

    The answer is based on the best passages, and on other parts of the evidence that have a share of the context. If
    nothing was found, or if no passage fits into `tokens`, no model is asked, and the answer states the reason.

    Without a language model, the answer quotes sentences. If the passages do not answer the question, it is a refusal.
    If the question is about all documents, and reports have a share, the answer quotes the reports.

    If the language model fails, exceeds its budget, or stops in the middle of its answer, the answer is extractive. A
    note then states the reason and the remedy. If an answer is cut at the token limit, it is kept, with a note.

    Args:
        chat: the language model; None for an extractive answer.
        tokens: maximum number of tokens of the passages. It is lowered if the model's context window is too small.
        on_text: receives a language model's answer piece by piece, and any other answer in one piece, as `Quoted`. If
            another answer replaces an incomplete one, it begins on a new line.
        strict: True to raise an `LlmError` if the language model fails, instead of quoting sentences.
        style: style of a language model's answer. By default, it is a report for questions about all documents, and a
            short answer otherwise.
    """
    listener = _Listener(on_text)
    notes = evidence.notes
    context = read_within(tokens, evidence)
    if not context.items:
        found = _unanswered("nothing_read" if evidence.hits or context.left_out else "nothing_found", evidence)
        listener.whole(found.text)
        return replace(found, notes=(*notes, *context.notes))
    if chat is None and style == "report":
        notes = (*notes, REPORT_NEEDS_MODEL)
    style = style or ("report" if asks_about_whole_corpus(evidence.question) else "short")
    if chat is not None:
        room = room_for_passages(chat, evidence.question, style)
        if room is not None and room < tokens:
            tokens, context = room, read_within(room, evidence)
        try:
            return _written(chat, evidence, context, None if on_text is None else listener.piece, style)
        except LlmCancelled:
            raise
        except LlmError as error:
            if strict:
                raise
            notes = (*notes, f"The language model did not answer: {_sentence(str(error))} {error.remedy}".strip())
    if rows := rows_in(evidence):
        stated = _quoting(rows.lines, evidence, rows.short, rows.guess)
        listener.whole(stated.text)
        return replace(stated, notes=(*notes, *filter(None, [rows.note])))
    if points := overview_of(evidence) or things_in(evidence):
        listed = _quoting(points, evidence, "; ".join(point.heading for point in points))
        listener.whole(listed.text)
        return replace(listed, notes=notes)
    if (edges := edges_in(evidence)) is not None:
        stated = _quoting(edges.lines, evidence, edges.short, edges.guess)
        listener.whole(stated.text)
        more = f"{counted(edges.more, 'more edge')} also answer this: --json lists them." if edges.more else ""
        return replace(stated, notes=(*notes, *filter(None, [more])))
    read = without_other_numbers(evidence)
    if read is not evidence:
        context = read_within(tokens, read)
    if evidence.shares:  # only passages are quoted here, so they get the shares of all other parts
        context = read_within(tokens, replace(read, shares={}))
    extracted = extracting(evidence.question, context)
    counted_rows = without_uncounted_rows(evidence.question, extracted)
    excluded = excluded_in(evidence.question)
    found = _extracted(without_opposite(counted_rows) if excluded else counted_rows, evidence)
    if extracted.sentences and not found.answered:
        found = replace(found, text=f"{found.text} {not_excluded(excluded) if excluded else NOT_COUNTED}")
    listener.whole(found.text)
    return replace(found, notes=(*notes, *context.notes, *found.notes, *note_on_count(found)))


class Quoted(str):
    """Text from documents, not from a language model. Escape it before rendering it as Markdown."""

    __slots__ = ()


class _Listener:
    def __init__(self, on_text: OnText | None) -> None:
        self._on_text = on_text
        self._started = False

    def piece(self, text: str) -> None:
        self._started = True
        if self._on_text is not None:
            self._on_text(text)

    def whole(self, text: str) -> None:
        self.piece(Quoted(f"\n\n{text}" if self._started else text))


def _written(chat: Chat, evidence: Evidence, context: Context, on_text: OnText | None, style: AnswerStyle) -> Answer:
    written = write(chat, evidence.question, context, on_text, style)
    cited = {number: context.items[number - 1].body for number in written.cited}
    text = without_citations(written.text) if written.answered else ""
    marked = unsupported_names(text, [evidence.question, *_texts_behind(written, context)]) if text else ()
    return Answer(
        question=evidence.question,
        text=written.text,
        short=text,
        kind="llm",
        state=_state_of(written),
        citations=tuple(_citations(context.items, cited)),
        evidence=evidence,
        notes=(*evidence.notes, *context.notes, *written.notes, *_notes_on(marked, cites=bool(cited))),
        model=written.model,
        unsupported=marked,
    )


def _state_of(written: Written) -> AnswerState:
    if not written.answered:
        return "not_in_documents"
    return "answered" if written.cited else "uncited"


def _texts_behind(written: Written, context: Context) -> Iterable[str]:
    """Yield the texts of the cited items, or of all items that were read if the answer cites none of them."""
    for item in context.items:
        if item.number in written.cited or not written.cited:
            yield f"{item.title}\n{item.text}"
            yield from (hit.text for hit in item.passages)


def _notes_on(marked: Sequence[str], *, cites: bool) -> tuple[str, ...]:
    if not marked:
        return ()
    stand = "appears" if len(marked) == 1 else "appear"
    where = "no cited passage" if cites else "no passage that was read"
    shown = ", ".join(
        [
            *marked[:_MOST_NAMES_OF_A_NOTE],
            *([f"and {len(marked) - _MOST_NAMES_OF_A_NOTE} more"] * (len(marked) > _MOST_NAMES_OF_A_NOTE)),
        ]
    )
    return (f"{counted(len(marked), 'name or number', 'names or numbers')} {stand} in {where}: {shown}.",)


def _unanswered(state: AnswerState, evidence: Evidence) -> Answer:
    return Answer(evidence.question, _TEXTS[state], "", "extractive", state, (), evidence)


def _note_on_missing(confidence: Confidence | None) -> str:
    if confidence is None or not confidence.unsaid:
        return ""
    about = f" about {' and '.join(confidence.names[:_MOST_NAMES_OF_A_NOTE])}" if confidence.names else ""
    return f"No sentence{about} mentions {' or '.join(f'“{word}”' for word in confidence.unsaid)}."


def _note_on_times(covered: Sequence[str]) -> str:
    if not covered:
        return ""
    more = [f"and {len(covered) - _MOST_NAMES_OF_A_NOTE} more"] if len(covered) > _MOST_NAMES_OF_A_NOTE else []
    return f"No sentence covers the time asked for, only: {', '.join([*covered[:_MOST_NAMES_OF_A_NOTE], *more])}."


def _extracted(found: Extract, evidence: Evidence) -> Answer:
    confidence = found.confidence.value if found.confidence is not None else None
    missing = _note_on_missing(found.confidence)
    if not found.sentences:
        refused = _unanswered("not_in_documents", evidence)
        text = " ".join(filter(None, (refused.text, missing, _note_on_times(found.covered))))
        nearest = tuple(
            each for line in found.nearest for each in _citations([line.passage], {line.passage.number: line.shown})
        )
        return replace(refused, text=printable(text), confidence=confidence, nearest=nearest)
    lines = [Point(each.passage, each.shown) for each in found.sentences]
    notes = tuple(filter(None, (missing, _note_on_rest(found.left_out))))
    quoted = _quoting(lines, evidence, found.short, found.guess)
    if found.first_line:
        numbers = "".join(f"[{citation.number}]" for citation in quoted.citations)
        quoted = replace(quoted, text=f"{printable(found.first_line)} {numbers}\n{quoted.text}")
    return replace(quoted, confidence=confidence, notes=notes)


def _note_on_rest(left_out: int) -> str:
    return f"The list has {counted(left_out, 'more item')}: see the passage." if left_out else ""


def _quoting(lines: Sequence[Point], evidence: Evidence, short: str, guess: str = "") -> Answer:
    quoted: dict[int, list[str]] = {}
    items: dict[int, Item] = {}
    for line in (lines := list(_without_repetitions(lines))):
        quoted.setdefault(line.item.number, []).append(line.text)
        items.setdefault(line.item.number, replace(line.item, number=len(quoted)))
    cited = {items[number].number: "\n".join(texts) for number, texts in quoted.items()}
    return Answer(
        question=evidence.question,
        text="\n".join(f"{line.text} [{items[line.item.number].number}]" for line in lines),
        short=short,
        kind="extractive",
        state="answered",
        citations=tuple(_citations(items.values(), cited)),
        evidence=evidence,
        guess=guess,
    )


def _without_repetitions(lines: Iterable[Point]) -> Iterator[Point]:
    """Yield the lines without sentences that an earlier line contains. Lines without other text are dropped."""
    said: list[str] = []
    for line in lines:
        text = line.text
        for earlier in said:
            if text == earlier or (text.endswith(_SENTENCE_ENDS) and text in earlier):
                text = ""
            elif earlier.endswith(_SENTENCE_ENDS):
                text = text.replace(earlier, "").strip()
        if text:
            said.append(text)
            yield replace(line, text=text)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _citations(items: Iterable[Item], cited: Mapping[int, str]) -> Iterable[Citation]:
    for item in items:
        if item.number in cited:
            first = item.passages[0]
            yield Citation(
                number=item.number,
                chunk_id=first.chunk_id,
                document_id=first.document_id,
                source=first.source,
                source_key=first.source_key,
                title=printable(item.title),
                text=printable(cited[item.number]),
                page=first.page,
                kind=item.kind,
                passages=tuple(map(_cited, item.passages)),
                corpus=first.corpus,
            )


def _cited(hit: Hit) -> CitedPassage:
    return CitedPassage(
        chunk_id=hit.chunk_id,
        document_id=hit.document_id,
        source=hit.source,
        source_key=hit.source_key,
        title=printable(hit.title),
        page=hit.page,
        start=hit.start,
        end=hit.end,
        also=printable(hit.also),
        corpus=hit.corpus,
    )
