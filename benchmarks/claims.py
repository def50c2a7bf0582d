"""The claims of the papers and of the default, measured and judged: the table of docs/claims.md.

    python -m benchmarks.claims DIR… [--graph DIR=CORPUS]… [--texts DIR] [--only ID]… [--system NAME]
                                [--json FILE] [--write]
    python -m benchmarks.claims --list

For example, what SeRAG claims, on the set that comes along:

    python -m benchmarks.claims examples/hotpotqa --system SeRAG --json figures.json

DIR is a BEIR folder; its corpora are those of `overstory bench`. `--json` keeps the figures, with their intervals over
questions, in a file after each experiment; what it has of the same inputs is not measured again, so that a run that
was killed goes on. A verdict follows from figures: a claim holds if all that its rule asks for is seen, in part if some
is. `--write` puts the figures into benchmarks/claims.json, in place of those of the same corpus, and the table that
follows from all of them into the page. Without DIR it writes the table again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from benchmarks import apr, apr_growth, apr_policy, hirag, retrievers, serag, serag_order, slimrag, tretriever, which
from benchmarks.measuring import report_of
from benchmarks.retrievers import bounds, share, signed
from benchmarks.which import markdown, replaced

from overstory.bench.bootstrap import Interval, mean_interval
from overstory.bench.comparison import compare, load_and_index
from overstory.bench.dataset import BenchDataset, load_dataset
from overstory.bench.packing import Layout, corpus_name
from overstory.bench.runner import BenchResult
from overstory.embed import make_embedder
from overstory.errors import BenchError, OverstoryError, SettingsError
from overstory.knowledge import Knowledge
from overstory.settings import Settings
from overstory.systems import system_names
from overstory.systems.settings import DEFAULTS
from overstory.text import make_extractor
from overstory.whole_files import write_whole
from overstory_systems.apr.policy import Floats

PAGE = Path(__file__).parents[1] / "docs" / "claims.md"
FIGURES = Path(__file__).with_suffix(".json")
MARK = "claims"
READABLE = 0o644
COMMAND = "python -m benchmarks.claims"
TITLES = which.TITLES | {
    "musique-large": "MuSiQue, 4,995 passages",
    "faq": "Perl's FAQ",
    "movies": "films",
    "wordnet": "WordNet",
    "debian": "Debian's packages",
}
TOKENS = 1_000
NEAR = 2
"""Relations of a short way."""
POLICY_QUESTIONS = 100
SEVERAL = 1.5
"""Gold passages a question, on average, from which the questions of a folder are said to need several."""
CONVERSATIONS, TEXTS = "bench-conversations", "benchmarks/own_questions/documents"


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over n questions, or pairs, prompts, entities, conversations.

    Attributes:
        corpus: its title, "" where there is only one.
        n: None if it is not known.
        low, high: of its 95 % interval; None if it has none.
        source: where it is from: this program, or an earlier page.
        inputs: what it was measured on, "" if that is not known.
    """

    experiment: str
    name: str
    corpus: str
    n: int | None
    mean: float
    low: float | None = None
    high: float | None = None
    source: str = COMMAND
    inputs: str = ""

    @property
    def least(self) -> float:
        return self.mean if self.low is None else self.low

    @property
    def most(self) -> float:
        return self.mean if self.high is None else self.high

    def __format__(self, form: str) -> str:
        """As "percent", "two" (digits), "count", or a share, "signed" or not, with its interval."""
        plain = {"percent": f"{100 * self.mean:.0f} %", "two": f"{self.mean:.2f}", "count": f"{self.mean:,.0f}"}
        if form in plain:
            return plain[form]
        written = signed if form == "signed" else share
        interval = "" if self.low is None else " " + bounds(Interval(self.mean, self.least, self.most), written)
        return written(self.mean) + interval


Found = Mapping[str, Mapping[str, Figure]]
"""Names -> titles of corpora -> figures, of one experiment."""
Rule = Callable[[Found], list[bool]]
"""What a claim says, of each corpus: whether the figures show it."""


def above(*names: str) -> Rule:
    """More than nothing, beyond the interval."""
    return lambda found: [figure.least > 0.0 for figure in of_names(found, names)]


def at_least(bound: float, *names: str) -> Rule:
    return lambda found: [figure.mean >= bound for figure in of_names(found, names)]


def at_most(bound: float, *names: str) -> Rule:
    return lambda found: [figure.mean <= bound for figure in of_names(found, names)]


def of_names(found: Found, names: Iterable[str]) -> list[Figure]:
    return [figure for name in names for figure in found.get(name, {}).values()]


def reaches(name: str, size: float) -> Rule:
    """More than nothing, and as much as the paper says."""
    return both(above(name), lambda found: [figure.most >= size for figure in of_names(found, [name])])


def exceeds(name: str, *others: str) -> Rule:
    """More than each of the others on the same corpus, beyond the intervals."""
    return lambda found: [one.least > other.most for one, other in on_the_same_corpus(found, name, others)]


def no_less(name: str, *others: str) -> Rule:
    return lambda found: [one.mean >= other.mean for one, other in on_the_same_corpus(found, name, others)]


def on_the_same_corpus(found: Found, name: str, others: Iterable[str]) -> list[tuple[Figure, Figure]]:
    return [
        (figure, found[other][corpus])
        for corpus, figure in found.get(name, {}).items()
        for other in others
        if corpus in found.get(other, {})
    ]


def both(*rules: Rule) -> Rule:
    return lambda found: [shown for rule in rules for shown in rule(found)]


def settles(found: Found) -> list[bool]:
    """Cluster sparsity: it is higher in the last layer than in layer 0, and within 5 % of that of the layer below."""
    shown: list[bool] = []
    for corpus, first in found.get("first", {}).items():
        last, below = (found.get(name, {}).get(corpus, first) for name in ("last", "last_but_one"))
        shown += [last.mean > first.mean, abs(last.mean - below.mean) <= 0.05 * below.mean]
    return shown


Verdict = Literal["yes", "in part", "no", "cannot be tested here", "not measured"]
UNTESTED: Verdict = "cannot be tested here"
COUNTED: Mapping[Verdict, str] = {"yes": "hold", "in part": "in part", "no": "do not", UNTESTED: UNTESTED}


@dataclass(frozen=True, slots=True)
class Claim:
    """One row of the page.

    Attributes:
        place: in the paper.
        says: the claim in one line.
        experiment: its name in `EXPERIMENTS` or `ELSEWHERE`, "" for none.
        measured: what the page says of the figures; what stands in brackets is said of each corpus, figures by name.
        rule: None if it cannot be tested here; then `measured` has the reason.
        remark: a verdict, and what the page says after it.
    """

    id: str
    system: str
    place: str
    says: str
    experiment: str
    measured: str
    rule: Rule | None = None
    remark: tuple[Verdict, str] = ("not measured", "")

    def found(self, figures: Iterable[Figure]) -> Found:
        found: dict[str, dict[str, Figure]] = {}
        for figure in figures:
            if figure.experiment == self.experiment:
                found.setdefault(figure.name, {})[figure.corpus] = figure
        return found

    def verdict(self, figures: Iterable[Figure]) -> Verdict:
        if self.rule is None:
            return UNTESTED
        shown = self.rule(self.found(figures))
        return "not measured" if not shown else "yes" if all(shown) else "in part" if any(shown) else "no"

    def row(self, figures: Sequence[Figure]) -> list[str]:
        verdict = self.verdict(figures)
        remark = self.remark[1] if verdict == self.remark[0] else ""
        paper = f"{self.system}, {self.place}" if self.place else self.system
        return [paper, self.says, filled(self.measured, self.found(figures)), verdict + remark]


def filled(text: str, found: Found) -> str:
    """A text with what stands in brackets said of every corpus that has all its figures."""

    def of_corpora(match: re.Match[str]) -> str:
        names = re.findall(r"{(\w+)", match[1])
        said = [
            match[1].format(**{name: found[name][corpus] for name in names}) + (f" on {corpus}" if corpus else "")
            for corpus in found.get(names[0], {})
            if all(corpus in found.get(name, {}) for name in names)
        ]
        return ("; " if "," in match[1] else ", ").join(said) or "–"

    return re.sub(r"\[([^\]]+)\]", of_corpora, text)


@dataclass(frozen=True, slots=True)
class Input:
    """A folder with its corpus.

    Attributes:
        hops: the mean number of passages that a question needs.
    """

    folder: Path
    corpus: str
    hops: float = 0.0

    @property
    def title(self) -> str:
        name = self.folder.resolve().name
        return TITLES.get(name, name)

    def named(self, needs: str) -> str:
        """As the command line gives it, without the way there."""
        name = self.folder.resolve().name
        return {"graph": f"--graph {name}={self.corpus}", "texts": f"--texts {name}"}.get(needs, name)

    def digest(self) -> str:
        """Of all files of the folder, and of what it is called."""
        whole = hashlib.sha256(f"{self.corpus}\n{self.title}".encode())
        for file in sorted(each for each in self.folder.rglob("*") if each.is_file()):
            whole.update(file.read_bytes())
        return whole.hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Given:
    """What the command line gives."""

    folders: Sequence[Input] = ()
    graphs: Sequence[Input] = ()
    texts: Sequence[Input] = ()


NEEDS: Mapping[str, tuple[str, Callable[[Given], Iterable[Sequence[Input]]]]] = {
    "several": (
        "a BEIR folder, DIR, with questions that need several passages",
        lambda given: [[each] for each in given.folders if each.hops >= SEVERAL],
    ),
    "one": (
        "a BEIR folder, DIR, with questions that one passage answers",
        lambda given: [[each] for each in given.folders if each.hops < SEVERAL],
    ),
    "folder": ("a BEIR folder, DIR", lambda given: [[each] for each in given.folders]),
    "folders": ("BEIR folders, DIR…", lambda given: [given.folders] if given.folders else []),
    "graph": ("a graph with its corpus, --graph DIR=CORPUS", lambda given: [[each] for each in given.graphs]),
    "texts": (f"the texts of the conversations, --texts {TEXTS}", lambda given: [[each] for each in given.texts]),
}
"""What an experiment may need: the option that gives it, and the inputs of each run."""
Values = Sequence[float] | Floats
Measured = Mapping[str, Values | float]
"""Names -> one value a question, or a number alone."""
Measure = Callable[..., Measured]
"""Takes an input; all of them where it needs folders."""


def less(one: Values, other: Values) -> Floats:
    """Paired differences."""
    return np.subtract(one, other, dtype=np.float64)


def recalls(result: BenchResult) -> list[float]:
    return [scores.recall_5 for scores in result.scores.values()]


@contextmanager
def indexed(of: Input, *systems: str) -> Generator[tuple[BenchDataset, Knowledge]]:
    """A BEIR folder with its corpus, loaded and indexed for systems with their default options."""
    dataset = load_dataset(of.folder)
    with Knowledge(of.corpus) as knowledge:
        load_and_index(knowledge, dataset, Layout(), [])
        knowledge.index(systems=[f"{system}:{DEFAULTS}" for system in systems])
        yield dataset, knowledge


def serag_quality(of: Input) -> Measured:
    found = {name: values["R@5"] for name, values in serag.quality_of(of.folder, Layout()).items()}
    pairs = {
        "layers": ("serag:paper", "serag:paper,flat"),
        "fused": ("serag", "serag:semantic"),
        "published": ("serag:paper", "serag:paper,semantic"),
    }
    return {name: less(found[one], found[other]) for name, (one, other) in pairs.items()}


def serag_communities(of: Input) -> Measured:
    with indexed(of, "serag") as (dataset, knowledge):
        coarse = next(serag_order.joined_pairs(knowledge, serag_order.gold_pairs(knowledge, dataset)))
    return {"gold": coarse.joined, "chance": coarse.chance}


def slimrag_quality(of: Input) -> Measured:
    with indexed(of) as (dataset, knowledge):
        (dense,) = compare(knowledge, dataset, Layout(), ["dense"])
        variants = {each.what: each for each in slimrag.variants(knowledge, dataset)}
    found = {what: recalls(each.result) for what, each in variants.items()}
    ours, tokens = found["coreference + decomposition"], variants["coreference + decomposition"].report.figures
    return {
        "coreference": less(ours, found["decomposition"]),
        "decomposition": less(ours, found["coreference"]),
        "slimrag": ours,
        "dense": recalls(dense),
        "ritu": tokens["RITU"],
        "model": tokens["LLM-RITU"],
    }


def hirag_ways(of: Input) -> Measured:
    _, knowledge = hirag.opened(of.folder)
    with knowledge:
        layered = hirag.layered_of(knowledge)
        report = report_of(knowledge, "hirag")
    names = ("alone", "layers", "random")
    near = [(lengths <= NEAR).astype(float) for lengths in layered.lengths(layered.similar_pairs())]
    clustering = zip(("clustering_alone", "clustering_layers"), layered.clustering(), strict=False)
    found = {name: value for name, value in report.figures.items() if re.fullmatch(r"layer_\d+_sparsity", name)}
    layers = [found[name] for name in sorted(found, key=lambda name: int(name.split("_")[1]))]
    sparsity = {"first": layers[0], "last_but_one": layers[max(len(layers) - 2, 0)], "last": layers[-1]}
    return {**dict(zip(names, near, strict=True)), **dict(clustering), **sparsity}


def hirag_quality(of: Input) -> Measured:
    found = hirag.quality_of(of.folder)
    return {"layers": less(recalls(found["hirag"]), recalls(found["hirag:flat"]))}


def tretriever_trees(of: Input) -> Measured:
    options = {**tretriever.VARIANTS, "partition": "tree=partition"}
    with Knowledge(of.corpus) as knowledge:
        found = tretriever.variants(knowledge, of.folder, TOKENS, "documents", options)
    gold = {name: found[f"{name}, as published"].gold for name in options}
    both_kinds = found["edges and texts, as published"]
    return {
        "edges": less(both_kinds.gold, gold["texts alone"]),
        "texts": less(both_kinds.gold, gold["edges alone"]),
        "partition": gold["partition"],
        "structure": gold["edges alone"],
    }


def apr_codebook(of: Input) -> Measured:
    settings = Settings.from_environment()
    growth = apr_growth.growth_of(of.folder, make_extractor(settings.extraction), make_embedder(settings.embedding))
    again, new = growth.read_again
    return {"new": growth.edges[growth.again] / growth.triples[growth.again], "again": new / again}


def apr_encodings(of: Input) -> Measured:
    with indexed(of, "apr") as (_, knowledge):
        shortest = [apr.shortest_form(each) for each in apr.prompts(knowledge, of.folder)]
    return {"words": [float(form == "words") for form in shortest]}


def apr_policies(*inputs: Input) -> Measured:
    settings = Settings.from_environment()
    embedder = make_embedder(settings.embedding)
    every: list[apr_policy.Tried] = []
    for of in inputs:
        with indexed(of, "apr"):
            every += apr_policy.tried(of.folder, POLICY_QUESTIONS, settings, embedder)
    learnt, held_out = ([one for one in every if one.trains is trains] for trains in (True, False))
    return {name: apr_policy.gains(learnt, held_out, price) for name, price in (("free", 0.0), ("priced", 0.3))}


def apr_prompts(of: Input) -> Measured:
    names = [*retrievers.FIRST, *system_names()]
    with indexed(of, *system_names()) as (dataset, knowledge):
        target, count = which.Target(of.title, of.corpus, dataset), which.counting(knowledge.embedder)
        asked = target.sample(which.READ_QUESTIONS)
        reads = {name: [which.reading(knowledge, target, each, name, count) for each in asked] for name in names}
    tokens = {name: np.array([each.tokens for each in of_name], float) for name, of_name in reads.items()}
    longest = max((name for name in names if name != "apr"), key=lambda name: tokens[name].mean())
    return {
        "apr": tokens["apr"],
        "dense": tokens["dense"],
        "longest": tokens[longest],
        "apr_says": which.answers_said(reads["apr"]),
        "dense_says": which.answers_said(reads["dense"]),
    }


def apr_conversations(of: Input) -> Measured:
    ways = {"without": apr.WITHOUT, "with": apr.WITH}
    ways |= {"paper_without": apr.PAPER_WITHOUT, "paper_with": apr.PAPER_WITH}
    with Knowledge(of.corpus) as knowledge:
        knowledge.ingest(of.folder)
        knowledge.index(systems=["apr"])
        tokens = {name: [each[0] for each in apr.conversations_with(knowledge, way)] for name, way in ways.items()}
    saved = {"saved": less(tokens["without"], tokens["with"])}
    return {**tokens, **saved, "paper_saved": less(tokens["paper_without"], tokens["paper_with"])}


def default_quality(of: Input) -> Measured:
    with indexed(of) as (dataset, knowledge):
        results = compare(knowledge, dataset, Layout(), retrievers.FIRST)
    best = max(results[:-1], key=lambda result: result.row.scores.recall_5)
    return {"canopy": less(recalls(results[-1]), recalls(best))}


EXPERIMENTS: Mapping[str, tuple[str, Measure]] = {
    "serag": ("several", serag_quality),
    "serag-communities": ("several", serag_communities),
    "slimrag": ("several", slimrag_quality),
    "hirag-ways": ("several", hirag_ways),
    "hirag": ("several", hirag_quality),
    "tretriever": ("graph", tretriever_trees),
    "apr-codebook": ("folder", apr_codebook),
    "apr-encodings": ("folder", apr_encodings),
    "apr-policy": ("folders", apr_policies),
    "apr-prompts": ("several", apr_prompts),
    "apr-conversations": ("texts", apr_conversations),
    "default-several": ("several", default_quality),
    "default-one": ("one", default_quality),
}

ELSEWHERE = {"subgraphs"}
"""Experiments of benchmarks/subgraphs.py, whose libraries have an environment of their own; figures by hand."""

# fmt: off
CLAIMS = (
    Claim("serag-layers", "SeRAG", "Table 2", "coarse then fine retrieval finds more than a single layer (64.4 against "
          "63.1 and 61.3 points of accuracy on 2WikiMultiHopQA)", "serag",
          "R@5 of `serag:paper` − `serag:paper,flat`: [{layers:signed}]",
          above("layers"), ("no", "; answers were not measured")),
    Claim("serag-fused-graph", "SeRAG", "Section 3", "fusing similarity, shared entities and distance beats similarity "
          "alone", "serag", "`serag` − `serag:semantic`: [{fused:signed}]. As published, `serag:paper` − "
          "`serag:paper,semantic`: [{published:signed}]",
          above("fused", "published"), ("in part", ": with our weights, not with the published score")),
    Claim("serag-communities", "SeRAG", "Section 3", "passages that belong together share a community",
          "serag-communities", "gold pairs in one coarse community: [{gold:percent} against {chance:percent} by "
          "chance]",
          exceeds("gold", "chance")),
    Claim("slimrag-coreference", "SlimRAG", "Table 2", "coreference brings 16 points", "slimrag",
          "R@5 [{coreference:signed}]", reaches("coreference", 0.16), ("in part", ": the sign")),
    Claim("slimrag-decomposition", "SlimRAG", "Table 2", "decomposition of the question brings 5 points", "slimrag",
          "by rules, R@5 [{decomposition:signed}]", reaches("decomposition", 0.05)),
    Claim("slimrag-sentences", "SlimRAG", "Table 1", "higher precision and recall of sentences than other systems",
          "slimrag", "our sets do not judge sentences; documents: R@5 [{slimrag:share} to {dense:share} of `dense`]"),
    Claim("slimrag-index-tokens", "SlimRAG", "Figure 5", "an index of few tokens (RITU)", "slimrag",
          "RITU [{ritu:two} with embeddings, {model:count} of a language model]",
          at_most(0.0, "model"), ("yes", ", by rules for nothing")),
    Claim("hirag-joining-layers", "HiRAG", "Section 4.1", "layers bring together what is alike but not related",
          "hirag-ways", "ways of at most two relations between most similar pairs: [{alone:share} without layers, "
          "{layers:share} with them, {random:share} with random clusters]", exceeds("layers", "alone", "random")),
    Claim("hirag-clustering", "HiRAG", "Figure 5", "layers raise the clustering coefficient", "hirag-ways",
          "of layer 0's entities [{clustering_alone:share} alone, {clustering_layers:share} with layers]",
          exceeds("clustering_layers", "clustering_alone"), ("no", ": the reverse")),
    Claim("hirag-sparsity", "HiRAG", "Figure 4", "cluster sparsity rises from layer to layer until it settles",
          "hirag-ways", "of components as they are found, in layer 0 [{first:share}]; in the last two "
          "layers [{last_but_one:share} and {last:share}]",
          settles),
    Claim("hirag-ablations", "HiRAG", "Table 1", "without the bridge, or without layers, answers are worse", "hirag",
          "R@5 is equal by construction for the bridge; `hirag` − `hirag:flat`: [{layers:signed}]",
          above("layers"), ("no", " for passages; answers were not measured")),
    Claim("hirag-wins", "HiRAG", "Table 1", "answers win in comprehensiveness, diversity, empowerment", "",
          "`benchmarks/pairwise.py` needs an endpoint of yours"),
    Claim("hirag-cost", "HiRAG", "Table 2", "21.9 million tokens, 6,790 calls", "",
          "needs a language model; `overstory index --model NAME --estimate`"),
    Claim("tretriever-edges", "T-Retriever", "Table 2", "edges matter more than texts", "tretriever",
          "gold in subgraphs of `tretriever:paper`, edges and texts − texts alone: [{edges:signed}]", above("edges")),
    Claim("tretriever-both", "T-Retriever", "Table 2", "both together beat edges alone (by 5.6 points of accuracy)",
          "tretriever", "gold in subgraphs of `tretriever:paper`: [{texts:signed}]; on films both are one tree",
          above("texts")),
    Claim("tretriever-partition", "T-Retriever", "Section 4", "PARTITION from the root finds a good tree", "tretriever",
          "gold in subgraphs of `tretriever:paper`: [{partition:share} with `tree=partition` and {structure:share} "
          "with edges alone]", no_less("partition", "structure"), ("in part", ": as good as structure")),
    Claim("tretriever-tokens", "T-Retriever", "Table 3", "62 to 84 % fewer tokens than G-Retriever", "subgraphs",
          "[{steiner:share} of the gold in {steiner_tokens:count} tokens of a Steiner tree, as G-Retriever has it, "
          "{published:share} in {published_tokens:count} of `tretriever:paper`]",
          no_less("steiner_tokens", "published_tokens")),
    Claim("tretriever-answers", "T-Retriever", "Table 1", "more accurate answers on WebQSP, SceneGraphs, BookGraphs",
          "", "we had neither the sets nor the trained encoder"),
    Claim("apr-codebook", "AutoPrunedRetriever", "Figure 6", "the codebook stops growing", "apr-codebook",
          "new edges a triple: [{new:two} of new material, {again:two} of the same in other words]",
          at_most(0.2, "again", "new"), ("in part", ": repeated material alone")),
    Claim("apr-encodings", "AutoPrunedRetriever", "Figures 8 and 9", "numbers and matrices shorten prompts",
          "apr-encodings", "words are shortest in [{words:percent} of prompts]", at_most(0.5, "words")),
    Claim("apr-policy", "AutoPrunedRetriever", "Section 2", "a trained policy beats fixed choices", "apr-policy",
          "utility [{free:signed} where tokens are free, {priced:signed} where 1,000 cost .3]",
          above("free", "priced")),
    Claim("apr-tokens", "AutoPrunedRetriever", "Figures 3 and 7", "far fewer tokens than other systems", "apr-prompts",
          "[its prompt has {apr:count} tokens, the longest of the others {longest:count}, `dense` {dense:count}, and "
          "says the answer in {apr_says:share} of cases, `dense` in {dense_says:share}]",
          both(exceeds("dense", "apr"), exceeds("longest", "apr"))),
    Claim("apr-conversations", "AutoPrunedRetriever", "Example 1", "related questions get cheaper, since prompts have "
          "only what is new", "apr-conversations", "ten conversations of five questions: [{without:count} tokens "
          "without memory, {with:count} with it; `apr:paper` {paper_without:count} and {paper_with:count}]",
          above("saved", "paper_saved")),
    Claim("apr-answers", "AutoPrunedRetriever", "Table 1", "more accurate answers than HippoRAG 2, by 10 points", "",
          "answers were not measured; of the evidence's words the contexts that its authors publish have .299, those "
          "of HippoRAG 2 .706 (`benchmarks/published.py`)"),
    Claim("default-several", "Overstory's default", "", "`canopy` finds more than `dense`, `lexical` and `hybrid` "
          "where two passages answer", "default-several", "R@5 − the best of these: [{canopy:signed}]",
          above("canopy")),
    Claim("default-one", "Overstory's default", "", "and no less where one passage answers", "default-one",
          "R@5 − the best of these: [{canopy:signed}]", at_least(-0.01, "canopy"), ("yes", ", within .01")),
)
# fmt: on


def measured(
    given: Given, experiments: Mapping[str, tuple[str, Measure]], figures: list[Figure]
) -> Iterator[list[Figure]]:
    """The figures with those of one run of an experiment after the other; what they have is not measured again."""
    for name, (needs, measure) in experiments.items():
        of_claims = ", ".join(claim.id for claim in CLAIMS if claim.experiment == name)
        needed, runs_of = NEEDS[needs]
        if not (runs := runs_of(given)):
            print(f"{of_claims}: not measured. Needs {needed}.", file=sys.stderr)
        for inputs in runs:
            digest, named = "+".join(of.digest() for of in inputs), " ".join(of.named(needs) for of in inputs)
            there = any((each.experiment, each.inputs) == (name, digest) for each in figures)
            print(f"{of_claims}: {named}{', as in the file' if there else ''}", file=sys.stderr)
            if not there:
                source = f"{COMMAND} {named} --only {of_claims.partition(',')[0]}"
                title = inputs[0].title if needs not in ("folders", "texts") else ""
                figures = merged(figures, figures_of(name, title, measure(*inputs), source, digest))
                yield figures


def figures_of(experiment: str, corpus: str, found: Measured, source: str, inputs: str) -> Iterator[Figure]:
    """Means with intervals; of what no question has a value of, there is no figure."""
    for name, values in found.items():
        if isinstance(values, int | float):
            yield Figure(experiment, name, corpus, 1, round(float(values), 6), None, None, source, inputs)
        elif len(values):
            mean, low, high = (round(each, 6) for each in astuple(mean_interval(values)))
            yield Figure(experiment, name, corpus, len(values), mean, low, high, source, inputs)


def merged(figures: Iterable[Figure], new: Iterable[Figure]) -> list[Figure]:
    """All figures; new ones take the places of those of the same name and corpus."""
    return list({(each.experiment, each.name, each.corpus): each for each in (*figures, *new)}.values())


def table(claims: Sequence[Claim], figures: Sequence[Figure]) -> str:
    """The claims with what was measured, and how many hold."""
    rows = [["paper", "its claim", "what was measured", "holds?"], *(claim.row(figures) for claim in claims)]
    count = Counter(claim.verdict(figures) for claim in claims)
    told = [f"{count[verdict]} {words}" for verdict, words in COUNTED.items()]
    if count["not measured"]:
        told.append(f"{count['not measured']} were not measured")
    return "\n".join([*markdown(rows), "", f"Of the {len(claims)} claims {', '.join(told[:-1])}, and {told[-1]}."])


def read_figures(file: Path) -> list[Figure]:
    """The figures of a file, none if it is not there.

    Raises:
        BenchError: it has something else.
    """
    try:
        return [Figure(**each) for each in json.loads(file.read_text(encoding="utf-8"))]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError) as error:
        raise BenchError(f"{file} has no figures of claims: {error}", remedy="Give --json another file.") from error


def write_figures(file: Path, figures: Iterable[Figure]) -> None:
    lines = ",\n".join(json.dumps(asdict(figure), ensure_ascii=False) for figure in figures)
    write_whole(file, f"[\n{lines}\n]\n", mode=READABLE)


def selected(ids: Sequence[str], system: str | None) -> list[Claim]:
    """The claims of these ids, all without any, and of the system.

    Raises:
        SettingsError: there is no such claim.
    """
    known = {"--only": {claim.id for claim in CLAIMS}, "--system": {claim.system for claim in CLAIMS}}
    for option, names in (("--only", ids), ("--system", [system] if system else [])):
        for name in names:
            if name not in known[option]:
                raise SettingsError(f"{option} {name}: there is no such claim.", remedy="--list prints all claims.")
    return [
        claim for claim in CLAIMS if claim.id in (ids or known["--only"]) and claim.system in (system or claim.system)
    ]


def given_of(folders: Sequence[Path], graphs: Sequence[str], texts: Path | None) -> Given:
    """What the command line names, if it is there.

    Raises:
        BenchError: a folder is not what it should be.
    """
    fingerprint = make_embedder(Settings.from_environment().embedding).fingerprint if folders else ""
    beir: list[Input] = []
    for folder in folders:
        dataset = load_dataset(folder)
        hops = np.mean([sum(score > 0 for score in judged.values()) for judged in dataset.qrels.values()])
        beir.append(Input(folder, corpus_name(dataset, Layout(), embedder=fingerprint), float(hops)))
    of_graphs: list[Input] = []
    for each in graphs:
        name, _, corpus = each.partition("=")
        if not (corpus and (Path(name) / "queries.jsonl").is_file()):
            raise BenchError(
                f"--graph {each}: no folder with queries.jsonl, or no corpus",
                remedy="Give --graph DIR=CORPUS; `python -m benchmarks.graphs --help` says how both are made.",
            )
        of_graphs.append(Input(Path(name), corpus))
    if texts is not None and not texts.is_dir():
        raise BenchError(f"--texts {texts}: there is no such folder", remedy=f"Give --texts {TEXTS}.")
    return Given(beir, of_graphs, [Input(texts, CONVERSATIONS)] if texts else [])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, metavar="DIR", help="a BEIR folder")
    parser.add_argument("--graph", action="append", default=[], metavar="DIR=CORPUS", help="may be repeated")
    parser.add_argument("--texts", type=Path, metavar="DIR", help=TEXTS)
    parser.add_argument("--only", action="append", default=[], metavar="ID", help="this claim; may be repeated")
    parser.add_argument("--system", metavar="NAME", help="claims of this system, as --list has it")
    parser.add_argument("--list", action="store_true", help="print the claims and measure nothing")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep figures there, and go on from them")
    parser.add_argument("--write", action="store_true", help=f"put the figures into docs/{PAGE.name}")
    options = parser.parse_args(arguments)
    if options.json is not None and not options.json.resolve().parent.is_dir():
        parser.error(f"there is no folder for --json {options.json}")
    try:
        claims = selected(options.only, options.system)
        if options.list:
            for claim in claims:
                print(f"{claim.id:22} {', '.join(filter(None, (claim.system, claim.place)))}: {claim.says}")
            return 0
        figures = read_figures(options.json) if options.json else []
        wanted = {claim.experiment for claim in claims}
        experiments = {name: each for name, each in EXPERIMENTS.items() if name in wanted}
        given = given_of(options.folders, options.graph, options.texts)
        for now in measured(given, experiments, figures):
            figures = now
            if options.json:
                write_figures(options.json, figures)
        if options.write:
            every = merged(read_figures(FIGURES), figures)
            write_figures(FIGURES, every)
            page = replaced(PAGE.read_text(encoding="utf-8"), MARK, table(CLAIMS, every))
            write_whole(PAGE, page, mode=READABLE)
    except OverstoryError as error:
        print(f"Error: {error}\n  {error.remedy}".rstrip(), file=sys.stderr)
        return error.exit_code
    print(table(claims, figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
