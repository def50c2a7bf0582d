"""Paths between names over links between documents."""

from __future__ import annotations

import pytest
from tests.passages import SOURCE, OpenCorpus, passage

from overstory.knowledge import Knowledge
from overstory.model import HYPERLINK, Document, Link
from overstory.model.entity_paths import EntityPaths
from overstory.retrieve.entity_paths.expansion import _MOST_LINKS_OF_A_NAME, _PASSAGES_OF_AN_END


def shown(found: EntityPaths) -> list[str]:
    return [str(path) for path in found.paths]


def vertex(title: str, text: str = "", *, key: str = "") -> Document:
    return passage(key or title, title, text or title)


def link(start: str, end: str, type_: str = "KNOWS", text: str = "") -> Link:
    return Link(SOURCE, start, end, type=type_, text=text)


def test_two_people_are_connected_by_the_film_that_both_have_links_to(films: Knowledge) -> None:
    found = films.paths("Renée Zellweger", "Tom Cruise", k=1)
    assert shown(found) == ["Renée Zellweger → Jerry Maguire → Tom Cruise"]
    first, second = found.paths[0].steps
    assert (first.kind, second.kind) == ("link", "link")
    assert first.statement == "Renée Zellweger – ACTED_IN (Dorothy Boyd) – Jerry Maguire"
    assert (first.subject, first.predicate, first.link_text) == ("Renée Zellweger", "ACTED_IN", "Dorothy Boyd")
    assert (second.start, second.subject, second.object) == ("Jerry Maguire", "Tom Cruise", "Jerry Maguire")
    assert second.title == "Tom Cruise"
    assert len(second.sentences) == 1
    assert first.sentences == second.sentences
    assert second.cost < 1.1


def test_a_path_over_links_leads_back_as_it_leads_there(films: Knowledge) -> None:
    there = films.paths("Jan de Bont", "Andy Weir").paths
    back = films.paths("Andy Weir", "Jan de Bont").paths
    assert there
    assert [path.names[::-1] for path in back] == [path.names for path in there]
    assert [path.cost for path in back] == [path.cost for path in there]


def test_links_and_passages_make_one_path(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(
        [
            vertex("Ostwind", "A film about a horse that nobody can ride."),
            vertex("Hanna Binke", "Hanna Binke lives in Bad Wimpfen."),
            vertex("Bad Wimpfen", "A town on the Neckar."),
            link("Hanna Binke", "Ostwind", "ACTED_IN", "Mika"),
        ]
    )
    knowledge.index()
    found = knowledge.paths("Ostwind", "Bad Wimpfen")
    assert shown(found) == ["Ostwind → Hanna Binke → Bad Wimpfen"]
    assert [step.kind == "link" for step in found.paths[0].steps] == [True, False]


def test_hyperlinks_and_links_to_what_is_missing_lead_nowhere(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    pages = [vertex("Red Oak"), vertex("Blue Elm"), vertex("Green Ash")]
    others = [link("Red Oak", "gone"), link("Green Ash", "gone"), link("Red Oak", "Blue Elm", HYPERLINK)]
    knowledge.ingest_documents([*pages, *others])
    knowledge.index()
    assert shown(knowledge.paths("Red Oak", "Green Ash")) == []
    assert shown(knowledge.paths("Red Oak", "Blue Elm")) == []
    knowledge.ingest_documents([pages[1], link("Blue Elm", "Red Oak"), link("Blue Elm", "Green Ash")])
    knowledge.index()
    assert shown(knowledge.paths("Red Oak", "Green Ash")) == ["Red Oak → Blue Elm → Green Ash"]


def test_links_of_two_documents_with_one_title_do_not_meet(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    planet = [vertex("Mercury", "A planet.", key="planet"), vertex("Solar System")]
    metal = [vertex("Mercury", "A metal.", key="metal"), vertex("Periodic Table")]
    knowledge.ingest_documents([*planet, *metal, link("planet", "Solar System"), link("metal", "Periodic Table")])
    knowledge.index()
    assert shown(knowledge.paths("Solar System", "Periodic Table")) == []
    assert shown(knowledge.paths("Solar System", "Mercury")) == ["Solar System → Mercury"]
    assert shown(knowledge.paths("Mercury", "Periodic Table")) == ["Mercury → Periodic Table"]


@pytest.mark.changes_schema
@pytest.mark.slow
def test_no_path_goes_through_a_name_with_many_links_and_a_note_says_so(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    count = _PASSAGES_OF_AN_END + 20
    knowledge.ingest_documents(
        [vertex("Zlibrary"), vertex("Lone Rock"), *(vertex(f"Module M{n}") for n in range(count))]
    )
    knowledge.ingest_documents(link(f"Module M{n}", "Zlibrary", "DEPENDS") for n in range(count))
    knowledge.index()
    found = knowledge.paths("Module M3", "Module M7")
    assert found.paths == ()
    assert found.notes == (f"1 entity was not followed (more than {_MOST_LINKS_OF_A_NAME} links each): Zlibrary",)
    assert shown(knowledge.paths("Module M3", "Zlibrary")) == ["Module M3 → Zlibrary"]
    assert shown(knowledge.paths("Zlibrary", "Module M7", steps=1)) == ["Zlibrary → Module M7"]
    assert knowledge.paths("Zlibrary", "Lone Rock").notes == (
        f"only {_PASSAGES_OF_AN_END} of the links of Zlibrary were read",
    )


def test_a_part_of_a_title_is_enough_at_the_end_of_a_path(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    titles = ("jejunal artery, intestinal artery", "mesenteric artery", "aortic trunk")
    knowledge.ingest_documents([*map(vertex, titles), link(titles[0], titles[1]), link(titles[1], titles[2])])
    knowledge.index()
    assert shown(knowledge.paths("jejunal artery", "aortic trunk")) == [
        "jejunal artery → mesenteric artery → aortic trunk"
    ]
