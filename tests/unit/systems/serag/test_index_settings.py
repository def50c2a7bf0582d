"""What an index is built with."""

from __future__ import annotations

from dataclasses import fields

import pytest

from overstory.errors import SettingsError
from overstory.systems.settings import parse
from overstory_systems.serag import SeRag, SeragIndexSettings, SeragRetrieverSettings
from overstory_systems.serag.chunk_graph import FUSED, MEANING_ALONE
from overstory_systems.serag.index_settings import NAME, SEMANTIC

BOUNDS = {"levels": (1, 8), "nearest": (1, 1_000), "common": (2, 100_000), "sharing": (1, 10_000), "linked": (1, 1_000)}


def named(options: str, base: SeragIndexSettings | None = None) -> SeragIndexSettings:
    return parse(SeragIndexSettings, options, of="The SeRAG index", base=base)


def test_options_change_what_they_name_and_nothing_else() -> None:
    assert named("") == named(" , ") == SeragIndexSettings()
    changed = named("levels=1, semantic,search=gds")
    assert changed == SeragIndexSettings(levels=1, semantic=True, search="gds")
    assert named("", changed) == changed
    assert named("no-semantic,search=exact", changed) == SeragIndexSettings(levels=1, search="exact")
    assert named("nearest=5,common=100,sharing=7,linked=3,search=auto", changed) == SeragIndexSettings(
        1, True, 5, 100, 7, 3
    )
    assert named("defaults,linked=3", changed) == SeragIndexSettings(linked=3)


@pytest.mark.parametrize("option", ["deep", "gds=yes", "levels 2", "level=3", "no-levels"])
def test_an_unknown_option_is_named_with_those_that_exist(option: str) -> None:
    with pytest.raises(SettingsError, match=f"The SeRAG index has no option '{option}'") as caught:
        named(option)
    assert all(each.name in caught.value.remedy for each in fields(SeragIndexSettings))


@pytest.mark.parametrize("name", BOUNDS)
def test_a_number_is_within_its_bounds(name: str) -> None:
    least, most = BOUNDS[name]
    for value in (least, most):
        assert getattr(named(f"{name}={value}"), name) == value
    for wrong in (str(least - 1), str(most + 1), "two", "", "1.5", "²", "-1"):
        with pytest.raises(SettingsError, match=f"{name} of the SeRAG index is") as caught:
            named(f"{name}={wrong}")
        assert f"Give {least:,} to {most:,}" in caught.value.remedy


def test_there_is_a_second_tree_where_it_is_asked_for() -> None:
    assert SeragIndexSettings().trees() == {NAME: FUSED}
    assert SeragIndexSettings(semantic=True).trees() == {NAME: FUSED, SEMANTIC: MEANING_ALONE}


@pytest.mark.parametrize(
    ("retriever", "index"), [("", ""), ("paper,flat", ""), ("semantic", "semantic"), ("paper,semantic", "semantic")]
)
def test_a_retriever_over_meaning_alone_needs_the_tree_of_it(retriever: str, index: str) -> None:
    settings = parse(SeragRetrieverSettings, retriever, of="The retriever 'serag'")
    assert SeRag().index_options(settings) == index
