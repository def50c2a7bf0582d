"""A system that holds the whole in memory says before a build that there is too little."""

from __future__ import annotations

import pytest

from overstory.errors import OverstoryError
from overstory.systems import find_system, system_names
from overstory.systems.lifecycle import check_memory

GIGABYTE = 1_000_000_000


@pytest.mark.parametrize("name", system_names())
def test_a_corpus_for_which_there_is_too_little_memory_is_refused_with_a_remedy(name: str) -> None:
    system = find_system(name)
    settings = system.settings()
    check_memory(system, settings, 1_000, memory=4 * GIGABYTE)
    if system.bytes_a_passage(settings):
        with pytest.raises(OverstoryError, match=r"about [\d,]+ GB of memory for 1,000,000,000 passages") as caught:
            check_memory(system, settings, 1_000_000_000, memory=4 * GIGABYTE)
        assert "fewer documents" in caught.value.remedy


def test_what_keeps_fewer_edges_needs_less() -> None:
    system = find_system("serag")
    sparing = system.settings(sharing=64, common=200)
    assert system.bytes_a_passage(sparing) < system.bytes_a_passage(system.settings())
