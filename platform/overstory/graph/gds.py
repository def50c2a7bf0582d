"""In-memory graphs ("projections") of the Graph Data Science (GDS) plugin, for the stages that build indexes.

A stage creates a projection and drops it after use. The name of a projection identifies its owner:
`overstory/CORPUS/STAGE/HOST/PID/STARTED/RANDOM`, with each part percent-encoded. The name shows whether the projection
is in use or was left by a killed process.
"""

from __future__ import annotations

import importlib.util
import os
import uuid
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

import psutil

from overstory.cancellation import cancellable
from overstory.errors import GdsMissing, StatementFailed, install_command
from overstory.graph.client import GraphClient
from overstory.graph.failures import driver_errors
from overstory.graph.lease import Writer, is_dead, this_host

if TYPE_CHECKING:
    from graphdatascience import GraphDataScience
    from graphdatascience.graph.graph_api import Graph

PREFIX = "overstory"


@dataclass(frozen=True, slots=True)
class Projection:
    """The owner of an in-memory graph that Overstory created.

    Attributes:
        corpus: label of the corpus.
        host: machine and container of the process that created the projection, as `this_host` returns it.
        started: start time of that process, in seconds since 1970.
        key: random digits that differ for each projection.
    """

    corpus: str
    stage: str
    host: str
    pid: int
    started: float
    key: str

    @classmethod
    def of_this_process(cls, corpus: str, stage: str) -> Projection:
        """Return a description, with a unique name, for a new projection of this process."""
        started = psutil.Process().create_time()
        return cls(corpus, stage, this_host(), os.getpid(), started, uuid.uuid4().hex[:12])

    @classmethod
    def named(cls, name: str) -> Projection | None:
        """Parse the name of a projection. Return None if Overstory did not create the projection."""
        parts = [unquote(part) for part in name.split("/")]
        if len(parts) != 7 or parts[0] != PREFIX:
            return None
        _, corpus, stage, host, pid, started, key = parts
        try:
            return cls(corpus, stage, host, int(pid), float(started), key)
        except ValueError:
            return None

    @property
    def name(self) -> str:
        parts = (self.corpus, self.stage, self.host, str(self.pid), str(self.started), self.key)
        return "/".join([PREFIX, *(quote(part, safe="") for part in parts)])

    @property
    def is_abandoned(self) -> bool:
        """True if the process that created the projection ran on this machine and has ended."""
        return is_dead({"host": self.host, "pid": self.pid, "started": self.started})

    def is_of_the_same_process(self, other: Projection) -> bool:
        return (self.host, self.pid, self.started) == (other.host, other.pid, other.started)


def projections(graph: GraphClient) -> list[Projection]:
    """Return Overstory's projections in this database that the connected user created, in any process."""
    found = (Projection.named(row["graph"]) for row in graph.run("gds/list", read=True, prefix=f"{PREFIX}/"))
    return [each for each in found if each is not None]


@contextmanager
def projection(writer: Writer, statement: str, *, stage: str, **parameters: object) -> Generator[str]:
    """Create a projection, yield its name, and drop the projection when the block ends.

    Projections left by killed processes are dropped first.

    Args:
        statement: name of the statement that creates the projection (`gds/project_…`).
        stage: stage that needs the projection; it becomes part of the name.
    """
    graph, label = writer.graph, writer.corpus.label
    made = Projection.of_this_process(label, stage)
    drop_left_behind(writer, made)
    try:
        graph.run(statement, label, read=False, graph=made.name, **parameters)
        yield made.name
    finally:
        with cancellable(None):
            graph.run("gds/drop", graph=made.name)


def drop_left_behind(writer: Writer, here: Projection) -> None:
    """Drop the projections of processes that have ended and of previous writers of this corpus.

    Args:
        here: a projection of this process. Projections of the same process are not dropped.
    """
    found = [each for each in projections(writer.graph) if not each.is_of_the_same_process(here)]
    dead = [each for each in found if each.is_abandoned]
    former = [each for each in found if each.corpus == writer.corpus.label and each not in dead]
    if former:
        writer.renew()
    for each in (*dead, *former):
        writer.graph.run("gds/drop", graph=each.name)


@contextmanager
def projected(
    writer: Writer, types: Sequence[str], *, weight: str = "weight", stage: str
) -> Generator[tuple[GraphDataScience, Graph]]:
    """Yield the GDS client and an undirected projection of a corpus. The projection is dropped when the block ends.

    Args:
        weight: relationship property that becomes the property `weight`. A relationship without it has weight 1.0.
        stage: stage that needs the projection. It becomes part of the name and of error messages.
    """
    with projected_by(writer, "gds/project_corpus", stage=stage, types=list(types), weight=weight) as made:
        yield made


@contextmanager
def projected_by(
    writer: Writer, statement: str, *, stage: str, extra: str = "gds", **parameters: object
) -> Generator[tuple[GraphDataScience, Graph]]:
    """Yield the GDS client and the projection created by a statement. It is dropped when the block ends.

    Args:
        statement: name of the statement (`gds/project_…`).
        stage: stage that needs the projection. It becomes part of the name and of error messages.
    """
    client = gds_client(writer.graph, stage, extra=extra)
    with projection(writer, statement, stage=stage, **parameters) as name, driver_errors("gds"):
        yield client, client.graph.get(name)


def gds_client(graph: GraphClient, stage: str, *, extra: str = "gds") -> GraphDataScience:
    """Return a GDS client that uses the connection of `graph`.

    Args:
        extra: name of the optional extra that installs the client.
    """
    require_client(graph, stage, extra=extra)
    from graphdatascience import GraphDataScience

    with driver_errors("gds"):
        return GraphDataScience(graph.native_driver(), database=graph.database, show_progress=False)


def require_client(graph: GraphClient, stage: str, *, extra: str = "gds") -> None:
    """Raise `GdsMissing` unless the GDS plugin and its Python client are installed."""
    graph.capabilities.require_gds(stage)
    if importlib.util.find_spec("graphdatascience") is None:
        raise GdsMissing(f"{stage} needs the Graph Data Science client.", remedy=install_command(extra))


def require_memory(
    graph: GraphClient, client: GraphDataScience, nodes: int, relationships: int, *, properties: Sequence[str]
) -> None:
    """Raise an error if the server's heap is too small to run Leiden on an undirected projection of this size.

    At least half of the heap counts as free, because the used part may be mostly garbage. The check is skipped if the
    server does not report how much heap it uses. GDS itself rejects a projection that cannot fit.

    Args:
        properties: names of the relationship properties; the first is the weight.

    Raises:
        StatementFailed: the free heap is too small.
    """
    imagined = {
        "nodeCount": nodes,
        "relationshipCount": relationships,
        "nodeProjection": "*",
        "relationshipProjection": {"LINK": {"type": "*", "orientation": "UNDIRECTED", "properties": list(properties)}},
    }
    with driver_errors("gds"):
        needed = client.leiden.estimate(
            imagined,
            include_intermediate_communities=True,
            concurrency=1,
            relationship_weight_property=properties[0],
        ).bytes_max
    try:
        (heap,) = graph.run("gds/heap", read=True)
    except StatementFailed:
        return
    free = max(heap["most"] - heap["used"], heap["most"] // 2)
    if needed > free:
        raise StatementFailed(
            f"Clustering {nodes:,} nodes and {relationships:,} relationships needs up to {needed / 1e6:,.0f} MB of "
            f"server memory, but {free / 1e6:,.0f} MB of the heap of {heap['most'] / 1e6:,.0f} MB are free.",
            remedy=f"Set OVERSTORY_SERVER_HEAP to {2 * needed // 2**20 + 1}m or more and restart the server (overstory "
            "server stop). On your own server, increase server.memory.heap.max_size.",
        )
