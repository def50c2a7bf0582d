"""The mentions stage: what it writes follows from the texts alone, and no other stage or retriever notices it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kills import open_killable
from tests.passages import PASSAGES, OpenCorpus, passage

from overstory.knowledge import Knowledge

COPPOLA = passage("coppola", "Francis Ford Coppola", "Francis Ford Coppola (born 1939) directed The Godfather.")
PRESENTS = passage("presents", "Francis Ford Coppola Presents", "Francis Ford Coppola Presents is a brand of wine.")
ADVERT = passage("advert", "", "They sold wine by Francis Ford Coppola Presents. Francis Coppola drank it in Ulm.")
FILMS = (COPPOLA, PRESENTS, ADVERT)


def rows(knowledge: Knowledge, statement: str) -> list[dict[str, object]]:
    return knowledge.graph.run(f"export/{statement}", knowledge.status().corpus.label)


def mentioned_by(knowledge: Knowledge, key: str) -> set[str]:
    return {str(row["document"]).split()[-1] for row in rows(knowledge, "dictionary_mentions") if row["key"] == key}


@pytest.mark.slow
def test_a_corpus_that_grew_and_lost_a_name_has_the_names_of_one_that_was_loaded_at_once(
    open_corpus: OpenCorpus,
) -> None:
    once, grown, without = open_corpus("once"), open_corpus("grown"), open_corpus("without")
    once.ingest_documents([*FILMS, *PASSAGES])
    once.index()
    for documents in ([*PASSAGES, COPPOLA, ADVERT], [PRESENTS]):
        grown.ingest_documents(documents)
        grown.index()
    assert chunks_read(grown) == 3  # it, the one that has its name, and one with the name's first two words
    assert mentioned_by(once, "francis ford coppola presents") == {"presents", "advert"}
    assert mentioned_by(once, "francis coppola") == {"coppola", "advert"}
    for statement in ("about", "dictionary_mentions"):
        assert sorted(map(str, rows(once, statement))) == sorted(map(str, rows(grown, statement)))
    assert once.digest() == grown.digest()

    assert grown.delete_documents(grown.document_id(PRESENTS.source, PRESENTS.source_key)) == 1
    assert chunks_read(grown) <= 2
    assert mentioned_by(grown, "francis ford coppola") == {"coppola", "advert"}
    without.ingest_documents([ADVERT, COPPOLA, *PASSAGES])
    without.index()
    assert grown.digest() == without.digest()
    assert not grown.index().done


def test_what_only_a_title_names_goes_with_its_last_passage(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([passage("note", "Zweiundvierzig", "nothing is said here."), *PASSAGES])
    knowledge.index()
    about = [row for row in rows(knowledge, "about") if row["key"] == "zweiundvierzig"]
    assert [(row["name"], row["weight"]) for row in about] == [("Zweiundvierzig", 1.0)]
    before = knowledge.status().counts["entities"]
    knowledge.delete_documents(knowledge.document_id("tests/passages", "note"))
    assert knowledge.status().counts["entities"] == before - 1


def test_names_change_nothing_that_others_read(open_corpus: OpenCorpus) -> None:
    named, plain = open_corpus("named"), open_killable(open_corpus, "plain")
    named.ingest_documents([*PASSAGES, *FILMS])
    named.index()
    plain.ingest_documents([*PASSAGES, *FILMS])
    with plain.graph.killed_at(1, of="mentions"):
        plain.index()
    for statement in ("entities", "relations", "order"):
        assert sorted(map(str, rows(named, statement))) == sorted(map(str, rows(plain, statement)))
    assert named.status().counts["mentions"] == plain.status().counts["mentions"]
    for retriever in ("dense", "lexical", "hybrid"):
        found = [
            {
                hit.source_key: hit.score
                for hit in knowledge.search("Who drank wine in Ulm?", 9, retriever=retriever).hits
            }
            for knowledge in (named, plain)
        ]
        assert found[0] == found[1]


def chunks_read(knowledge: Knowledge) -> int:
    (stage,) = (stage for stage in knowledge.status().stages if stage.name == "mentions")
    return stage.counts["chunks"]


NAMES = ("Ada Lovelace", "Ada King", "Ada King Noel", "King Noel", "A. King", "Noel", "Ada Lovelase")


@pytest.mark.slow
def test_names_that_hide_and_shorten_each_other_end_the_same_in_any_order(open_corpus: OpenCorpus) -> None:
    drawn = np.random.default_rng(1).integers(len(NAMES), size=(6, 4))
    documents = [
        passage(str(number), NAMES[title], f"There {' met '.join(NAMES[name] for name in said)}.")
        for number, (title, *said) in enumerate(drawn)
    ]
    gone = documents.pop(3)
    grown, fresh = open_corpus("grown"), open_corpus("fresh")
    for document in [gone, *documents]:
        grown.ingest_documents([document])
        grown.index()
    grown.delete_documents(grown.document_id(gone.source, gone.source_key))
    fresh.ingest_documents(reversed(documents))
    fresh.index()
    for statement in ("about", "dictionary_mentions"):
        assert sorted(map(str, rows(grown, statement))) == sorted(map(str, rows(fresh, statement)))
    assert grown.digest() == fresh.digest()


GLOSSARY = passage(
    "glossary",
    "Glossary",
    "sieve\nA frame with a mesh that lets small grains through and keeps the others back.\n"
    "grain size\nThe width of the smallest hole that a grain goes through, in millimetres.",
)
MANUAL = passage(
    "manual",
    "A.3. Sifting",
    "SIFT(1)\n\nNAME\n       sift - sort grains\n\nOPTIONS\n       -m, --mesh SIZE\n              Let grains through.",
)
USE = passage("use", "", "sifted. Sieve the grains, then. Call grains.sift() with --mesh, as sift(1) says.")
BAND = passage("band", "Sieve", "They play in Ulm.")
TECHNICAL = (GLOSSARY, MANUAL, USE, BAND)


@pytest.mark.slow
def test_names_of_technical_text_end_the_same_in_any_order(open_corpus: OpenCorpus) -> None:
    grown, fresh = open_corpus("grown"), open_corpus("fresh")
    grown.ingest_documents([GLOSSARY, USE])
    grown.index()
    assert mentioned_by(grown, "sieve") == {"glossary"}  # the beginning of a sentence in `USE` is no mention
    assert mentioned_by(grown, "--mesh") == {"use"}
    grown.ingest_documents([MANUAL, BAND])
    grown.index()
    assert mentioned_by(grown, "sieve") == {"glossary", "use", "band"}  # but it is the name of a band
    assert mentioned_by(grown, "--mesh") == {"manual", "use"}
    fresh.ingest_documents(reversed(TECHNICAL))
    fresh.index()
    types = {str(row["key"]): row["type"] for row in rows(fresh, "about") if row["source"] != "lead"}
    assert types.items() >= {"grain size": "TERM", "--mesh": "OPTION", "sift(1)": "COMMAND", "sifting": ""}.items()
    assert grown.digest() == fresh.digest()

    for knowledge in (grown, fresh):
        knowledge.delete_documents(knowledge.document_id(BAND.source, BAND.source_key))
    assert mentioned_by(grown, "sieve") == {"glossary"}
    assert {str(row["type"]) for row in rows(grown, "about") if row["key"] == "sieve"} == {"TERM"}
    assert grown.digest() == fresh.digest()


def test_a_question_names_terms_in_lower_case_and_shapes(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([*TECHNICAL, *PASSAGES])
    knowledge.index()
    for question, name in (
        ("Which grain size has sand?", "grain size"),
        ("What is a sieve?", "sieve"),
        ("What does --mesh do?", "--mesh"),
    ):
        reasons = [reason for hit in knowledge.search(question, 3).hits for reason in hit.reasons]
        assert name in {reason.detail for reason in reasons if reason.kind == "name"}
    first = knowledge.search("How do I sieve, and what frame does it take?", 1).hits[0]
    assert "name" not in {reason.kind for reason in first.reasons}
