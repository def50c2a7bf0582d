"""Graph Data Science in index stages: projections that are always dropped, through the official client.

A projection's name identifies its owner: `overstory/CORPUS/STAGE/HOST/PID/STARTED/RANDOM`, each part percent-encoded.
So a projection that a killed process left in memory can be told from one that another process uses.
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
    """An in-memory graph of ours.

    Attributes:
        corpus: the label of the corpus that it is of.
        stage: what it was made for.
        host, pid, started: of the process that made it, as a lease has them.
        key: distinguishes the projections of one process.
    """

    corpus: str
    stage: str
    host: str
    pid: int
    started: float
    key: str

    @classmethod
    def of_this_process(cls, corpus: str, stage: str) -> Projection:
        """One that has a name of its own."""
        started = psutil.Process().create_time()
        return cls(corpus, stage, this_host(), os.getpid(), started, uuid.uuid4().hex[:12])

    @classmethod
    def named(cls, name: str) -> Projection | None:
        """The projection of this name; None if it is not one of ours."""
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
        """The name in the catalog of Graph Data Science."""
        parts = (self.corpus, self.stage, self.host, str(self.pid), str(self.started), self.key)
        return "/".join([PREFIX, *(quote(part, safe="") for part in parts)])

    @property
    def is_abandoned(self) -> bool:
        """Whether the process that made it ran on this machine and is gone."""
        return is_dead({"host": self.host, "pid": self.pid, "started": self.started})

    def is_of_the_same_process(self, other: Projection) -> bool:
        return (self.host, self.pid, self.started) == (other.host, other.pid, other.started)


def projections(graph: GraphClient) -> list[Projection]:
    """Our in-memory graphs of this database, by all processes that connect as this user."""
    found = (Projection.named(row["graph"]) for row in graph.run("gds/list", read=True, prefix=f"{PREFIX}/"))
    return [each for each in found if each is not None]


@contextmanager
def projection(writer: Writer, statement: str, *, stage: str, **parameters: object) -> Generator[str]:
    """The name of an in-memory graph that a statement (`gds/project_…`) makes of a corpus; dropped at the end.

    Drops those that killed runs left first.

    Args:
        stage: who asks, for the name.
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
    """Drops the projections of processes that are gone, and those that a writer before this one has of its corpus.

    Args:
        here: one of this process, whose own stay.
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
    """The GDS client and an undirected projection of a corpus' relationships of these types; dropped at the end.

    Args:
        weight: the relationship property that becomes `weight`, 1.0 where it is missing.
        stage: who asks, for the error message and the name.
    """
    with projected_by(writer, "gds/project_corpus", stage=stage, types=list(types), weight=weight) as made:
        yield made


@contextmanager
def projected_by(
    writer: Writer, statement: str, *, stage: str, extra: str = "gds", **parameters: object
) -> Generator[tuple[GraphDataScience, Graph]]:
    """The GDS client and the in-memory graph that a statement (`gds/project_…`) makes of a corpus; dropped at the end.

    Args:
        stage: who asks, for the error message and the name.
        extra: that installs the client.
    """
    client = gds_client(writer.graph, stage, extra=extra)
    with projection(writer, statement, stage=stage, **parameters) as name, driver_errors("gds"):
        yield client, client.graph.get(name)


def gds_client(graph: GraphClient, stage: str, *, extra: str = "gds") -> GraphDataScience:
    """The GDS client on a connection of ours.

    Args:
        stage: who asks, for the error message.
        extra: that installs the client.
    """
    require_client(graph, stage, extra=extra)
    from graphdatascience import GraphDataScience

    with driver_errors("gds"):
        return GraphDataScience(graph.native_driver(), database=graph.database, show_progress=False)


def require_client(graph: GraphClient, stage: str, *, extra: str = "gds") -> None:
    """Check that both halves of Graph Data Science are there: for a stage to call before it does anything.

    Args:
        stage: who asks, for the error message.
        extra: that installs the client.
    """
    graph.capabilities.require_gds(stage)
    if importlib.util.find_spec("graphdatascience") is None:
        raise GdsMissing(f"{stage} needs the Graph Data Science client.", remedy=install_command(extra))


def require_memory(
    graph: GraphClient, client: GraphDataScience, nodes: int, relationships: int, *, properties: Sequence[str]
) -> None:
    """Check that the server's heap has room for an undirected in-memory graph of this size, and for Leiden on it.

    What the heap has in use may be garbage in good part, so at least half of it counts as free. A server that does not
    say how much it uses is not checked: GDS itself refuses what cannot fit.

    Args:
        properties: of the relationships.
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
            f"Communities of {nodes:,} nodes and {relationships:,} relationships need up to {needed / 1e6:,.0f} MB of "
            f"the server's memory, and {free / 1e6:,.0f} MB of its heap of {heap['most'] / 1e6:,.0f} MB are free.",
            remedy=f"Set OVERSTORY_SERVER_HEAP to {2 * needed // 2**20 + 1}m or more and restart the server (overstory "
            "server stop). On a server of your own, raise server.memory.heap.max_size.",
        )
