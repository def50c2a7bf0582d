from __future__ import annotations

from dataclasses import replace

import pytest

from overstory.retrieve.canopy.scoring import (
    NO_SENTENCE,
    Candidate,
    FirstScores,
    LinkingName,
    Reached,
    Scored,
    Seed,
    direct_documents,
    final_scores,
    first_scores,
    ranking,
    reached,
    second_sources,
    with_second_hop,
)
from overstory.text.questions.kinds import Form

APART = {chunk: chunk for chunk in "pqtsuvmwn"}
"""Each chunk is a document of its own."""


def link(*sources: str, idf: float = 0.8, about: str = "", shared: str = "") -> LinkingName:
    """The name Ulm, which sources mention, leads to a chunk that is about it and to one that mentions it."""
    return LinkingName(
        key="ulm",
        name="Ulm",
        idf=idf,
        sources=[(source, 3) for source in sources],
        about=[(about, 1.0)] if about else [],
        shared=[*((source, 3) for source in sources), (shared, NO_SENTENCE)] if shared else [],
    )


def scored(candidates: dict[str, Candidate], found: Reached | None = None) -> dict[str, Scored]:
    return final_scores(candidates, first_scores(candidates), found or Reached(), {})


def test_the_first_score_adds_meaning_words_and_names() -> None:
    first = first_scores({"a": Candidate(0.5, 0.1, 8.0), "b": Candidate(0.4, 0.1, 4.0, Seed("Ulm", 0.9))})
    assert first.scores == pytest.approx({"a": 0.5 + 0.3, "b": 0.4 + 0.15 + 0.9})
    assert first.activation("b") == 1.0
    assert first.sources() == ["b", "a"]


def test_words_count_less_beside_cosines_that_lie_closer_together() -> None:
    candidates = {"a": Candidate(0.1, 0.0, 8.0), "b": Candidate(0.2, 0.0, 4.0)}
    assert first_scores(candidates).sources() == ["a", "b"]
    first = first_scores(candidates, spread=0.25)
    assert first.scores == pytest.approx({"a": 0.1 + 0.075, "b": 0.2 + 0.0375})
    found = final_scores(candidates, first, Reached(), {})
    assert [found[chunk].words for chunk in "ab"] == pytest.approx([0.075 / first.scale, 0.0375 / first.scale])


def test_nothing_is_divided_by_nothing() -> None:
    assert first_scores({}).sources() == []
    negative = {"a": Candidate(-0.5, -0.2)}
    assert scored(negative)["a"].score == pytest.approx(-0.5 - 0.75 * 0.2)


def test_a_name_leads_to_what_is_about_it_and_to_what_mentions_it() -> None:
    found = reached({"p": 0.5}, [link("p", about="t", shared="t")], set(), APART)
    assert found.forward["t"].value == pytest.approx(0.5 * 0.8 * 1.0 * 0.45)
    assert found.shared["t"].value == pytest.approx(0.5 * 0.8)
    assert (found.shared["t"].way.here, found.shared["t"].way.there) == (3, None)


def test_no_chunk_leads_to_itself() -> None:
    found = reached({"p": 0.5, "q": 0.4}, [link("p", "q", about="p", shared="t")], set(), APART)
    assert {chunk: bridge.way.source for chunk, bridge in found.forward.items()} == {"p": "q"}
    assert {chunk: bridge.way.source for chunk, bridge in found.shared.items()} == {"p": "q", "q": "p", "t": "p"}
    assert not reached({"p": 0.5}, [link("p", about="p")], set(), APART).forward


def test_a_chunk_about_an_abbreviated_name_counts_as_one_that_mentions_it() -> None:
    name = replace(link("p"), about=[("t", 0.6)])
    found = reached({"p": 0.5}, [name], set(), APART)
    assert found.shared["t"].value == pytest.approx(0.5 * 0.8)
    assert found.shared["t"].way.weight == 0.6
    assert not reached({"p": 0.5}, [replace(name, rare=False)], set(), APART).shared
    assert not reached({"p": 0.5}, [replace(name, about=[("t", 0.7)])], set(), APART).shared


def test_of_several_chunks_about_a_name_the_nearest_to_the_source_counts_in_full() -> None:
    several = replace(link("p", shared="m"), about=[(chunk, 1.0) for chunk in "pstuv"], nearest={"p": "u"})
    several = replace(several, shared=[*several.shared, ("s", NO_SENTENCE), ("u", NO_SENTENCE)])
    found = reached({"p": 0.5}, [several], set(), APART)
    assert "p" not in found.forward
    assert found.forward["u"].value == pytest.approx(0.5 * 0.8 * 0.45)
    assert found.forward["s"].value == pytest.approx(0.5 * 0.8 * 0.45 / 2)
    shared = {chunk: bridge.value for chunk, bridge in found.shared.items()}
    assert shared == pytest.approx({"m": 0.4, "u": 0.4, "s": 0.2})


def test_a_name_whose_words_the_question_says_leads_half_as_far() -> None:
    found = reached({"p": 0.5}, [link("p", shared="t")], {"ulm", "where"}, APART)
    assert found.shared["t"].value == pytest.approx(0.5 * 0.8 * 0.5)


def test_the_best_way_counts_and_one_without_activation_does_not() -> None:
    links = [link("p", shared="t"), link("q", idf=0.9, shared="t"), link("n", shared="u")]
    found = reached({"p": 0.5, "q": 0.5, "n": -1.0}, links, set(), APART)
    assert found.shared["t"].way.source == "q"
    assert "u" not in found.shared


def test_the_parts_add_up_to_the_score() -> None:
    candidates = {"p": Candidate(0.8, 0.4, 5.0, Seed("Ulm", 0.5)), "t": Candidate(0.2, 0.3)}
    first: FirstScores = first_scores(candidates)
    found = reached({"p": first.activation("p")}, [link("p", about="t", shared="t")], set(), APART)
    by_id = final_scores(candidates, first, found, {})
    s1 = 0.8 + 0.3 + 0.5
    assert by_id["p"].score == pytest.approx(1.0 + 0.6 * 0.5 + 0.75 * 0.4)
    assert by_id["t"].score == pytest.approx(0.2 / s1 + 0.75 * 0.3 + 1.2 * 0.8 * 0.45 + 0.7 * 0.8)


def test_the_second_hop_starts_from_what_was_reached_and_adds_what_is_more() -> None:
    candidates = {"p": Candidate(0.8, 0.4), "t": Candidate(0.2, 0.3), "w": Candidate(0.1, 0.3)}
    found = reached({"p": 1.0}, [link("p", shared="t"), link("p", shared="w")], set(), APART)
    by_id = scored(candidates, found)
    again = second_sources(by_id, {chunk: one.score for chunk, one in by_id.items()}, ["p"])
    assert list(again) == ["t", "w"]
    new = scored({"u": Candidate(0.1, 0.1)})
    second = reached(again, [link("t", shared="u"), link("t", idf=0.1, shared="w")], set(), APART)
    ranked = with_second_hop(by_id | new, second, {})
    assert ranked["u"].score == pytest.approx(new["u"].score + 0.35 * again["t"] * 0.8)
    assert ranked["w"].score == by_id["w"].score
    assert ranked["u"].came_from() == ["t"]


def test_a_name_leads_nowhere_within_a_document() -> None:
    links = [link("p", "q", about="t", shared="t")]
    assert reached({"p": 0.5, "q": 0.4}, links, set(), APART | {"t": "p"}).shared["t"].way.source == "q"
    alone = reached({"p": 0.5}, [link("p", about="t", shared="t")], set(), APART | {"t": "p"})
    assert (alone.forward, alone.shared) == ({}, {})


def test_where_nothing_is_named_the_best_by_themselves_come_first() -> None:
    cosines = {"p": 0.9, "q": 0.8, "s": 0.7, "t": 0.2, "u": 0.6}
    found = reached({"p": 1.0}, [link("p", shared="t")], set(), APART)
    by_id = scored({chunk: Candidate(cosine, 0.0) for chunk, cosine in cosines.items()}, found)
    assert [one.chunk for one in ranking(by_id, APART, direct=0)] == ["p", "q", "t", "s", "u"]
    direct = ranking(by_id, APART, direct=3)
    assert [one.chunk for one in direct] == ["p", "q", "s", "t", "u"]
    assert [one.score for one in direct] == sorted((one.score for one in direct), reverse=True)
    assert [one.direct > 0 for one in direct] == [True, True, True, False, False]


def test_three_documents_come_first_with_all_of_their_chunks_before_the_next() -> None:
    cosines = {"p": 0.9, "q": 0.89, "s": 0.88, "u": 0.87, "v": 0.86, "w": 0.85}
    documents = {"p": "one", "q": "one", "s": "two", "u": "one", "v": "three", "w": "four"}
    ranked = ranking(scored({chunk: Candidate(cosine, 0.0) for chunk, cosine in cosines.items()}), documents, direct=3)
    assert {one.chunk for one in ranked if one.direct > 0} == {"p", "q", "s", "u", "v"}


def test_further_documents_about_a_name_of_the_question_count_less_and_keep_their_order() -> None:
    ulm = {
        chunk: Candidate(cosine, 0.0, 0.0, Seed("Ulm", 1.0)) for chunk, cosine in (("p", 0.9), ("q", 0.8), ("s", 0.7))
    }
    other = {"t": Candidate(0.6, 0.0, 0.0, Seed("Minster", 0.95)), "u": Candidate(0.5, 0.0)}
    documents = {"p": "one", "q": "one", "s": "two", "t": "three", "u": "four"}
    whole = scored(ulm | other)
    ranked = {one.chunk: one for one in ranking(whole, documents, direct=0)}
    assert list(ranked) == ["p", "q", "t", "s", "u"]
    assert {chunk for chunk, one in ranked.items() if one.name < whole[chunk].name} == {"s"}


def test_how_many_come_first_depends_on_what_is_asked() -> None:
    sure, unsure = (Candidate(0.5, 0.1, 0.0, Seed("Ulm", weight)) for weight in (0.6, 0.5))
    better, best = Candidate(0.7, 0.1), Candidate(0.8, 0.1)

    def direct(*candidates: Candidate, form: Form = "question", clear: str = "Ulm") -> int:
        first = first_scores({str(place): each for place, each in enumerate(candidates)})
        return direct_documents(candidates, first, form=form, clear={clear})

    assert direct(unsure, sure) == 0
    assert direct(sure, clear="") == 3
    assert direct(unsure, Candidate(0.9, 0.9)) == 3
    assert direct(sure, better) == 0
    assert direct(sure, best) == 3  # other passages match the question much better than what it names
    assert direct(sure, form="definition") == 10  # what it names is what it asks for
    assert direct(sure, form="advice") == 10
    assert direct(unsure, form="advice") == 10
    assert direct(sure, form="phrase") == 10
