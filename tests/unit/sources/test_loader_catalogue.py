from __future__ import annotations

import logging
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.sources import write

from overstory.errors import LoaderNotFound
from overstory.model import Annotation, Document
from overstory.protocols import OnBroken
from overstory.sources.loader_catalogue import Catalogue, catalogue, known_formats
from overstory.sources.walk import read_sources


class Eager:
    """Recognises everything, as loaders of other packages may."""

    name = "eager"

    def recognises(self, source: str) -> bool:  # noqa: ARG002
        return True

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:  # noqa: ARG002
        yield from ()


class Nervous(Eager):
    name = "nervous"

    def recognises(self, source: str) -> bool:  # noqa: ARG002
        raise RuntimeError("not today")


class NoLoader:
    pass


def point(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, f"{__name__}:{value}", "overstory.loaders")


def test_the_built_in_loaders_are_found_through_their_entry_points() -> None:
    assert {"beir", "csv", "docx", "html", "jsonl", "markdown", "openie", "pdf", "text"} <= set(catalogue().loaders)


def test_a_loader_that_cannot_be_used_stops_nobody_and_is_explained() -> None:
    points = [
        point("missing", "Nothing"),
        point("none", "NoLoader"),
        point("good", "Eager"),
        EntryPoint("gone", "no_such_module:X", "overstory.loaders"),
    ]
    found = catalogue(points)
    assert list(found.loaders) == ["good"]
    assert "AttributeError" in found.unusable["missing"]
    assert "is not a valid loader, but a NoLoader" in found.unusable["none"]
    assert "ModuleNotFoundError: No module named 'no_such_module'" in found.unusable["gone"]
    with pytest.raises(LoaderNotFound, match="The loader 'gone' cannot be used: no_such_module:X of the package"):
        found.named("gone")


def test_the_second_loader_of_a_name_is_left_out_and_named() -> None:
    found = catalogue([point("same", "Eager"), point("same", "Nervous")])
    assert isinstance(found.loaders["same"], Eager)
    assert found.unusable == {"same (unknown)": "another loader has this name"}


def test_loaders_of_other_packages_are_asked_first() -> None:
    found = catalogue([*entry_points(group="overstory.loaders"), point("zzz", "Eager")])
    assert next(iter(found.loaders)) == "zzz"
    assert found.recognising("a.txt") is found.loaders["zzz"]


def test_one_that_fails_to_look_is_passed_over(caplog: pytest.LogCaptureFixture) -> None:
    found = Catalogue({"nervous": Nervous(), "eager": Eager()})
    assert found.recognising("a.txt") is found.loaders["eager"]
    assert caplog.record_tuples[0][1:] == (logging.WARNING, "The loader 'nervous' failed to look at a.txt")


def test_a_loader_is_found_by_name_or_by_what_it_recognises(tmp_path: Path) -> None:
    found = catalogue()
    assert found.named("csv").name == "csv"
    markdown = found.recognising(str(tmp_path / "a.md"))
    assert markdown is not None
    assert markdown.name == "markdown"


def test_a_name_that_nobody_has_is_told_which_there_are() -> None:
    with pytest.raises(LoaderNotFound, match=r"There is no loader 'cvs'\.") as raised:
        catalogue().named("cvs")
    assert "csv, " in raised.value.remedy


def test_a_source_that_nobody_knows_is_told_what_to_try(tmp_path: Path) -> None:
    path = write(tmp_path / "a.xyz", "What is this?\0")
    with pytest.raises(LoaderNotFound, match=r"a\.xyz: no loader recognises it\.") as raised:
        read_sources([str(path)], loader=None, on_broken=print, on_skipped=print)
    assert "--loader" in raised.value.remedy


def test_without_any_loader_the_remedy_is_to_reinstall() -> None:
    with pytest.raises(LoaderNotFound) as raised:
        catalogue([]).named("text")
    assert raised.value.remedy == "No loader is installed: reinstall Overstory."


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
