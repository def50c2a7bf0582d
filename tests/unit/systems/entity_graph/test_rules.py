"""The graph of entities by rules: which names are entities, how they are related, and what describes them."""

from __future__ import annotations

from typing import Any

import pytest

from overstory.systems.entity_graph.descriptions import (
    _DESCRIPTION_CHARACTERS,
    DescribingText,
    choose,
    cleaned,
    describe,
    excerpt,
    relation_text,
)
from overstory.systems.entity_graph.incidence import (
    MOST_SENTENCES_OF_A_CHUNK,
    NO_PLACE,
    EntityName,
    Incidence,
    incidence_of,
)
from overstory.systems.entity_graph.relations import (
    MOST_CHUNKS_OF_A_RELATION,
    MOST_NAMES_OF_A_SENTENCE,
    Related,
    names_of_sentences,
    related,
)

STARTS = [0, 40, 80, 120]


def chunk(
    id_: str,
    *mentions: tuple[str, str, list[int]],
    about: tuple[tuple[str, float], ...] = (),
    statements: tuple[tuple[str | None, str | None, str, int | None, int], ...] = (),
    seq: int = 0,
) -> dict[str, Any]:
    """A row of `systems/entity_graph/incidence`."""
    return {
        "id": id_,
        "seq": seq,
        "starts": STARTS,
        "boilerplate": [],
        "mentions": [list(each) for each in mentions],
        "about": [list(each) for each in about],
        "statements": [list(each) for each in statements],
    }


def ner(name: str, *sentences: int) -> tuple[str, str, list[int]]:
    return name, "ner", list(sentences)


def incidence(*rows: dict[str, Any]) -> Incidence:
    """Return an incidence in which each name is its own id."""
    mentioned = {entity for row in rows for entity, _, _ in row["mentions"]} | {
        end for row in rows for statement in row["statements"] for end in statement[:2] if end
    }
    return incidence_of([EntityName(key, key, key.title(), "") for key in sorted(mentioned)], rows)


def pairs(found: Related, read: Incidence) -> dict[tuple[str, str], float]:
    names = [name.key for name in read.names]
    ends = zip(found.source.tolist(), found.target.tolist(), found.weight.tolist(), strict=True)
    return {(names[one], names[other]): round(weight, 3) for one, other, weight in ends}


def related_in(read: Incidence, **options: int) -> Related:
    return related(read, names_of_sentences(read), **options)


def test_a_name_in_one_passage_and_no_fact_is_no_entity() -> None:
    read = incidence(
        chunk("1", ner("ulm", 0), ner("bern", 0), ner("fact", 1), statements=(("fact", None, "ner", 1, 0),)),
        chunk("2", ner("ulm", 2)),
        chunk("3", ner("twice", 0, 1)),
    )
    assert [name.key for name in read.names] == ["fact", "ulm"]


def test_openie_triples_take_the_place_of_what_the_extractor_found_and_the_dictionary_knows_their_sentences() -> None:
    read = incidence(
        chunk(
            "1",
            ner("kept", 0),
            ("kept", "openie", []),
            ner("dropped", 0),
            ("seen", "openie", []),
            ("seen", "dictionary", [2]),
            statements=(("dropped", "kept", "ner", 0, 0), ("kept", "seen", "openie", None, 4)),
        ),
        chunk("2", ("dropped", "dictionary", [0])),
    )
    assert [name.key for name in read.names] == ["kept", "seen"]
    assert read.mentions.sentence.tolist() == [0, 2]
    found = related_in(read)
    assert pairs(found, read) == {("kept", "seen"): 1.0}
    assert found.position.tolist() == [4]


def test_sentences_weigh_by_their_names_and_facts_by_their_statements() -> None:
    read = incidence(
        chunk("1", ner("a", 0, 1), ner("b", 0, 1), ner("c", 1), statements=(("b", "a", "ner", 0, 0),)),
        chunk(
            "2", ner("a", 3), ner("b", 3), ner("c", 3), statements=(("a", "b", "ner", 3, 0), ("a", "a", "ner", 3, 1))
        ),
    )
    found = related_in(read)
    assert pairs(found, read) == {
        ("a", "b"): (2 + 1 + 0.5 + 0.5) / 2,
        ("a", "c"): 0.5,
        ("b", "c"): 0.5,
    }  # in two passages
    assert found.chunks[0] == (0, 1)
    assert found.sentence[0] == 0  # of the two facts, that of the sentence with fewer names


def test_what_a_passage_is_about_stands_in_each_of_its_sentences() -> None:
    read = incidence(
        chunk("1", ner("einstein", 0), ner("bern", 1), ner("ulm", 2), about=(("einstein", 1.0), ("bern", 0.8))),
        chunk("2", ner("einstein", 0), ner("ulm", 3), ner("bern", 2)),
    )
    found = related_in(read)
    # Sentence 0 has Einstein and, implied, Bern; 1 Bern and Einstein; 2 Ulm and both, who are not tied by it.
    assert pairs(found, read) == {("bern", "einstein"): 1.0, ("bern", "ulm"): 0.25, ("einstein", "ulm"): 0.25}
    assert found.implied.tolist() == [True, True, True]


def test_lists_of_names_make_no_relations_and_are_counted() -> None:
    many = [f"n{number:02}" for number in range(MOST_NAMES_OF_A_SENTENCE + 1)]
    read = incidence(chunk("1", *(ner(name, 0) for name in many)), chunk("2", *(ner(name) for name in many)))
    found = related_in(read)
    assert (len(found.source), found.crowded) == (0, 1)


def test_a_relation_is_kept_where_it_is_strong_for_one_of_its_ends() -> None:
    rows = [chunk(str(each), ner("hub", 0, 2), ner(f"leaf{each}", 0, 2), ner("other", 1)) for each in range(4)]
    rows += [chunk("9", ner("leaf0", 0), ner("leaf1", 0)), *(chunk(f"a{n}", ner(f"leaf{n}")) for n in (2, 3))]
    read = incidence(*rows)
    assert len(related_in(read).source) == 5
    found = related_in(read, most_partners=1)
    assert pairs(found, read) == {("hub", f"leaf{n}"): 0.667 for n in range(4)}
    assert found.dropped == 1


def test_names_that_are_everywhere_tie_less_than_rare_ones() -> None:
    rows = [chunk(str(each), ner("everywhere", 0), ner(f"rare{each % 4}", 1)) for each in range(8)]
    rows.append(chunk("8", ner("everywhere", 0), ner("rare0", 0), ner("rare1", 1), ner("rare2", 1)))
    read = incidence(*rows)
    assert pairs(related_in(read), read) == {("everywhere", "rare0"): 1 / 4, ("rare1", "rare2"): 1 / 2}


def test_a_relation_lists_few_passages() -> None:
    read = incidence(
        *(chunk(f"{number:02}", ner("a", 0), ner("b", 0)) for number in range(MOST_CHUNKS_OF_A_RELATION + 3))
    )
    assert related_in(read).chunks == [tuple(range(MOST_CHUNKS_OF_A_RELATION))]


def test_sentences_of_passages_about_a_name_come_first_then_those_of_its_facts() -> None:
    read = incidence(
        chunk("1", ner("a", 0, 1, 2), statements=(("a", None, "ner", 2, 0),)),
        chunk("2", ner("a", 3), about=(("a", 1.0),), seq=1),
        chunk("3", ner("a", 1), about=(("a", 1.0),)),
    )
    places = [
        (place // MOST_SENTENCES_OF_A_CHUNK, place % MOST_SENTENCES_OF_A_CHUNK)
        for place, _ in choose(read, names_of_sentences(read)).of(0)
    ]
    assert places == [(2, 1), (1, 3), (0, 2), (0, 0), (0, 1)]


def test_triples_describe_what_no_sentence_is_known_to_say() -> None:
    read = incidence(chunk("1", ("a", "openie", []), ("b", "openie", []), statements=(("b", "a", "openie", None, 7),)))
    chosen = choose(read, names_of_sentences(read))
    assert chosen.of(0) == chosen.of(1) == [(0, 7)]


def test_an_empty_corpus_has_no_entities() -> None:
    read = incidence()
    sentences = names_of_sentences(read)
    assert len(related(read, sentences).source) == 0
    assert choose(read, sentences).first.tolist() == [0]


def test_a_description_takes_prose_first_and_says_nothing_twice() -> None:
    said = [
        DescribingText(1, "-q, --quiet"),
        DescribingText(2, "The option keeps the program from saying anything."),
        DescribingText(3, "The  Option keeps the program from saying anything."),
        DescribingText(4, "It is the same as a level of zero in the settings."),
    ]
    text, chunks = describe("--quiet", "--quiet", said)
    assert text == f"{said[1].text} {said[3].text}"
    assert chunks == (2, 4)
    assert describe("--quiet", "--quiet", said[:1]) == ("-q, --quiet", (1,))
    assert describe("Ulm", "ulm", [DescribingText(1, "Ulm"), DescribingText(2, "* * *")]) == ("", ())


def test_a_triple_is_taken_where_its_passage_gives_no_sentence() -> None:
    said = [
        DescribingText(1, "Ulm is a city in the south of Germany."),
        DescribingText(1, "Ulm lies in Germany", triple=True),
    ]
    told = DescribingText(2, "Einstein was born in Ulm", triple=True)
    assert describe("Ulm", "ulm", [*said, told]) == (f"{said[0].text} {told.text}.", (1, 2))


def test_descriptions_are_short_whatever_the_sentence() -> None:
    text, _ = describe("Ulm", "ulm", [DescribingText(1, "word " * 400 + "near Ulm " + "and more " * 400)])
    assert len(text) <= _DESCRIPTION_CHARACTERS
    assert "Ulm" in text
    assert text.startswith("…")
    assert text.endswith("…")


@pytest.mark.parametrize(
    "text", ["Ulm " + "word " * 90, "word " * 90 + "Ulm", "word " * 18 + "Ulm " + "c" * 300, "x" * 500 + " Ulm"]
)
def test_excerpts_are_never_longer_than_asked_and_say_the_name(text: str) -> None:
    found = excerpt(text, ["Ulm"], 100)
    assert len(found) <= 100
    assert "Ulm" in found
    assert len(excerpt(text, ["Bern", ""], 100)) <= 100


def test_marks_of_layout_are_left_out_and_options_stay() -> None:
    assert cleaned("## 3. **Danube**\n") == "Danube"
    assert cleaned("- see [the `Ulm` page](https://ulm.example/x) now") == "see the Ulm page now"
    assert cleaned("-q, --quiet   No\n progress. ------") == "-q, --quiet No progress."
    plain = "snake_case_name, __init__, 3 * 4, 2 ** 8 and f(*args, **kwargs) ..."
    assert cleaned(plain) == plain
    assert cleaned("a *stressed* and **strong** word") == "a stressed and strong word"


def test_a_relation_of_a_sentence_that_implies_a_name_says_it() -> None:
    assert (
        relation_text("He was born in Ulm.", "Albert Einstein", "Ulm", implied=True)
        == "Albert Einstein: He was born in Ulm."
    )
    assert relation_text("He was born in Ulm.", "Albert Einstein", "Ulm", implied=False) == "He was born in Ulm."
    assert relation_text("", "Albert Einstein", "Ulm", implied=True) == ""


def test_where_something_stands_does_not_depend_on_the_order_of_its_rows() -> None:
    facts = (("a", "b", "ner", 0, 0), ("b", "c", "ner", 1, 1))
    mentions = (ner("a", 0), ner("b", 0, 1), ner("c", 1))
    one = incidence(chunk("1", *mentions, statements=facts, about=(("a", 1.0), ("b", 1.0))), chunk("2", *mentions))
    other = incidence(
        chunk("1", *reversed(mentions), statements=facts[::-1], about=(("b", 1.0), ("a", 1.0))),
        chunk("2", *reversed(mentions)),
    )
    assert pairs(related_in(one), one) == pairs(related_in(other), other)
    assert [choose(one, names_of_sentences(one)).of(n) for n in range(3)] == [
        choose(other, names_of_sentences(other)).of(n) for n in range(3)
    ]
    assert NO_PLACE not in one.mentions.sentence
