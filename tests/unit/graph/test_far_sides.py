"""Statements walk from our nodes to ours alone: a user's own nodes may hang on them by relationships of our types."""

from __future__ import annotations

import re

import pytest

from overstory.graph.statements import statement_names, statement_source

COMMENT = re.compile(r"//.*")
STRING = re.compile(r"'[^']*'|\"[^\"]*\"")
NODE = r"\((?P<{0}>[^()]*)\)"
STEP = re.compile(NODE.format("near") + r"\s*<?-(?:\[[^\]]*\])?->?\s*(?=" + NODE.format("far") + ")")
OURS = re.compile(r":(?:Overstory|\{\{corpus\}\}|\{\{label\}\})")
DEGREE = re.compile(
    r"(?:COUNT|EXISTS) \{ \((?:\w+|:[^()]+)\)(?:<-\[:\w+\]-|-\[:\w+\]->)\(\) \}"
    r"|MATCH \(:[^()]+\)(?:-\[(\w):\w+\]->|<-\[(\w):\w+\]-)\(\) RETURN count\((?:\1|\2)\)"
)
"""The server answers these from its counts; a label would make it walk the relationships. They only bound or report."""

NAMES_OF_STATEMENTS = [
    name for name in statement_names() if not {"saved_queries", "browser", "sources"} & set(name.split("/"))
]
"""A picture in Neo4j Browser may show what people tied to our nodes; sources are their nodes."""


def unlabelled(statement: str) -> list[str]:
    """Node patterns at a relationship that a node which is not ours could match, too."""
    text = DEGREE.sub("", STRING.sub("''", COMMENT.sub("", statement)))
    ours = set(re.findall(rf"\b(\w+)(?::\w+)*{OURS.pattern}", text)) | set(re.findall(r"YIELD node AS (\w+)", text))
    ours |= {one for many, one in re.findall(r"UNWIND (\w+) AS (\w+)", text) if many in ours}
    nodes = [match[side] for match in STEP.finditer(text) for side in ("near", "far")]
    return [node for node in nodes if not OURS.search(node) and re.split(r"[\s:{]", node)[0] not in ours]


@pytest.mark.parametrize("name", NAMES_OF_STATEMENTS)
def test_every_node_at_a_relationship_is_ours(name: str) -> None:
    assert unlabelled(statement_source(name)) == []


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("MATCH (c:{{corpus}}_Chunk)-[:PART_OF]->(d:Document)", ["d:Document"]),
        ("MATCH (c:{{corpus}}_Chunk)-[:PART_OF]->(d:{{corpus}}_Document)", []),
        ("MATCH (t:Overstory {id: id})<-[:CHILD_OF*]-(leaf)-[:COVERS]->(u:{{corpus}})", ["leaf", "leaf"]),
        ("MATCH (t:Overstory)-[:OF]->() RETURN COUNT { (t)<-[:OF]-() }", [""]),
        ("MATCH (t:Overstory)-[:OF]->(x) WHERE x:{{corpus}}_Chunk", []),
    ],
)
def test_the_check_finds_what_is_not_labelled(statement: str, found: list[str]) -> None:
    assert unlabelled(statement) == found
