"""Evidence in, an answer out: by a language model if there is one, else from sentences of the passages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from overstory.answer.citations import without_citations
from overstory.answer.confidence import Confidence
from overstory.answer.context import CONTEXT_TOKENS, Context, Item, read_within
from overstory.answer.extractive import Extract
from overstory.answer.generative import AnswerStyle, OnText, Written, room_for_passages, write
from overstory.answer.overview import Point, edges_in, overview_of, things_in, without_other_numbers
from overstory.answer.result import Answer, AnswerState, Citation, CitedPassage
from overstory.answer.unsupported_names import unsupported_names
from overstory.display import counted, printable
from overstory.errors import LlmCancelled, LlmError
from overstory.llm import Chat
from overstory.model import Evidence, Hit
from overstory.text.questions.whole_corpus import asks_about_whole_corpus

NOTHING_FOUND = "Nothing was found."
NOT_IN_DOCUMENTS = "The documents found do not answer this."
NOTHING_FITS = "Nothing was read: no passage fits into so few tokens."
REPORT_NEEDS_MODEL = (
    "A report is written by a language model: name one with --model (use_model). Without one, what was found is quoted."
)
_TEXTS: Mapping[AnswerState, str] = {
    "not_in_documents": NOT_IN_DOCUMENTS,
    "nothing_found": NOTHING_FOUND,
    "nothing_read": NOTHING_FITS,
}

_MOST_NAMES_OF_A_NOTE = 8  # names and numbers in a note; `Answer.unsupported` has all

Extracting = Callable[[str, Context], Extract]
"""`extractive.extract` with an embedder and an extractor, which are made only if it is called."""


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
    """The answer to the question of the evidence, from its best passages, and from other parts that have shares.

    Without evidence there is no answer, and no model is asked; without a model there is none either where the passages
    do not answer the question. A question on all documents is answered by the reports of the evidence, if it has shares
    for them. Where a language model fails, its budget is used up, or its answer breaks off, the
    answer is an extractive one, and a note says why and what to do; an answer that is cut at the limit of tokens
    stays, with a note. Nor is anybody asked where no passage fits.

    Args:
        chat: None answers with sentences of the passages.
        tokens: that passages may take, counted from above; fewer where the model's context is too small.
        on_text: hears a language model's answer while it is made, any other once, as a whole and as `Quoted`; what
            replaces an answer that broke off begins on a line of its own.
        strict: raise what fails instead.
        style: of a language model's answer; None for a report on questions on all documents, and short on others.
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
            notes = (*notes, f"The language model gave no answer: {_sentence(str(error))} {error.remedy}".strip())
    if points := overview_of(evidence) or things_in(evidence):
        listed = _quoting(points, evidence, "; ".join(point.heading for point in points))
        listener.whole(listed.text)
        return replace(listed, notes=notes)
    if (edges := edges_in(evidence)) is not None:
        stated = _quoting(edges.lines, evidence, edges.short, edges.guess)
        listener.whole(stated.text)
        more = f"{counted(edges.more, 'more edge')} answer this, too; --json has them." if edges.more else ""
        return replace(stated, notes=(*notes, *filter(None, [more])))
    read = without_other_numbers(evidence)
    if read is not evidence:
        context = read_within(tokens, read)
    if evidence.shares:  # sentences are quoted of passages alone, which then have all the room
        context = read_within(tokens, replace(read, shares={}))
    found = _extracted(extracting(evidence.question, context), evidence)
    listener.whole(found.text)
    return replace(found, notes=(*notes, *context.notes, *found.notes))


class Quoted(str):
    """Text of documents that a listener hears: where Markdown is rendered, it has to be escaped."""

    __slots__ = ()


class _Listener:
    """Passes an answer to the listener, if there is one."""

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
    """Texts that names and numbers of the answer may come from: the cited ones, or all read if it cites none."""
    for item in context.items:
        if item.number in written.cited or not written.cited:
            yield f"{item.title}\n{item.text}"
            yield from (hit.text for hit in item.passages)


def _notes_on(marked: Sequence[str], *, cites: bool) -> tuple[str, ...]:
    if not marked:
        return ()
    stand = "stands" if len(marked) == 1 else "stand"
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
    """Note on the words of the question that no sentence supports."""
    if confidence is None or not confidence.missing:
        return ""
    about = f" about {' and '.join(confidence.names[:_MOST_NAMES_OF_A_NOTE])}" if confidence.names else ""
    return f"No sentence{about} was found that says {' or '.join(f'“{word}”' for word in confidence.missing)}."


def _extracted(found: Extract, evidence: Evidence) -> Answer:
    confidence = found.confidence.value if found.confidence is not None else None
    missing = _note_on_missing(found.confidence)
    if not found.sentences:
        refused = replace(_unanswered("not_in_documents", evidence), confidence=confidence)
        return replace(refused, text=f"{refused.text} {missing}".rstrip())
    lines = [Point(each.passage, each.shown) for each in found.sentences]
    notes = (missing,) if missing else ()
    return replace(_quoting(lines, evidence, found.short, found.guess), confidence=confidence, notes=notes)


def _quoting(lines: Sequence[Point], evidence: Evidence, short: str, guess: str = "") -> Answer:
    """An answer of lines, each followed by the number of its item."""
    quoted: dict[int, list[str]] = {}
    for line in lines:
        quoted.setdefault(line.item.number, []).append(line.text)
    items = sorted({line.item.number: line.item for line in lines}.items())
    cited = {number: "\n".join(texts) for number, texts in quoted.items()}
    return Answer(
        question=evidence.question,
        text="\n".join(f"{line.text} [{line.item.number}]" for line in lines),
        short=short,
        kind="extractive",
        state="answered",
        citations=tuple(_citations((item for _, item in items), cited)),
        evidence=evidence,
        guess=guess,
    )


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _citations(items: Iterable[Item], cited: Mapping[int, str]) -> Iterable[Citation]:
    """Each number with the passages it leads to; for a part, those that the evidence contains."""
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
