"""What an index is built with, and what a corpus keeps of it."""

from __future__ import annotations

import datetime
import json

import pytest

from overstory.errors import SettingsError
from overstory.graph import Corpus
from overstory.systems.serag.chunk_graph import FUSED, MEANING_ALONE
from overstory.systems.serag.index import SeRag
from overstory.systems.serag.index_settings import NAME, NUMBERS, SEMANTIC, Kept, SeragSettings

NOW = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)


def corpus_with(**systems: str) -> Corpus:
    return Corpus("id", "c", "Corpus_0", NOW, 1, "english", "e", 3, "embedding", "", 0, -1, "", systems=systems)


def test_options_change_what_they_name_and_nothing_else() -> None:
    plain = SeragSettings()
    assert plain.with_option(None) == plain.with_option("") == plain.with_option(" , ") == plain
    changed = plain.with_option("levels=1, semantic,gds")
    assert changed == SeragSettings(levels=1, semantic=True, search="gds")
    assert changed.with_option(None) == changed
    assert changed.with_option("no-semantic,exact") == SeragSettings(levels=1, search="exact")
    assert changed.with_option("auto,nearest=5,common=100,sharing=7,linked=3") == SeragSettings(1, True, 5, 100, 7, 3)


@pytest.mark.parametrize("option", ["deep", "semantic=1", "gds=yes", "levels 2"])
def test_an_option_that_there_is_not_is_named_with_those_that_there_are(option: str) -> None:
    with pytest.raises(SettingsError, match=f"no option '{option}'") as caught:
        SeragSettings().with_option(option)
    assert {"semantic,", "gds,", *(f"{name}=N" for name in NUMBERS)} <= set(caught.value.remedy.split())


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_is_within_its_bounds(name: str) -> None:
    setting = NUMBERS[name]
    for value in (setting.least, setting.most):
        assert getattr(SeragSettings().with_option(f"{name}={value}"), name) == value
    for wrong in (str(setting.least - 1), str(setting.most + 1), "two", "", "1.5", "²", "-1"):
        with pytest.raises(SettingsError, match=f"{name} of SeRAG's index is {wrong!r}") as caught:
            SeragSettings().with_option(f"{name}={wrong}")
        assert f"Give {setting.least:,} to {setting.most:,}" in caught.value.remedy


def test_there_is_a_second_tree_where_it_is_asked_for() -> None:
    assert SeragSettings().trees() == {NAME: FUSED}
    assert SeragSettings(semantic=True).trees() == {NAME: FUSED, SEMANTIC: MEANING_ALONE}


@pytest.mark.parametrize(
    ("retriever", "index"), [("", None), ("paper,flat", None), ("semantic", "semantic"), ("paper,semantic", "semantic")]
)
def test_a_retriever_over_meaning_alone_needs_the_tree_of_it(retriever: str, index: str | None) -> None:
    assert SeRag().option_for(retriever) == index


def test_what_a_corpus_keeps_is_read_as_it_was_written() -> None:
    kept = Kept(SeragSettings(levels=3, semantic=True), "minilm", 4, 17, "stamp", by_gds=True, figures={"entropy": 1.5})
    assert Kept.of(corpus_with(serag=kept.stored())) == kept
    assert Kept.of(corpus_with(slimrag="{}")) is None


def test_a_setting_of_a_later_release_is_passed_over() -> None:
    stored = json.loads(Kept(SeragSettings(levels=1), "minilm", 1, 2).stored())
    stored["settings"]["of_tomorrow"] = 1
    assert Kept.of(corpus_with(serag=json.dumps(stored))) == Kept(SeragSettings(levels=1), "minilm", 1, 2)
