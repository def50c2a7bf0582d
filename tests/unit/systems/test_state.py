"""The stored state of an index."""

from __future__ import annotations

import datetime
import json

import pytest

from overstory.errors import IndexMissing
from overstory.graph import Corpus
from overstory.systems.state import IndexState, placed_note, read_state, require_state
from overstory_systems.serag import SeRag, SeragIndexSettings

NOW = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
SYSTEM = SeRag()
STATE = IndexState(
    SeragIndexSettings(levels=3, semantic=True),
    "minilm",
    "gpt",
    "reader 1",
    built=True,
    generation=4,
    read_to=17,
    deleted=2,
    placed=12,
    figures={"entropy": 1.5},
    details={"stamp": "s", "by_gds": True},
)


def corpus_with(**systems: str) -> Corpus:
    return Corpus("c", "Corpus_0", NOW, 1, "english", 1, "minilm", 3, "embedding", "", -1, "", systems=systems)


def test_what_a_corpus_keeps_is_read_as_it_was_written() -> None:
    assert read_state(SYSTEM, corpus_with(serag=STATE.as_json())) == STATE
    assert read_state(SYSTEM, corpus_with(slimrag="{}")) is None


def test_a_setting_of_a_later_release_is_passed_over() -> None:
    stored = json.loads(STATE.as_json())
    stored["settings"]["of_tomorrow"] = 1
    assert read_state(SYSTEM, corpus_with(serag=json.dumps(stored))) == STATE


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (None, "has no SeRAG index"),
        ({"built": False}, "has a SeRAG index that is not finished"),
        ({"embedder": "other"}, "has a SeRAG index with vectors of another embedder"),
    ],
)
def test_an_index_that_cannot_be_asked_says_why_and_how_to_build_it(
    change: dict[str, object] | None, message: str
) -> None:
    systems = {} if change is None else {"serag": json.dumps(json.loads(STATE.as_json()) | change)}
    with pytest.raises(IndexMissing, match=f"Corpus 'c' {message}") as missing:
        require_state(SYSTEM, corpus_with(**systems))
    assert "overstory index --system serag --corpus c" in missing.value.remedy


def test_an_index_that_can_be_asked_is_given() -> None:
    assert require_state(SYSTEM, corpus_with(serag=STATE.as_json())) == STATE


def test_the_state_of_a_release_that_placed_nothing_is_read() -> None:
    stored = json.loads(STATE.as_json())
    del stored["placed"]
    kept = read_state(SYSTEM, corpus_with(serag=json.dumps(stored)))
    assert kept is not None
    assert kept.placed == 0


def test_what_was_placed_is_told_with_the_command_that_clusters_it_again() -> None:
    note = placed_note(SYSTEM, corpus_with(), 1_200)
    assert note.startswith("1,200 changes were added to the existing communities of SeRAG without clustering again")
    assert "overstory index --improve --corpus c" in note
