"""How the retriever answers, by the names of its options."""

from __future__ import annotations

from dataclasses import replace

import pytest

from overstory.errors import SettingsError
from overstory.systems.serag.index_settings import NAME, SEMANTIC
from overstory.systems.serag.retriever_settings import OPTIONS, SeragOptions

PAPER = SeragOptions.named("paper")


def test_as_published_the_constants_are_those_of_table_5() -> None:
    assert (PAPER.coarse, PAPER.fine, PAPER.communities) == (0.4, 0.6, 10)
    assert (PAPER.bonus, PAPER.idf_weighted, PAPER.similar_names) == (1.0, False, True)
    assert (PAPER.beside, PAPER.tree, PAPER.self_query) == (0.0, NAME, "model")


def test_options_combine_in_any_order() -> None:
    assert SeragOptions.named("") == SeragOptions.named(" , ") == SeragOptions()
    flat = SeragOptions.named("flat, paper")
    assert flat == SeragOptions.named("paper,flat,flat") == replace(PAPER, coarse=0.0)
    assert SeragOptions.named("flat") == SeragOptions(beside=0.0)
    assert SeragOptions.named("semantic,no-self-query") == SeragOptions(tree=SEMANTIC, self_query="none")
    assert SeragOptions.named("paper,no-self-query") == replace(PAPER, self_query="none")


def test_over_meaning_alone_the_cosine_is_the_weight_of_an_edge() -> None:
    assert SeragOptions.named("semantic").edge_weight == "similar"
    assert SeragOptions().edge_weight == "weight"


def test_an_option_that_there_is_not_is_named_with_those_that_there_are() -> None:
    with pytest.raises(SettingsError, match="'serag' has no option 'deep'") as caught:
        SeragOptions.named("paper,deep")
    assert all(option in caught.value.remedy for option in OPTIONS)
