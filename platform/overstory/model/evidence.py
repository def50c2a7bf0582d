"""What a retriever finds: ranked passages with reasons, and how they were reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from overstory.display import counted, data_frame, html_table, origin, shortened

if TYPE_CHECKING:
    import pandas

MOST_SHOWN = 20
"""Hits in the `repr` of an `Evidence`."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One part of a hit's score: where it came from and how much it brought."""

    kind: str
    score: float
    detail: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Hit:
    """A ranked chunk. `score` falls along a result; its scale is the retriever's own."""

    chunk_id: str
    document_id: str
    source: str
    source_key: str
    title: str
    heading: str
    text: str
    score: float
    reasons: tuple[Reason, ...] = ()

    def __repr__(self) -> str:
        return f"<Hit {self.score:.4f} {self.title!r} [{self.origin}]: {shortened(self.text)}>"

    @property
    def origin(self) -> str:
        """Where it comes from: source, and key if there is one."""
        return origin(self.source, self.source_key)

    @property
    def why(self) -> str:
        """The reasons on one line."""
        return "; ".join(f"{reason.kind}: {reason.detail}" for reason in self.reasons)


@dataclass(frozen=True, slots=True)
class BridgeStep:
    """From one passage to another by a name that the first one mentions.

    Attributes:
        kind: "about" if the second passage is about the name, "mentions" if it mentions it too.
        source_sentence, target_sentence: what says the name; the first sentence where none does.
    """

    name: str
    kind: Literal["about", "mentions"]
    source_id: str
    source_title: str
    source_sentence: str
    target_id: str
    target_title: str
    target_sentence: str


@dataclass(frozen=True, slots=True)
class BridgePath:
    """How a passage was reached, from the question on.

    Attributes:
        asked: the name in the question that led to the first passage; "" if its meaning or its words did.
        score: how much this path brought to the passage at its end.
    """

    asked: str
    steps: tuple[BridgeStep, ...]
    score: float

    @property
    def chunk_id(self) -> str:
        """The passage at its end."""
        return self.steps[-1].target_id

    def __str__(self) -> str:
        """Names and passages on one line."""
        first = self.steps[0]
        parts = [self.asked or "the question", first.source_title or shortened(first.source_sentence, 40)]
        for step in self.steps:
            parts += [step.name, step.target_title or shortened(step.target_sentence, 40)]
        return " → ".join(parts)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of a hit's text, of a retriever that finds sentences rather than chunks."""

    chunk_id: str
    text: str


@dataclass(frozen=True, slots=True, repr=False)
class Evidence:
    """What a retriever found for a question.

    Attributes:
        hits: best first, at most one per chunk.
        excerpts: what to read of the hits, in the order to read it in; empty where hits are to be read whole.
        notes: what the reader should know of the result (an index older than the corpus, a shortened question).
        paths: how hits were reached by names, in the order of the hits; of retrievers that follow names.
    """

    question: str
    retriever: str
    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()
    paths: tuple[BridgePath, ...] = ()
    excerpts: tuple[Excerpt, ...] = ()

    def __repr__(self) -> str:
        """A few lines a hit: what it says, why it was found, and the best path to it."""
        lines = [f"<Evidence by {self.retriever} for {shortened(self.question)!r}: {counted(len(self.hits), 'hit')}>"]
        for rank, hit in enumerate(self.hits[:MOST_SHOWN], start=1):
            lines += [f"{rank:>3}. {hit.title or '(no title)'} [{hit.origin}]: {shortened(hit.text)}"]
            lines += [f"     {hit.score:.4f}  {hit.why}"]
            lines += [f"     by way of {path}" for path in self.paths_to(hit)[:1]]
        if len(self.hits) > MOST_SHOWN:
            lines.append(f"     … and {len(self.hits) - MOST_SHOWN:,} more")
        return "\n".join([*lines, *(f"Note: {note}" for note in self.notes)])

    def paths_to(self, hit: Hit) -> tuple[BridgePath, ...]:
        """How names led to a hit, the path that brought most first; none where it was found by itself."""
        return tuple(path for path in self.paths if path.chunk_id == hit.chunk_id)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        rows = (
            (str(rank), f"{hit.score:.4f}", hit.title, shortened(hit.text, 300), hit.origin, hit.why)
            for rank, hit in enumerate(self.hits, start=1)
        )
        caption = f"{self.question} ({self.retriever})"
        return html_table(caption, ("", "score", "title", "text", "source", "why"), rows, self.notes)

    def to_pandas(self) -> pandas.DataFrame:
        """A row a hit, best first: its fields, the best path to it, `score_…` with what each kind of reason brought.

        Raises:
            ExtraMissing: pandas is not installed.
        """
        records = (_record(rank, hit, self.paths_to(hit)) for rank, hit in enumerate(self.hits, start=1))
        return data_frame(records, HIT_COLUMNS)


HIT_COLUMNS = (
    *("rank", "score", "title", "heading", "text", "source", "source_key", "why"),
    *("path", "document_id", "chunk_id"),
)


def _record(rank: int, hit: Hit, paths: Sequence[BridgePath]) -> dict[str, object]:
    """A hit as `Evidence.to_pandas` gives it."""
    record: dict[str, object] = {"rank": rank, "path": str(paths[0]) if paths else ""}
    record = {name: record[name] if name in record else getattr(hit, name) for name in HIT_COLUMNS}
    for kind in dict.fromkeys(reason.kind for reason in hit.reasons):
        record[f"score_{kind}"] = sum(reason.score for reason in hit.reasons if reason.kind == kind)
    return record
