"""Graph Data Science through its client, on one corpus."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from tests.passages import PASSAGES, OpenCorpus

from overstory.doctor import diagnose
from overstory.errors import LeaseLost, StatementFailed
from overstory.graph import read_corpus, writing
from overstory.graph.gds import Projection, projected, projection, projections
from overstory.knowledge import Knowledge
from overstory.settings import Settings

pytestmark = pytest.mark.gds
PROJECTS = """
import sys, time
from pathlib import Path
from overstory.graph import GraphClient, read_corpus, writing
from overstory.graph.gds import projection
from overstory.settings import Places, ServerSettings, Settings

data, cache, corpus = sys.argv[1:]
settings = Settings(Places(Path(data), Path(cache)), ServerSettings(fast_start=True, idle_minutes=5))
with (
    GraphClient.open(settings) as graph,
    writing(graph, read_corpus(graph, corpus), "test") as writer,
    projection(writer, "gds/project_corpus", stage="killed", types=["PART_OF"], weight="weight") as name,
):
    print(name, flush=True)
    time.sleep(600)
"""


def test_leiden_runs_on_one_corpus_and_leaves_no_projection(open_corpus: OpenCorpus) -> None:
    knowledge, other = open_corpus(), open_corpus("other")
    for each in (knowledge, other):
        each.ingest_documents(PASSAGES)
        each.index()
    entities = knowledge.status().counts["entities"]
    with writing(knowledge.graph, knowledge.status().corpus, "test") as writer:
        with projected(writer, ["MENTIONS"], stage="test") as (gds, graph):
            assert entities < graph.node_count() <= entities + knowledge.status().counts["chunks"]
            communities = gds.leiden.stream(graph, random_seed=1, concurrency=1)
            assert len(communities) == graph.node_count()
            assert gds.graph.list()
            name = graph.name()
        with projected(writer, ["MENTIONS"], stage="test") as (gds, graph):
            assert name not in {info.graph_name for info in gds.graph.list()}


def test_a_refusal_of_gds_is_an_error_of_ours_and_the_projection_is_dropped(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(PASSAGES)
    corpus = read_corpus(knowledge.graph, knowledge.corpus_name)
    with (
        writing(knowledge.graph, corpus, "test") as writer,
        projected(writer, ["PART_OF"], stage="test") as (gds, kept),
    ):
        before = {info.graph_name for info in gds.graph.list()}
        assert kept.name() in before
        with (
            pytest.raises(StatementFailed, match="concurrency"),
            projected(writer, ["PART_OF"], stage="test") as (_, refused),
        ):
            gds.leiden.stream(refused, concurrency=64)
        assert {info.graph_name for info in gds.graph.list()} == before


@contextmanager
def project(knowledge: Knowledge) -> Generator[str]:
    with (
        writing(knowledge.graph, knowledge.status().corpus, "test") as writer,
        projection(writer, "gds/project_corpus", stage="test", types=["PART_OF"], weight="weight") as name,
    ):
        yield name


@pytest.fixture
def left(open_corpus: OpenCorpus, settings: Settings) -> Iterator[Projection]:
    """A projection of the corpus "killed" by a process that was killed."""
    knowledge = open_corpus("killed")
    knowledge.ingest_documents(PASSAGES)
    arguments = [str(settings.places.data), str(settings.places.cache), knowledge.corpus_name]
    with subprocess.Popen([sys.executable, "-c", PROJECTS, *arguments], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        made = Projection.named(process.stdout.readline().strip())
        assert made is not None
        assert made in projections(knowledge.graph)
        assert not made.is_abandoned
        process.send_signal(signal.SIGKILL)
    yield made
    knowledge.graph.run("gds/drop", graph=made.name)


@pytest.mark.slow
def test_what_a_killed_process_projected_is_found_and_dropped_before_the_next_projection(
    left: Projection, open_corpus: OpenCorpus, settings: Settings
) -> None:
    other = open_corpus("other")
    other.ingest_documents(PASSAGES)
    assert left.is_abandoned
    (check,) = (check for check in diagnose(settings) if check.name == "projections")
    assert (check.ok, check.detail) == (False, "1 in-memory graph left over from killed runs (killed)")
    assert left in projections(other.graph)  # the doctor changes nothing
    with project(other) as name:
        assert [each.name for each in projections(other.graph)] == [name]
    (check,) = (check for check in diagnose(settings) if check.name == "projections")
    assert check.ok


def test_a_projection_of_another_machine_goes_when_its_corpus_has_another_writer(open_corpus: OpenCorpus) -> None:
    knowledge, other = open_corpus(), open_corpus("other")
    for each in (knowledge, other):
        each.ingest_documents(PASSAGES)
    graph, corpus = knowledge.graph, knowledge.status().corpus
    far = replace(Projection.of_this_process(corpus.label, "leiden"), host="elsewhere/1", pid=1)
    graph.run("gds/project_corpus", corpus.label, graph=far.name, types=["PART_OF"], weight="weight")
    with project(other):
        assert far in projections(graph)  # somebody may be using it
    with writing(graph, corpus, "test") as writer:
        graph.run("corpus/release_lease", corpus.label, token=writer.token)
        with (
            pytest.raises(LeaseLost),
            projection(writer, "gds/project_corpus", stage="late", types=["PART_OF"], weight="weight"),
        ):
            pytest.fail("a writer that lost its lease has no projection")
    assert projections(graph) == [far]
    with project(knowledge) as name:
        assert [each.name for each in projections(graph)] == [name]
    assert projections(graph) == []
