"""Settings of SeRAG's index and of its retriever; tests/unit/systems/test_settings.py has what options share."""

from __future__ import annotations

from dataclasses import replace

import pytest

from overstory.errors import SettingsError
from overstory.systems.settings import parse
from overstory_systems.serag import SeRag, SeragIndexSettings, SeragRetrieverSettings
from overstory_systems.serag.chunk_graph import FUSED, MEANING_ALONE
from overstory_systems.serag.settings import NAME, SEMANTIC

BOUNDS = {"levels": (1, 8), "nearest": (1, 1_000), "common": (2, 100_000), "sharing": (1, 10_000), "linked": (1, 1_000)}


def index(options: str) -> SeragIndexSettings:
    return parse(SeragIndexSettings, options, of="The SeRAG index")


def retriever(options: str) -> SeragRetrieverSettings:
    return parse(SeragRetrieverSettings, options, of="The retriever 'serag'")


PAPER = retriever("paper")


@pytest.mark.parametrize("name", BOUNDS)
def test_a_number_is_within_its_bounds(name: str) -> None:
    least, most = BOUNDS[name]
    for value in (least, most):
        assert getattr(index(f"{name}={value}"), name) == value
    for wrong in (least - 1, most + 1):
        with pytest.raises(SettingsError, match=f"{name} of the SeRAG index must be") as caught:
            index(f"{name}={wrong}")
        assert f"Give {least:,} to {most:,}" in caught.value.remedy


def test_there_is_a_second_tree_where_it_is_asked_for() -> None:
    assert SeragIndexSettings().trees() == {NAME: FUSED}
    assert index("semantic").trees() == {NAME: FUSED, SEMANTIC: MEANING_ALONE}


@pytest.mark.parametrize(
    ("options", "needed"), [("", ""), ("paper,flat", ""), ("semantic", "semantic"), ("paper,semantic", "semantic")]
)
def test_a_retriever_over_meaning_alone_needs_the_tree_of_it(options: str, needed: str) -> None:
    assert SeRag().index_options(retriever(options)) == needed


def test_as_published_the_constants_are_those_of_table_5() -> None:
    assert (PAPER.coarse, PAPER.fine, PAPER.communities) == (0.4, 0.6, 10)
    assert (PAPER.bonus, PAPER.idf_weighted, PAPER.similar_names) == (1.0, False, True)
    assert (PAPER.neighbours, PAPER.tree, PAPER.self_query) == (0.0, NAME, True)


def test_presets_of_the_retriever_combine() -> None:
    assert retriever("flat") == SeragRetrieverSettings(neighbours=0.0)
    assert retriever("flat, paper") == retriever("paper,flat") == replace(PAPER, coarse=0.0)
    assert retriever("semantic,no-self-query") == SeragRetrieverSettings(tree=SEMANTIC, self_query=False)


def test_over_meaning_alone_the_cosine_is_the_weight_of_an_edge() -> None:
    assert retriever("semantic").edge_weight == "semantic_weight"
    assert SeragRetrieverSettings().edge_weight == "weight"
