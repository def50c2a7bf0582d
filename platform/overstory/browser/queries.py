"""The saved queries under `cypher/saved_queries/` and those of systems: titles, parameters, and the text for a corpus.

A query's header documents it: the first line is its title (Browser calls a favourite so), then
come its parameters and its rows. The guide includes whatever is added to the folder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from overstory.graph import GraphClient
from overstory.graph.statements import statement, statement_names


@dataclass(frozen=True, slots=True)
class Contribution:
    """Of one system.

    Attributes:
        name: of the system; its queries are called NAME_….
        title: of its chapter.
        queries: names of statements, in the order of reading.
        labels: the kinds of its nodes, which carry the label of their corpus with each of these, too.
        marks: what these may carry besides ("Corpus_…_MARK").
        slotted: those of `labels` that also carry the slot of their generation ("Corpus_…_KIND_A").
        examples: a statement that gives values of parameters (`queries.PARAMETERS`), and takes those that were found
            before; "" if there is none.
        style: GraSS rules for those kinds and relationships that have a look of their own.
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
"""The order of reading. Queries that are named nowhere come after these, in a chapter of their own; then come those of
systems."""

REMAINING = "More"

PARAMETERS: Mapping[str, str] = {
    "name": "a name; an alias will do, and upper or lower case",
    "other": "a second name",
    "document": "the title, id or source of a document",
    "other_document": "another document, named in the same way",
    "key": "a key of metadata, as overstory metadata lists them",
    "tree": "the name of a tree, as overstory tree takes it",
    "community": "the id of a community, or enough of its beginning, as overstory tree shows it",
    "layer": "the number of a layer of summaries, from 1",
    "type": "a type of names, as PERSON, ORG or GPE; '' for all",
    "words": "words to look for, in Lucene's syntax",
}
"""The parameters of the queries. A name means the same in all of them, so values are set only once."""

_GENERAL_NAMES = (
    "abstract acknowledgements acknowledgments appendix author authors bibliography chapter conclusion content "
    "contents copyright description example examples false file files foreword glossary home index introduction "
    "licence license menu navigation next none note notes null options overview page preface previous program "
    "references search section see software summary synopsis table title true usage user users version"
)
GENERAL = frozenset(_GENERAL_NAMES.split())
"""Names that a first picture should not be about, in lower case: parts of documents, and what any of them has."""

_HEADING = r"(?s)\W*(\d|\p{Lu}(\.\d)+).*|\P{L}*"
"""In Java's syntax: names that begin with a number, such as a heading's, and those without a letter."""

_HEADER = re.compile(r"(?P<title>[^\n]+)\nParameters: (?P<parameters>.+?)\nRows: (?P<rows>.+)", re.DOTALL)
_PARAMETER = re.compile(r"\$([a-z_]+)")
_NOT_A_WORD = re.compile(r"\W+")


@dataclass(frozen=True, slots=True)
class SavedQuery:
    """A query that can be pasted into Neo4j Browser as it is.

    Attributes:
        name: of its file, without the folder; of a system's, with the system's name before it.
        statement: its name among all statements.
        title: one line.
        parameters: the names of those it takes, without `$`.
        rows: what it returns.
        text: the whole statement for one corpus, header included.
    """

    name: str
    statement: str
    title: str
    parameters: tuple[str, ...]
    rows: str
    text: str

    @property
    def is_picture(self) -> bool:
        """Whether Browser draws what comes back."""
        return " PATH" in self.rows


def saved_queries(
    label: str, contributions: Sequence[Contribution] = (), *, order: Mapping[str, tuple[str, ...]] = CHAPTERS
) -> dict[str, list[SavedQuery]]:
    """All saved queries for the corpus of this label, by chapter, in the order of reading; a system is one chapter."""
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
    """The queries of all chapters, in order."""
    return [query for queries in chapters.values() for query in queries]


def example_parameters(graph: GraphClient, label: str, contributions: Sequence[Contribution] = ()) -> dict[str, str]:
    """A value for each parameter of the saved queries, taken from the corpus, so that they find something at once.

    Where the corpus has nothing that fits, the value is "".
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
