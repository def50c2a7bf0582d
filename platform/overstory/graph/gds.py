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
def projection(graph: GraphClient, corpus: Corpus, statement: str, **parameters: object) -> Generator[str]:
    """The name of an in-memory graph that a statement (`gds/project_…`) makes of a corpus; dropped at the end.

    Raises:
        StatementFailed: GDS refused; the message is its own.
    """
    name = f"overstory-{uuid.uuid4().hex[:12]}"
    try:
        graph.run(statement, corpus.label, read=False, graph=name, **parameters)
        yield name
    finally:
        graph.run("gds/drop", graph=name)


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
    with driver_errors("gds"):
        client = GraphDataScience(graph.native_driver(), database=graph.database, show_progress=False)
    with (
        projection(graph, corpus, "gds/project_corpus", types=list(types), weight=weight) as name,
        driver_errors("gds"),
    ):
        yield client, client.graph.get(name)
