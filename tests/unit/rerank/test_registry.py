from __future__ import annotations

from pathlib import Path

import pytest
from tests.packages import install

from overstory.errors import ModelError
from overstory.rerank import make_reranker
from overstory.settings import RerankSettings

ACME = """
class AcmeReranker:
    def __init__(self, settings):
        self.name = settings.model

    def rerank(self, question, passages):
        return [float(len(passage)) for passage in passages]
"""
ENTRY_POINTS = """
[overstory.rerankers]
acme = acme_reranker:AcmeReranker
"""


def test_without_a_setting_there_is_none_and_the_remedy_names_the_variables() -> None:
    with pytest.raises(ModelError, match="No reranker is set") as caught:
        make_reranker(RerankSettings())
    assert "OVERSTORY_RERANK_BASE_URL" in caught.value.remedy


def test_another_package_may_bring_a_reranker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "acme", ENTRY_POINTS, acme_reranker=ACME)
    assert make_reranker(RerankSettings("acme", model="long")).rerank("?", ["a", "abc"]) == [1.0, 3.0]


def test_an_unknown_name_gives_the_known_ones() -> None:
    with pytest.raises(ModelError, match=r"There is no reranker 'bge'\.") as raised:
        make_reranker(RerankSettings("bge"))
    assert raised.value.remedy.startswith("Set OVERSTORY_RERANKER to one of: endpoint.")
