"""Hits with the same text are one, and the retriever is asked for more until enough of them differ."""

from __future__ import annotations

from collections.abc import Sequence

from overstory.model import BridgePath, BridgeStep, CommunityReport, Evidence, Excerpt, Hit, Repeat
from overstory.retrieve.repeats import MOST_HITS, Group, Repeats, by_text, search_distinct


def hit(number: int, text: str, *, repeated: int = 0) -> Hit:
    return Hit(
        chunk_id=f"c{number}",
        document_id=f"d{number}",
        source=f"{number}.txt",
        source_key="",
        title=f"Title {number}",
        heading="",
        text=text,
        score=1.0 / (1 + number),
        repeated=repeated,
    )


class Ranked:
    """Returns the first k of these hits."""

    name = "ranked"

    def __init__(self, hits: Sequence[Hit]) -> None:
        self.asked: list[int] = []
        self._hits = hits

    def retrieve(self, question: str, k: int) -> Evidence:
        self.asked.append(k)
        return Evidence(question, self.name, tuple(self._hits[:k]))


def named(groups: Sequence[Group]) -> Repeats:
    """As the graph would tell it if no chunk shared a vector."""
    return {
        group[0].chunk_id: (
            len(group) - 1,
            tuple(
                Repeat(each.chunk_id, each.document_id, each.source, each.source_key, each.title, each.heading)
                for each in group[1:]
            ),
        )
        for group in groups
    }


def never(groups: Sequence[Group]) -> Repeats:
    raise AssertionError(f"nothing repeats here: {groups}")


def test_hits_with_different_texts_are_left_as_they_are() -> None:
    ranked = Ranked([hit(number, f"Text {number}") for number in range(9)])
    assert search_distinct(ranked, "?", 5, read=never) == ranked.retrieve("?", 5)
    assert ranked.asked == [5, 5]


def test_white_space_makes_no_other_text() -> None:
    groups = by_text([hit(0, "Prev  Next\n"), hit(1, "Up"), hit(2, " Prev\tNext"), hit(3, "prev next")])
    assert [[each.chunk_id for each in group] for group in groups] == [["c0", "c2"], ["c1"], ["c3"]]


def test_more_are_asked_for_until_enough_texts_differ() -> None:
    equal = [hit(number, "Prev Next") for number in range(30)]
    ranked = Ranked([*equal, *(hit(number, f"Text {number}") for number in range(30, 60))])
    found = search_distinct(ranked, "?", 10, read=named)
    assert ranked.asked == [10, 40]
    assert [each.chunk_id for each in found.hits] == ["c0", *(f"c{number}" for number in range(30, 39))]
    assert found.hits[0].repeated == 29
    assert found.hits[0].also == "also 29 more times, in 1.txt, 2.txt, 3.txt and others"
    assert not any(each.repeated or each.also for each in found.hits[1:])
    assert found.notes == ()


def test_a_result_that_falls_short_says_why() -> None:
    ranked = Ranked([*(hit(number, "Prev Next") for number in range(6)), hit(6, "Else")])
    found = search_distinct(ranked, "?", 5, read=named)
    assert [each.chunk_id for each in found.hits] == ["c0", "c6"]
    assert found.notes == ("only 2 of the 5 requested passages are shown: the other 5 repeat their text",)


def test_a_result_with_fewer_than_were_asked_for_says_so() -> None:
    found = search_distinct(Ranked([hit(0, "Text"), hit(1, "Else")]), "?", 5, read=never)
    assert [each.chunk_id for each in found.hits] == ["c0", "c1"]
    assert found.notes == ("only 2 of the 5 requested passages were found",)


def test_what_found_nothing_says_itself_why() -> None:
    assert search_distinct(Ranked([]), "?", 5, read=never).notes == ()


def test_a_retriever_is_not_asked_without_end() -> None:
    ranked = Ranked([hit(number, "Prev Next") for number in range(2 * MOST_HITS)])
    found = search_distinct(ranked, "?", 5, read=named)
    assert ranked.asked == [5, 20, 80, 320, MOST_HITS]
    assert len(found.hits) == 1
    assert found.notes == (
        "only 1 of the 5 requested passages are shown: the other 999 repeat their text, and at most 1,000 are read",
    )


def test_a_hit_that_shares_its_vector_is_looked_up_though_no_other_hit_repeats_it() -> None:
    there = Repeat("x", "d9", "other.txt", "", "", "")
    found = search_distinct(
        Ranked([hit(0, "Prev Next", repeated=700), hit(1, "Else")]), "?", 2, read=lambda _: {"c0": (700, (there,))}
    )
    assert [(each.repeated, each.repeats) for each in found.hits] == [(700, (there,)), (0, ())]
    assert found.hits[0].also == "also 700 more times, in other.txt and others"


def test_parts_about_hits_that_are_not_shown_go_and_what_others_stand_on_stays() -> None:
    hits = (hit(0, "Prev Next"), hit(1, "Prev Next"), hit(2, "Else"))

    def path(to: str) -> BridgePath:
        step = BridgeStep("Name", "mentions", "c2", "Else", "Else.", to, "Next", "Prev Next.")
        return BridgePath.along([step], asked="", score=1.0, documents=["d2"])

    def excerpt(of: str) -> Excerpt:
        return Excerpt(text="Prev Next", score=1.0, chunks=(of,), documents=("d",))

    report = CommunityReport(
        text="All of them", score=1.0, chunks=("c0", "c1"), documents=("d0", "d1"), community="t", level=1, size=2
    )

    class WithParts:
        name = "parts"

        def retrieve(self, question: str, k: int) -> Evidence:
            return Evidence(
                question, self.name, hits[:k], parts=(path("c0"), path("c1"), excerpt("c0"), excerpt("c1"), report)
            )

    found = search_distinct(WithParts(), "?", 3, read=named)
    assert found.parts == (path("c0"), excerpt("c0"), report)
    assert [(each.chunk_id, each.score) for each in found.sources] == [("c1", 0.0)]
    assert [each.chunk_id for each in found.passages_of(report)] == ["c0", "c1"]


def test_a_text_that_only_its_own_document_repeats() -> None:
    repeat = Repeat("x", "d0", "0.txt", "", "", "")
    found = search_distinct(Ranked([hit(0, "Prev Next", repeated=1)]), "?", 1, read=lambda _: {"c0": (1, (repeat,))})
    assert found.hits[0].also == "also 1 more time in this document"
