"""Results of retrieval: ranked passages with the reasons for their rank, and parts such as paths and reports."""

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


_MOST_HITS_SHOWN = 20  # maximum number of hits, and of parts, in the `repr` of an `Evidence`

_MOST_REPEATING_DOCUMENTS = 3  # maximum number of documents with the same text that `Hit.also` names

_MOST_CLAUSES_OF_A_HIT = 2

ShareKind = Literal["passage", "entity", "relation", "report", "path", "subgraph", "answer", "table"]
"""Kinds of results that can get a share of the context window. Excerpts get none, because they count as passages."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One part of a hit's score, with an explanation.

    Attributes:
        detail: the numbers from which the score was computed, with labels.
        clause: explanation without its subject "It", such as "names Dracula, as the question does"; "" if there is
            nothing useful to explain.
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
    """Another passage that has the same text as a hit."""

    page: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Hit(OfPassage):
    """A ranked passage.

    Attributes:
        score: score of the passage. No hit has a higher score than the hit before it. The scale depends on the
            retriever.
        start: position of the first character in the document's text; None if the retriever does not report it.
        end: position after the last character; None if the retriever does not report it.
        page: number of the page on which the passage starts, counted from 1; None if the document has no pages.
        metadata: metadata of the document, without `page_starts`.
        repeated: number of other passages in the corpus that have the same text.
        repeats: the first of these passages, at most 20. `Knowledge.search` fills this field, not the retriever.
        matches: spans (start, end) of the words in `text` that match the question, in the order of the text.
        sentence: span of the sentence that matches most words of the question; None if no sentence matches.
        boilerplate: positions in `text` at which blocks of boilerplate start and end, such as (0, 12, 40, 55) for two
            blocks.
        extra: columns that the user's `enrich` statement returned for this hit (see `Knowledge.search`).
        corpus: name of the corpus if several corpora were searched, otherwise "".
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
        """The title on one line, without control characters; if there is no title, the first words of the text."""
        return printable(shortened(self.title) or shortened(self.text, 60)) or "(no text)"

    def excerpt(self, length: int) -> tuple[int, int]:
        """Return the span of an excerpt of the text with about `length` characters.

        The excerpt starts at the beginning of the text. If the best matching sentence would then be cut off, the
        excerpt starts at this sentence.
        """
        start = self.sentence[0] if self.sentence and self.sentence[1] > length else 0
        stop = start + length
        if stop >= len(self.text):
            return start, len(self.text)
        return start, max(self.text.rfind(" ", start, stop), start + length // 2)

    def pieces(self, start: int, stop: int) -> list[Piece]:
        """Split the text from `start` to `stop` at the ends of matched words and of the best matching sentence."""
        return pieces(self.text, self.matches, self.sentence, start=start, stop=stop)

    @property
    def content(self) -> str:
        """The text without boilerplate. Answers are made from this text."""
        return squeezed(self.text, self.boilerplate)

    @property
    def in_words(self) -> str:
        """The strongest reasons in one sentence; "" if no reason has a clause."""
        telling = sorted((reason for reason in self.reasons if reason.clause), key=lambda reason: -reason.score)
        clauses = dict.fromkeys(reason.clause for reason in telling)
        if not clauses:
            return ""
        return f"It {'; '.join(list(clauses)[:_MOST_CLAUSES_OF_A_HIT])}."

    @property
    def figures(self) -> str:
        return "; ".join(reason.figures for reason in self.reasons)

    @property
    def also(self) -> str:
        """A phrase that names other documents with the same text; "" if no other passage has this text."""
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
        """The reasons for the hit, as a sentence if possible, otherwise as numbers."""
        return printable(self.in_words or self.figures)


@dataclass(frozen=True, slots=True, repr=False)
class Evidence:
    """The result of a retriever for a question.

    Attributes:
        hits: ranked passages, best first, without duplicates. `overstory bench` evaluates this ranking.
        parts: other results. Within a kind, the best part is first, but excerpts are in reading order.
        sources: passages that support parts but are not hits. They are not ranked, and their score is 0.
        shares: relative share of the context window for each kind of result, in the order in which a language model
            reads the kinds. Kinds without a share are shown only to people. If there are no shares, a language model
            reads only passages.
    """

    question: str
    retriever: str
    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    sources: tuple[Hit, ...] = ()
    shares: Mapping[ShareKind, float] = field(default_factory=dict[ShareKind, float], hash=False)

    def __repr__(self) -> str:
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
        """The parts that show how hits were reached through entities or links, in the order of the hits."""
        return tuple(part for part in self.parts if isinstance(part, BridgePath))

    @property
    def excerpts(self) -> tuple[Excerpt, ...]:
        """The parts that a language model reads instead of whole hits, in reading order."""
        return tuple(part for part in self.parts if isinstance(part, Excerpt))

    @property
    def other_parts(self) -> tuple[Part, ...]:
        """The parts other than paths and excerpts, such as reports and relations."""
        return tuple(part for part in self.parts if not isinstance(part, BridgePath | Excerpt))

    def paths_to(self, hit: Hit) -> tuple[BridgePath, ...]:
        """Return the paths that led to a hit, best first. If the hit was found directly, there are none."""
        return tuple(path for path in self.paths if path.chunk_id == hit.chunk_id)

    def parts_on(self, hit: Hit) -> tuple[Part, ...]:
        """Return the parts that a hit supports."""
        return tuple(part for part in self.parts if hit.chunk_id in part.chunks)

    def passages_of(self, part: Part) -> tuple[Hit, ...]:
        """Return the passages that support a part, if they are among the hits or sources of this evidence."""
        known = {hit.chunk_id: hit for hit in (*self.sources, *self.hits)}
        return tuple(known[chunk] for chunk in part.chunks if chunk in known)

    def _repr_html_(self) -> str:
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
        return table + html_table("Other parts", ("kind", "score", "text", "tokens", "sources"), parts)

    def to_pandas(self) -> pandas.DataFrame:
        """Return a DataFrame with one row per hit, best first.

        The columns are the fields of the hit, the best path to the hit, `score_…` for each kind of reason, `metadata_…`
        for the metadata of the document, and `extra_…` for the columns of an `enrich` statement.

        Raises:
            ExtraMissing: pandas is not installed.
        """
        records = (_record(rank, hit, self.paths_to(hit)) for rank, hit in enumerate(self.hits, start=1))
        return data_frame(records, HIT_COLUMNS)

    def parts_to_pandas(self) -> pandas.DataFrame:
        """Return a DataFrame with one row per part.

        The columns are `kind`, `text`, `score`, `tokens`, `chunks` and `documents` (lists of ids), and `details`.

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
    return (
        f"{hit.shown_title} [{hit.origin}]: {shortened(hit.text)}"
        if hit.title
        else f"{shortened(hit.text)} [{hit.origin}]"
    )


def _marked(hit: Hit, length: int) -> Html:
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
"""Name of the parameter that contains the chunk ids of the hits."""

_EXAMPLE = (
    "UNWIND $ids AS id MATCH (:Overstory {id: id})-[:MENTIONS]->(e:Entity) RETURN id, collect(DISTINCT e.name) AS names"
)


@dataclass(frozen=True, slots=True)
class HitStatement:
    """A Cypher statement that reads further data about the hits. Pass values as `parameters`, not within the text.

    Attributes:
        text: statement whose parameter `$ids` contains the chunk ids of the hits. It must return at most one row per
            hit. The column `id` contains the chunk id; other columns may have any name.
        parameters: values of other parameters, by name.

    Raises:
        StatementRefused: the text does not use `$ids`, or `parameters` contains `ids`.
    """

    text: str
    parameters: Mapping[str, object] = field(default_factory=dict[str, object], hash=False)

    def __post_init__(self) -> None:
        if f"${IDS}" not in self.text:
            raise StatementRefused(
                "The statement does not use $ids, the ids of the hits.", remedy=f"Use $ids, as in: {_EXAMPLE}"
            )
        if IDS in self.parameters:
            raise StatementRefused(
                "The parameter name ids is reserved: it holds the ids of the hits.",
                remedy="Use another parameter name.",
            )
