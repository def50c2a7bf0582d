"""Names that say the same are told from names that are only alike."""

from __future__ import annotations

import pytest

from overstory_systems.apr.consolidation import name_form, near_name, same_name

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
