"""Results of retrieval: ranked passages with reasons, and further parts such as paths and reports."""

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


_MOST_HITS_SHOWN = 20  # in the `repr` of an `Evidence`; the same limit for parts

_MOST_REPEATING_DOCUMENTS = 3  # documents with the same text that `Hit.also` names

_MOST_CLAUSES_OF_A_HIT = 2  # clauses in the sentence that explains a hit

ShareKind = Literal["passage", "entity", "relation", "report", "path", "subgraph", "answer"]
"""Kinds that can have a share of a context. Excerpts have no share because they count as passages."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One part of a hit's score, with an explanation.

    Attributes:
        detail: figures behind the score, with labels.
        clause: explanation that follows "It", such as "names Dracula, as the question does"; "" if there is nothing
            useful to add.
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
    """Another passage with the same text as a hit."""

    page: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Hit(OfPassage):
    """A ranked chunk. Scores decrease within a result; their scale depends on the retriever.

    Attributes:
        start, end: character span in the document's text; None if the retriever does not report it.
        page: page of the first character, from 1, if the document has pages, such as a PDF file.
        metadata: metadata of the document, without `page_starts`.
        repeated: number of other passages with the same text in the corpus.
        repeats: the first of those passages, at most 20. `Knowledge.search` fills this field, not the retriever.
        matches: spans in `text` that match words of the question, in text order.
        sentence: span of the sentence that matches most words of the question; None if no sentence matches.
        extra: columns that the user's `enrich` statement returned for this hit (`Knowledge.search`).
        boilerplate: start and end in `text` of each boilerplate block, as a flat tuple (0, 12, 40, 55).
        corpus: name of the corpus, if several corpora were searched.
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
        """Title on one line, or the first words of the text if there is no title; without control characters."""
        return printable(shortened(self.title) or shortened(self.text, 60)) or "(no text)"

    def excerpt(self, length: int) -> tuple[int, int]:
        """Return the span of an excerpt with about `length` characters.

        The excerpt starts at the beginning of the text, or at the best matching sentence if that sentence would be cut
        off.
        """
        start = self.sentence[0] if self.sentence and self.sentence[1] > length else 0
        stop = start + length
        if stop >= len(self.text):
            return start, len(self.text)
        return start, max(self.text.rfind(" ", start, stop), start + length // 2)

    def pieces(self, start: int, stop: int) -> list[Piece]:
        """Split this span of the text where matched words and the best sentence begin and end."""
        return pieces(self.text, self.matches, self.sentence, start=start, stop=stop)

    @property
    def content(self) -> str:
        """Text without boilerplate, from which answers are made."""
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
        """Other places with the same text, in words; "" if the text is unique."""
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
        """Reasons for the hit, in words if available, otherwise in figures."""
        return printable(self.in_words or self.figures)


@dataclass(frozen=True, slots=True, repr=False)
class Evidence:
    """The result of a retriever for a question.

    Attributes:
        hits: passages, best first, each chunk once. `overstory bench` evaluates this ranking.
        notes: remarks on the result, for example an outdated index or a shortened question.
        parts: further results of any kind, best of each kind first; excerpts in reading order.
        sources: passages that support parts and are not hits; they are not ranked, and their score is 0.
        shares: relative share of the context window per kind, in reading order. If empty, a language model reads
            passages only. Kinds without a share are shown to people only.
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
        """Parts that show how hits were reached through entities, in the order of the hits."""
        return tuple(part for part in self.parts if isinstance(part, BridgePath))

    @property
    def excerpts(self) -> tuple[Excerpt, ...]:
        """Parts that a model reads in place of whole hits, in reading order."""
        return tuple(part for part in self.parts if isinstance(part, Excerpt))

    @property
    def other_parts(self) -> tuple[Part, ...]:
        """Parts other than paths and excerpts, such as reports and relations."""
        return tuple(part for part in self.parts if not isinstance(part, BridgePath | Excerpt))

    def paths_to(self, hit: Hit) -> tuple[BridgePath, ...]:
        """Return the paths that led to a hit, highest contribution first; empty if the hit was found directly."""
        return tuple(path for path in self.paths if path.chunk_id == hit.chunk_id)

    def parts_on(self, hit: Hit) -> tuple[Part, ...]:
        """Return the parts that this passage supports."""
        return tuple(part for part in self.parts if hit.chunk_id in part.chunks)

    def passages_of(self, part: Part) -> tuple[Hit, ...]:
        """Return the passages that support a part, as far as this evidence contains them."""
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
        """Return one row per hit, best first.

        Columns are the fields of the hit, its best path, `score_…` for each kind of reason, `metadata_…` for the
        document's metadata, and `extra_…` for the columns of an `enrich` statement.

        Raises:
            ExtraMissing: pandas is not installed.
        """
        records = (_record(rank, hit, self.paths_to(hit)) for rank, hit in enumerate(self.hits, start=1))
        return data_frame(records, HIT_COLUMNS)

    def parts_to_pandas(self) -> pandas.DataFrame:
        """Return one row per part, in order: kind, text, score, tokens, details, and lists of chunks and documents.

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
"""Name of the parameter with the chunk ids of the hits."""

_EXAMPLE = (
    "UNWIND $ids AS id MATCH (:Overstory {id: id})-[:MENTIONS]->(e:Entity) RETURN id, collect(DISTINCT e.name) AS names"
)


@dataclass(frozen=True, slots=True)
class HitStatement:
    """A Cypher statement that reads the graph around the hits. Pass values as `parameters`, not within the text.

    Attributes:
        text: statement that takes the chunk ids of the hits as `$ids`, and returns at most one row per hit, with the
            chunk id as `id` and any further columns.
        parameters: values by parameter name.

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
                "The parameter name ids is reserved for the hits.", remedy="Use another parameter name."
            )
