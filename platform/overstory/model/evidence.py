"""The result of retrieval: ranked passages with reasons, and other parts found with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from overstory.display import Html, Piece, counted, data_frame, html_pieces, html_table, pieces, printable, shortened
from overstory.errors import StatementRefused
from overstory.model.metadata import Metadata
from overstory.model.origin import OfPassage
from overstory.model.parts import BridgePath, Excerpt, Part
from overstory.model.passage_text import squeezed

if TYPE_CHECKING:
    import pandas


_MOST_HITS_SHOWN = 20  # hits in the `repr` of an `Evidence`, and parts

_MOST_REPEATING_DOCUMENTS = 3  # documents named that repeat a hit's text

_MOST_CLAUSES_OF_A_HIT = 2  # of the reasons' clauses those that stand in a hit's sentence

ShareKind = Literal["passage", "entity", "relation", "report", "path", "subgraph", "answer"]
"""Kinds that may have a share of a context: excerpts have none, being read as their passages."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One part of a hit's score: where it came from and how much it brought.

    Attributes:
        detail: the figures behind it, and what they are of.
        clause: what a person reads of it, after "It": 'names Dracula, as the question does'. "" if it says little.
    """

    kind: str
    score: float
    detail: str = ""
    clause: str = ""

    @property
    def figures(self) -> str:
        return f"{self.kind} {self.score:.3f}: {self.detail}" if self.detail else f"{self.kind} {self.score:.3f}"


@dataclass(frozen=True, slots=True)
class Repeat(OfPassage):
    """Another passage with the text of a hit."""

    page: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Hit(OfPassage):
    """A ranked chunk. `score` falls along a result; its scale is the retriever's own.

    Attributes:
        start, end: its characters in the text of its document; None where the retriever does not say.
        page: of its first character, from 1, if its document has pages, as those of PDF files do.
        metadata: what its document came with; of its pages not where each begins.
        repeated: how many other passages of the corpus have its text.
        repeats: the first of these, at most 20; a retriever leaves them to `Knowledge.search`.
        matches: where words of the question stand in `text`, from and up to which character, in its order.
        sentence: likewise the sentence with most different ones of them; None where it has none.
        extra: what a statement of the user's own returned for it (`Knowledge.search`, `enrich`).
        boilerplate: first character and end in `text` of each block that most documents of its folder repeat, one after
            the other.
        corpus: its corpus, where several were asked.
    """

    text: str
    score: float
    reasons: tuple[Reason, ...] = ()
    start: int | None = None
    end: int | None = None
    page: int | None = None
    metadata: Metadata = field(default_factory=dict, hash=False)
    repeated: int = 0
    repeats: tuple[Repeat, ...] = ()
    matches: tuple[tuple[int, int], ...] = ()
    sentence: tuple[int, int] | None = None
    boilerplate: tuple[int, ...] = ()
    extra: Mapping[str, object] = field(default_factory=dict[str, object], hash=False)
    corpus: str = ""

    def __repr__(self) -> str:
        return printable(f"<Hit {self.score:.4f} {self.title!r} [{self.origin}]: {shortened(self.text)}>")

    @property
    def shown_title(self) -> str:
        """Its title on one line, or its first words where it has none; without control characters."""
        return printable(shortened(self.title) or shortened(self.text, 60)) or "(no text)"

    def excerpt(self, length: int) -> tuple[int, int]:
        """From and up to which character to show its text: from its beginning, unless the sentence that matched best
        would be cut off."""
        start = self.sentence[0] if self.sentence and self.sentence[1] > length else 0
        stop = start + length
        if stop >= len(self.text):
            return start, len(self.text)
        return start, max(self.text.rfind(" ", start, stop), start + length // 2)

    def pieces(self, start: int, stop: int) -> list[Piece]:
        """These characters of its text, cut where the words of the question and the best sentence begin and end."""
        return pieces(self.text, self.matches, self.sentence, start=start, stop=stop)

    @property
    def content(self) -> str:
        """The text without its boilerplate: what answers are made from."""
        return squeezed(self.text, self.boilerplate)

    @property
    def in_words(self) -> str:
        """Why it was found, in a sentence of the strongest reasons; "" where no reason has a clause."""
        telling = sorted((reason for reason in self.reasons if reason.clause), key=lambda reason: -reason.score)
        clauses = dict.fromkeys(reason.clause for reason in telling)
        if not clauses:
            return ""
        return f"It {'; '.join(list(clauses)[:_MOST_CLAUSES_OF_A_HIT])}."

    @property
    def figures(self) -> str:
        """The parts of its score, and what they were made from, on one line."""
        return "; ".join(reason.figures for reason in self.reasons)

    @property
    def also(self) -> str:
        """How often its text is repeated and where, in words; "" where it is not."""
        if not self.repeated:
            return ""
        times = f"also {counted(self.repeated, 'more time')}"
        elsewhere = {each.document_id: each.origin for each in self.repeats if each.document_id != self.document_id}
        if not elsewhere:
            return times if self.repeated > len(self.repeats) else f"{times} in this document"
        named = list(elsewhere.values())[:_MOST_REPEATING_DOCUMENTS]
        more = self.repeated > len(self.repeats) or len(elsewhere) > len(named)
        return f"{times}, in {', '.join(named)}{' and others' if more else ''}"

    @property
    def why(self) -> str:
        """Why it was found, in words; in figures where no reason has words."""
        return printable(self.in_words or self.figures)


@dataclass(frozen=True, slots=True, repr=False)
class Evidence:
    """The result of a retriever for a question.

    Attributes:
        hits: best first, at most one per chunk; what `bench` ranks.
        notes: what the reader should know of the result (an index older than the corpus, a shortened question).
        parts: what else was found, of any kind, the best of a kind first; excerpts in the order to read them in.
        sources: passages that parts stand on and that are not among the hits; not ranked, their score is 0.
        shares: how a context is divided among kinds, in the order in which they are read; only the proportions count.
            Empty: passages alone are read. A kind that is not named is shown to people only.
    """

    question: str
    retriever: str
    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    sources: tuple[Hit, ...] = ()
    shares: Mapping[ShareKind, float] = field(default_factory=dict[ShareKind, float], hash=False)

    def __repr__(self) -> str:
        """A few lines a hit: what it says, why it was found, and the best path to it; a line for other parts."""
        lines = [f"<Evidence by {self.retriever} for {shortened(self.question)!r}: {counted(len(self.hits), 'hit')}>"]
        for rank, hit in enumerate(self.hits[:_MOST_HITS_SHOWN], start=1):
            lines += [f"{rank:>3}. {_title_and_text(hit)}", f"     {hit.why}"]
            lines += [f"     {hit.also}"] if hit.also else []
            lines += [f"     by way of {path}" for path in self.paths_to(hit)[:1]]
        if len(self.hits) > _MOST_HITS_SHOWN:
            lines.append(f"     … and {len(self.hits) - _MOST_HITS_SHOWN:,} more")
        others = self.other_parts
        lines += [f"  {part.kind} {part.score:.4f}  {part.title}" for part in others[:_MOST_HITS_SHOWN]]
        if len(others) > _MOST_HITS_SHOWN:
            lines.append(f"     … and {counted(len(others) - _MOST_HITS_SHOWN, 'more part')}")
        return printable("\n".join([*lines, *(f"Note: {note}" for note in self.notes)]))

    @property
    def paths(self) -> tuple[BridgePath, ...]:
        """The parts that say how hits were reached by names, in the order of the hits."""
        return tuple(part for part in self.parts if isinstance(part, BridgePath))

    @property
    def excerpts(self) -> tuple[Excerpt, ...]:
        """The parts that are read instead of whole hits, in the order to read them in."""
        return tuple(part for part in self.parts if isinstance(part, Excerpt))

    @property
    def other_parts(self) -> tuple[Part, ...]:
        """The parts that stand for themselves: neither paths to hits nor excerpts of them."""
        return tuple(part for part in self.parts if not isinstance(part, BridgePath | Excerpt))

    def paths_to(self, hit: Hit) -> tuple[BridgePath, ...]:
        """How names led to a hit, the path that brought most first; none where it was found by itself."""
        return tuple(path for path in self.paths if path.chunk_id == hit.chunk_id)

    def parts_on(self, hit: Hit) -> tuple[Part, ...]:
        """The parts that stand on a passage, among others or alone."""
        return tuple(part for part in self.parts if hit.chunk_id in part.chunks)

    def passages_of(self, part: Part) -> tuple[Hit, ...]:
        """The passages that a part stands on, as far as the evidence has them."""
        known = {hit.chunk_id: hit for hit in (*self.sources, *self.hits)}
        return tuple(known[chunk] for chunk in part.chunks if chunk in known)

    def _repr_html_(self) -> str:
        """The display in a notebook: the hits, and below them the other parts, if any."""
        caption = f"{self.question} ({self.retriever})"
        rows = (
            (str(rank), f"{hit.score:.4f}", hit.shown_title, _marked(hit, 300), _origin(hit), hit.why)
            for rank, hit in enumerate(self.hits, start=1)
        )
        table = html_table(caption, ("", "score", "title", "text", "source", "why"), rows, self.notes)
        if not self.parts:
            return table
        parts = (
            (part.kind, f"{part.score:.4f}", shortened(part.text, 300), f"{part.tokens:,}", self._origins(part))
            for part in self.parts
        )
        return table + html_table("Beside the passages", ("kind", "score", "text", "tokens", "sources"), parts)

    def to_pandas(self) -> pandas.DataFrame:
        """A row a hit, best first: its fields, the best path to it, `score_…` with what each kind of reason brought,
        `metadata_…` with what its document came with, and `extra_…` with what a statement returned for it.

        Raises:
            ExtraMissing: pandas is not installed.
        """
        records = (_record(rank, hit, self.paths_to(hit)) for rank, hit in enumerate(self.hits, start=1))
        return data_frame(records, HIT_COLUMNS)

    def parts_to_pandas(self) -> pandas.DataFrame:
        """A row a part, in their order: kind, text, score, tokens, and the lists of chunks and documents.

        Raises:
            ExtraMissing: pandas is not installed.
        """
        return data_frame(({**part.as_json(), "details": part.details} for part in self.parts), PART_COLUMNS)

    def _origins(self, part: Part) -> str:
        return ", ".join(dict.fromkeys(hit.origin for hit in self.passages_of(part)))


HIT_COLUMNS = (
    *("rank", "score", "title", "heading", "text", "source", "source_key", "page", "why"),
    *("path", "document_id", "chunk_id", "start", "end", "repeated", "also"),
)
PART_COLUMNS = ("kind", "text", "score", "tokens", "chunks", "documents", "details")


def _origin(hit: Hit) -> str:
    return f"{hit.origin} ({hit.also})" if hit.also else hit.origin


def _title_and_text(hit: Hit) -> str:
    """On one line; a passage without a title begins with its text."""
    return (
        f"{hit.shown_title} [{hit.origin}]: {shortened(hit.text)}"
        if hit.title
        else f"{shortened(hit.text)} [{hit.origin}]"
    )


def _marked(hit: Hit, length: int) -> Html:
    """A part of its text with the words of the question, for a notebook."""
    start, stop = hit.excerpt(length)
    before, after = ("… " if start else ""), (" …" if stop < len(hit.text) else "")
    return Html(f"{before}{html_pieces(hit.pieces(start, stop))}{after}")


def _record(rank: int, hit: Hit, paths: Sequence[BridgePath]) -> dict[str, object]:
    record: dict[str, object] = {"rank": rank, "path": str(paths[0]) if paths else ""}
    record = {name: record[name] if name in record else getattr(hit, name) for name in HIT_COLUMNS}
    for kind in dict.fromkeys(reason.kind for reason in hit.reasons):
        record[f"score_{kind}"] = sum(reason.score for reason in hit.reasons if reason.kind == kind)
    record |= {f"metadata_{name}": value for name, value in hit.metadata.items()}
    return record | {f"extra_{name}": value for name, value in hit.extra.items()}


IDS = "ids"
"""The parameter with the hits, and in the singular the column that says which of them a row is of."""

_EXAMPLE = (
    "UNWIND $ids AS id MATCH (:Overstory {id: id})-[:MENTIONS]->(e:Entity) RETURN id, collect(DISTINCT e.name) AS names"
)


@dataclass(frozen=True, slots=True)
class HitStatement:
    """Cypher that reads the graph from the hits on. Values go into `parameters`, not into the text.

    Attributes:
        text: it has the ids of the hits' chunks as `$ids`, and returns a row for each, or none: `id`, and anything.
        parameters: further values, by their names.

    Raises:
        StatementRefused: the text does not use `$ids`, or `parameters` has a value for them.
    """

    text: str
    parameters: Mapping[str, object] = field(default_factory=dict[str, object], hash=False)

    def __post_init__(self) -> None:
        if f"${IDS}" not in self.text:
            raise StatementRefused("The statement does not ask for the hits.", remedy=f"Use $ids, as in: {_EXAMPLE}")
        if IDS in self.parameters:
            raise StatementRefused("$ids are the hits, and no parameter.", remedy="Name the parameter otherwise.")
