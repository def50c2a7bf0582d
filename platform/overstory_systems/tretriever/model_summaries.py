"""Summarises sets of vertices with a language model, one request per set.

A request contains the texts of the vertices and of the edges between them. If these do not fit, it contains summaries
of the largest subsets.

Source: T-Retriever paper (Wei et al. 2026), Eq. 10.
"""

from __future__ import annotations

from overstory.display import counted, shortened
from overstory.llm import Chat, prompt
from overstory.systems.texts.model_reports import (
    MOST_CHUNKS_OF_A_FINDING,
    ReportWriter,
    Shown,
    Source,
    fitting,
    sources_of,
)
from overstory.systems.texts.passages import cut, within
from overstory.text.key_phrases import CommonWords
from overstory_systems.tretriever.names import NAME
from overstory_systems.tretriever.summaries import (
    LONGEST_SET_NAME_CHARACTERS,
    SHOWN_SET_MEMBERS,
    RuleSetSummariser,
    SetWithTexts,
    ShownEdge,
)
from overstory_systems.tretriever.vertex_graphs import VertexText

_MOST_REQUESTED_EDGES = 16
"""Maximum number of edges in a request."""
_MOST_REQUESTED_PASSAGES = 500
"""Maximum number of passages in a request. The summary cites all of them. Only the first text may exceed it."""
_LONGEST_REQUESTED_VERTEX_CHARACTERS = 500  # maximum length of a vertex's text in a request
_LONGEST_REQUESTED_EDGE_CHARACTERS = 240  # maximum length of an edge's text in a request


class ModelSetSummariser(ReportWriter[SetWithTexts]):
    """Summarises sets with a language model, several at a time. Sets without passages are left to rules."""

    most_sources = SHOWN_SET_MEMBERS + _MOST_REQUESTED_EDGES

    def __init__(self, chat: Chat, model: str, common: CommonWords | None = None) -> None:
        """Create a summariser.

        Args:
            model: Name of the model, which summaries contain as `by`.
            common: IDF weights of words, for `RuleSetSummariser`.
        """
        super().__init__(chat.booked(NAME), model, prompt("summary", __package__), RuleSetSummariser(common))

    def fallen_back(self) -> str:
        return f"{self.by_rules:,} of {counted(self.groups, 'set')} of vertices summarised by rules"

    def not_shown(self) -> str:
        sources = counted(self.left_out, "text")
        return f"{sources} of vertices, edges and parts did not fit into the prompts of summaries"

    def shown(self, group: SetWithTexts) -> Shown:
        each, members = group
        known = {place: one for place, one in zip(each.members, members, strict=False) if one.chunks}
        ends = [(edge, known.get(edge.source), known.get(edge.target)) for edge in each.edges]
        edges = [_edge(edge, source, target) for edge, source, target in ends if source and target]
        found = sources_of(list(map(_vertex, known.values())), edges[:_MOST_REQUESTED_EDGES], each.parts)
        found = [source for source in found if source.chunks]
        sources = within(fitting(found), _MOST_REQUESTED_PASSAGES)
        unread = 0 if each.parts else each.size - len(members)
        return Shown(each.key, each.size, sources, len(found) - len(sources) + unread)


def _vertex(one: VertexText) -> Source:
    suffix = f": {one.text}" if one.text.strip() else ""
    text = cut(
        f"Vertex {shortened(one.name, LONGEST_SET_NAME_CHARACTERS)}{suffix}", _LONGEST_REQUESTED_VERTEX_CHARACTERS
    )
    return Source(text, one.chunks, one.chunks[:MOST_CHUNKS_OF_A_FINDING], (one.name,))


def _edge(edge: ShownEdge, source: VertexText, target: VertexText) -> Source:
    names = (source.name, target.name)
    named = (source.chunks[0], target.chunks[0])
    suffix = f": {edge.text}" if edge.text.strip() else ""
    between = " – ".join(shortened(name, LONGEST_SET_NAME_CHARACTERS) for name in names)
    cited = (edge.chunks or named)[:MOST_CHUNKS_OF_A_FINDING]
    return Source(
        cut(f"Edge {between}{suffix}", _LONGEST_REQUESTED_EDGE_CHARACTERS), (*edge.chunks, *named), cited, names
    )
