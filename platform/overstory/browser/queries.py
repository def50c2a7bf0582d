"""Saved queries for Neo4j Browser, from the folder `cypher/saved_queries/` and from systems.

The comment at the top of a query states its title, its parameters and the rows that it returns. The title is also the
name of the favourite in Browser. A query that is added to the folder appears in the guide automatically.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from overstory.graph import GraphClient
from overstory.graph.statements import statement, statement_names


@dataclass(frozen=True, slots=True)
class Contribution:
    """The queries, node labels and style rules that a system adds to Neo4j Browser.

    Attributes:
        name: name of the system. The names of its queries begin with this name and an underscore.
        title: title of its chapter in the guide.
        queries: names of its Cypher statements, in reading order.
        labels: labels of its nodes. Each such node also has the label "Corpus_…_LABEL".
        marks: suffixes of additional labels of its nodes ("Corpus_…_MARK").
        slotted: those of `labels` whose nodes are also labelled with the slot of their generation ("Corpus_…_LABEL_A").
        examples: name of a statement that returns example values for `PARAMETERS`. It receives the values found before.
            "" if there is no such statement.
        style: GraSS rules for its node labels and relationship types.
    """

    name: str
    title: str
    queries: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    slotted: tuple[str, ...] = ()
    examples: str = ""
    style: str = ""


FOLDER = "saved_queries"

CHAPTERS: Mapping[str, tuple[str, ...]] = {
    "The whole": ("overview", "stages", "documents"),
    "Documents": (
        "document_passages",
        "passage_graph",
        "document_facts",
        "document_links",
        "metadata",
        "documents_with",
    ),
    "Names": ("names", "specific_names", "aliases", "mentions", "mention_sentences"),
    "Facts and paths": ("related", "paths", "together"),
    "Search": ("find_text", "similar_passages"),
    "Communities": ("tree", "community", "report", "tree_entropy"),
}
"""Map from chapter titles to query names, in reading order. Queries not listed here follow in the chapter `REMAINING`,
which precedes the chapters of systems."""

REMAINING = "More"

PARAMETERS: Mapping[str, str] = {
    "name": "the name or alias of an entity, in any case",
    "other": "the name of a second entity",
    "document": "the title, id or source of a document",
    "other_document": "the title, id or source of another document",
    "key": "a metadata key; `overstory metadata` lists them",
    "tree": "the name of a tree, as for `overstory tree`",
    "community": "the id of a community, or its first characters, as `overstory tree` shows it",
    "layer": "the number of a layer of summaries, from 1",
    "type": "a type of entities, such as PERSON, ORG or GPE; '' for all",
    "words": "words to search for, in Lucene's syntax",
}
"""Map from parameter names to their meanings. A parameter means the same in all queries, so users set it only once."""

_GENERAL_NAMES = (
    "abstract acknowledgements acknowledgments appendix author authors bibliography chapter conclusion content "
    "contents copyright description example examples false file files foreword glossary home index introduction "
    "licence license menu navigation next none note notes null options overview page preface previous program "
    "references search section see software summary synopsis table title true usage user users version"
)
GENERAL = frozenset(_GENERAL_NAMES.split())
"""Names, in lower case, that are too general to be an example, such as names of document sections."""

_HEADING = r"(?s)\W*(\d|\p{Lu}(\.\d)+).*|\P{L}*"
"""Java regular expression for names that are not used as examples: they begin with a number, as headings do ("2.1
Results", "A.1"), or contain no letters."""

_HEADER = re.compile(r"(?P<title>[^\n]+)\nParameters: (?P<parameters>.+?)\nRows: (?P<rows>.+)", re.DOTALL)
_PARAMETER = re.compile(r"\$([a-z_]+)")
_NOT_A_WORD = re.compile(r"\W+")


@dataclass(frozen=True, slots=True)
class SavedQuery:
    """A query that can be pasted into Neo4j Browser.

    Attributes:
        name: name of the query, without its folder. If the query belongs to a system, the name begins with the system's
            name.
        parameters: names of the parameters, without `$`.
        rows: description of the rows that the query returns.
        text: Cypher text for one corpus, including the comment at the top.
    """

    name: str
    statement: str
    title: str
    parameters: tuple[str, ...]
    rows: str
    text: str

    @property
    def is_picture(self) -> bool:
        """True if the query returns paths, which Browser shows as a graph."""
        return " PATH" in self.rows


def saved_queries(
    label: str, contributions: Sequence[Contribution] = (), *, order: Mapping[str, tuple[str, ...]] = CHAPTERS
) -> dict[str, list[SavedQuery]]:
    """Return a map from chapter titles to saved queries, in reading order. Each system has one chapter.

    Args:
        order: map from chapter titles to query names.
    """
    queries = (_query(name.removeprefix(f"{FOLDER}/"), name, label) for name in statement_names(FOLDER))
    found = {query.name: query for query in queries}
    chapters = {chapter: [found.pop(name) for name in names if name in found] for chapter, names in order.items()}
    if found:
        chapters[REMAINING] = list(found.values())
    for each in contributions:
        if each.queries:
            of_system = [_query(f"{each.name}_{name.rpartition('/')[2]}", name, label) for name in each.queries]
            chapters[each.title] = of_system
    return chapters


def all_queries(chapters: Mapping[str, list[SavedQuery]]) -> list[SavedQuery]:
    return [query for queries in chapters.values() for query in queries]


def example_parameters(graph: GraphClient, label: str, contributions: Sequence[Contribution] = ()) -> dict[str, str]:
    """Return an example value from the corpus for each parameter in `PARAMETERS`.

    If the corpus contains no suitable value, the example is "".
    """
    (row,) = graph.run("browser/examples", label, read=True, general=sorted(GENERAL), heading=_HEADING)
    found = {name: str(row.get(name) or "") for name in PARAMETERS}
    for statement_of_system in [each.examples for each in contributions if each.examples]:
        (row,) = graph.run(statement_of_system, label, read=True, found=found)
        found |= {name: str(row[name]) for name in PARAMETERS if not found[name] and row.get(name)}
    found["words"] = " ".join(_NOT_A_WORD.sub(" ", f"{found['name']} {found['other']}").split())
    return found


def _query(name: str, statement_name: str, label: str) -> SavedQuery:
    text = statement(statement_name, label).strip()
    header = _HEADER.match(_comment(text))
    if header is None:
        raise ValueError(f"{statement_name} has no header with a title, Parameters and Rows")
    return SavedQuery(
        name=name,
        statement=statement_name,
        title=header["title"],
        parameters=tuple(dict.fromkeys(_PARAMETER.findall(header["parameters"]))),
        rows=" ".join(header["rows"].split()),
        text=text,
    )


def _comment(text: str) -> str:
    lines: list[str] = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        lines.append(line.removeprefix("//").removeprefix(" "))
    return "\n".join(lines)
