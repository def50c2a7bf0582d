"""How the retriever answers, by the names of its options."""

from __future__ import annotations

from dataclasses import replace

import pytest

from overstory.errors import SettingsError
from overstory.systems.settings import parse
from overstory_systems.serag import SeragRetrieverSettings
from overstory_systems.serag.index_settings import NAME, SEMANTIC


def named(options: str) -> SeragRetrieverSettings:
    return parse(SeragRetrieverSettings, options, of="The retriever 'serag'")


PAPER = named("paper")


def test_as_published_the_constants_are_those_of_table_5() -> None:
    assert (PAPER.coarse, PAPER.fine, PAPER.communities) == (0.4, 0.6, 10)
    assert (PAPER.bonus, PAPER.idf_weighted, PAPER.similar_names) == (1.0, False, True)
    assert (PAPER.neighbours, PAPER.tree, PAPER.self_query) == (0.0, NAME, True)


def test_options_combine_in_any_order() -> None:
    assert named("") == named(" , ") == SeragRetrieverSettings()
    flat = named("flat, paper")
    assert flat == named("paper,flat,flat") == replace(PAPER, coarse=0.0)
    assert named("flat") == SeragRetrieverSettings(neighbours=0.0)
    assert named("semantic,no-self-query") == SeragRetrieverSettings(tree=SEMANTIC, self_query=False)
    assert named("paper,no-self-query") == replace(PAPER, self_query=False)
    assert named("paper,coarse=0.1") == replace(PAPER, coarse=0.1)


def test_over_meaning_alone_the_cosine_is_the_weight_of_an_edge() -> None:
    assert named("semantic").edge_weight == "semantic_weight"
    assert SeragRetrieverSettings().edge_weight == "weight"


def test_an_unknown_option_is_named_with_those_that_exist() -> None:
    with pytest.raises(SettingsError, match="'serag' has no option 'deep'") as caught:
        named("paper,deep")
    assert all(option in caught.value.remedy for option in ("paper", "flat", "semantic", "no-self-query", "bonus="))
