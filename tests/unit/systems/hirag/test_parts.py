"""Parts of the evidence: nothing is shown that stands on a passage that is gone."""

from __future__ import annotations

import itertools

from overstory.systems.texts.reports import Finding, Report
from overstory_systems.hirag.parts import (
    _LONGEST_RELATION_CHARACTERS,
    _MOST_PASSAGES_OF_A_REPORT,
    _MOST_RELATIONS_OFF_A_PATH,
    PathEntity,
    PathRelation,
    Paths,
    entity_parts,
    relation_parts,
    report_chunks,
    report_part,
)
from overstory_systems.hirag.scores import NearEntity, StoredReport

DOCUMENTS = {"c1": "d1", "c2": "d1", "c3": "d3"}
EINSTEIN = PathEntity("e", "Albert Einstein", 0, 0.8, "A physicist.", ["c1"])
ULM = PathEntity("u", "Ulm", 0, 0.6, "A city on the Danube.", ["c2"])
DANUBE = PathEntity("d", "Danube", 0, 0.4, None, [])
PEOPLE = PathEntity("p", "People", 1, 0.2, "Einstein, Curie.", ["c1"])
BORN = PathRelation("e", "u", "HIRAG_RELATED", 2.0, "Einstein was born in Ulm.", ["c1"])
FLOWS = PathRelation("d", "u", "HIRAG_RELATED", 1.0, "The Danube flows through Ulm.", ["c3", "c2"])
ENTITIES = {each.id: each for each in (EINSTEIN, ULM, DANUBE, PEOPLE)}


def lines(paths: Paths, documents: dict[str, str] = DOCUMENTS) -> list[list[str]]:
    return [part.text.split("\n") for part in relation_parts(paths, documents)]


def test_an_entity_says_what_it_is_and_what_is_said_of_it() -> None:
    near = [
        NearEntity("e", "Albert\nEinstein", "PERSON", 0, 0.8, "b"),
        NearEntity("p", "People", "person", 1, 0.5, "b"),
        NearEntity("x", "Untyped", "", 0, 0.4, "b"),
        NearEntity("gone", "Gone", "", 0, 0.3, "b"),
    ]
    said = {"e": ("A physicist.", ["c1", "c9"]), "p": ("Einstein, Curie.", ["c1", "c3"]), "x": ("", ["c2"])}
    parts = list(entity_parts(near, said | {"gone": ("Of a passage that is gone.", ["c9"])}, DOCUMENTS))
    assert [part.text for part in parts] == [
        "Albert Einstein (PERSON)\nA physicist.",
        "People (person, summary of layer 1)\nEinstein, Curie.",
        "Untyped",
    ]
    assert [part.chunks for part in parts] == [("c1",), ("c1", "c3"), ("c2",)]
    assert [part.documents for part in parts] == [("d1",), ("d1", "d3"), ("d1",)]
    assert (parts[1].kind, parts[1].layer, parts[1].score) == ("entity", 1, 0.5)


def test_a_path_has_its_entities_on_one_line_and_its_relations_below_in_its_order() -> None:
    [part] = relation_parts(Paths([("d", "u", "e")], ENTITIES, [BORN, FLOWS]), DOCUMENTS)
    assert part.text == (
        "Danube → Ulm → Albert Einstein\n"
        "- Danube — Ulm: The Danube flows through Ulm.\n"
        "- Albert Einstein — Ulm: Einstein was born in Ulm."
    )
    assert part.names == ("Danube", "Ulm", "Albert Einstein")
    assert (part.chunks, part.documents) == (("c3", "c2", "c1"), ("d3", "d1"))
    assert part.kind == "relation"


ACROSS = PathRelation("d", "e", "HIRAG_RELATED", 0.5, "Einstein swam in the Danube.", ["c2"])
CURIE = PathEntity("c", "Marie Curie", 0, 0.9, "A chemist.", ["c3"])
MET = PathRelation("c", "e", "HIRAG_RELATED", 0.5, "They met.", ["c3"])


def test_relations_among_the_entities_of_a_path_come_below_those_along_it() -> None:
    [path] = lines(Paths([("d", "u", "e")], ENTITIES, [ACROSS, BORN, FLOWS]))
    assert path[-1] == "- Danube — Albert Einstein: Einstein swam in the Danube."


def test_the_other_relations_nearest_to_the_question_stand_alone_each_once() -> None:
    turned = MET._replace(source="e", target="c")
    paths = Paths([("d", "u")], ENTITIES, [FLOWS])
    related = Paths((), ENTITIES | {"c": CURIE}, [ACROSS, BORN, MET, turned, FLOWS])
    assert lines(paths.joined_with(related, 2)) == [
        ["Marie Curie → Albert Einstein", "- Marie Curie — Albert Einstein: They met."],  # 0.8
        ["Albert Einstein → Ulm", "- Albert Einstein — Ulm: Einstein was born in Ulm."],  # 0.6
        ["Danube → Ulm", "- Danube — Ulm: The Danube flows through Ulm."],  # 0.4
    ]
    assert len(lines(paths.joined_with(related, 0))) == 1
    assert len(lines(paths.joined_with(related, 9))) == 4


def test_a_description_whose_passage_is_gone_is_not_shown_but_the_relation_is() -> None:
    hidden = FLOWS._replace(description=None, chunks=["c2"])
    assert lines(Paths([("d", "u")], ENTITIES, [hidden])) == [["Danube → Ulm", "- Danube — Ulm"]]
    assert lines(Paths([("d", "u")], ENTITIES, [hidden._replace(chunks=[])])) == []
    assert lines(Paths([("d", "u")], ENTITIES, [FLOWS]), {"c9": "d9"}) == []


def test_a_relation_between_layers_stands_on_what_is_said_of_the_lower_entity() -> None:
    summarised = PathRelation("e", "p", "SUMMARIZED_BY", 0.9, "", [])
    [part] = relation_parts(Paths([("e", "p")], ENTITIES, [summarised]), DOCUMENTS)
    assert part.text.split("\n")[1] == "- Albert Einstein — People: Albert Einstein is one of its entities"
    assert part.chunks == ("c1",)
    assert part.score == 0.2  # of the end that is farther from the question
    [told] = lines(Paths([("e", "p")], ENTITIES, [summarised._replace(description="Both wrote.")]))
    assert told[1] == "- Albert Einstein — People: Both wrote."


def test_a_long_path_has_few_relations_that_it_does_not_go_along_and_short_descriptions() -> None:
    ids = [f"n{at}" for at in range(6)]
    entities = {id_: PathEntity(id_, id_, 0, 0.5, "", []) for id_ in ids}
    relations = [
        PathRelation(one, other, "HIRAG_RELATED", 1.0, "so " * 200, ["c1"])
        for one in ids
        for other in ids
        if one < other
    ]
    [path] = lines(Paths([tuple(ids)], entities, relations))
    assert [line[2:9] for line in path[1:6]] == [f"{one} — {other}" for one, other in itertools.pairwise(ids)]
    assert len(path) == 1 + 5 + _MOST_RELATIONS_OFF_A_PATH
    assert max(map(len, path[1:])) < 2 * _LONGEST_RELATION_CHARACTERS


def test_a_path_through_an_entity_that_is_gone_is_left_out() -> None:
    known = {id_: each for id_, each in ENTITIES.items() if id_ != "u"}
    assert lines(Paths([("d", "u", "e")], known, [])) == []


def stored(*findings: Finding, stands_on: tuple[str, ...] = ("c1", "c2", "c3")) -> StoredReport:
    return StoredReport("t1", "r1", Report("k", "Physics", "On Ulm.", 7.5, findings, "rules", stands_on), 1, 12)


def test_a_report_has_title_summary_and_findings_and_stands_on_what_these_stand_on() -> None:
    report = stored(
        Finding("Einstein was born in Ulm.", ("c1", "c9")), Finding("Lost.", ("c9",)), Finding("Ulm.", ("c3",))
    )
    part = report_part(report, 3.5, DOCUMENTS)
    assert part is not None
    assert part.text == "Physics\nOn Ulm.\n- Einstein was born in Ulm.\n- Ulm."
    assert (part.chunks, part.documents) == (("c1", "c3"), ("d1", "d3"))
    assert [(each.text, each.chunks) for each in part.findings] == [
        ("Einstein was born in Ulm.", ("c1",)),
        ("Ulm.", ("c3",)),
    ]
    assert (part.heading, part.rating, part.level, part.size, part.score) == ("Physics", 7.5, 1, 12, 3.5)


def test_a_report_has_so_many_findings() -> None:
    report = stored(Finding("Einstein was born in Ulm.", ("c1",)), Finding("Ulm.", ("c3",)))
    part = report_part(report, 1.0, DOCUMENTS, 1)
    assert part is not None
    assert part.text == "Physics\nOn Ulm.\n- Einstein was born in Ulm."


def test_a_report_without_findings_stands_on_what_it_was_made_from_and_one_on_nothing_is_none() -> None:
    part = report_part(stored(), 1.0, DOCUMENTS)
    assert part is not None
    assert (part.text, part.chunks) == ("Physics\nOn Ulm.", ("c1", "c2", "c3"))
    assert report_part(stored(Finding("Lost.", ("c9",)), stands_on=("c9",)), 1.0, DOCUMENTS) is None


def test_a_report_carries_so_many_passages_and_says_what_these_say() -> None:
    ids = [f"c{number}" for number in range(2 * _MOST_PASSAGES_OF_A_REPORT)]
    report = stored(*(Finding(f"Finding {id_}.", (id_,)) for id_ in ids))
    part = report_part(report, 1.0, dict.fromkeys(ids, "d"))
    assert part is not None
    assert list(part.chunks) == report_chunks(report) == ids[:_MOST_PASSAGES_OF_A_REPORT]
    assert [each.chunks for each in part.findings] == [(id_,) for id_ in ids[:_MOST_PASSAGES_OF_A_REPORT]]
