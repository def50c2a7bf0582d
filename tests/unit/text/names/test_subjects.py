from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.text.names.dictionary import NameDictionary
from overstory.text.names.keys import entity_key
from overstory.text.names.subjects import (
    About,
    NameUses,
    Subject,
    SubjectPassage,
    looked_for,
    name_start,
    name_starts,
    name_uses,
    own_subjects,
)
from overstory.text.names.tokens import tokenise

COPPOLA = SubjectPassage(
    id="coppola",
    document="coppola",
    title="Francis Ford Coppola",
    heading="",
    text="Francis Ford Coppola (born 1939) is an American director. He made The Godfather.",
)
GODFATHER = SubjectPassage(
    id="godfather",
    document="godfather",
    title="The Godfather (film)",
    heading="",
    text="The Godfather is a film directed by Francis Coppola. F. F. Coppola wrote it with Mario Puzo.",
)


@pytest.mark.parametrize(
    ("text", "language", "leads"),
    [
        ("Im Jahr gibt es dreißig Tage Urlaub.", "de", set[str]()),
        ("Bibliotheken sind geöffnet.", "de", set[str]()),
        ("Les paquets sont installés.", "fr", set[str]()),
        ("Victor Hugo est né à Besançon.", "fr", {"victor hugo"}),
        ("Victor Hugo was born in Besançon.", "", {"victor hugo"}),
    ],
)
def test_words_that_begin_a_paragraph_in_another_language_are_no_subject(
    text: str, language: str, leads: set[str]
) -> None:
    assert set(own(SubjectPassage("p", "p", "", "", text, language))["p"]) == leads


@pytest.mark.parametrize(
    ("title", "language", "named"),
    [
        ("de", "de", False),
        ("es", "es", False),
        ("en", "", False),
        ("Über", "de", False),
        ("es", "", True),
        ("de", "", True),
        ("Köln", "de", True),
    ],
)
def test_a_title_that_is_but_the_code_of_its_language_or_a_word_of_it_is_no_name(
    title: str, language: str, named: bool
) -> None:
    text = "and then it came." if not language else "und dann kam es."
    assert bool(own(SubjectPassage("p", "p", title, "", text, language))["p"]) == named


@pytest.mark.parametrize(
    ("title", "texts", "named"),
    [
        ("es", ["Esto es todo lo que tenemos."], False),
        ("de", ["Wir haben nichts gefunden."], False),
        ("por", ["Isto não é nada."], False),
        ("vi", ["With this editor you move by h, j, k and l.", ":wq"], True),
        ("ps", ["This lists the processes that are yours."], True),
        ("Es", ["This song was their third."], True),
        ("Us", ["This film is by Jordan Peele."], False),  # of which "Us (film)" is the name
        ("Us (film)", ["This film is by Jordan Peele."], True),
        ("Amélie", ["Un film de Jean-Pierre Jeunet."], True),
    ],
)
def test_a_title_that_is_a_code_is_a_name_if_the_words_are_those_of_another_language(
    title: str, texts: list[str], named: bool
) -> None:
    passages = [SubjectPassage(str(n), "p", title, "", text) for n, text in enumerate(texts)]
    assert any(subject.source == "title" for subject in own_subjects(passages)["0"].values()) == named


def test_a_title_that_is_the_code_of_any_language_of_its_text_is_no_name() -> None:
    english = SubjectPassage("1", "p", "deu", "", "and then it came.")
    german = SubjectPassage("2", "p", "deu", "DE", "Dann kam es.", "de")
    assert entity_key("deu") in own_subjects([english])["1"]
    assert not {"deu", "de"} & {key for names in own_subjects([english, german]).values() for key in names}


def test_a_frequent_word_of_the_language_of_a_text_is_no_mention() -> None:
    names = NameDictionary(["es", "ulm", "es ulm"])
    text = "Es liegt in Ulm. Es Ulm heißt so."
    found = name_uses(text, tokenise(text), [0], names, names, language="de")
    assert found.keys() == {"ulm", "es ulm"}
    assert name_uses(text, tokenise(text), [0], names, names).keys() == {"es", "ulm", "es ulm"}


def own(*passages: SubjectPassage) -> About:
    about: About = {}
    for passage in passages:
        about |= own_subjects([passage])
    return about


def weights(names: dict[str, Subject]) -> dict[str, float]:
    return {key: subject.weight for key, subject in names.items()}


def said(
    text: str, names: Sequence[str], subjects: Sequence[str] = (), sentences: Sequence[int] = (0,)
) -> dict[str, NameUses]:
    every = NameDictionary([*names, *subjects])
    return name_uses(text, tokenise(text), sentences, every, NameDictionary(subjects))


def test_a_title_is_what_its_passage_is_about_with_and_without_what_tells_it_apart() -> None:
    names = own(GODFATHER)["godfather"]
    assert weights(names) == {"godfather film": 1.0, "godfather": 1.0}
    assert names["godfather film"].surface == "The Godfather (film)"
    assert [key for key, subject in names.items() if subject.full] == ["godfather"]


def test_a_title_is_that_of_the_first_passage_and_a_heading_that_of_the_first_below_it() -> None:
    chunks = [SubjectPassage(str(i), "d", "Rome", "History › Early years", f"then {i} came.") for i in range(2)]
    about = own_subjects(chunks)
    assert set(about["0"]) == {"rome", "early years"}
    assert about["1"] == {}


def test_a_chunk_that_goes_on_with_a_paragraph_is_not_about_its_first_words() -> None:
    first = SubjectPassage("1", "d", "", "", "Alpha Beta is here, and ")
    goes_on = SubjectPassage("2", "d", "", "", "Gamma Delta is there.")
    assert own_subjects([first, goes_on])["2"] == {}
    assert "gamma delta" in own_subjects([replace(first, text="Alpha Beta is here.\n"), goes_on])["2"]
    assert "gamma delta" in own_subjects([goes_on])["2"]


def test_every_paragraph_has_a_subject() -> None:
    both = SubjectPassage("1", "d", "", "", "Alpha Beta is here.\n\nGamma Delta is there.")
    assert {"alpha beta", "gamma delta"} <= own_subjects([both])["1"].keys()


def test_a_passage_says_the_names_of_others_in_its_sentences() -> None:
    text = GODFATHER.text
    assert said(text, ["francis coppola", "mario puzo"], sentences=(0, 53)) == {
        "francis coppola": NameUses(("Francis Coppola",), (0,)),
        "mario puzo": NameUses(("Mario Puzo",), (1,)),
    }


def test_a_longer_name_hides_a_shorter_one_unless_a_passage_is_about_that() -> None:
    text = "He drank Francis Ford Coppola Presents in Ulm."
    assert set(said(text, ["francis ford coppola", "francis ford coppola presents"])) == {
        "francis ford coppola presents"
    }
    assert set(said(text, ["francis ford coppola presents"], ["francis ford coppola"])) == {
        "francis ford coppola presents",
        "francis ford coppola",
    }


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("He met John Smith there.", "john smith"),
        ("He met J. R. R. Tolkien's son.", "jrr tolkien"),
        ("Only Beyoncé sang.", "beyonce"),
        ("It was O'Brien's book.", "obrien"),
        ("Simon & Schuster printed it.", "simon and schuster"),
        ("At Schindler's List the end", "schindler"),
        ("He wrote C++ there", "c++"),
        ("in Ulm's Old Town", "ulm"),
    ],
)
def test_a_name_begins_in_every_text_in_which_it_stands(text: str, key: str) -> None:
    tokens = tokenise(text)
    assert key in NameDictionary([key]).anywhere(tokens)
    assert name_start(key) in name_starts(tokens)


SIEVES = SubjectPassage(
    id="sieves",
    document="sieves",
    title="A.3. Linux Mint",
    heading="Tools › 3.2 grains — Heaps of grains",
    text="Print the sizes, one a line.\n\nGrain Store is a place.\n\nmesh size\nThe width of a hole, as measured.\n",
)


def test_titles_and_headings_lose_their_numbers_and_terms_count_like_titles() -> None:
    names = own(SIEVES)["sieves"]
    told = {key: (subject.weight, subject.source, subject.type) for key, subject in names.items()}
    assert told == {
        "linux mint": (1.0, "title", ""),
        "grains heaps of grains": (1.0, "heading", "TERM"),
        "grains": (1.0, "heading", "TERM"),
        "mesh size": (1.0, "definition", "TERM"),
        "grain store": (0.8, "lead", ""),
    }


def test_labels_are_no_subjects_of_a_manual() -> None:
    manual = SubjectPassage(
        "m", "m", "", "Sieves › Description", "Description\n\nNote: this is long.\n\nSee also\n\nnothing."
    )
    assert own(manual)["m"] == {}


@pytest.mark.parametrize(
    ("text", "common"),
    [
        ("heap\nA pile of grains that nobody sorted.", True),
        ("Heap is a pile.\n\nThis goes on.", True),
        ("The heap is a pile.\n\nThis goes on.", True),
        ("Heap is a pile. This is all of it.", False),  # one line, as of an encyclopedia
        ("IDLE\nAn editor that comes with the language.", False),
    ],
)
def test_one_word_that_only_its_line_capitalises_is_a_common_word(text: str, *, common: bool) -> None:
    [subject] = own(SubjectPassage("p", "p", "", "", text))["p"].values()
    assert subject.common is common


def test_common_words_are_looked_for_where_a_parser_takes_them_for_names() -> None:
    about: About = {"p": {"heap": Subject(1.0, "definition", common=True), "grain store": Subject(0.8, "lead")}}
    assert looked_for(about.values(), {"ada"}) == ({"ada", "grain store"}, {"grain store"})
    assert looked_for(about.values(), {"heap"}) == ({"heap", "grain store"}, {"heap", "grain store"})
    about["q"] = {"heap": Subject(1.0, "title")}
    assert looked_for(about.values(), set()) == ({"heap", "grain store"}, {"heap", "grain store"})


WORDS = (
    "Ann",
    "ann",
    "Lee",
    "Lee's",
    "J.",
    "R",
    "O'Neil",
    "Beyoncé",
    "&",
    "C++",
    "von",
    "X's",
    "7",
    "Straße",
    "A",
    "I",
    "os.path",
    "--all",
    "max_x",
    "find(1)",
)


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8), st.integers(0, 7), st.integers(1, 4))
def test_whatever_name_a_text_has_begins_in_it(words: list[str], first: int, length: int) -> None:
    key = entity_key(" ".join(words[first : first + length]))
    tokens = tokenise(" ".join(words))
    assert not NameDictionary([key]).anywhere(tokens) or name_start(key) in name_starts(tokens)


def test_common_words_begin_no_name() -> None:
    assert name_starts(tokenise("we saw it in Ulm today")) == ["ulm", "ulm_today"]


def test_the_subject_of_a_name_with_an_article_is_not_its_last_word() -> None:
    names = own_subjects([SubjectPassage("1", "d", "Heinkel HD 23", "", "The Heinkel HD 23 was a fighter.")])
    assert names["1"].keys() == {"heinkel hd 23"}


@pytest.mark.parametrize(
    "line",
    [
        "Present: Ann Lee, Bo Tan",
        "Dear Ms Tan,\nthank you.",
        "Item | Price | Stock",
        "12 May 2021\nDear Bo,",
        "## 4 Fees",
    ],
)
def test_the_lines_of_forms_letters_and_tables_are_no_subjects(line: str) -> None:
    names = own_subjects([SubjectPassage("1", "d", "", "", f"{line}\nThe rest of the text is here.")])
    assert not any({"present", "dear", "item", "4", "12"} & set(key.split()) for key in names["1"])


def test_headings_are_numbered_if_they_count() -> None:
    def subjects(*headings: str) -> set[str]:
        passages = [SubjectPassage(str(n), "d", "", heading, "Text.") for n, heading in enumerate(headings)]
        return {key for names in own_subjects(passages).values() for key in names}

    assert "appointment" in subjects("1 Appointment")
    assert subjects("1 Minutes", "2 Fees of 2023", "3 Any other business") >= {"fees of 2023", "any other business"}
    assert subjects("Awards", "30 Rock") >= {"awards", "30 rock"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("She sang in A Christmas Carol.", set[str]()),
        ("They met at Carol Springs.", set[str]()),
        ("She loves Carol. Carol sings.", {"carol"}),
        ("In Juneau Carol sings.", set[str]()),
        ("With Carol, it works.", {"carol"}),
        ("and Carol’s dog", {"carol"}),
    ],
)
def test_a_word_inside_a_longer_name_is_another_name(text: str, found: set[str]) -> None:
    names = NameDictionary(["carol"])
    assert name_uses(text, tokenise(text), [0], names, names).keys() == found
    assert name_uses(text, tokenise(text), [0], names, names, parsed={"carol"}).keys() == {"carol"}
