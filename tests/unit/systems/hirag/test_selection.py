"""Communities, key entities and pairs, on a hierarchy small enough to draw.

root ─ 1a ─ 2a (a, b)
     │    └ 2b (c)
     └ 1b ─ 2c (d, e)
"""

from __future__ import annotations

from overstory.systems.texts.reports import Finding, Report
from overstory_systems.hirag.scores import (
    Hierarchy,
    NearEntity,
    StoredReport,
    diverse,
    key_entities,
    pairs_to_join,
    select_communities,
)


def near(name: str, cosine: float, bottom: str) -> NearEntity:
    return NearEntity(name, name.upper(), "", 0, cosine, bottom)


ROWS = [
    ["root", 0, 5, None, ["2a", "2b", "2c"]],
    ["1a", 1, 3, 4.0, ["2a", "2b"]],
    ["1b", 1, 2, 9.0, ["2c"]],
    ["2c", 2, 2, 9.5, ["2c"]],
    ["2a", 2, 2, 5.0, ["2a"]],
    ["2b", 2, 1, None, ["2b"]],
]
HIERARCHY = Hierarchy.of(ROWS)
A, B, C, D, E = (
    near(*each) for each in [("a", 0.9, "2a"), ("b", 0.8, "2a"), ("c", 0.7, "2b"), ("d", 0.6, "2c"), ("e", 0.5, "2c")]
)
LOST = near("lost", 0.95, "")


def selected(*hits: NearEntity, limit: int = 8) -> list[tuple[str, int]]:
    return [(each.community.id, each.hits) for each in select_communities(hits, HIERARCHY, limit)]


def test_the_root_is_known_and_never_selected() -> None:
    assert HIERARCHY.root == "root"
    assert Hierarchy.of([]).root == ""
    assert [each.id for each in HIERARCHY.holding(A)] == ["2a", "1a"]


def test_communities_come_by_their_hits_and_then_by_their_rating() -> None:
    assert selected(A, B, C, D) == [("1a", 3), ("2a", 2), ("2c", 1), ("2b", 1)]
    assert selected(A, B, C, D, limit=2) == [("1a", 3), ("2a", 2)]


def test_a_community_that_holds_no_more_than_one_inside_it_is_left_out() -> None:
    assert selected(D, E) == [("2c", 2)]
    assert selected(A, B) == [("2a", 2)]


def test_an_entity_in_no_community_selects_none() -> None:
    assert selected(LOST) == []
    assert selected() == []


def test_a_key_entity_belongs_to_the_smallest_selected_community() -> None:
    chosen = select_communities([A, B, C, D], HIERARCHY, 3)
    assert [each.community.id for each in chosen] == ["1a", "2a", "2c"]
    assert key_entities([LOST, A, B, C, D, E], HIERARCHY, chosen, 10) == [[C], [A, B], [D, E]]
    assert key_entities([LOST, A, B, C, D, E], HIERARCHY, chosen, 1) == [[C], [A], [D]]


def test_pairs_join_the_best_of_neighbouring_communities_first() -> None:
    assert pairs_to_join([[C], [A, B], [D, E]], 20) == [(C, A), (A, D), (B, E)]
    assert pairs_to_join([[C], [A, B], [D, E]], 2) == [(C, A), (A, D)]


def test_entities_of_one_small_community_are_not_joined() -> None:
    assert pairs_to_join([[A], [B]], 20) == []
    assert pairs_to_join([[A, B]], 20) == pairs_to_join([], 20) == []


def stored(id_: str, finding: str, rating: float, size: int) -> StoredReport:
    report = Report(id_, "About it", "", rating, [Finding(finding, ("c1",))], "rules", ("c1",))
    return StoredReport(f"community {id_}", id_, report, 1, size)


def test_reports_are_chosen_by_rating_and_size_and_for_saying_something_else() -> None:
    rivers = stored("rivers", "The Danube passes Ulm and Vienna", 9.0, 20)
    again = stored("again", "The Danube passes Ulm and Vienna", 8.9, 20)
    physics = stored("physics", "Curie discovered polonium", 5.0, 20)
    small = stored("small", "Curie married Pierre", 5.0, 2)
    assert [each.id for each in diverse([rivers, again, physics, small], 3)] == ["rivers", "physics", "small"]
    assert diverse([rivers, physics], 1) == [rivers]
    assert diverse([], 3) == []


def test_a_report_that_communities_share_is_chosen_once() -> None:
    report = stored("rivers", "The Danube", 9.0, 20)
    assert diverse([report, report._replace(community="other", size=10)], 3) == [report]
