"""Graph Data Science in index stages: projections that are dropped whatever happens, through the official client."""

from __future__ import annotations

import uuid
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from overstory.errors import GdsMissing
from overstory.graph.client import GraphClient
from overstory.graph.corpora import Corpus
from overstory.graph.failures import driver_errors

if TYPE_CHECKING:
    from graphdatascience import GraphDataScience
    from graphdatascience.graph.graph_api import Graph


@contextmanager
def projected(
    graph: GraphClient, corpus: Corpus, types: Sequence[str], *, weight: str = "weight", stage: str
) -> Generator[tuple[GraphDataScience, Graph]]:
    """The GDS client and an undirected projection of a corpus' relationships of these types; dropped at the end.

    Args:
        weight: the relationship property that becomes `weight`, 1.0 where it is missing.
        stage: who asks, for the error message.

    Raises:
        GdsMissing: the server has no GDS, or the `gds` extra is not installed.
        StatementFailed: GDS refused; the message is its own.
    """
    graph.capabilities.require_gds(stage)
    try:
        from graphdatascience import GraphDataScience
    except ImportError as error:
        raise GdsMissing(
            f"{stage} needs the Graph Data Science client.", remedy='pip install "overstory[gds]"'
        ) from error
    name = f"overstory-{uuid.uuid4().hex[:12]}"
    with driver_errors("gds"):
        client = GraphDataScience(graph.native_driver(), database=graph.database, show_progress=False)
    try:
        graph.run("gds/project_corpus", corpus.label, graph=name, types=list(types), weight=weight)
        with driver_errors("gds"):
            yield client, client.graph.get(name)
    finally:
        with driver_errors("gds"):
            client.graph.drop(name, fail_if_missing=False)
