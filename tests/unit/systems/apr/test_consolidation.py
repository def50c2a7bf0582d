"""Equivalent names are merged, similar names are not."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from overstory.protocols import Vectors
from overstory_systems.apr.consolidation import SymbolName, aliases, name_form, near_name, same_name

SAME = [
    ("TV show", "television show"),
    ("U.S. Senate", "United States Senate"),
    ("US Congress", "United States Congress"),
    ("St. Paul's Cathedral", "Saint Paul's Cathedral"),
    ("August 6, 1945", "6 August 1945"),
    ("May 22nd", "22 May"),
    ("nineteenth century", "19th century"),
    ("First Amendment", "1st Amendment"),
    ("three episodes", "3 episodes"),
    ("400,000 copies", "400000 copies"),
    ("parish of Warton", "Warton parish"),
    ("surrender of Japan", "Japan's surrender"),
    ("capital of the state", "state's capital"),
    ("brother of the wife of Peter", "Peter's wife's brother"),
    ("administrative centre", "administrative center"),
    ("flavoured vodka", "flavored vodka"),
    ("steam locomotive", "steam locomotives"),
    ("Breed groups", "breed group"),
    ("union territory", "union territories"),
    ("Bharatiya Janata Party (BJP)", "Bharatiya Janata Party"),
    ("well-known author", "well known author"),
    ("part of the Civil War", "part of Civil War"),
    ("Café Müller", "Cafe Muller"),
]

OTHERS = [
    ("14 September 1960", "June 10, 1960"),
    ("25 December 2009", "26 December 2009"),
    ("1997 to 2008", "2008 to 1997"),
    ("Heinkel HD 39", "Heinkel HD 32"),
    ("−0.4 °C", "0.4 °C"),
    ("$5", "5"),
    ("20%", "20"),
    ("1,000", "1.000"),
    ("first single", "second single"),
    ("Seven Samurai", "Nine Samurai"),
    ("Karel Komzák II", "Karel Komzák III"),
    ("Louis XVI", "Louis XVIII"),
    ("George H. W. Bush", "George W. Bush"),
    ("Steven Wilson", "Steven John Wilson"),
    ("Malcolm X", "Malcolm"),
    ("North Africa", "South Africa"),
    ("West Germany", "East Germany"),
    ("male soldier", "female soldier"),
    ("early 1970s", "late 1970s"),
    ("equal span", "unequal span"),
    ("member state", "non-member state"),
    ("Sydney, Australia", "Melbourne, Australia"),
    ("Chicago Tigers", "Detroit Tigers"),
    ("University of Miami", "Miami University"),
    ("Council of Europe", "European Council"),
    ("Republic of the Congo", "Democratic Republic of the Congo"),
    ("wife of Peter's brother", "brother of Peter's wife"),
    ("north of the south", "south of the north"),
    ("his brother", "his brothers"),
    ("previous year", "previous years"),
    ("Francisco Herrera the", "Francisco Herrera"),
    ("the king's son", "the king's sons"),
    ("Mississippi River", "Mississippi Rivers"),
    ("Native American", "Native Americans"),
    ("Kennel Club", "kennel clubs"),
    ("arms", "arm"),
    ("glass", "glasses"),
    ("Labour Party", "Labor Party"),
    ("Main St", "Main Saint"),
    ("flight to London", "flight from London"),
    ("-v", "-V"),
    ("--max-depth", "max depth"),
    ("os.path", "os path"),
    ("C++ code", "C code"),
    ("Vitamin A", "Vitamin"),
    ("let us", "let US"),
    ("朴槿惠", "孫壽"),
    ("♮", "栗"),
    ("♮", "♯"),
    ("", ""),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_spellings_of_a_name_are_the_same(one: str, other: str) -> None:
    assert same_name(one, other)
    assert same_name(other, one)
    assert name_form(one) == name_form(other) != ""


@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_what_differs_in_more_than_spelling_is_not(one: str, other: str) -> None:
    assert not same_name(one, other)
    assert not same_name(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("annual film festival", "film festival"),
        ("American adult animated sitcom", "American animated sitcom"),
        ("his debut studio album", "his debut album"),
    ],
)
def test_a_describing_word_more_is_near(one: str, other: str) -> None:
    assert near_name(one, other)
    assert near_name(other, one)
    assert not same_name(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("vice president of France", "president of France"),
        ("former member", "member"),
        ("northern border region", "border region"),
        ("American Civil War", "Civil War"),
        ("Thief River Airport Authority", "Thief River Airport"),
        ("2013 crime film", "crime film"),
        ("not a member state", "a member state"),
        ("steam and diesel engine", "steam engine"),
        ("his film festival", "film festival"),
        ("album", "studio album"),
    ],
)
def test_a_word_that_makes_another_thing_is_not_near(one: str, other: str) -> None:
    assert not near_name(one, other)
    assert not near_name(other, one)


def at(*degrees: float) -> Vectors:
    """Unit vectors at angles."""
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def alike(one: str, other: str) -> bool:
    return one[0] == other[0]


def alone(*texts: str) -> list[SymbolName]:
    return [SymbolName(text, text, text) for text in texts]


def test_the_name_in_the_middle_stands_for_the_others() -> None:
    found = aliases(alone("a1", "a2", "a3"), at(0, 10, 20), 0.9, alike)
    assert {(alias.id, alias.representative) for alias in found} == {("a1", "a2"), ("a3", "a2")}
    assert [alias.cosine for alias in found] == pytest.approx([np.cos(np.radians(10))] * 2, abs=1e-6)


def test_of_two_the_shorter_stands_for_the_other() -> None:
    (alias,) = aliases(alone("a long one", "a1"), at(0, 5), 0.9, alike)
    assert (alias.id, alias.representative) == ("a long one", "a1")


def test_near_names_of_other_kinds_and_far_ones_of_a_kind_stay_apart() -> None:
    assert not aliases(alone("a1", "b1"), at(0, 1), 0.9, alike)
    assert not aliases(alone("a1", "a2"), at(0, 60), 0.9, alike)


def test_a_chain_of_small_steps_does_not_join_its_ends() -> None:
    names = alone("a1", "a2", "a3", "a4", "a5")
    vectors = at(0, 20, 40, 60, 80)
    found = aliases(names, vectors, 0.9, alike)
    place = {name.id: place for place, name in enumerate(names)}
    assert found
    for alias in found:
        assert vectors[place[alias.id]] @ vectors[place[alias.representative]] >= 0.9
    assert not {alias.id for alias in found} & {alias.representative for alias in found}


def test_the_order_of_the_names_does_not_matter() -> None:
    names, vectors = alone("a1", "a2", "b1", "a33", "b2"), at(0, 8, 9, 14, 12)
    wanted = sorted(aliases(names, vectors, 0.95, alike))
    for order in itertools.permutations(range(5)):
        shuffled = aliases([names[place] for place in order], vectors[list(order)], 0.95, alike)
        assert [each[:2] for each in sorted(shuffled)] == [each[:2] for each in wanted]


def test_one_and_its_representative_stay_together() -> None:
    names = [SymbolName("a1", "a1", "a1"), SymbolName("b1", "b1", "a1")]
    (alias,) = aliases(names, at(0, 5), 0.9, alike)
    assert {alias.id, alias.representative} == {"a1", "b1"}
