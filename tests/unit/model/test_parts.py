"""Parts of evidence: what they say of themselves, to people and to programs."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import pytest

from overstory.model import PART_KINDS, BridgePath, BridgeStep, CommunityReport, Excerpt, Part, PartKind
from overstory.model.passage_text import count_at_most

FIRST = BridgeStep(
    "Dracula", "mentions", "c1", "Nosferatu", "It is based on Dracula.", "c2", "", "Stoker wrote Dracula."
)
SECOND = BridgeStep("Stoker", "about", "c2", "", "Stoker wrote Dracula.", "c3", "Bram\nStoker", "Born in Dublin.")
PATH = BridgePath.along([FIRST, SECOND], asked="Nosferatu", score=0.5, documents=["d1", "d2", "d1"])
KEYS = ["kind", "text", "score", "tokens", "chunks", "documents"]


@pytest.mark.parametrize("kind", PART_KINDS)
def test_a_part_of_any_kind_has_the_same_keys(kind: PartKind) -> None:
    part = Part(kind=kind, text="Ulm lies on the Danube.", score=0.5, chunks=("c1",), documents=("d1",))
    assert part.as_json() == {
        "kind": kind,
        "text": "Ulm lies on the Danube.",
        "score": 0.5,
        "tokens": count_at_most("Ulm lies on the Danube."),
        "chunks": ["c1"],
        "documents": ["d1"],
    }


def test_a_path_has_its_names_on_one_line_its_sentences_below_and_its_passages_in_order() -> None:
    assert PATH.text.splitlines() == [
        "Nosferatu → Dracula → Stoker wrote Dracula. → Stoker → Bram Stoker",
        "It is based on Dracula.",
        "Stoker wrote Dracula.",
        "Born in Dublin.",
    ]
    assert str(PATH) == PATH.text.splitlines()[0]
    assert (PATH.kind, PATH.chunks, PATH.documents, PATH.chunk_id) == ("path", ("c1", "c2", "c3"), ("d1", "d2"), "c3")


def test_a_path_quotes_each_passage_on_the_way_around_the_name() -> None:
    assert PATH.quotations() == (
        '"Nosferatu" names Dracula: «It is based on Dracula.»',
        '"Stoker wrote Dracula." names Stoker: «Stoker wrote Dracula.»',
        "This passage is about Stoker: «Born in Dublin.»",
    )
    licence = replace(FIRST, source_sentence="free software " * 99 + "Dracula" + " as is" * 99)
    path = BridgePath.along([licence], asked="", score=0.5, documents=["d1", "d2"])
    first, last = path.quotations()
    assert first.startswith('"Nosferatu" names Dracula: «… free software')
    assert "Dracula as is" in first
    assert len(first) < 200
    assert last == "This passage names Dracula, too: «Stoker wrote Dracula.»"


def test_a_sentence_stands_in_the_text_of_a_path_once() -> None:
    equal = BridgePath.along([replace(FIRST, target_sentence=FIRST.source_sentence)], asked="", score=1, documents=[])
    assert equal.text.count(FIRST.source_sentence) == 2  # once in the line of names, for a passage without a title


def test_what_a_kind_has_beyond_others_are_its_details_in_json() -> None:
    as_json = PATH.as_json()
    assert list(as_json) == [*KEYS, "details"]
    assert json.loads(json.dumps(as_json)) == as_json
    assert as_json["details"] == PATH.details
    assert list(PATH.details) == ["asked", "steps"]
    assert list(Excerpt(text="Ulm.", score=1.0, chunks=("c1",), documents=("d1",)).as_json()) == KEYS
    report = CommunityReport(text="Ulm", score=1.0, chunks=("c1",), documents=("d1",), community="t", level=1, size=9)
    assert report.details == {"community": "t", "level": 1, "size": 9}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Triple(Part):
    """A kind with more to tell, as a retriever of somebody's own may have."""

    subject: str
    terms: tuple[tuple[str, float], ...]


def test_a_class_of_somebody_s_own_adds_details() -> None:
    triple = Triple(
        kind="relation", text="Ulm", score=1.0, chunks=("c",), documents=("d",), subject="Ulm", terms=(("on", 0.5),)
    )
    assert triple.details == {"subject": "Ulm", "terms": [["on", 0.5]]}


def test_a_part_is_shown_by_its_first_line() -> None:
    part = Part(kind="report", text="\nAbout Ulm\nIt lies on the Danube.", score=0.5, chunks=("c1",), documents=("d1",))
    assert (part.title, repr(part)) == ("About Ulm", "<Part report 0.5000 About Ulm>")


def test_a_terminal_obeys_nothing_of_what_a_part_shows() -> None:
    part = Part(kind="report", text="\x1b[31mUlm\u202e lies\non it", score=0.5, chunks=("c1",), documents=("d1",))
    assert repr(part) == "<Part report 0.5000 [31mUlm lies>"
