"""Canopy on graphs of people: links between documents lead from passage to passage."""

from __future__ import annotations

import itertools

import pytest
from tests.passages import SOURCE, OpenCorpus, passage

from overstory.knowledge import Knowledge
from overstory.model import HYPERLINK, Link
from overstory.retrieve.canopy.retriever import _MOST_LINKS_OF_A_DOCUMENT


def test_what_only_an_edge_says_is_found_and_explained(films: Knowledge) -> None:
    evidence = films.search("Who plays Marcee Tidwell in Jerry Maguire?", 5, retriever="canopy")
    titles = [hit.title for hit in evidence.hits]
    assert {"Jerry Maguire", "Regina King"} <= set(titles)
    hit = evidence.hits[titles.index("Regina King")]
    assert "Jerry Maguire" not in hit.text
    assert 'is linked to "Jerry Maguire" by ACTED_IN' in hit.in_words
    assert sum(reason.score for reason in hit.reasons) == pytest.approx(hit.score)
    (path,) = evidence.paths_to(hit)
    assert str(path).endswith("Jerry Maguire ← ACTED_IN ← Regina King")
    assert path.steps[-1].kind == "link back"
    assert '"Regina King" links to "Jerry Maguire" by ACTED_IN: Marcee Tidwell' in path.quotations()


def test_two_links_lead_from_an_actor_to_a_director(films: Knowledge) -> None:
    evidence = films.search("Who directed the film with David Bowie?", 5)
    by_title = {hit.title: hit for hit in evidence.hits}
    assert {"David Bowie", "The Prestige", "Christopher Nolan"} <= set(by_title)
    for hit in evidence.hits:
        assert sum(reason.score for reason in hit.reasons) == pytest.approx(hit.score)


@pytest.mark.slow
def test_links_of_a_hub_are_followed_to_what_is_found_otherwise_and_a_note_says_so(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    count = _MOST_LINKS_OF_A_DOCUMENT + 20
    words = [" ".join(pair) for pair in itertools.product(("red", "blue", "green"), ("oak", "elm", "ash"))]
    users = [
        passage(f"user{n}", f"Module {n}", f"Paints a {words[n % 9]} on sheet {n} with {'glue' if n == 7 else 'ink'}.")
        for n in range(count)
    ]
    hub = passage("hub", "Zlibrary", "Zlibrary compresses streams.")
    knowledge.ingest_documents([hub, *users])
    knowledge.ingest_documents(Link(SOURCE, f"user{n}", "hub", type="DEPENDS") for n in range(count))
    knowledge.index()
    evidence = knowledge.search("What that depends on Zlibrary paints with glue?", 5)
    assert evidence.notes == (
        f"'Zlibrary' has {count} links, so only links to passages that were already found were followed",
    )
    hits = {hit.source_key: hit for hit in evidence.hits}
    assert {"hub", "user7"} <= set(hits)
    assert "linked" in {reason.kind for reason in hits["user7"].reasons}


def test_hyperlinks_and_links_to_what_is_missing_lead_nowhere(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    pages = [
        passage("a", "Ostwind", "Ostwind is a film about a horse."),
        passage("b", "Bad Wimpfen", "A town on the Neckar."),
    ]
    others = [Link(SOURCE, "a", "b", type=HYPERLINK, text="see also"), Link(SOURCE, "a", "gone", type="SHOT_IN")]
    knowledge.ingest_documents([*pages, *others])
    knowledge.index()
    asked = "Where was Ostwind shot?"
    assert "linked" not in {reason.kind for hit in knowledge.search(asked).hits for reason in hit.reasons}
    knowledge.ingest_documents([pages[0], Link(SOURCE, "a", "b", type="SHOT_IN"), *others])
    knowledge.index()
    why = {hit.source_key: hit.in_words for hit in knowledge.search(asked).hits}
    assert 'is linked to "Ostwind" by SHOT_IN' in why["b"]
