"""The sentences of passages that state facts. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from overstory.graph.client import Row
from overstory.model import Excerpt
from overstory.retrieve.hits import content
from overstory.text.names.keys import fold
from overstory_systems.apr.triples import CodebookEdge, ScoredRun


def excerpts(runs: Sequence[ScoredRun], rows: Mapping[str, Row]) -> Iterator[Excerpt]:
    """The sentences that state the facts of runs, each once: by passage, the best run's first.

    Args:
        runs: by falling score.
        rows: of `retrieve/chunks_by_id`, by id; what a passage without a row states is left out.
    """
    scores: dict[str, dict[int, float]] = {}
    documents: dict[str, str] = {}
    for each in runs:
        chunk = each.run.chunk
        if chunk not in rows:
            continue
        documents[chunk] = each.run.document
        sentences = _sentences(rows[chunk])
        of_chunk = scores.setdefault(chunk, {})
        for edge, place in zip(each.run.edges, each.run.sentences, strict=True):
            stated = place if 0 <= place < len(sentences) else stating(edge, sentences)
            of_chunk.setdefault(stated, each.score)
    for chunk, of_chunk in scores.items():
        sentences = _sentences(rows[chunk])
        for place in sorted(of_chunk):
            text = sentences[place].strip()
            if text:
                yield Excerpt(text=text, score=of_chunk[place], chunks=(chunk,), documents=(documents[chunk],))


def stating(edge: CodebookEdge, sentences: Sequence[str]) -> int:
    """The place of the first sentence with both ends of an edge, else of the first with its tail, else with its head,
    else 0: facts that were loaded do not say where they stand."""
    head, tail = fold(edge.head), fold(edge.tail)
    folded = [fold(sentence) for sentence in sentences]
    found = [2 * (tail in sentence) + (head in sentence) for sentence in folded]
    return max(range(len(found)), key=lambda place: (found[place], -place))


def _sentences(row: Row) -> list[str]:
    """Those of a passage, without its boilerplate; at least one."""
    text = content(row)
    starts = [0, *(start for start in row["sentences"] if 0 < start < len(text)), len(text)]
    return [text[start:stop] for start, stop in pairwise(starts)]
