from __future__ import annotations

from overstory.retrieve.entity_paths.path_search import StatedWay, add, chosen_paths, enough


def found(cost: float, *between: str | set[str]) -> StatedWay:
    names = [{name} if isinstance(name, str) else name for name in between]
    return StatedWay(("A", *(min(each) for each in names), "B"), cost, (), names)


def shown(ways: list[StatedWay], k: int) -> list[str]:
    return ["".join(each.way[1:-1]) for each in chosen_paths(ways, k)]


def test_the_shortest_comes_first_and_then_the_best() -> None:
    ways = [found(3.5, "u", "v"), found(3.2, "w", "x"), found(3.9, "hub")]
    assert shown(ways, 2) == ["hub", "wx"]
    assert shown(ways, 10) == ["hub", "wx", "uv"]
    assert shown([], 3) == []


def test_new_names_are_worth_something() -> None:
    ways = [found(3.0, "x", "u"), found(3.1, "x", "v"), found(3.2, "w", "y")]
    assert shown(ways, 2) == ["xu", "wy"]
    assert shown(ways, 3) == ["xu", "xv", "wy"]


def test_of_two_ways_through_one_name_that_one_shortens_the_better_is_kept() -> None:
    ways: list[StatedWay] = []
    for way in (found(2.5, {"ulrich", "lars ulrich"}), found(2.3, "lars ulrich"), found(2.4, "james hetfield")):
        add(ways, way)
    assert [each.cost for each in ways] == [2.3, 2.4]


def test_it_is_enough_when_nothing_that_is_to_come_can_be_better() -> None:
    ways = [found(2.3, "x"), found(3.4, "y")]
    assert enough(ways, 1, 3.2)
    assert not enough(ways, 2, 3.2)
