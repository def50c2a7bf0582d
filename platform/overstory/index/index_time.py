"""About how long indexing takes, from earlier runs in this database or else from usual figures."""

from __future__ import annotations

from dataclasses import dataclass

from overstory.graph import GraphClient
from overstory.machine import processors

USUAL_SECONDS = {"minilm-int8": 0.10, "spacy": 0.07}
"""Processor seconds for a chunk, by the kind of model: 5,906 chunks of manuals took two cores 305 s and 208 s."""

_OTHER_STEPS_FACTOR = 1.1
"""Linking names and facts takes about a tenth of the two steps that are measured."""

_MOST_RUNS_MEASURED = 5


@dataclass(frozen=True, slots=True)
class IndexTime:
    """An estimate of how long indexing takes.

    Attributes:
        measured: whether it is from earlier runs in this database; else from the usual time of the models that come
            along, on as many processors as this machine has.
    """

    seconds: float
    measured: bool


def estimate_index_time(
    graph: GraphClient, *, embed: int, extract: int, embedder: str, extractor: str, usual: bool
) -> IndexTime | None:
    """About how long the index takes for so many chunks; None where nothing is known about it.

    Args:
        embed, extract: chunks for either stage.
        embedder, extractor: fingerprints.
        usual: whether `USUAL_SECONDS` may be used where nothing was measured: the spaCy pipeline is the default one.
    """
    seconds, measured = 0.0, True
    for stage, chunks, fingerprint in (("embed", embed, embedder), ("extract", extract, extractor)):
        if not chunks:
            continue
        rate = _seconds_a_chunk(graph, stage, fingerprint)
        if rate is None:
            if not usual or (kind := fingerprint.partition(":")[0]) not in USUAL_SECONDS:
                return None
            rate, measured = USUAL_SECONDS[kind] / processors(), False
        seconds += chunks * rate
    return IndexTime(_OTHER_STEPS_FACTOR * seconds, measured) if seconds else None


def _seconds_a_chunk(graph: GraphClient, stage: str, fingerprint: str) -> float | None:
    runs = graph.run("corpus/stage_speeds", read=True, name=stage, fingerprint=fingerprint, limit=_MOST_RUNS_MEASURED)
    units = sum(run["units"] for run in runs)
    return float(sum(run["seconds"] for run in runs) / units) if units else None
