"""Make graphs from data on a Debian machine, with questions, and ask retrievers these questions.

    python -m benchmarks.graphs wordnet DICT OUT [--pos n]… [--below KEY]… [--limit N] [--questions 100]
    python -m benchmarks.graphs debian PACKAGES DESCRIPTIONS OUT [--section NAME]… [--limit N] [--questions 100]
    python -m benchmarks.graphs movies OUT [--questions 100]
    python -m benchmarks.graphs ask CORPUS OUT [--retriever NAME]… [--save FILE] [--against FILE]

The first three write a folder for the loader `graph` (`nodes.csv`, `edges.csv`), with `queries.jsonl` and
`qrels/dev.tsv` in BEIR's layout. The judged documents are keys of vertices. `overstory ingest OUT` and `overstory
index` load the folder into a corpus, and `ask` asks its questions: R@5 and all@5 for each kind of question, with 95 %
intervals. `--save` stores the figures of each question, and `--against` compares with such a file, question by
question.

DICT is the folder of WordNet's dict files (`data.noun`, …), from the package `wordnet-base`:
    apt-get download wordnet-base && dpkg-deb -x wordnet-base_*.deb . # usr/share/wordnet
PACKAGES and DESCRIPTIONS are lists of packages and their English descriptions, made with separate apt lists:
    apt-get update -o Acquire::Languages=en -o Dir::State::lists=$LISTS
    apt-cache -o Dir::State::lists=$LISTS dumpavail > PACKAGES
    apt-get -o Dir::State::lists=$LISTS -o Acquire::Languages=en indextargets --format '$(FILENAME)' \\
        'Created-By: Translations' | xargs /usr/lib/apt/apt-helper cat-file > DESCRIPTIONS

WordNet: a vertex is a synset. Its key is part of speech and offset (`n02084442`), its title the lemmas, and its text
the gloss without usage examples. Of an edge and its inverse one is kept: HYPERNYM, INSTANCE_OF, HAS_MEMBER,
HAS_SUBSTANCE, HAS_PART, ENTAILS, CAUSES, SIMILAR_TO, ANTONYM, ATTRIBUTE, DERIVED, ALSO_SEE, VERB_GROUP, PARTICIPLE_OF,
PERTAINS_TO, TOPIC, REGION, USAGE. The text of an edge between two words is these words. `--limit` takes whole subtrees,
and the paths to them, below the synsets named with `--below` (body parts are n05220461, places n00027167, artifacts
n00021939), or else below the most general synsets. The result is a connected sample, the same in each run.

Debian: a vertex is a package, and its text the long description. The short description is used only in questions. Edges
are DEPENDS and RECOMMENDS, with the requirement as text. Each of n alternatives has the weight 1/n. If a package has
several versions, the first in the list counts. `--limit` takes the packages with the most edges to others in the
sections.

Questions are made from these templates, `--questions` of each kind, drawn with a fixed seed:

    wordnet  sense        What does "LEMMA" mean in: "EXAMPLE"?              {the synset with the example}
             gloss        What is the word for this: GLOSS OF A?             {A}
             kind         What is a kind of LEMMA OF B, GLOSS OF A?          {A, B}: B is a hypernym of A
             genus        What is this a kind of: GLOSS OF A?                {A, B}: B is A's only hypernym
             part         What is a part or a member of this: GLOSS OF A?    {A, B}: B is A's only part, member …
    debian   description  SHORT DESCRIPTION OF A                             {A}
             dependency   Which package that A depends on is this: SHORT DESCRIPTION OF B?   {A, B}
             dependant    Which package that needs B is this: SHORT DESCRIPTION OF A?        {A, B}
             requirement  What does this depend on: SHORT DESCRIPTION OF A?  {A, B}: B is all that A depends on
    movies   plot         In which film does this happen: TEXT, TITLE AND NAMES LEFT OUT     {film}
             role         Who plays ROLE in FILM?                            {film, person}
             deed         Which film did PERSON direct (write, produce, act in)?   {person, film}: the only such edge
             colleague    Who directed (wrote, produced) the film with ACTOR?      {actor, person}: one film, one person

`kind`, `dependency`, `dependant` and `role` mention both ends of an edge, one of them by name. `genus`, `part`,
`requirement`, `deed` and `colleague` mention one end; only the edge, or the text of the other vertex, identifies the
other. Lemmas and names that are the answer do not occur in the text of the question. Descriptions shared by two
packages are not used. "Only" and "all" refer to the vertices and edges that were written.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.retrievers import bounds, share, show, signed

from overstory.bench.dataset import BenchQuestion, choose_qrels, read_judgements, read_questions
from overstory.bench.metrics import difference_interval, mean_interval
from overstory.bench.runner import BenchResult, run_bench
from overstory.examples import movie_graph
from overstory.knowledge import Knowledge
from overstory_cli.progress import progress_for

SEED = 20261122
LEAST_WORDS = 4  # words of a gloss or description used in a question; two words may mean anything

POINTERS = {
    "@": "HYPERNYM",
    "@i": "INSTANCE_OF",
    "%m": "HAS_MEMBER",
    "%s": "HAS_SUBSTANCE",
    "%p": "HAS_PART",
    "*": "ENTAILS",
    ">": "CAUSES",
    "&": "SIMILAR_TO",
    "!": "ANTONYM",
    "=": "ATTRIBUTE",
    "+": "DERIVED",
    "^": "ALSO_SEE",
    "$": "VERB_GROUP",
    "<": "PARTICIPLE_OF",
    "\\": "PERTAINS_TO",
    ";c": "TOPIC",
    ";r": "REGION",
    ";u": "USAGE",
}
"""Pointers that become edges. The ones left out are inverses of these."""
SYMMETRIC = frozenset("&!=+$")
PARENTS = ("HYPERNYM", "INSTANCE_OF")
PARTS = ("HAS_MEMBER", "HAS_SUBSTANCE", "HAS_PART")
PARTS_OF_SPEECH = {"n": ("noun", "Noun"), "v": ("verb", "Verb"), "a": ("adj", "Adjective"), "r": ("adv", "Adverb")}
"""Suffix of the file and label of the vertices, by WordNet's letter for the part of speech."""

VERBS = {"DIRECTED": "direct", "WROTE": "write", "PRODUCED": "produce", "ACTED_IN": "act in"}


@dataclass(frozen=True, slots=True)
class Vertex:
    """A row of `nodes.csv`, with text that is used in questions but not written."""

    key: str
    label: str
    title: str
    text: str
    names: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    short: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    start: str
    end: str
    type: str
    text: str = ""
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the keys of the expected vertices."""

    kind: str
    text: str
    gold: tuple[str, ...]


@dataclass(slots=True)
class Graph:
    """Vertices by key, and the edges between them."""

    vertices: dict[str, Vertex] = field(default_factory=dict[str, Vertex])
    edges: list[Edge] = field(default_factory=list[Edge])

    def of_type(self, *types: str) -> dict[str, list[str]]:
        """Return the distinct targets of edges of these types, by source."""
        ends: dict[str, dict[str, None]] = {}
        for edge in self.edges:
            if edge.type in types:
                ends.setdefault(edge.start, {})[edge.end] = None
        return {start: list(each) for start, each in ends.items()}

    def within(self, keys: Sequence[str]) -> Graph:
        kept = {key: self.vertices[key] for key in keys}
        return Graph(kept, [edge for edge in self.edges if edge.start in kept and edge.end in kept])


def read_wordnet(folder: Path, parts: Sequence[str]) -> Graph:
    """Read all synsets of some parts of speech and the pointers between them. Format: wndb(5WN)."""
    graph = Graph()
    pointers: list[Edge] = []
    words: dict[str, list[str]] = {}
    between: list[tuple[str, str, str, str]] = []
    for letter in parts:
        suffix, label = PARTS_OF_SPEECH[letter]
        for line in (folder / f"data.{suffix}").read_text(encoding="utf-8").splitlines():
            if line.startswith(" "):  # licence header
                continue
            data, _, gloss = line.partition(" | ")
            fields = data.split()
            key, count = letter + fields[0], int(fields[3], 16)
            lemmas = [re.sub(r"\((?:a|p|ip)\)$", "", each).replace("_", " ") for each in fields[4 : 4 + 2 * count : 2]]
            words[key] = lemmas
            first = 4 + 2 * count
            for place in range(first + 1, first + 1 + 4 * int(fields[first]), 4):
                symbol, offset, pos, ends = fields[place : place + 4]
                between.append((key, symbol, ("a" if pos == "s" else pos) + offset, ends))
            definition, examples = _gloss(gloss)
            graph.vertices[key] = Vertex(
                key, label, ", ".join(lemmas), definition, names=tuple(lemmas), examples=examples
            )
    for start, symbol, end, ends in between:
        if symbol not in POINTERS or end not in graph.vertices or (symbol in SYMMETRIC and start > end):
            continue
        here, there = bytes.fromhex(ends)  # numbers of the words in the two synsets; 0 means all words
        text = f"{words[start][here - 1]}, {words[end][there - 1]}" if here and there else ""
        pointers.append(Edge(start, end, POINTERS[symbol], text))
    graph.edges = list(dict.fromkeys(pointers))
    return graph


def _gloss(gloss: str) -> tuple[str, tuple[str, ...]]:
    examples = tuple(each.strip() for each in re.findall(r'"([^"]+)"', gloss))
    definition = re.sub(r'[;,]?\s*"[^"]*"?(?:\s*-\s*[^;"]*)?', "", gloss)
    return " ".join(definition.split()).strip("; "), examples


def subtrees(graph: Graph, roots: Sequence[str], limit: int) -> list[str]:
    """Return the keys of at most `limit` synsets: whole subtrees of hyponyms and the paths to them, largest first.

    A synset belongs to the subtree of its first hypernym, an adjective to that of the first adjective it is similar to.

    Args:
        roots: Roots of the subtrees, in this order; if empty, all synsets without a hypernym.
    """
    parent: dict[str, str] = {}
    for edge in graph.edges:
        if edge.type in PARENTS:
            parent.setdefault(edge.start, edge.end)
        elif edge.type == "SIMILAR_TO":
            parent.setdefault(edge.end, edge.start)
    for key in graph.vertices:
        seen = {key}
        above = key
        while (above := parent.get(above, "")) and above not in seen:
            seen.add(above)
        if above == key:  # WordNet's verbs contain a cycle
            del parent[key]
    children: dict[str, list[str]] = defaultdict(list)
    for key, above in parent.items():
        children[above].append(key)
    down = [key for key in graph.vertices if key not in parent]
    for key in down:
        down.extend(children[key])  # grows during the loop: breadth first
    size: dict[str, int] = {}
    for key in reversed(down):
        size[key] = 1 + sum(size[child] for child in children[key])

    def largest_first(keys: Iterable[str]) -> list[str]:
        return sorted(keys, key=lambda key: (size[key], key))  # the stack takes from the end

    chosen: list[str] = []
    stack = list(reversed(roots)) or largest_first(key for key in graph.vertices if key not in parent)
    while stack and len(chosen) < limit:
        key = stack.pop()
        chosen.append(key)
        stack.extend(largest_first(children[key]))
    return chosen


def wordnet_questions(graph: Graph, most: int) -> Iterator[Asked]:
    vertices = graph.vertices
    hypernyms, parts = graph.of_type(*PARENTS), graph.of_type(*PARTS)
    glosses = Counter(vertex.text for vertex in vertices.values())
    clear = [
        key
        for key, vertex in sorted(vertices.items())
        if glosses[vertex.text] == 1 and _long(vertex.text) and not _says(vertex.text, vertex.names)
    ]
    senses = [
        Asked("sense", f'What does "{lemma}" mean in: "{example}"?', (key,))
        for key, vertex in vertices.items()
        for example in vertex.examples[:1]
        for lemma in [each for each in vertex.names if _says(example, [each])][:1]
        if _long(example)
    ]
    yield from _drawn(senses, most)
    yield from _drawn(
        [Asked("gloss", f"What is the word for this: {vertices[key].text}?", (key,)) for key in clear], most
    )
    kinds: list[Asked] = []
    genera: list[Asked] = []
    wholes: list[Asked] = []
    for key in clear:
        text, above = vertices[key].text, hypernyms.get(key, [])
        if above:
            kinds.append(Asked("kind", f"What is a kind of {vertices[above[0]].names[0]}, {text}?", (key, above[0])))
        if len(above) == 1 and not _says(text, vertices[above[0]].names):
            genera.append(Asked("genus", f"What is this a kind of: {text}?", (key, above[0])))
        below = parts.get(key, [])
        if len(below) == 1 and not _says(text, vertices[below[0]].names):
            wholes.append(Asked("part", f"What is a part or a member of this: {text}?", (key, below[0])))
    for each in (kinds, genera, wholes):
        yield from _drawn(each, most)


def read_debian(packages: Path, descriptions: Path, sections: Sequence[str]) -> Graph:
    """Read the packages of some sections (all if empty), and their dependencies and recommendations."""
    long: dict[str, str] = {}
    for stanza in _stanzas(descriptions):
        text = stanza.get("Description-en", "").partition("\n")[2]
        long[stanza.get("Description-md5", "")] = _description(text)
    graph = Graph()
    needs: dict[str, dict[str, str]] = {}
    for stanza in _stanzas(packages):
        name, section = stanza["Package"], stanza.get("Section", "").rpartition("/")[2]
        if name in graph.vertices or (sections and section not in sections):
            continue
        short = stanza.get("Description", "").partition("\n")[0]
        text = long.get(stanza.get("Description-md5", ""), "")
        graph.vertices[name] = Vertex(name, section or "unknown", name, text or short, names=(name,), short=short)
        needs[name] = stanza
    for name, stanza in needs.items():
        for kind, value in (("DEPENDS", "Depends"), ("DEPENDS", "Pre-Depends"), ("RECOMMENDS", "Recommends")):
            for requirement in filter(None, (each.strip() for each in stanza.get(value, "").split(","))):
                alternatives = [each.strip() for each in requirement.split("|")]
                for each in alternatives:
                    target = re.split(r"[\s(:\[]", each, maxsplit=1)[0]
                    if target in graph.vertices:
                        graph.edges.append(Edge(name, target, kind, each, round(1 / len(alternatives), 3)))
    return graph


def _stanzas(path: Path) -> Iterator[dict[str, str]]:
    stanza: dict[str, str] = {}
    name = ""
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.isspace():
                if stanza:
                    yield stanza
                stanza = {}
            elif line[0] in " \t":
                stanza[name] += "\n" + line.strip()
            else:
                name, _, value = line.partition(":")
                stanza[name] = value.strip()
    if stanza:
        yield stanza


def _description(text: str) -> str:
    """Return a long description with its paragraphs, which are separated by lines with a dot."""
    paragraphs = re.split(r"\n\.\s*(?:\n|$)", "\n" + text)
    return "\n\n".join(" ".join(each.split()) for each in paragraphs if each.strip())


def most_linked(graph: Graph, limit: int) -> list[str]:
    degrees = Counter(end for edge in graph.edges for end in (edge.start, edge.end))
    return sorted(sorted(graph.vertices, key=lambda key: (-degrees[key], key))[:limit])


def debian_questions(graph: Graph, most: int) -> Iterator[Asked]:
    vertices = graph.vertices
    shorts = Counter(vertex.short for vertex in vertices.values())
    clear = [
        key
        for key, vertex in sorted(vertices.items())
        if shorts[vertex.short] == 1 and _long(vertex.short) and not _says(vertex.short, [key])
    ]
    asked = {key: vertices[key].short for key in clear}
    depends = graph.of_type("DEPENDS")
    yield from _drawn((Asked("description", asked[key], (key,)) for key in clear), most)
    by_name: list[Asked] = []
    dependants: list[Asked] = []
    requirements: list[Asked] = []
    for key, ends in sorted(depends.items()):
        for end in ends:
            if end in asked:
                text = f"Which package that {key} depends on is this: {asked[end]}?"
                by_name.append(Asked("dependency", text, (key, end)))
            if key in asked and not _says(asked[key], [end]):
                text = f"Which package that needs {end} is this: {asked[key]}?"
                dependants.append(Asked("dependant", text, (key, end)))
        if key in asked and len(ends) == 1 and not _says(asked[key], ends):
            requirements.append(Asked("requirement", f"What does this depend on: {asked[key]}?", (key, ends[0])))
    for each in (by_name, dependants, requirements):
        yield from _drawn(each, most)


def read_movies() -> Graph:
    folder = Path(movie_graph())
    graph = Graph()
    with (folder / "nodes.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            key, title = row[":ID"], row["title"]
            graph.vertices[key] = Vertex(key, row[":LABEL"], title, row["text"], names=(title,))
    with (folder / "edges.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            graph.edges.append(Edge(row[":START_ID"], row[":END_ID"], row[":TYPE"], row["roles:string[]"]))
    return graph


def movies_questions(graph: Graph, most: int) -> Iterator[Asked]:
    vertices = graph.vertices
    people = [vertex.title for vertex in vertices.values() if vertex.label != "Film"]
    plots: list[Asked] = []
    for key, vertex in vertices.items():
        if vertex.label == "Film":
            text = vertex.text
            for name in sorted([vertex.title, *people], key=len, reverse=True):
                text = text.replace(name, "…")
            plots.append(Asked("plot", f"In which film does this happen: {text}", (key,)))
    yield from _drawn(plots, most)
    roles = [
        Asked("role", f"Who plays {edge.text.split(';')[0]} in {vertices[edge.end].title}?", (edge.end, edge.start))
        for edge in graph.edges
        if edge.type == "ACTED_IN" and edge.text
    ]
    yield from _drawn(roles, most)
    deeds: list[Asked] = []
    colleagues: list[Asked] = []
    played = graph.of_type("ACTED_IN")
    for kind, verb in VERBS.items():
        done = graph.of_type(kind)
        for key, films in sorted(done.items()):
            if len(films) == 1:
                question = f"Which film did {vertices[key].title} {verb}?"
                deeds.append(Asked("deed", question, (key, films[0])))
        makers: dict[str, list[str]] = defaultdict(list)
        for key, films in done.items():
            for film in films:
                makers[film].append(key)
        for actor, films in sorted(played.items()):
            if kind != "ACTED_IN" and len(films) == 1 and len(makers[films[0]]) == 1 and makers[films[0]] != [actor]:
                past = {"direct": "directed", "write": "wrote", "produce": "produced"}[verb]
                question = f"Who {past} the film with {vertices[actor].title}?"
                colleagues.append(Asked("colleague", question, (actor, makers[films[0]][0])))
    yield from _drawn(deeds, most)
    yield from _drawn(colleagues, most)


def _long(text: str) -> bool:
    return len(text.split()) >= LEAST_WORDS


def _says(text: str, names: Iterable[str]) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in names)


def _drawn(questions: Iterable[Asked], most: int) -> list[Asked]:
    """Return a sample with a fixed seed, or all questions in order if there are no more than `most`."""
    distinct = list({each.text: each for each in questions}.values())
    return random.Random(SEED).sample(distinct, most) if len(distinct) > most else distinct  # noqa: S311


def write(folder: Path, graph: Graph, questions: Sequence[Asked]) -> None:
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    with (folder / "nodes.csv").open("w", encoding="utf-8", newline="") as file:
        nodes = csv.writer(file, lineterminator="\n")
        nodes.writerow([":ID", ":LABEL", "title", "text"])
        nodes.writerows([each.key, each.label, each.title, each.text] for each in graph.vertices.values())
    with (folder / "edges.csv").open("w", encoding="utf-8", newline="") as file:
        edges = csv.writer(file, lineterminator="\n")
        edges.writerow([":START_ID", ":END_ID", ":TYPE", "text", "weight:float"])
        edges.writerows([each.start, each.end, each.type, each.text, each.weight] for each in graph.edges)
    with (folder / "queries.jsonl").open("w", encoding="utf-8") as file:
        for number, asked in enumerate(questions):
            record = {"_id": f"q{number}", "text": asked.text, "metadata": {"type": asked.kind}}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
    with (folder / "qrels" / "dev.tsv").open("w", encoding="utf-8") as file:
        file.write("query-id\tcorpus-id\tscore\n")
        for number, asked in enumerate(questions):
            file.writelines(f"q{number}\t{key}\t1\n" for key in asked.gold)
    kinds = Counter(asked.kind for asked in questions)
    types = Counter(edge.type for edge in graph.edges)
    print(f"{folder}: {len(graph.vertices):,} vertices, {len(graph.edges):,} edges")
    print("edges:", ", ".join(f"{name} {count:,}" for name, count in types.most_common()))
    print("questions:", ", ".join(f"{name} {count}" for name, count in kinds.items()))


def ask(given: argparse.Namespace) -> None:
    """Ask the questions of a folder, and print a table for each kind of question."""
    questions = list(read_questions(given.out / "queries.jsonl"))
    qrels: dict[str, dict[str, int]] = {}
    for judgement in read_judgements(choose_qrels(given.out)):
        qrels.setdefault(judgement.question, {})[judgement.passage] = judgement.score
    with Knowledge(given.corpus) as knowledge:
        results = [
            run_bench(
                knowledge.retriever(name, repeats=True), questions, qrels, name=name, progress=progress_for(quiet=False)
            )
            for name in given.retriever or ["hybrid", "canopy"]
        ]
    figures = {result.row.retriever: _figures(result) for result in results}
    if given.save is not None:
        given.save.write_text(json.dumps(figures), encoding="utf-8")
    show(given.corpus, _table(results, questions))
    if given.against is not None:
        before: dict[str, dict[str, list[float]]] = json.loads(given.against.read_text(encoding="utf-8"))
        for name in [name for name in figures if name in before]:
            show(f"{name}, now − {given.against.name}", _differences(questions, figures[name], before[name]))
    elif len(results) == 2:
        (other, _), (one, _) = figures.items()
        show(f"{one} − {other}", _differences(questions, figures[one], figures[other]))


def _figures(result: BenchResult) -> dict[str, list[float]]:
    return {question: [each.recall_5, each.all_5] for question, each in result.scores.items()}


def _kinds(questions: Sequence[BenchQuestion]) -> dict[str, list[str]]:
    kinds: dict[str, list[str]] = {}
    for question in questions:
        kinds.setdefault(question.type, []).append(question.id)
    return kinds


def _table(results: Sequence[BenchResult], questions: Sequence[BenchQuestion]) -> list[list[str]]:
    kinds = _kinds(questions)
    rows = [["R@5 [95 %] / all@5", *(f"{kind}, {len(ids)}" for kind, ids in kinds.items()), "ms p50 / p95"]]
    for result in results:
        cells = [f"`{result.row.retriever}`"]
        for ids in kinds.values():
            found = mean_interval([result.scores[each].recall_5 for each in ids])
            all_5 = mean_interval([result.scores[each].all_5 for each in ids])
            cells.append(f"{share(found.mean)} {bounds(found)} / {share(all_5.mean)}")
        rows.append([*cells, f"{result.row.p50_ms:.0f} / {result.row.p95_ms:.0f}"])
    return rows


def _differences(
    questions: Sequence[BenchQuestion], now: Mapping[str, Sequence[float]], before: Mapping[str, Sequence[float]]
) -> list[list[str]]:
    rows = [["", "R@5 [95 %]", "all@5 [95 %]"]]
    for kind, ids in (_kinds(questions) | {"all": [question.id for question in questions]}).items():
        cells = [kind]
        for column in range(2):
            found = difference_interval([now[each][column] for each in ids], [before[each][column] for each in ids])
            cells.append(f"{signed(found.mean)} {bounds(found, signed)}")
        rows.append(cells)
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    made: dict[str, Any] = {name: commands.add_parser(name) for name in ("wordnet", "debian", "movies", "ask")}
    made["wordnet"].add_argument("dict", type=Path)
    made["wordnet"].add_argument("--pos", action="append", choices=list(PARTS_OF_SPEECH), help="may be repeated (all)")
    made["wordnet"].add_argument("--below", action="append", default=[], metavar="KEY", help="may be repeated (all)")
    made["debian"].add_argument("packages", type=Path)
    made["debian"].add_argument("descriptions", type=Path)
    made["debian"].add_argument("--section", action="append", default=[], help="may be repeated (all)")
    made["ask"].add_argument("corpus")
    made["ask"].add_argument("--retriever", action="append", help="may be repeated (hybrid and canopy)")
    made["ask"].add_argument("--save", type=Path)
    made["ask"].add_argument("--against", type=Path)
    for name, command in made.items():
        command.add_argument("out", type=Path)
        if name != "ask":
            command.add_argument("--questions", type=int, default=100, help="questions of each kind (100)")
            command.add_argument("--limit", type=int, default=sys.maxsize)
    given = parser.parse_args()
    if given.command == "wordnet":
        graph = read_wordnet(given.dict, given.pos or list(PARTS_OF_SPEECH))
        graph = graph.within(subtrees(graph, given.below, given.limit))
        write(given.out, graph, list(wordnet_questions(graph, given.questions)))
    elif given.command == "debian":
        graph = read_debian(given.packages, given.descriptions, given.section)
        graph = graph.within(most_linked(graph, given.limit))
        write(given.out, graph, list(debian_questions(graph, given.questions)))
    elif given.command == "movies":
        graph = read_movies()
        write(given.out, graph, list(movies_questions(graph, given.questions)))
    else:
        with suppress(BrokenPipeError):
            ask(given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
