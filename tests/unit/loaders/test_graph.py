"""Graphs in files: tables, JSON lines and GraphML."""

from __future__ import annotations

import json
import sys
import tracemalloc
from pathlib import Path
from types import FrameType

import pytest
from tests.sources import Outcome, load, write

from overstory.model import Document, Link
from overstory.sources.walk import read_sources
from overstory_loaders import CsvLoader, GraphLoader, JsonLinesLoader

NODES = """movieId:ID,title,tagline,released:int,budget:float,seen:boolean,genres:string[],at:point,:LABEL
m1,The Salt Road,"Nothing grows here, but they stay.",1999,1.5,true,drama;western,"{x: 1.0, y: 2.0}",Movie;Film
m2,Two Rivers,,2003,,,,,Movie
p1,,,,,,,,Person
"""
EDGES = """:START_ID,roles:string[],weight:float,:END_ID,:TYPE
p1,Ada;Bo,,m1,ACTED_IN
m1,,0.5,m2,FOLLOWED_BY
m2,,,m1,FOLLOWED_BY
p1,,,p1,KNOWS
p1,Ada;Bo,,m1,ACTED_IN
"""


def graph(folder: Path, **files: str) -> Outcome:
    for name, content in files.items():
        write(folder / name.replace("_", "."), content)
    return load(GraphLoader(), folder)


def test_tables_with_the_headers_of_neo4j_admin(tmp_path: Path) -> None:
    outcome = graph(tmp_path, nodes_csv=NODES, edges_csv=EDGES)
    assert outcome.broken == []
    salt, rivers, person = outcome.documents
    source = tmp_path.as_posix()
    assert salt == Document(
        source=source,
        source_key="m1",
        text="tagline: Nothing grows here, but they stay.\ngenres: drama, western",
        title="The Salt Road",
        metadata={"released": 1999, "budget": 1.5, "seen": True, "at": "{x: 1.0, y: 2.0}", "labels": ["Movie", "Film"]},
    )
    assert (rivers.title, rivers.text) == ("Two Rivers", "Two Rivers")
    assert (person.title, person.text, person.metadata["labels"]) == ("p1", "p1", ["Person"])
    assert outcome.links == [
        Link(source, "p1", "m1", source, "ACTED_IN", "Ada, Bo"),
        Link(source, "m1", "m2", source, "FOLLOWED_BY", "", 0.5),
        Link(source, "m2", "m1", source, "FOLLOWED_BY"),
        Link(source, "p1", "p1", source, "KNOWS"),
        Link(source, "p1", "m1", source, "ACTED_IN", "Ada, Bo"),
    ]


def test_id_spaces_part_the_keys_of_several_tables(tmp_path: Path) -> None:
    outcome = graph(
        tmp_path,
        **{
            "nodes-films_csv": ":ID(Film)\ttitle\n1\tTwo Rivers\n",
            "nodes-people_csv": ":ID(Person)\tname\n1\tAda\n",
            "relationships_csv": ":START_ID(Person)\t:END_ID(Film)\t:TYPE\n1\t1\tDIRECTED\n",
        },
    )
    assert [(document.source_key, document.title) for document in outcome.documents] == [
        ("Film:1", "Two Rivers"),
        ("Person:1", "Ada"),
    ]
    assert [(link.source_key, link.type, link.target_key) for link in outcome.links] == [
        ("Person:1", "DIRECTED", "Film:1")
    ]


def test_a_table_that_does_not_fit_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    outcome = graph(
        tmp_path,
        nodes_csv="id\na\nb\n",
        nodes2_csv="name\nA\n",
        edges_csv="from,to\na,b\n",
        edges2_csv="from\na\n",
    )
    assert (len(outcome.documents), len(outcome.links)) == (2, 1)
    assert outcome.messages == [
        "line 1: has no id: its columns are name",
        "line 1: has no source and target: its columns are from",
    ]


def test_tables_with_plain_headers(tmp_path: Path) -> None:
    outcome = graph(
        tmp_path,
        nodes_csv="id,label,name,text,born\na,Person,Ada,Wrote notes.,1815\nb,,,,\n",
        edges_csv="source,target,type,text\na,b,KNOWS,since school\n",
    )
    assert outcome.documents[0] == Document(
        tmp_path.as_posix(), "a", "Wrote notes.", "Ada", {"born": "1815", "labels": ["Person"]}
    )
    assert outcome.documents[1].text == "b"
    assert outcome.links == [Link(tmp_path.as_posix(), "a", "b", tmp_path.as_posix(), "KNOWS", "since school")]


def test_a_table_of_a_graph_is_read_with_its_folder(tmp_path: Path) -> None:
    graph(tmp_path / "g", nodes_csv=NODES, edges_csv=EDGES)
    path = str(tmp_path / "g" / "nodes.csv")
    assert GraphLoader().recognises(path)
    assert not CsvLoader().recognises(path)
    broken: list[Exception] = []
    items = list(read_sources([path], loader=None, on_broken=broken.append, on_skipped=lambda _: None))
    assert ([item.source for item in items], broken) == ([(tmp_path / "g").as_posix()] * 8, [])
    write(tmp_path / "t" / "nodes.csv", "id,text\n1,x\n")
    assert CsvLoader().recognises(str(tmp_path / "t" / "nodes.csv"))  # no edges beside it


@pytest.mark.parametrize(
    ("nodes", "edges", "lacks"),
    [
        ("name,text\nx,y\n", "source,target\na,b\n", "nodes.csv, line 1: has no id"),
        ("id,text\na,y\n", "one,other\na,a\n", "edges.csv, line 1: has no source and target"),
    ],
)
def test_a_folder_with_one_wrong_header_is_a_graph_whose_header_is_named(
    tmp_path: Path, nodes: str, edges: str, lacks: str
) -> None:
    write(tmp_path / "nodes.csv", nodes)
    write(tmp_path / "edges.csv", edges)
    assert GraphLoader().recognises(tmp_path.as_posix())
    broken: list[Exception] = []
    list(read_sources([tmp_path.as_posix()], loader=None, on_broken=broken.append, on_skipped=lambda _: None))
    assert any(lacks in str(error) for error in broken)


def test_json_lines_as_apoc_exports_them(tmp_path: Path) -> None:
    lines = [
        {"type": "node", "id": "0", "labels": ["Movie"], "properties": {"title": "Two Rivers", "released": 2003}},
        {
            "id": "7",
            "type": "relationship",
            "label": "ACTED_IN",
            "start": {"id": "1", "labels": ["Person"]},
            "end": {"id": "0", "labels": ["Movie"]},
            "properties": {"roles": ["Ada"]},
        },
        {"type": "node", "id": "1", "labels": ["Person"], "properties": {"name": "Bo Lind", "at": {"x": 1}}},
    ]
    path = write(tmp_path / "graph.jsonl", "\n".join(map(json.dumps, lines)))
    assert not JsonLinesLoader().recognises(str(path))
    assert GraphLoader().recognises(str(path))
    outcome = load(GraphLoader(), path)
    assert outcome.broken == []
    assert outcome.documents == [
        Document(path.as_posix(), "0", "Two Rivers", "Two Rivers", {"released": 2003, "labels": ["Movie"]}),
        Document(path.as_posix(), "1", "Bo Lind", "Bo Lind", {"at": '{"x": 1}', "labels": ["Person"]}),
    ]
    assert outcome.links == [Link(path.as_posix(), "1", "0", path.as_posix(), "ACTED_IN", "Ada")]


def test_json_lines_of_nodes_and_of_edges(tmp_path: Path) -> None:
    outcome = graph(
        tmp_path,
        nodes_jsonl='{"id": 1, "labels": ["City"], "text": "A port."}\n{"id": 2}\n',
        edges_jsonl='{"source": 1, "target": 2, "type": "NEAR", "weight": 2, "by": "road", "km": 3}\n',
    )
    assert [(document.source_key, document.text) for document in outcome.documents] == [("1", "A port."), ("2", "2")]
    assert [(link.type, link.text, link.weight) for link in outcome.links] == [("NEAR", "road", 2.0)]


GRAPHML = """<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="born" attr.type="int"/>
<graph edgedefault="directed">
<edge source="n1" target="n0" label="DIRECTED"><data key="weight">2.5</data></edge>
<node id="n0" labels=":Movie:Film"><data key="title">Salt &amp; Pepper</data></node>
<node id="n1"><data key="labels">:Person</data><data key="name">Bo</data><data key="d0">1950</data></node>
<node id="n2"><data key="d0">soon</data></node>
</graph>
</graphml>
"""


def test_graphml_in_any_order(tmp_path: Path) -> None:
    path = write(tmp_path / "graph.graphml", GRAPHML)
    outcome = load(GraphLoader(), path)
    assert outcome.documents == [
        Document(path.as_posix(), "n0", "Salt & Pepper", "Salt & Pepper", {"labels": ["Movie", "Film"]}),
        Document(path.as_posix(), "n1", "Bo", "Bo", {"born": 1950, "labels": ["Person"]}),
        Document(path.as_posix(), "n2", "n2", "n2"),
    ]
    assert outcome.links == [Link(path.as_posix(), "n1", "n0", path.as_posix(), "DIRECTED", "", 2.5)]
    assert outcome.messages == ["line 8: its born is 'soon', not of the type int"]


def test_vectors_stay_out_of_the_metadata(tmp_path: Path) -> None:
    nodes = [{"id": "a", "name": "A", "embedding": [0.5] * 384, "sizes": [1, 2]}]
    outcome = graph(tmp_path, nodes_jsonl=json.dumps(nodes[0]), edges_jsonl='{"source": "a", "target": "a"}')
    assert outcome.document.metadata == {"sizes": [1, 2]}


def test_edges_that_lead_nowhere_are_named_and_then_counted(tmp_path: Path) -> None:
    edges = "source,target\n" + "".join(f"a,x{number}\n" for number in range(25))
    outcome = graph(tmp_path, nodes_csv="id,name\na,A\n", edges_csv=edges)
    assert len(outcome.messages) == 21
    assert outcome.broken[0].source == (tmp_path / "edges.csv").as_posix()
    assert outcome.messages[0] == "line 2: an edge from 'a' to 'x0', but no vertex 'x0'"
    assert outcome.messages[-1] == "5 more edges lead to missing vertices"


LONG = "x" * (3 * 2**20 + 12_345)


@pytest.mark.parametrize(
    "between",
    [
        f"<!--{LONG}-->",
        f"<?say {LONG}?>",
        f'<node id="n9" said="{LONG}"/>',
        f"<{LONG}/>",
        f'<node id="n9"{LONG.replace("x", " ")}/>',
    ],
    ids=["comment", "instruction", "attribute", "name", "spaces"],
)
def test_graphml_is_read_in_larger_blocks_while_something_is_long(tmp_path: Path, between: str) -> None:
    content = GRAPHML.replace("<edge ", f"{between}<edge ", 1)
    assert between in content
    path = write(tmp_path / "graph.graphml", content)
    reads: list[int] = []

    def count(frame: FrameType, event: str, arg: object) -> None:
        if event == "call" and frame.f_code.co_name == "_parse":
            reads.append(len(frame.f_locals["part"]))

    sys.setprofile(count)
    try:
        outcome = load(GraphLoader(), path)
    finally:
        sys.setprofile(None)
    short = load(GraphLoader(), write(tmp_path / "short.graphml", GRAPHML))
    assert outcome.messages == short.messages
    assert len(outcome.links) == len(short.links) > 0
    assert len(outcome.documents) == len(short.documents) + between.startswith("<node")
    assert sum(reads) == 2 * len(content.encode())  # once for the vertices, once for the edges
    assert len(reads) < 24  # 98 blocks of one size


def test_graphml_with_a_comment_that_never_seems_to_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "graph.graphml"
    with path.open("w", encoding="utf-8") as out:
        out.write("<graphml>\n<!--")
        for _ in range(65):
            out.write("x" * 2**20)
        out.write("--></graphml>")
    outcome = load(GraphLoader(), path)
    assert outcome.messages == ["line 2: has a tag, a comment or an instruction of more than 64 MiB"]
    assert [error.remedy for error in outcome.broken] == ["Shorten it."]


@pytest.mark.slow
def test_memory_does_not_grow_with_the_graph(tmp_path: Path) -> None:
    def peak(vertices: int) -> int:
        folder = tmp_path / str(vertices)
        nodes = "".join(f"{number},vertex {number}\n" for number in range(vertices))
        edges = "".join(f"{number},{number // 2}\n" for number in range(vertices))
        write(folder / "nodes.csv", f":ID,name\n{nodes}")
        write(folder / "edges.csv", f":START_ID,:END_ID\n{edges}")
        del nodes, edges
        tracemalloc.start()
        count = sum(1 for _ in GraphLoader().load(str(folder), on_broken=_fail))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert count == 2 * vertices
        return most

    assert peak(24_000) < 1.2 * peak(6_000)


def _fail(error: Exception) -> None:
    raise error
