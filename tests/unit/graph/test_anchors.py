"""Statements that serve all corpora begin at nodes of one. Plans do not show what the server does in an expression."""

from __future__ import annotations

import re

import pytest

from overstory.graph.statements import statement_names, statement_source

COMMENT = re.compile(r"//.*")
NESTED = r"(?:[^()]|\([^()]*\))*"
PATH = re.compile(rf"\({NESTED}\)(?:\s*<?-(?:\[[^\]]*\])?->?\s*\({NESTED}\))*")
BEGINS = re.compile(r"\b(?:MATCH|EXISTS \{|COUNT \{|COLLECT \{)\s+(?:way = )?(?:SHORTEST \d+ )?(?=\()|\[(?=\()")
NAMES = re.compile(r"\((\w+)(?=[:){ ])|\[(\w+):|\bAS (\w+)|\bYIELD (?:node AS )?(\w+)")
NODE = re.compile(r"\((\w*)((?::[^(){}]*)?(?:\{[^}]*\})?[^()]*)\)")
KNOWN = ("{id:", "corpus: $corpus", "{{corpus}}", "{{label}}", ":IndexSet", "Overstory:Corpus")
"""Patterns that find nodes of one corpus, or nodes of none."""

NAMES_OF_STATEMENTS = [
    name
    for name in statement_names()
    if not {"saved_queries", "browser", "sources", "schema", "service", "gds"} & set(name.split("/"))
]
BY_INDEX = re.compile(r"USING INDEX SEEK \w+:Overstory\((?:corpus|id)\b|elementId\(l\) = row\.link")


def unanchored(statement: str) -> list[str]:
    """Return the paths in a statement without a known node."""
    text = COMMENT.sub("", statement)
    found: list[str] = []
    for begin in BEGINS.finditer(text):
        path = PATH.match(text, begin.end())
        if path is None:  # a list
            continue
        before = {name for names in NAMES.findall(text[: begin.start()]) for name in names} - {""}
        nodes = any(name in before or any(known in rest for known in KNOWN) for name, rest in NODE.findall(path[0]))
        if not nodes and not any(f"[{name}]" in path[0] for name in before):
            found.append(path[0])
    return found


@pytest.mark.parametrize("name", NAMES_OF_STATEMENTS)
def test_a_path_begins_at_a_node_of_the_corpus(name: str) -> None:
    text = statement_source(name)
    most = len(BY_INDEX.findall(text))
    assert len(unanchored(text)) <= most, unanchored(text)


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("MATCH (c:Overstory:Chunk) RETURN c", ["(c:Overstory:Chunk)"]),
        ("MATCH (c:Overstory {id: $id})-[:PART_OF]->(d:Overstory:Document) RETURN d", []),
        ("UNWIND $ids AS id RETURN COLLECT { MATCH (m:Overstory:Entity) RETURN m.id }", ["(m:Overstory:Entity)"]),
        ("MATCH (c:{{corpus}}_Chunk) RETURN COUNT { (c)-[:PART_OF]->() }", []),
    ],
)
def test_the_check_finds_paths_that_begin_anywhere(statement: str, found: list[str]) -> None:
    assert unanchored(statement) == found
