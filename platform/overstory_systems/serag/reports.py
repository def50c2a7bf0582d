"""Reports on the communities that led to hits, made from the hits themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from overstory.display import counted, shortened
from overstory.graph.client import Row
from overstory.model import CommunityReport, Hit

_REPORT_TITLE_NAMES = 5  # names in the first line of a report
REPORT_NAMES_A_CHUNK = 12
"""Names in the first line of a report, and names of a passage among which they are chosen."""
_REPORT_PASSAGES = 5
"""Passages that a report quotes, each by its beginning."""
_QUOTED_PASSAGE_CHARACTERS = 160
"""Characters of it."""


@dataclass(frozen=True, slots=True)
class SelectedCommunity:
    """A community that was selected for a question.

    Attributes:
        level: from 1, the coarsest.
        cosine: of its vector and the question's.
        members: the ids of its chunks.
    """

    id: str
    level: int
    cosine: float
    members: tuple[str, ...]


def community_reports(
    selected: Sequence[SelectedCommunity], hits: Sequence[Hit], names: Sequence[Row]
) -> Iterator[CommunityReport]:
    """A report on each selected community that holds a hit, the nearest to the question first.

    A report covers the hits in the community: summarising all members would take longer than the search.

    Args:
        names: rows of `systems/serag/names_in` for the hits.
    """
    ids = {hit.chunk_id for hit in hits}
    idf = {row["id"]: dict(row["names"]) for row in names}
    for community in sorted(selected, key=lambda each: (-each.cosine, each.id)):
        inside = ids.intersection(community.members)
        found = [hit for hit in hits if hit.chunk_id in inside]
        if found:
            yield CommunityReport(
                text="\n".join(
                    [_title(community, found, idf), *(f"- {_quoted(hit)}" for hit in found[:_REPORT_PASSAGES])]
                ),
                score=community.cosine,
                chunks=tuple(hit.chunk_id for hit in found),
                documents=tuple(dict.fromkeys(hit.document_id for hit in found)),
                community=community.id,
                level=community.level,
                size=len(community.members),
            )


def _title(community: SelectedCommunity, found: Sequence[Hit], idf: Mapping[str, Mapping[str, float]]) -> str:
    """The size of the community, and names. A name counts by its IDF, once for each hit that mentions it."""
    weights: dict[str, float] = {}
    for hit in found:
        for name, weight in idf.get(hit.chunk_id, {}).items():
            weights[name] = weights.get(name, 0.0) + weight
    best = sorted(weights, key=lambda name: (-weights[name], name))[:_REPORT_TITLE_NAMES]
    size = f"Community of {counted(len(community.members), 'passage')}, {len(found):,} of them found"
    return f"{size}: {', '.join(best)}" if best else size


def _quoted(hit: Hit) -> str:
    beginning = shortened(hit.text, _QUOTED_PASSAGE_CHARACTERS)
    return f"{hit.title}: {beginning}" if hit.title else beginning
