"""T-Retriever measured: what its index takes, what its tree brings, and by which defaults.

    python -m benchmarks.tretriever index CORPUS…                  seconds and memory by part; `--rebuild` rebuilds it
    python -m benchmarks.tretriever contexts CORPUS DIR [--tokens 1000] [--over entities] [--retriever NAME]…
                                                                   gold in the subgraphs, tokens, vertices and R@5 with
                                                                   edges and texts, each alone, and without the tree
    python -m benchmarks.tretriever defaults CORPUS DIR [--over entities]   the same for weights and bandwidths
    python -m benchmarks.tretriever export CORPUS DIR FILE         graph and questions for benchmarks/subgraphs.py

CORPUS is a corpus that is indexed; DIR has its questions in BEIR's layout, with keys of documents in the judgements
(`benchmarks/graphs.py` writes such folders). Prints Markdown. A context is read within so many tokens, as
for an answer.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from benchmarks.retrievers import bounds, share, show, signed

from overstory.answer.context import read_within
from overstory.bench.bootstrap import difference_interval, mean_interval
from overstory.bench.dataset import BenchQuestion, read_questions
from overstory.bench.qrels import choose_qrels, read_judgements
from overstory.graph import read_corpus
from overstory.knowledge import Knowledge
from overstory.model import ShareKind
from overstory.systems import find_system, require_state
from overstory_systems.tretriever.graph_reads import read_documents
from overstory_systems.tretriever.parts import SubgraphPart

VARIANTS = {
    "edges and texts": "",
    "edges alone": "semantic=0",
    "texts alone": "structure=no",
}
PUBLISHED = "tretriever:paper"
WITHOUT_TREE = "tretriever:no-sets"
WEIGHTS = (0.1, 1.0, 3.0, 10.0)
BANDWIDTHS = (1.0, 2.0, 3.0, 6.0)
SUBGRAPHS_ALONE: Mapping[ShareKind, float] = {"subgraph": 1.0}
RANKED = 10


@dataclass
class Measured:
    """What one variant brought to each question.

    Attributes:
        gold: share of the gold documents in the subgraphs that fit into the context.
        whole: 1.0 where all of them are.
        recall: R@5 of the ranked passages.
    """

    gold: list[float] = field(default_factory=list[float])
    whole: list[float] = field(default_factory=list[float])
    recall: list[float] = field(default_factory=list[float])
    tokens: list[int] = field(default_factory=list[int])
    vertices: list[int] = field(default_factory=list[int])
    milliseconds: list[float] = field(default_factory=list[float])


def judged(folder: Path) -> tuple[list[BenchQuestion], dict[str, set[str]]]:
    """The questions of a folder that have gold, and the keys of it by question."""
    gold: dict[str, set[str]] = {}
    for judgement in read_judgements(choose_qrels(folder)):
        if judgement.score > 0:
            gold.setdefault(judgement.question, set()).add(judgement.passage)
    return [question for question in read_questions(folder / "queries.jsonl") if question.id in gold], gold


def measured(knowledge: Knowledge, folder: Path, retriever: str, tokens: int) -> Measured:
    """Asks all questions of a folder; a first one beforehand, which does not count."""
    questions, gold = judged(folder)
    key = {document.id: document.source_key for document in knowledge.documents()}
    found = Measured()
    knowledge.search(questions[0].text, RANKED, retriever=retriever)
    for question in questions:
        began = time.perf_counter()
        evidence = knowledge.search(question.text, RANKED, retriever=retriever)
        found.milliseconds.append(1000 * (time.perf_counter() - began))
        wanted = gold[question.id]
        context = read_within(tokens, replace(evidence, shares=SUBGRAPHS_ALONE))
        parts = [item.found for item in context.items if isinstance(item.found, SubgraphPart)]
        there = {key[id_] for part in parts for id_ in part.documents}
        found.gold.append(len(wanted & there) / len(wanted))
        found.whole.append(float(wanted <= there))
        found.tokens.append(sum(part.tokens for part in parts))
        found.vertices.append(sum(len(part.vertices) for part in parts))
        first = list(dict.fromkeys(key[hit.document_id] for hit in evidence.hits))[:5]
        found.recall.append(len(wanted & set(first)) / len(wanted))
    return found


def row(name: str, found: Measured) -> list[str]:
    gold, whole, recall = (mean_interval(each) for each in (found.gold, found.whole, found.recall))
    return [
        name,
        f"{share(gold.mean)} {bounds(gold)}",
        f"{share(whole.mean)} {bounds(whole)}",
        f"{np.mean(found.tokens):,.0f}",
        f"{np.mean(found.vertices):.1f}",
        f"{share(recall.mean)} {bounds(recall)}",
        f"{np.median(found.milliseconds):.0f}",
    ]


HEAD = ["", "gold in subgraphs [95 %]", "all gold [95 %]", "tokens", "vertices", "R@5 [95 %]", "ms p50"]


def difference(name: str, one: Measured, other: Measured) -> list[str]:
    pairs = ((one.gold, other.gold), (one.whole, other.whole), (one.recall, other.recall))
    gold, whole, recall = (difference_interval(now, before) for now, before in pairs)
    cells = [f"{signed(each.mean)} {bounds(each, signed)}" for each in (gold, whole)]
    return [name, *cells, "", "", f"{signed(recall.mean)} {bounds(recall, signed)}", ""]


def contexts(name: str, folder: Path, tokens: int, over: str, others: Sequence[str]) -> None:
    """The tree of edges and texts beside its ablations, at equal budget."""
    with Knowledge(name) as knowledge:
        found = variants(knowledge, folder, tokens, over, VARIANTS)
        found["without the tree"] = measured(knowledge, folder, WITHOUT_TREE, tokens)
        for retriever in ("dense", *others):
            found[f"`{retriever}`"] = measured(knowledge, folder, retriever, tokens)
    ours = found["edges and texts"]
    rows = [row(told, each) for told, each in found.items()]
    published = found["edges and texts, as published"]
    for told, each in found.items():
        whose = published if told.endswith("as published") else ours
        if each is not whose:
            rows.append(difference(f"edges and texts − {told}", whose, each))
    show(f"{name}: {len(ours.gold)} questions, {tokens:,} tokens", [HEAD, *rows])


def variants(
    knowledge: Knowledge, folder: Path, tokens: int, over: str, options: Mapping[str, str]
) -> dict[str, Measured]:
    """Builds a tree with each of these options, the first at last, and asks it, as published and by default."""
    found: dict[str, Measured] = {}
    for told, each in reversed(list(options.items())):
        rebuilt(knowledge, over, each)
        found[f"{told}, as published"] = measured(knowledge, folder, PUBLISHED, tokens)
        found[told] = measured(knowledge, folder, "tretriever", tokens)
    return found


def defaults(name: str, folder: Path, tokens: int, over: str) -> None:
    """A grid of weights of the texts and bandwidths."""
    rows = [HEAD]
    with Knowledge(name) as knowledge:
        for bandwidth in BANDWIDTHS:
            for weight in WEIGHTS:
                rebuilt(knowledge, over, f"semantic={weight},bandwidth={bandwidth}")
                for retriever in ("tretriever", PUBLISHED):
                    told = f"`{retriever}`, weight {weight:g}, bandwidth {bandwidth:g}"
                    rows.append(row(told, measured(knowledge, folder, retriever, tokens)))
    show(f"{name}: weight of the texts and bandwidth, {tokens:,} tokens", rows)


def export(name: str, folder: Path, file: Path) -> None:
    """Writes a graph of documents, its vectors, the tokens of its lines in a prompt, and questions with their gold."""
    with Knowledge(name) as knowledge:
        corpus = read_corpus(knowledge.graph, name)
        read = read_documents(knowledge.graph, corpus, knowledge.progress)
        graph, embedder = read.graph, knowledge.embedder
        place_of = {id_: place for place, id_ in enumerate(graph.ids)}
        place = {document.source_key: place_of[document.id] for document in knowledge.documents()}
        asked, gold = judged(folder)
        texts = read.texts(range(len(graph.ids)))
        lines = [f"- {each.name}: {each.text}" for each in texts]
        edges = [
            f"- {texts[a].name} — {texts[b].name}: {says}" for (a, b), says in zip(graph.ends, graph.says, strict=True)
        ]
        pairs = [(number, place[key]) for number, each in enumerate(asked) for key in gold[each.id] if key in place]
        np.savez_compressed(
            file,
            vectors=graph.vectors,
            ends=graph.ends,
            weights=graph.weights,
            edge_vectors=embedder.embed(edges),
            question_vectors=embedder.embed([each.text for each in asked]),
            gold=np.array(pairs),
            vertex_tokens=embedder.count_tokens(lines),
            edge_tokens=embedder.count_tokens(edges),
        )


def rebuilt(knowledge: Knowledge, over: str, options: str) -> None:
    knowledge.index(systems=["tretriever:" + ",".join(filter(None, ("defaults", f"over={over}", options)))])


def index(names: Sequence[str], *, rebuild: bool) -> None:
    """Seconds by part and what the index holds, beside the `embed` stage; peak memory of this process so far."""
    found: dict[str, Mapping[str, float]] = {}
    for name in names:
        with Knowledge(name) as knowledge:
            if rebuild:
                knowledge.remove_system("tretriever")
            began = time.perf_counter()
            knowledge.index(systems=["tretriever"])
            took = time.perf_counter() - began
            state = require_state(find_system("tretriever"), read_corpus(knowledge.graph, name))
            stages = {stage.name: stage.seconds or 0.0 for stage in knowledge.status().stages}
            first = {"embed stage, s": stages["embed"], "this run, s": took, "peak memory, MB": peak_megabytes()}
            found[name] = first | dict(state.figures)
    names = list(dict.fromkeys(each for figures in found.values() for each in figures))
    show("Index", [["", *found], *([each, *(f"{of.get(each, 0):,.6g}" for of in found.values())] for each in names)])


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("index")
    one.add_argument("corpora", nargs="+", metavar="CORPUS")
    one.add_argument("--rebuild", action="store_true")
    for each in ("contexts", "defaults"):
        one = commands.add_parser(each)
        one.add_argument("corpus", metavar="CORPUS")
        one.add_argument("folder", type=Path, metavar="DIR")
        one.add_argument("--tokens", type=int, default=1_000)
        one.add_argument("--over", choices=["documents", "entities"], default="documents")
        if each == "contexts":
            one.add_argument("--retriever", action="append", default=[], metavar="NAME", help="beside `dense`")
    one = commands.add_parser("export")
    one.add_argument("corpus", metavar="CORPUS")
    one.add_argument("folder", type=Path, metavar="DIR")
    one.add_argument("file", type=Path, metavar="FILE", help="ends in .npz")
    given = parser.parse_args()
    if given.command == "index":
        index(given.corpora, rebuild=given.rebuild)
    elif given.command == "contexts":
        contexts(given.corpus, given.folder, given.tokens, given.over, given.retriever)
    elif given.command == "defaults":
        defaults(given.corpus, given.folder, given.tokens, given.over)
    else:
        export(given.corpus, given.folder, given.file)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
