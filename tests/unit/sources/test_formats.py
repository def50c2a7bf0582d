"""Which files are read here, and what others would need."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from overstory.sources.formats import known_formats


@pytest.mark.parametrize(
    ("suffix", "library"),
    [
        (".md", "overstory"),
        (".json", "overstory"),
        (".pdf", "pypdf"),
        (".docx", "docx"),
        (".html", "selectolax"),
        (".tif", "rapidocr"),
    ],
)
def test_a_format_is_read_where_its_library_is_installed_and_else_says_what_to_install(
    suffix: str, library: str
) -> None:
    (found,) = [each for each in known_formats() if suffix in each.suffixes]
    assert bool(found.problem) == (find_spec(library) is None)
    assert ("install" in found.remedy) == bool(found.problem)


def test_what_no_loader_recognises_is_not_listed() -> None:
    assert ".msg" not in {suffix for each in known_formats() for suffix in each.suffixes}
