"""Evidence in, an answer out: by a language model if there is one, else from sentences of the passages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from overstory.answer.citations import without_citations
from overstory.answer.confidence import Confidence
from overstory.answer.context import CONTEXT_TOKENS, Context, Item, read_within
from overstory.answer.extractive import Extract
from overstory.answer.generative import AnswerStyle, OnText, Written, room_for_passages, write
from overstory.answer.kinds import sentences_in
from overstory.answer.overview import Point, overview_of, things_in
from overstory.answer.result import Answer, AnswerState, Citation, CitedPassage
from overstory.answer.unsupported import unsupported
from overstory.display import counted, printable
from overstory.errors import LlmCancelled, LlmError
from overstory.llm import Chat
from overstory.model import Evidence, Hit, LinkEdge
from overstory.text.questions.asked_words import AskedWords
from overstory.text.questions.whole_corpus import asks_about_whole_corpus
from overstory.text.words import stem, word_matches

# Answers that consist of edges of a graph: "Hanna Kern SIGNED Order 7001".
#
# They answer where they, and a sentence on a vertex that they lead to, have all words that tell the question from
# others.

_MOST_EDGES_OF_AN_ANSWER = 8  # edges that an answer tells
_MOST_NAMES_OF_A_SHORT_ANSWER = 5
"""In the short answer."""

_FOR_A_NAME = re.compile(
    r"\W*(?:(?:to|by|for|with|at|in|from)\s+)?(?:who|whom|whose|which|what|where|list|name|show)\b", re.IGNORECASE
)
_LITTLE = "connected connection find give linked link list name people person related relation show tell thing"
_SAYS_LITTLE = frozenset(map(stem, _LITTLE.split()))
"""Words that ask for an edge or an end of it, and say nothing of which."""
_DIGITS = re.compile(r"\d+(?:\.\d+)*")
"""A number as a whole: 7001 is not 7000."""


@dataclass(frozen=True, slots=True)
class EdgeLine:
    """A line of such an answer: an edge, or a sentence on a vertex that an edge leads to."""

    item: Item
    text: str


@dataclass(frozen=True, slots=True)
class EdgeAnswer:
    """The lines, in the order of the steps, and the vertices that the last step leads to if a name is asked for.

    Attributes:
        more: how many edges are not shown.
    """

    lines: tuple[EdgeLine, ...]
    guess: str = ""
    more: int = 0

    @property
    def short(self) -> str:
        return self.guess or self.lines[0].text


def edges_in(evidence: Evidence) -> EdgeAnswer | None:
    """The answer that the edges of the evidence give; None where they leave a word of the question open."""
    every = [part for part in evidence.parts if isinstance(part, LinkEdge)]
    edges = every[:_MOST_EDGES_OF_AN_ANSWER]
    if not edges:
        return None
    asked = AskedWords.of(evidence.question)
    passages = {hit.chunk_id: hit for hit in (*evidence.hits, *evidence.sources)}
    ends = [passages[chunk] for edge in edges for chunk in edge.chunks if chunk in passages]
    left = set(asked.forms) - _SAYS_LITTLE
    for edge in edges:
        left -= _stems(edge.source, edge.type.replace("_", " "), edge.target, edge.link_text)
    for end in ends:
        left -= _stems(*_called(end))
    last = max(edge.step for edge in edges)
    reached = [edge for edge in edges if edge.step == last]
    said = _edges_sentence(left, [passages[chunk] for edge in reached for chunk in edge.chunks if chunk in passages])
    if left and (said is None or left - _stems(said[1])):
        return None
    lines = [
        EdgeLine(Item(number, edge, edge.text, evidence.passages_of(edge)), without_citations(printable(edge.text)))
        for number, edge in enumerate(edges, start=1)
    ]
    if said is not None:
        hit, sentence = said
        lines.append(EdgeLine(Item(len(lines) + 1, hit, sentence, (hit,)), sentence))
    names = list(dict.fromkeys(printable(edge.reached) for edge in reached))
    unnamed = [name for name in names if _stems(name) - set(asked.forms)]
    for_name = said is None and bool(_FOR_A_NAME.match(evidence.question)) and len(every) == len(edges)
    guess = ", ".join(unnamed) if for_name and len(unnamed) <= _MOST_NAMES_OF_A_SHORT_ANSWER else ""
    return EdgeAnswer(tuple(lines), guess, more=len(every) - len(edges))


def without_other_numbers(evidence: Evidence) -> Evidence:
    """The evidence without the hits whose titles differ only in a number from one that the question has: beside Order
    7001 Order 7008 answers nothing. Evidence with excerpts is left as it is."""
    asked = f" {_plain(evidence.question)} "
    titles = {hit.chunk_id: _plain(hit.title) for hit in evidence.hits}
    meant = {_DIGITS.sub("#", title) for title in titles.values() if _DIGITS.search(title) and f" {title} " in asked}
    kept = tuple(
        hit
        for hit in evidence.hits
        if _DIGITS.sub("#", titles[hit.chunk_id]) not in meant or f" {titles[hit.chunk_id]} " in asked
    )
    return evidence if len(kept) == len(evidence.hits) or evidence.excerpts else _with_hits(evidence, kept)


def _with_hits(evidence: Evidence, hits: tuple[Hit, ...]) -> Evidence:
    """These hits; the others support parts still."""
    there = {hit.chunk_id for hit in hits}
    others = tuple(hit for hit in evidence.hits if hit.chunk_id not in there)
    return replace(evidence, hits=hits, sources=(*evidence.sources, *others))


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w.]+|\.(?!\d)", " ", text.casefold()).split())


def _called(hit: Hit) -> Iterator[str]:
    """What tells a vertex' kind: the label after "neo4j:", and the labels that it was loaded with."""
    yield hit.source.partition(":")[2]
    labels = hit.metadata.get("labels", ())
    yield from (labels,) if isinstance(labels, str) else map(str, labels if isinstance(labels, Sequence) else ())


def _edges_sentence(left: set[str], hits: Sequence[Hit]) -> tuple[Hit, str] | None:
    """The sentence that has most of the words that are left; None where none has one."""
    sentences = [(hit, sentence) for hit in hits for sentence in sentences_in(hit.content)]
    found = [(len(left & _stems(text)), -place, hit, text) for place, (hit, text) in enumerate(sentences)]
    best = max(found, key=lambda each: each[:2], default=None)
    return (best[2], best[3]) if best is not None and best[0] else None


def _stems(*texts: str) -> set[str]:
    return {stem(match.group()) for text in texts for match in word_matches(text)}


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

_MOST_NAMES_OF_A_NOTE = 8
"""Names and numbers in a note; `Answer.unsupported` has all."""

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
    hearing = _Hearing(on_text)
    notes = evidence.notes
    context = read_within(tokens, evidence)
    if not context.items:
        found = _unanswered("nothing_read" if evidence.hits or context.left_out else "nothing_found", evidence)
        hearing.whole(found.text)
        return replace(found, notes=(*notes, *context.notes))
    if chat is None and style == "report":
        notes = (*notes, REPORT_NEEDS_MODEL)
    style = style or ("report" if asks_about_whole_corpus(evidence.question) else "short")
    if chat is not None:
        room = room_for_passages(chat, evidence.question, style)
        if room is not None and room < tokens:
            tokens, context = room, read_within(room, evidence)
        try:
            return _written(chat, evidence, context, None if on_text is None else hearing.piece, style)
        except LlmCancelled:
            raise
        except LlmError as error:
            if strict:
                raise
            notes = (*notes, f"The language model gave no answer: {_sentence(str(error))} {error.remedy}".strip())
    if points := overview_of(evidence) or things_in(evidence):
        listed = _listed(points, evidence)
        hearing.whole(listed.text)
        return replace(listed, notes=notes)
    if (edges := edges_in(evidence)) is not None:
        stated = _stated(edges, evidence)
        hearing.whole(stated.text)
        more = f"{counted(edges.more, 'more edge')} answer this, too; --json has them." if edges.more else ""
        return replace(stated, notes=(*notes, *filter(None, [more])))
    read = without_other_numbers(evidence)
    if read is not evidence:
        context = read_within(tokens, read)
    if evidence.shares:  # sentences are quoted of passages alone, which then have all the room
        context = read_within(tokens, replace(read, shares={}))
    found = _extracted(extracting(evidence.question, context), evidence, context)
    hearing.whole(found.text)
    return replace(found, notes=(*notes, *context.notes, *found.notes))


class Quoted(str):
    """Text of documents that a listener hears: where Markdown is rendered, it has to be escaped."""

    __slots__ = ()


class _Hearing:
    """Passes an answer to the listener, if there is one."""

    def __init__(self, on_text: OnText | None) -> None:
        self._on_text = on_text
        self._heard = False

    def piece(self, text: str) -> None:
        self._heard = True
        if self._on_text is not None:
            self._on_text(text)

    def whole(self, text: str) -> None:
        self.piece(Quoted(f"\n\n{text}" if self._heard else text))


def _written(chat: Chat, evidence: Evidence, context: Context, on_text: OnText | None, style: AnswerStyle) -> Answer:
    written = write(chat, evidence.question, context, on_text, style)
    cited = {number: context.items[number - 1].body for number in written.cited}
    text = without_citations(written.text) if written.answered else ""
    marked = unsupported(text, [evidence.question, *_texts_behind(written, context)]) if text else ()
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
    """What the answer may have its names and numbers from: all that it cites, or that was read if it cites nothing."""
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


def _missing(confidence: Confidence | None) -> str:
    """What no sentence that was found says, of what."""
    if confidence is None or not confidence.unsaid:
        return ""
    about = f" about {' and '.join(confidence.of[:_MOST_NAMES_OF_A_NOTE])}" if confidence.of else ""
    return f"No sentence{about} was found that says {' or '.join(f'“{word}”' for word in confidence.unsaid)}."


def _extracted(found: Extract, evidence: Evidence, context: Context) -> Answer:
    confidence = found.confidence.value if found.confidence is not None else None
    missing = _missing(found.confidence)
    if not found.sentences:
        refused = replace(_unanswered("not_in_documents", evidence), confidence=confidence)
        return replace(refused, text=f"{refused.text} {missing}".rstrip())
    quoted: dict[int, str] = {}
    for sentence in found.sentences:
        number = sentence.passage.number
        quoted[number] = f"{quoted[number]}\n{sentence.shown}" if number in quoted else sentence.shown
    lines = (f"{sentence.shown} [{sentence.passage.number}]" for sentence in found.sentences)
    return Answer(
        question=evidence.question,
        text="\n".join(lines),
        short=found.short,
        kind="extractive",
        state="answered",
        citations=tuple(_citations(context.items, quoted)),
        evidence=evidence,
        guess=found.guess,
        confidence=confidence,
        notes=(missing,) if missing else (),
    )


def _listed(points: Sequence[Point], evidence: Evidence) -> Answer:
    """A line for each report, passage or thing, with its number."""
    items = {point.item.number: point.item for point in points}
    quoted: dict[int, str] = {}
    for point in points:
        number = point.item.number
        quoted[number] = f"{quoted[number]}\n{point.text}" if number in quoted else point.text
    return Answer(
        question=evidence.question,
        text="\n".join(f"{point.text} [{point.item.number}]" for point in points),
        short="; ".join(point.heading for point in points),
        kind="extractive",
        state="answered",
        citations=tuple(_citations(items.values(), quoted)),
        evidence=evidence,
    )


def _stated(found: EdgeAnswer, evidence: Evidence) -> Answer:
    """A line for each edge, with its number."""
    quoted = {line.item.number: line.text for line in found.lines}
    return Answer(
        question=evidence.question,
        text="\n".join(f"{line.text} [{line.item.number}]" for line in found.lines),
        short=found.short,
        kind="extractive",
        state="answered",
        citations=tuple(_citations((line.item for line in found.lines), quoted)),
        evidence=evidence,
        guess=found.guess,
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
