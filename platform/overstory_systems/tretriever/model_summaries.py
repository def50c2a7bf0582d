"""Summaries of sets of vertices written by a language model, one request each.

Source: T-Retriever (Wei et al. 2026), equation 10: a summary is made from the texts of the vertices and of the edges
among them. What does not fit into a request is represented by the summaries of the sets right below.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from overstory.display import counted, shortened
from overstory.llm import Chat, Estimate, prompt
from overstory.systems.tree.model_reports import MOST_CHUNKS, ReportWriter, Source, cut, fitting, part_source
from overstory.systems.tree.reports import Report
from overstory_systems.tretriever.names import NAME
from overstory_systems.tretriever.summaries import (
    LONGEST_NAME,
    RuleSummariser,
    SetToSummarise,
    rule_summary,
    with_texts,
)
from overstory_systems.tretriever.vertex_graph import VertexText, VertexTexts

PROMPT = "summary"
MOST_VERTICES = 16
"""In a request."""
MOST_EDGES = 16
BESIDE_PARTS = 6
"""Vertices, and edges, that a request has along with summaries of parts."""
MOST_SOURCES = MOST_VERTICES + MOST_EDGES
MOST_STOOD_ON = 500
"""Passages of the sources of a request, all of which the summary stands on: a source that would add more is left out.
The first is always shown."""
LONGEST_VERTEX = 500
LONGEST_EDGE = 240


@dataclass(frozen=True, slots=True)
class _Asked:
    """A set, what its members say, and what became of the request.

    Attributes:
        written: None where the answer could not be used, or nothing was sent.
        left_out: sources that the request did not hold, and vertices that nothing in it stands for.
    """

    set: SetToSummarise
    members: Sequence[VertexText]
    written: Report | None
    sent: bool
    left_out: int


class ModelSummariser:
    """Asks a model, several sets at a time.

    A set whose answer cannot be used, or has no finding with a source that was shown, is summarised by rules, and is
    counted. So is a set without any passage: it has nothing to show.
    """

    def __init__(self, chat: Chat, model: str) -> None:
        """
        Args:
            model: its name, which summaries carry in `by`.
        """
        self._writer = ReportWriter(chat.booked(NAME), model, prompt(PROMPT, __package__))
        self._rules = RuleSummariser()
        self._sets = self._by_rules = self._left_out = 0
        self.fingerprint = f"{self._writer.fingerprint} {RuleSummariser.fingerprint}"

    @property
    def notes(self) -> tuple[str, ...]:
        """See `Summariser.notes`."""
        found: list[str] = []
        if self._by_rules:
            found.append(
                f"{self._by_rules:,} of {counted(self._sets, 'set')} of vertices summarised by rules: the answers of "
                f"{self._writer.model} could not be used"
            )
        if self._left_out:
            sources = counted(self._left_out, "text")
            found.append(f"{sources} of vertices, edges and parts did not fit into the prompts of summaries")
        return tuple(found)

    def summarise(
        self, sets: Iterable[SetToSummarise], texts: VertexTexts, vertices: Sequence[int]
    ) -> Iterator[Report]:
        """See `Summariser.summarise`.

        Raises:
            BudgetExhausted: the next request might go over the budget.
            LlmError: there is no answer; summaries of earlier sets have been yielded.
        """
        common = self._rules.common_words(texts, vertices)

        def one(item: tuple[SetToSummarise, Sequence[VertexText]]) -> _Asked:
            each, members = item
            found = list(_sources(each, members))
            shown = _within(found)
            written = self._writer.report(each.key, each.size, shown) if shown else None
            unread = 0 if each.parts else each.size - len(members)
            return _Asked(each, members, written, bool(shown), len(found) - len(shown) + unread)

        for asked in self._writer.chat.each(one, with_texts(sets, texts, MOST_VERTICES)):
            self._sets += 1
            self._by_rules += asked.sent and asked.written is None
            self._left_out += asked.left_out if asked.written else 0
            yield asked.written or rule_summary(asked.set, asked.members, common)

    def estimate(self, sets: int) -> Estimate:
        """The most that summaries of so many sets cost; see `ReportWriter.estimate`."""
        return self._writer.estimate(sets, MOST_SOURCES)


def _sources(each: SetToSummarise, members: Sequence[VertexText]) -> Iterator[Source]:
    """What a request says of a set: vertices and edges, of a set with parts few of them and then its parts."""
    most = BESIDE_PARTS if each.parts else MOST_SOURCES
    known = {place: one for place, one in zip(each.members, members, strict=False) if one.chunks}
    for one in list(known.values())[:most]:
        said = f": {one.text}" if one.text.strip() else ""
        text = cut(f"Vertex {shortened(one.name, LONGEST_NAME)}{said}", LONGEST_VERTEX)
        yield Source(text, one.chunks, one.chunks[:MOST_CHUNKS], (one.name,))
    edges = [edge for edge in each.edges if edge.source in known and edge.target in known]
    for edge in edges[: min(most, MOST_EDGES)]:
        ends = known[edge.source], known[edge.target]
        names = tuple(one.name for one in ends)
        said = f": {edge.text}" if edge.text.strip() else ""
        between = " – ".join(shortened(name, LONGEST_NAME) for name in names)
        named = tuple(one.chunks[0] for one in ends)
        cited = (edge.chunks or named)[:MOST_CHUNKS]
        yield Source(cut(f"Edge {between}{said}", LONGEST_EDGE), (*edge.chunks, *named), cited, names)
    yield from (part_source(part) for part in each.parts if part.stands_on)


def _within(sources: Iterable[Source]) -> list[Source]:
    """What a request holds, by characters and by passages."""
    shown: list[Source] = []
    chunks: set[str] = set()
    for source in fitting(sources):
        if not shown or len(chunks.union(source.chunks)) <= MOST_STOOD_ON:
            shown.append(source)
            chunks.update(source.chunks)
    return shown
