"""Checks of an installation: server, database and models. Failed checks state a remedy. No check leaves data behind."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib.metadata import version
from itertools import groupby
from typing import Any

from overstory import server
from overstory.display import counted, delete_command, index_command
from overstory.embed import make_embedder
from overstory.errors import ModelError, OverstoryError
from overstory.graph import Corpus, CorpusSize, GraphClient, list_corpora
from overstory.graph.failures import GDS_REMEDY
from overstory.graph.gds import projections
from overstory.graph.ids import derived_label
from overstory.graph.lease import current_writer
from overstory.graph.schema import PROPERTIES, refuse_others, schema_version
from overstory.index.stages.embed import check_vectors
from overstory.index.status import language_mismatch, switch_remedy
from overstory.llm import make_chat_model
from overstory.model import ChunkText
from overstory.rerank import make_reranker
from overstory.retrieve.vector_search import depth_for
from overstory.server import Check
from overstory.settings import Settings
from overstory.sources.loader_catalogue import catalogue
from overstory.systems import System, find_system, installed_systems, missing_systems, system_names, systems_of
from overstory.systems.vector_indexes import indexes_of
from overstory.text import make_extractor
from overstory.text.extraction.extractors import ReadsLanguages

NEAREST_FOR_RECALL = 10  # number of nearest neighbours that the index should find for each sampled node
MOST_NODES_SAMPLED = 20  # maximum number of nodes for which neighbours are looked up
_MOST_NODES_COMPARED = 20_000
"""Maximum number of nodes that are scanned for each sampled node.

If an index contains more nodes, the number of neighbours that the index missed is extrapolated.
"""
_EQUAL_COSINE_DIFFERENCE = 1e-5
"""Cosines with a smaller difference count as equal, because index and scan add up the terms in different orders."""


@dataclass(frozen=True, slots=True)
class IndexRecall:
    """The measured recall of one vector index.

    Attributes:
        sampled: number of nodes for which neighbours were looked up; 0 for an empty index.
        recall: fraction of the `NEAREST_FOR_RECALL` nearest neighbours that the index found, on average; 1.0 for an
            empty index.
    """

    nodes: int
    sampled: int
    recall: float


def measure_recall(graph: GraphClient, corpus: str, label: str, index: str, embedding_property: str) -> IndexRecall:
    """Measure how many of the nearest neighbours a vector index finds, in comparison with an exact scan.

    The index is queried in the same way as by the retrievers.

    Args:
        corpus: label of the corpus.
        label: label of the indexed nodes.
    """
    (row,) = graph.run(
        "vectors/sample",
        label,
        read=True,
        property=embedding_property,
        most=MOST_NODES_SAMPLED,
        compared=_MOST_NODES_COMPARED,
    )
    nodes, vectors = row["nodes"], row["vectors"]
    if not vectors:
        return IndexRecall(nodes, 0, 1.0)
    wanted = min(NEAREST_FOR_RECALL, nodes)
    found: list[list[str]] = []
    last: list[float] = []
    for vector in vectors:
        rows = graph.run(
            "retrieve/nearest_nodes",
            corpus,
            read=True,
            index=index,
            vector=vector,
            depth=depth_for(NEAREST_FOR_RECALL),
            limit=NEAREST_FOR_RECALL,
        )
        found.append([each["id"] for each in rows])
        last.append(rows[-1]["score"] + _EQUAL_COSINE_DIFFERENCE if len(rows) >= wanted else -2.0)
    compared = min(nodes, _MOST_NODES_COMPARED)
    missed = graph.run(
        "vectors/missed",
        label,
        read=True,
        property=embedding_property,
        vectors=vectors,
        found=found,
        last=last,
        compared=compared,
    )
    lost = sum(min(wanted, each["missed"] * nodes / compared) for each in missed)
    return IndexRecall(nodes, len(vectors), 1.0 - lost / (wanted * len(vectors)))


TRIED = "Bram Stoker wrote Dracula."
IN_PROCESS = ("minilm", "fast", "best", "multilingual", "sentence-transformers")
"""Names of the embedders that run in this process and send no requests."""

_LEAST_RECALL = 0.9
"""Minimum recall of a vector index. An index with a lower recall is reported; the recall of a good index is near 1."""


def diagnose(settings: Settings) -> list[Check]:
    """Run all checks of an installation. If the embedded server is stopped, it is not started for the checks."""
    checks = [Check("overstory", ok=True, detail=version("overstory"))]
    if settings.database.uri is None:
        embedded = server.diagnose(settings)
        checks += embedded.checks
        reachable = embedded.running
    else:
        reachable = True
    with ThreadPoolExecutor(1) as pool:  # this thread loads the models while the database is checked
        models = pool.submit(_models, settings)
        if reachable:
            checks += list(_database(settings))
        checks += models.result()
    checks.append(_checked("llm", lambda: _llm(settings)))
    checks.append(_checked("reranker", lambda: _reranker(settings)))
    for name, why in catalogue().unusable.items():
        checks.append(Check("loader", ok=False, detail=f"{name}: {why}", remedy="Reinstall its package."))
    return checks


def _models(settings: Settings) -> list[Check]:
    return [
        _checked("embedder", lambda: _embedder(settings)),
        _checked("extractor", lambda: _extractor(settings)),
    ]


def _database(settings: Settings) -> Iterator[Check]:
    try:
        with GraphClient.open(settings) as graph:
            found = graph.capabilities
            yield Check("database", ok=True, detail=f"Neo4j {found.version} {found.edition} at {graph.uri}")
            gds = found.gds or "not installed; searching works without it"
            yield Check("gds", ok=bool(found.gds), detail=gds, remedy=GDS_REMEDY)
            if found.gds:
                yield _projections(graph)
            schema = _checked("schema", lambda: _schema(graph))
            yield schema
            if schema.ok:
                yield from check_deletions(graph)
                yield from check_systems(graph)
                yield from check_vector_indexes(graph)
                yield from check_languages(graph, settings)
                yield from check_embedders(graph, settings)
    except OverstoryError as error:
        yield Check("database", ok=False, detail=str(error), remedy=error.remedy)


def _projections(graph: GraphClient) -> Check:
    """Look for in-memory graphs that killed processes left behind. They occupy memory of the server until dropped."""
    try:
        left = [each for each in projections(graph) if each.is_abandoned]
    except OverstoryError as error:
        return Check("projections", ok=False, detail=str(error), remedy=error.remedy)
    if not left:
        return Check("projections", ok=True, detail="no leftovers of killed runs")
    stages = ", ".join(sorted({each.stage for each in left}))
    return Check(
        "projections",
        ok=False,
        detail=f"{counted(len(left), 'in-memory graph')} left over from killed runs ({stages})",
        remedy="The next stage that uses Graph Data Science drops them, and so does a restart of the server.",
    )


def _schema(graph: GraphClient) -> str:
    found = schema_version(graph)
    refuse_others(found)
    return f"version {found}" if found else "no schema yet, because nothing has been loaded"


def check_deletions(graph: GraphClient) -> Iterator[Check]:
    for size in list_corpora(graph):
        corpus = size.corpus
        if corpus.is_deleting and not current_writer(graph, corpus):
            yield Check(
                "corpora",
                ok=False,
                detail=f"The deletion of corpus {corpus.name!r} was interrupted, and part of the corpus is left.",
                remedy=delete_command(corpus.name),
            )


def _whole_corpora(graph: GraphClient) -> Iterator[CorpusSize]:
    return (size for size in list_corpora(graph) if not size.corpus.is_deleting)


def check_systems(graph: GraphClient) -> Iterator[Check]:
    """Report systems that cannot be loaded, and indexes of systems that are unusable or incomplete, in all corpora."""
    broken = [check for check in map(_loadable, system_names()) if not check.ok]
    systems = installed_systems()
    used = {row["label"] for row in graph.run("systems/labels_in_use", read=True)}
    wrong = [check for size in _whole_corpora(graph) for check in _wrong_in(graph, size.corpus, systems, used)]
    yield from broken
    yield from wrong
    if not broken and not wrong:
        titles = ", ".join(system.title for system in systems)
        yield Check("systems", ok=True, detail=f"{titles or 'none'}; no leftover or missing data")


def _loadable(name: str) -> Check:
    return _checked("systems", lambda: find_system(name).title)


def _wrong_in(
    graph: GraphClient, corpus: Corpus, systems: Sequence[System[Any, Any]], used: Set[str]
) -> Iterator[Check]:
    of = f"of corpus {corpus.name!r}"
    for name in missing_systems(corpus):
        yield Check(
            "systems",
            ok=False,
            detail=f"The index of {name!r} {of} belongs to a system that is not installed.",
            remedy="Install the package of the system. To remove the index, then run: "
            f"{_command(corpus, name, 'remove-')}",
        )
    if current_writer(graph, corpus):
        return  # incomplete data is normal while a writer is at work
    for system in systems:
        if corpus.systems.get(system.name) is None:
            yield from _left_over(graph, corpus, system, used)


def _left_over(graph: GraphClient, corpus: Corpus, system: System[Any, Any], used: Set[str]) -> Iterator[Check]:
    """Report nodes of a system that has no index in this corpus. An interrupted build or removal left them behind."""
    kinds = [kind for label in system.owns.labels if (kind := derived_label(corpus.label, label)) in used]
    if not kinds:
        return
    (row,) = graph.run("systems/count_nodes", corpus.label, read=True, kinds=kinds)
    if row["nodes"]:
        yield Check(
            "systems",
            ok=False,
            detail=f"{counted(row['nodes'], 'node')} of {system.title} in corpus {corpus.name!r} belong to no index: a "
            "build or removal was interrupted.",
            remedy=f"Build the index: {_command(corpus, system.name)}, or remove the nodes: "
            f"{_command(corpus, system.name, 'remove-')}",
        )


def check_vector_indexes(graph: GraphClient) -> Iterator[Check]:
    """Report vector indexes that are missing, are not online, or have a low recall."""
    recalls: list[float] = []
    for size in _whole_corpora(graph):
        corpus = size.corpus
        if current_writer(graph, corpus):
            continue  # the writer may be creating the indexes
        for index in _vector_indexes(corpus):
            found = graph.run("schema/index_state", read=True, name=index.name)
            if not found or found[0]["state"] != "ONLINE":
                what = f"is {found[0]['state'].lower()}" if found else "is missing"
                yield _unsound(corpus, f"The vector index over {index.over} of corpus {corpus.name!r} {what}.")
                continue
            measured = measure_recall(graph, corpus.label, index.label, index.name, index.embedding_property)
            if measured.recall < _LEAST_RECALL:
                figures = (
                    f"recall@{NEAREST_FOR_RECALL} is {measured.recall:.2f} on {measured.sampled} of {measured.nodes:,}"
                )
                text = f"The vector index over {index.over} of corpus {corpus.name!r} has a low recall: {figures}."
                yield _unsound(corpus, text)
                continue
            recalls.append(measured.recall)
    if recalls:
        figures = (
            f"recall@{NEAREST_FOR_RECALL} at least {min(recalls):.2f} on up to {MOST_NODES_SAMPLED} vectors of each"
        )
        yield Check("vectors", ok=True, detail=f"{counted(len(recalls), 'sound index', 'sound indexes')}; {figures}")
    else:
        yield Check("vectors", ok=True, detail="no vector indexes to check; searches scan all vectors")


def check_languages(graph: GraphClient, settings: Settings) -> Iterator[Check]:
    """Report corpora whose main language the embedder does not support, and languages that need a missing package."""
    corpora = [size.corpus for size in _whole_corpora(graph)]
    wrong = [
        Check("languages", ok=False, detail=note, remedy=switch_remedy(corpus))
        for corpus in corpora
        if (note := language_mismatch(graph, corpus))
    ]
    extractor = _reader_of_languages(settings)
    if extractor is not None:
        wrong += [
            Check("languages", ok=False, detail=f"In corpus {corpus.name!r} {lack.missing}.", remedy=lack.remedy)
            for corpus in corpora
            for lack in extractor.language_notes(corpus.languages)
        ]
    yield from wrong
    if not wrong:
        yield Check("languages", ok=True, detail="the embedder of each corpus supports the language of most documents")


def _reader_of_languages(settings: Settings) -> ReadsLanguages | None:
    """Return the extractor if it supports several languages, otherwise None.

    If the extractor cannot be created, this also returns None, because another check reports the error.
    """
    try:
        extractor = make_extractor(settings.extraction)
    except OverstoryError:
        return None
    return extractor if isinstance(extractor, ReadsLanguages) else None


def check_embedders(graph: GraphClient, settings: Settings) -> Iterator[Check]:
    """Report embedders to which corpora were switched but which cannot be used on this machine."""
    corpora = [size.corpus for size in _whole_corpora(graph) if size.corpus.embedder_name]
    for name, own in groupby(sorted(corpora, key=lambda each: each.embedder_name), key=lambda each: each.embedder_name):
        try:
            make_embedder(replace(settings.embedding, embedder=name))
        except OverstoryError as error:
            corpora_named = ", ".join(repr(each.name) for each in own)
            detail = f"{error} These corpora use it: {corpora_named}."
            yield Check("embedder", ok=False, detail=detail, remedy=error.remedy)


@dataclass(frozen=True, slots=True)
class _VectorIndex:
    name: str
    label: str
    embedding_property: str
    over: str


def _vector_indexes(corpus: Corpus) -> Iterator[_VectorIndex]:
    if corpus.vector_index:
        label = f"{corpus.label}_PassageVector"
        yield _VectorIndex(corpus.vector_index, label, corpus.embedding_property, "the passages")
    for index in indexes_of(corpus, systems_of(corpus)):
        yield _VectorIndex(index.name, index.label, PROPERTIES[0], f"{index.kind} of the {index.title} index")


def _unsound(corpus: Corpus, detail: str) -> Check:
    remedy = f"Rebuild the indexes: {index_command(corpus.name)} --rebuild-indexes"
    return Check("vectors", ok=False, detail=detail, remedy=remedy)


def _command(corpus: Corpus, system: str, what: str = "") -> str:
    return f"overstory index --{what}system {system} --corpus {shlex.quote(corpus.name)}"


def _embedder(settings: Settings) -> str:
    # An embedder that sends requests is not tested, because a request may cost money and take long.
    embedder = make_embedder(settings.embedding)
    if settings.embedding.embedder not in IN_PROCESS:
        return f"{embedder.fingerprint}; not tested, because that may send a request"
    check_vectors(embedder.embed([TRIED]), 1, embedder)
    return embedder.fingerprint


def _extractor(settings: Settings) -> str:
    extractor = make_extractor(settings.extraction)
    if len(list(extractor.extract([ChunkText(id="tried", title="", heading="", text=TRIED)]))) != 1:
        raise ModelError(
            f"{extractor.fingerprint} returned no result for a text.",
            remedy="The extractor is broken; choose another one.",
        )
    return extractor.fingerprint


def _llm(settings: Settings) -> str:
    # This check sends no request, because a request may cost money and take long.
    if settings.llm.llm is None:
        return "not set; optional"
    model = make_chat_model(settings.llm)
    model.close()
    return f"{model!r}; `overstory llm check` sends a test question"


def _reranker(settings: Settings) -> str:
    if settings.rerank.reranker is None:
        return "not set; optional"
    return f"{make_reranker(settings.rerank).name}; not tested, because that may send a request"


def _checked(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, ok=True, detail=look())
    except OverstoryError as error:
        return Check(name, ok=False, detail=str(error), remedy=error.remedy)
