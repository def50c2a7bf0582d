"""Parsing of sources that name a graph in a database."""

from __future__ import annotations

import pytest

from overstory.errors import BrokenSource
from overstory_loaders import GraphLoader
from overstory_loaders.graph_database import EdgeChoice, NodeChoice, is_graph_database, read_choice


def test_labels_keys_texts_and_types_are_read() -> None:
    choice = read_choice(
        "neo4j:Movie?key=title&text=title,tag%2Cline&title=name;A%3BB?key=id;[ACTED_IN]?text=roles;[X]"
    )
    assert choice.nodes == (
        NodeChoice("Movie", "title", ("title", "tag,line"), "name"),
        NodeChoice("A;B", "id", None, ""),
    )
    assert choice.edges == {"ACTED_IN": EdgeChoice(("roles",), "weight"), "X": EdgeChoice(None, "weight")}
    assert GraphLoader().namespaces("neo4j:Movie?key=title;Person?key=name") == ["neo4j:Movie", "neo4j:Person"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("neo4j:", "is empty"),
        ("neo4j:Movie", "names no key for 'Movie'"),
        ("neo4j:Movie?key=", "names no key for 'Movie'"),
        ("neo4j:Movie?key=a;Movie?key=b", "names 'Movie' twice"),
        ("neo4j:Movie?key=a&txt=b", "has 'txt=b' for 'Movie', which may have key=, text=, title="),
        ("neo4j:[ACTED_IN]", "names no label"),
    ],
)
def test_what_cannot_be_understood_is_shown_how_to_write(source: str, message: str) -> None:
    with pytest.raises(BrokenSource) as raised:
        read_choice(source)
    assert str(raised.value) == f"{source}: {message}"
    assert "neo4j:Movie?key=title" in raised.value.remedy


def test_an_address_is_no_source() -> None:
    assert is_graph_database("neo4j:Movie?key=title")
    assert not is_graph_database("neo4j://localhost:7687")
    assert not is_graph_database("movies/nodes.csv")
