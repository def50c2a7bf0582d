"""Checks of a set-up, with remedies: the server, the database, the models. What they try leaves nothing behind."""

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
from overstory.sources.installed import catalogue
from overstory.systems import System, find_system, installed_systems, missing_systems, system_names, systems_of
from overstory.systems.vector_indexes import indexes_of
from overstory.text import make_extractor
from overstory.text.extraction.extractors import ReadsLanguages

NEAREST_FOR_RECALL = 10  # neighbours of each sampled node that should be found
MOST_NODES_SAMPLED = 20  # nodes whose neighbours are asked for
_MOST_NODES_COMPARED = 20_000
"""Nodes that each sampled one is compared with; where there are more, what is missed among them stands for the rest."""
_EQUAL_COSINE_DIFFERENCE = 1e-5
"""Cosines that differ by less are equal: index and scan add up in different orders."""


@dataclass(frozen=True, slots=True)
class IndexRecall:
    """The outcome for one index.

    Attributes:
        nodes: the number of nodes that the index is over.
        sampled: how many of them were asked about; 0 if there are none.
        recall: the mean share of the `NEAREST_FOR_RECALL` that the index returned; 1.0 if nothing was sampled.
    """

    nodes: int
    sampled: int
    recall: float


def measure_recall(graph: GraphClient, corpus: str, label: str, index: str, embedding_property: str) -> IndexRecall:
    """Compares the answers of a vector index with a scan. It is asked as retrievers ask it.

    Args:
        corpus: the label of the corpus.
        label: of the nodes that the index is over.
        index: its name.
        embedding_property: where the vectors are.
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
IN_PROCESS = ("minilm", "best", "multilingual", "sentence-transformers")
"""Embedders that send texts to nobody."""

_LEAST_RECALL = 0.9
"""Below this share of the nearest vectors an index is unsound; a sound one finds nearly all."""


def diagnose(settings: Settings) -> list[Check]:
    """All checks of a set-up. A stopped embedded server is not started for them."""
    checks = [Check("overstory", ok=True, detail=version("overstory"))]
    if settings.database.uri is None:
        embedded = server.diagnose(settings)
        checks += embedded.checks
        reachable = embedded.running
    else:
        reachable = True
    with ThreadPoolExecutor(1) as pool:  # models are loaded while the database works
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
    """In-memory graphs that killed runs left take the server's memory until somebody drops them."""
    try:
        left = [each for each in projections(graph) if each.is_abandoned]
    except OverstoryError as error:
        return Check("projections", ok=False, detail=str(error), remedy=error.remedy)
    if not left:
        return Check("projections", ok=True, detail="none left by runs that were killed")
    stages = ", ".join(sorted({each.stage for each in left}))
    return Check(
        "projections",
        ok=False,
        detail=f"{counted(len(left), 'in-memory graph')} left by runs that were killed ({stages})",
        remedy="The next stage that uses Graph Data Science drops them, and so does a restart of the server.",
    )


def _schema(graph: GraphClient) -> str:
    found = schema_version(graph)
    refuse_others(found)
    return f"version {found}" if found else "none yet: nothing has been loaded"


def check_deletions(graph: GraphClient) -> Iterator[Check]:
    """Which corpora are left of deletions that were interrupted."""
    for size in list_corpora(graph):
        corpus = size.corpus
        if corpus.is_deleting and not current_writer(graph, corpus):
            yield Check(
                "corpora",
                ok=False,
                detail=f"Deleting corpus {corpus.name!r} was interrupted: a part of it is left.",
                remedy=delete_command(corpus.name),
            )


def _whole_corpora(graph: GraphClient) -> Iterator[CorpusSize]:
    return (size for size in list_corpora(graph) if not size.corpus.is_deleting)


def check_systems(graph: GraphClient) -> Iterator[Check]:
    """What is wrong with the indexes of systems in all corpora, by what each system says that it owns."""
    broken = [check for check in map(_loadable, system_names()) if not check.ok]
    systems = installed_systems()
    used = {row["label"] for row in graph.run("systems/labels_in_use", read=True)}
    wrong = [check for size in _whole_corpora(graph) for check in _wrong_in(graph, size.corpus, systems, used)]
    yield from broken
    yield from wrong
    if not broken and not wrong:
        titles = ", ".join(system.title for system in systems)
        yield Check("systems", ok=True, detail=f"{titles or 'none'}; nothing is left over or missing")


def _loadable(name: str) -> Check:
    return _checked("systems", lambda: find_system(name).title)


def _wrong_in(
    graph: GraphClient, corpus: Corpus, systems: Sequence[System[Any, Any]], used: Set[str]
) -> Iterator[Check]:
    """What is wrong with the indexes of systems in a corpus.

    Args:
        used: the labels that nodes of the database have.
    """
    of = f"of corpus {corpus.name!r}"
    for name in missing_systems(corpus):
        yield Check(
            "systems",
            ok=False,
            detail=f"The index of {name!r} {of} belongs to a system that is not installed.",
            remedy="Install the package that has the system. To remove the index, run after that: "
            f"{_command(corpus, name, 'remove-')}",
        )
    if current_writer(graph, corpus):
        return  # what is half done is somebody's work, not a fault
    for system in systems:
        if corpus.systems.get(system.name) is None:
            yield from _left_over(graph, corpus, system, used)


def _left_over(graph: GraphClient, corpus: Corpus, system: System[Any, Any], used: Set[str]) -> Iterator[Check]:
    """Nodes without an index that they would belong to: a build or a removal was killed."""
    kinds = [kind for label in system.owns.labels if (kind := derived_label(corpus.label, label)) in used]
    if not kinds:
        return
    (row,) = graph.run("systems/count_nodes", corpus.label, read=True, kinds=kinds)
    if row["nodes"]:
        yield Check(
            "systems",
            ok=False,
            detail=f"{counted(row['nodes'], 'node')} of {system.title} in corpus {corpus.name!r} belong to no index: a "
            "build or a removal did not end.",
            remedy=f"Build it: {_command(corpus, system.name)}, or remove what is left: "
            f"{_command(corpus, system.name, 'remove-')}",
        )


def check_vector_indexes(graph: GraphClient) -> Iterator[Check]:
    """Which vector indexes of all corpora are missing, or find too few of the nearest vectors."""
    recalls: list[float] = []
    for size in _whole_corpora(graph):
        corpus = size.corpus
        if current_writer(graph, corpus):
            continue  # who may be making them
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
                text = f"The vector index over {index.over} of corpus {corpus.name!r} misses near vectors: {figures}."
                yield _unsound(corpus, text)
                continue
            recalls.append(measured.recall)
    if recalls:
        figures = (
            f"recall@{NEAREST_FOR_RECALL} at least {min(recalls):.2f} on up to {MOST_NODES_SAMPLED} vectors of each"
        )
        yield Check("vectors", ok=True, detail=f"{counted(len(recalls), 'sound index', 'sound indexes')}; {figures}")
    else:
        yield Check("vectors", ok=True, detail="no sound index to check; without one all vectors are scanned")


def check_languages(graph: GraphClient, settings: Settings) -> Iterator[Check]:
    """Which corpora are mostly in languages that their embedder does not know, or in some that lack a package."""
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
        yield Check("languages", ok=True, detail="the embedder of each corpus knows the language of most of it")


def _reader_of_languages(settings: Settings) -> ReadsLanguages | None:
    """The extractor, where it reads languages in their own ways. Its own check tells why it cannot be made."""
    try:
        extractor = make_extractor(settings.extraction)
    except OverstoryError:
        return None
    return extractor if isinstance(extractor, ReadsLanguages) else None


def check_embedders(graph: GraphClient, settings: Settings) -> Iterator[Check]:
    """Which corpora were switched to an embedder that cannot be used here; nothing where all can."""
    corpora = [size.corpus for size in _whole_corpora(graph) if size.corpus.embedder_name]
    for name, own in groupby(sorted(corpora, key=lambda each: each.embedder_name), key=lambda each: each.embedder_name):
        try:
            make_embedder(replace(settings.embedding, embedder=name))
        except OverstoryError as error:
            corpora_named = ", ".join(repr(each.name) for each in own)
            detail = f"{error} It was chosen for: {corpora_named}."
            yield Check("embedder", ok=False, detail=detail, remedy=error.remedy)


@dataclass(frozen=True, slots=True)
class _VectorIndex:
    """A vector index that a corpus should have, over the nodes of a label."""

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
    remedy = f"Make the indexes again: {index_command(corpus.name)} --rebuild-indexes"
    return Check("vectors", ok=False, detail=detail, remedy=remedy)


def _command(corpus: Corpus, system: str, what: str = "") -> str:
    return f"overstory index --{what}system {system} --corpus {shlex.quote(corpus.name)}"


def _embedder(settings: Settings) -> str:
    # a request might cost money and take long
    embedder = make_embedder(settings.embedding)
    if settings.embedding.embedder not in IN_PROCESS:
        return f"{embedder.fingerprint}; not tried, since that may send a request"
    check_vectors(embedder.embed([TRIED]), 1, embedder)
    return embedder.fingerprint


def _extractor(settings: Settings) -> str:
    extractor = make_extractor(settings.extraction)
    if len(list(extractor.extract([ChunkText(id="tried", title="", heading="", text=TRIED)]))) != 1:
        raise ModelError(f"{extractor.fingerprint} lost a text.", remedy="The extractor is broken; choose another one.")
    return extractor.fingerprint


def _llm(settings: Settings) -> str:
    # without a request, which might cost money and take long
    if settings.llm.llm is None:
        return "not set; optional"
    model = make_chat_model(settings.llm)
    model.close()
    return f"{model!r}; `overstory llm check` sends it a question"


def _reranker(settings: Settings) -> str:
    # without a request, which might cost money and take long
    if settings.rerank.reranker is None:
        return "not set; optional"
    return f"{make_reranker(settings.rerank).name}; not tried, since that may send a request"


def _checked(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, ok=True, detail=look())
    except OverstoryError as error:
        return Check(name, ok=False, detail=str(error), remedy=error.remedy)
