"""Subgraphs as parts of the evidence: their union, their text, what they stand on, and what passages say of names."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from overstory.model.documents import Unit
from overstory.text.questions.asked_words import AskedWords
from overstory.text.sentences import sentence_starts
from overstory_systems.tretriever.parts import (
    _DOCUMENT_CHARACTERS,
    _EDGE_CHARACTERS,
    _LONGEST_PART_SUMMARY_CHARACTERS,
    _MOST_EDGES_OF_A_PART,
    _PART_TOKENS,
    LONGEST_VERTEX_TEXT_CHARACTERS,
    MOST_PART_TOKENS,
    PASSAGES_OF_A_SUMMARY,
    FoundEdge,
    FoundSet,
    Member,
    SearchedPassages,
    Subgraph,
    SubgraphEdge,
    SubgraphPart,
    SubgraphVertex,
    divided,
    sharing_room,
    subgraph_parts,
)

DOCUMENTS = {"c1": "d1", "c2": "d1", "c3": "d3", "c4": "d4"}
MATRIX, REEVES, SPEED = Member("m", "The Matrix", 0.9), Member("r", "Keanu Reeves", 0.8), Member("s", "Speed", 0.5)
VERTICES = {
    "m": SubgraphVertex("m", "The Matrix", "A film about a simulation.", ("c1",)),
    "r": SubgraphVertex("r", "Keanu Reeves", "An actor.", ("c2",)),
    "s": SubgraphVertex("s", "Speed", "A film about a bus.", ("c3",)),
}
IN_MATRIX = FoundEdge("r", "m", "ACTED_IN", "as Neo", 1.0, ())
IN_SPEED = FoundEdge("r", "s", "ACTED_IN", "", 1.0, ())


def in_parts(found: list[FoundSet], edges: list[FoundEdge], question: str = "") -> list[Subgraph]:
    return divided(found, edges, AskedWords.of(question))


def leaf(member: Member) -> FoundSet:
    return FoundSet(f"leaf-{member.id}", False, 3, 1, member.cosine, member.name, "", (), 1, [member])


def group(*members: Member, size: int = 0, cosine: float = 0.7, title: str = "Films") -> FoundSet:
    summary = "Films and who acts in them." if title else ""
    return FoundSet("g", True, 2, size or len(members), cosine, title, summary, ["c4", "c9"], size, members)


def told(edge: FoundEdge) -> SubgraphEdge:
    names = {id_: vertex.name for id_, vertex in VERTICES.items()}
    source, target = names[edge.source], names[edge.target]
    return SubgraphEdge(edge.source, edge.target, source, target, edge.type, edge.text, edge.chunks)


def parts(subgraphs: list[Subgraph], unit: Unit = "document") -> list[SubgraphPart]:
    edges = {edge: told(edge) for each in subgraphs for edge in each.edges}
    return list(subgraph_parts(subgraphs, VERTICES, edges, DOCUMENTS, unit))


def test_a_vertex_is_in_the_first_set_alone_that_has_it_and_an_edge_in_the_later_of_its_ends() -> None:
    first, second = in_parts([leaf(MATRIX), group(MATRIX, REEVES, SPEED)], [IN_SPEED, IN_MATRIX])
    assert (first.members, first.edges) == ([MATRIX], [])
    assert second.members == [REEVES, SPEED]
    assert second.edges == [IN_MATRIX, IN_SPEED]  # that between the nearest vertices first


def test_a_set_that_adds_no_vertex_is_left_out_unless_its_summary_speaks_of_others_too() -> None:
    found = [leaf(MATRIX), leaf(REEVES)]
    assert len(in_parts([*found, group(MATRIX, REEVES)], [])) == 2
    assert len(in_parts([*found, group(MATRIX, REEVES, size=40, title="")], [])) == 2
    larger = in_parts([*found, group(MATRIX, REEVES, size=40)], [IN_MATRIX])
    assert [[member.id for member in each.members] for each in larger] == [["m"], ["r"], []]
    assert [len(each.edges) for each in larger] == [0, 1, 0]


def test_an_edge_to_a_vertex_of_no_set_is_left_out() -> None:
    [only] = in_parts([leaf(REEVES)], [IN_SPEED])
    assert (only.edges, only.more) == ([], 0)


def test_the_text_is_title_summary_vertices_and_edges() -> None:
    [part] = parts(in_parts([group(MATRIX, REEVES, SPEED)], [IN_MATRIX, IN_SPEED]))
    assert part.text.split("\n") == [
        "Films",
        "Films and who acts in them.",
        "- The Matrix: A film about a simulation.",
        "- Keanu Reeves: An actor.",
        "- Speed: A film about a bus.",
        "- Keanu Reeves → The Matrix: ACTED_IN, as Neo",
        "- Keanu Reeves → Speed: ACTED_IN",
    ]
    assert (part.kind, part.community, part.level, part.size, part.score) == ("subgraph", "g", 2, 3, 0.7)
    assert part.chunks == ("c1", "c2", "c3", "c4")  # of the vertices, and of the summary what is left
    assert part.documents == ("d1", "d3", "d4")
    assert part.details["edges"] == [
        {
            "source_id": "r",
            "target_id": "m",
            "source": "Keanu Reeves",
            "target": "The Matrix",
            "type": "ACTED_IN",
            "text": "as Neo",
            "chunks": [],
        },
        {
            "source_id": "r",
            "target_id": "s",
            "source": "Keanu Reeves",
            "target": "Speed",
            "type": "ACTED_IN",
            "text": "",
            "chunks": [],
        },
    ]


def test_an_edge_between_names_has_no_direction_and_stands_on_the_passage_that_states_it() -> None:
    edge = FoundEdge("r", "m", "", "Reeves plays Neo.", 2.0, ("c3",))
    [_, part] = parts(in_parts([leaf(MATRIX), leaf(REEVES)], [edge]), "entity")
    assert part.text.split("\n") == ["Keanu Reeves", "An actor.", "- Keanu Reeves — The Matrix: Reeves plays Neo."]
    assert part.chunks == ("c2", "c3")


def test_a_single_vertex_is_no_community_and_is_told_by_its_own_text() -> None:
    [part] = parts(in_parts([leaf(MATRIX)], []))
    assert part.text == "The Matrix\nA film about a simulation."
    assert (part.community, part.size, part.summary, part.heading) == ("", 1, "", "The Matrix")
    assert [vertex.id for vertex in part.vertices] == ["m"]


def test_a_set_larger_than_what_is_read_says_how_many_are_told() -> None:
    [part] = parts(in_parts([group(MATRIX, REEVES, size=1_340)], []))
    assert part.text.split("\n")[2] == "2 of 1,340 documents:"
    [part] = parts(in_parts([group(MATRIX, REEVES, size=1_340)], []), "entity")
    assert part.text.split("\n")[2] == "2 of 1,340 entities:"


@pytest.mark.parametrize(
    ("found", "heading"),
    [
        (group(MATRIX, REEVES, title=""), "The Matrix and Keanu Reeves"),
        (group(MATRIX, REEVES, SPEED, title=""), "The Matrix, Keanu Reeves and others"),
        (group(MATRIX, title="Films\nof 1999"), "Films of 1999"),
        (leaf(Member("x", "", 0.1)), "(no title)"),
    ],
)
def test_the_first_line_says_what_a_set_is_also_where_its_summary_is_gone(found: FoundSet, heading: str) -> None:
    assert found.heading == heading


def test_what_stands_on_no_passage_that_is_there_is_not_shown() -> None:
    gone = {"m": SubgraphVertex("m", "The Matrix", "", ())}
    assert list(subgraph_parts(in_parts([leaf(MATRIX)], []), gone, {}, DOCUMENTS, "document")) == []
    pair = in_parts([group(MATRIX, REEVES)], [])
    assert list(subgraph_parts(pair, gone, {}, {}, "document")) == []
    [part] = subgraph_parts(pair, gone, {}, DOCUMENTS, "document")
    assert part.text.split("\n")[2:] == ["1 of 2 documents:", "- The Matrix"]
    assert part.chunks == ("c4",)


def test_a_summary_brings_few_passages() -> None:
    chunks = [f"s{at}" for at in range(9)]
    found = FoundSet("g", True, 1, 5, 0.5, "Films", "Many.", chunks, 5, [MATRIX])
    [part] = subgraph_parts(in_parts([found], []), VERTICES, {}, DOCUMENTS | dict.fromkeys(chunks, "d9"), "document")
    assert part.chunks == ("c1", *chunks[:PASSAGES_OF_A_SUMMARY])


def test_a_text_is_short_and_says_what_it_leaves_out() -> None:
    members = [Member(f"v{at}", f"Vertex {at}", 1.0 - at / 100) for at in range(40)]
    vertices = {each.id: SubgraphVertex(each.id, each.name, "so " * 500, ("c1",)) for each in members}
    found = FoundSet("g", True, 1, 900, 0.5, "Much", "much " * 500, ["c1"], 900, members)
    edges = [FoundEdge("v0", each.id, "TO", "is said " * 90, 1.0, ()) for each in members[1:]]
    [only] = in_parts([found], edges)
    assert (len(only.edges), only.more) == (_MOST_EDGES_OF_A_PART, 39 - _MOST_EDGES_OF_A_PART)
    shown = {edge: SubgraphEdge(*edge.ends, edge.source, edge.target, edge.type, edge.text, ()) for edge in only.edges}
    [part] = subgraph_parts([only], vertices, shown, DOCUMENTS, "document")
    assert part.tokens <= _PART_TOKENS + 20
    assert (len(part.vertices), len(part.edges), part.more_edges) == (
        40,
        _MOST_EDGES_OF_A_PART,
        39 - _MOST_EDGES_OF_A_PART,
    )
    lines = part.text.split("\n")
    listed = [line for line in lines if line.startswith("- Vertex")]
    assert f"{len(listed)} of 900 documents:" in lines
    linked = [line for line in lines if " → " in line]
    assert lines[-1] == f"and {39 - len(linked)} more edges"
    assert len(lines[1]) <= _LONGEST_PART_SUMMARY_CHARACTERS
    assert max(map(len, listed)) <= LONGEST_VERTEX_TEXT_CHARACTERS + len("- Vertex 10: ")


def test_what_short_texts_leave_of_the_room_is_shared_among_the_others() -> None:
    def text(words: int, tokens: int) -> str:
        return "a " * min(words, tokens)

    short, long = functools.partial(text, 10), functools.partial(text, 5_000)
    assert len(sharing_room([long])[0].split()) == _PART_TOKENS
    first, second, third = (len(each.split()) for each in sharing_room([long, short, long]))
    assert second == 10
    assert _PART_TOKENS < first <= third < MOST_PART_TOKENS
    assert first + second + third <= 3 * _PART_TOKENS
    assert len(sharing_room([short, short, long])[2].split()) == MOST_PART_TOKENS


def test_a_sentence_stands_once_in_a_text_and_a_text_that_is_only_the_name_does_not() -> None:
    sentence = "Keanu Reeves plays a hacker in The Matrix."
    vertices = {
        "m": SubgraphVertex("m", "The Matrix", sentence, ("c1",)),
        "r": SubgraphVertex("r", "Keanu Reeves", sentence, ("c1",)),
    }
    edge = FoundEdge("m", "r", "", "", 1.0, ("c1",))
    edges = {edge: SubgraphEdge("m", "r", "The Matrix", "Keanu Reeves", "", "… plays a hacker in The Matrix.", ("c1",))}
    [part] = subgraph_parts(in_parts([group(MATRIX, REEVES)], [edge]), vertices, edges, DOCUMENTS, "entity")
    assert part.text.split("\n")[2:] == [f"- The Matrix: {sentence}", "- Keanu Reeves", "- The Matrix — Keanu Reeves"]
    named = {"r": SubgraphVertex("r", "Keanu Reeves", "Keanu Reeves", ("c1",))}
    [part] = subgraph_parts(in_parts([leaf(REEVES)], []), named, {}, DOCUMENTS, "document")
    assert part.text == "Keanu Reeves"


def test_where_there_is_no_room_for_what_is_said_of_a_vertex_its_name_stands_alone() -> None:
    members = [Member(f"v{at}", f"vertex {at}", 1.0 - at / 100) for at in range(8)]
    vertices = {
        each.id: SubgraphVertex(each.id, each.name, f"{at} is " * 40, ("c1",)) for at, each in enumerate(members)
    }
    found = FoundSet("g", True, 1, 8, 0.5, "Much", "", ["c1"], 8, members)
    [part] = subgraph_parts(in_parts([found], []), vertices, {}, DOCUMENTS, "document")
    lines = part.text.split("\n")[1:]
    assert lines[0].startswith("- vertex 0: 0 is")
    assert lines[-1] == "- vertex 7"


def test_edges_with_words_of_the_question_come_first() -> None:
    others = [FoundEdge("r", "m", "ACTED_IN", str(at), 9.0, ()) for at in range(_MOST_EDGES_OF_A_PART)]
    wanted = FoundEdge("s", "m", "DIRECTED", "", 1.0, ())
    found = [group(MATRIX, REEVES, SPEED)]
    [without] = in_parts(found, [*others, wanted])
    assert wanted not in without.edges
    [asked] = in_parts(found, [*others, wanted], "Who directed The Matrix?")
    assert asked.edges[0] == wanted
    assert asked.more == 1


def row(text: str, boilerplate: list[int] | None = None) -> dict[str, Any]:
    return {"text": text, "boilerplate": boilerplate, "sentences": sentence_starts(text)}


PASSAGES = SearchedPassages(
    {
        "c1": row("# Albert Einstein\n\nAlbert Einstein was a physicist. He was born in Ulm."),
        "c2": row("Ulmer means of Ulm. Einstein, born in ULM, left early. Einstein and Ulm again."),
        "c3": row("Home | Login\n\nÉvariste Galois died young.", [0, 12]),
    }
)


def test_a_name_is_told_by_the_first_sentence_that_says_it_and_is_not_only_the_name() -> None:
    assert PASSAGES.on("Albert Einstein", "c1") == "Albert Einstein was a physicist."
    assert PASSAGES.on("Ulm", "c1") == "He was born in Ulm."
    assert PASSAGES.on("evariste galois", "c3") == "Évariste Galois died young."


def test_a_name_that_a_passage_does_not_say_is_told_by_its_beginning() -> None:
    assert PASSAGES.on("Danube", "c2") == "Ulmer means of Ulm."


def test_a_name_is_not_found_within_a_word() -> None:
    passages = SearchedPassages({"c": row("Ulmer came first. Then came Ulm.")})
    assert passages.on("Ulm", "c") == "Then came Ulm."


@pytest.mark.parametrize(
    ("one", "other", "chunks", "told"),
    [
        ("Einstein", "Ulm", ["c1", "c2"], ("Einstein, born in ULM, left early.", "c2")),
        ("Einstein", "Ulm", ["gone", "c2", "c1"], ("Einstein, born in ULM, left early.", "c2")),
        ("Einstein", "Danube", ["c3", "c1"], ("Albert Einstein", "c1")),
        ("Rhine", "Danube", ["c3", "c1"], ("", "c3")),
        ("Einstein", "Ulm", ["gone"], ("", "")),
    ],
)
def test_an_edge_is_told_by_the_first_sentence_that_says_both_names_or_else_one(
    one: str, other: str, chunks: list[str], told: tuple[str, str]
) -> None:
    assert PASSAGES.between(one, other, chunks) == told


def test_what_is_told_of_a_document_is_its_beginning_without_boilerplate_and_marks() -> None:
    assert PASSAGES.beginning("c1") == "Albert Einstein Albert Einstein was a physicist. He was born in Ulm."
    assert PASSAGES.beginning("c3") == "Évariste Galois died young."


def test_long_texts_are_cut() -> None:
    passages = SearchedPassages({"c": row("Ulm lies by a river that " + "very " * 100 + "slowly flows.")})
    assert len(passages.beginning("c")) <= _DOCUMENT_CHARACTERS
    assert len(passages.between("Ulm", "Danube", ["c"])[0]) <= _EDGE_CHARACTERS + 4
