"""A run that must not leave some folders follows no link out of them, and lists those that it skipped."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.sources import mail_of, write, zip_of

from overstory.model import Annotation, Document
from overstory.protocols import OnBroken
from overstory.sources import Coverage, ReadOptions, read_sources
from overstory.sources.loader_catalogue import Catalogue
from overstory_loaders.text import TextLoader

SECRET = "The code of the safe is 1895."


@dataclass
class Read:
    texts: dict[str, str] = field(default_factory=dict[str, str])
    skipped: list[str] = field(default_factory=list[str])
    broken: list[str] = field(default_factory=list[str])
    coverage: Coverage = field(default_factory=Coverage)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder that is read; next to it lies what is not for it."""
    write(tmp_path / "outside" / "secret.txt", SECRET)
    write(tmp_path / "read" / "notes.txt", "Salt is up.")
    return tmp_path / "read"


def read(folder: Path, *, installed: Catalogue | None = None, within: Path | None = None) -> Read:
    found = Read()
    items = read_sources(
        [str(folder)],
        loader=None,
        on_broken=lambda error: found.broken.append(str(error).replace(f"{folder}/", "")),
        on_skipped=lambda what: found.skipped.append(what.replace(f"{folder}/", "")),
        installed=installed,
        coverage=found.coverage,
        options=ReadOptions(within=(str(within or folder),)),
    )
    for item in items:
        if isinstance(item, Document):
            found.texts[item.source.replace(f"{folder}/", "")] = item.text
    return found


def chain(folder: Path) -> str:
    (folder / "second").symlink_to("../outside/secret.txt")
    (folder / "first.txt").symlink_to("second")
    return "first.txt"


def through_a_link_within(folder: Path) -> str:
    (folder / "below").mkdir()
    (folder / "below" / "up").symlink_to("..")
    (folder / "secret.txt").symlink_to("below/up/../outside/secret.txt")
    return "secret.txt"


def to_a_name_that_begins_alike(folder: Path) -> str:
    write(Path(f"{folder}-not") / "secret.txt", SECRET)
    (folder / "alike").symlink_to(f"{folder}-not")
    return "alike"


def linked(name: str, target: str) -> Callable[[Path], str]:
    def link(folder: Path) -> str:
        (folder / name).symlink_to(target)
        return name

    return link


@pytest.mark.parametrize(
    "link",
    [
        linked("secret.txt", "../outside/secret.txt"),
        linked("all", "../outside"),
        linked("above", ".."),
        linked("root", "/"),
        chain,
        through_a_link_within,
        to_a_name_that_begins_alike,
    ],
)
def test_a_link_out_of_the_folder_is_skipped_and_listed(folder: Path, link: Callable[[Path], str]) -> None:
    name = link(folder)
    found = read(folder)
    assert found.texts == {"notes.txt": "Salt is up."}
    assert f"{name} (points outside the folders that may be read)" in found.skipped
    assert found.coverage.why_kept(str(folder / name / "secret.txt")) is not None


def test_links_within_are_followed(folder: Path) -> None:
    write(folder / "deep" / "more.md", "More.")
    (folder / "also.txt").symlink_to("notes.txt")
    (folder / "a").symlink_to("deep")
    assert set(read(folder).texts) == {"a/more.md", "also.txt"}
    assert read(folder).skipped == []
    (folder / "deep" / "secret.txt").symlink_to("../../outside/secret.txt")
    assert SECRET in read(folder, within=folder.parent).texts.values()


def test_a_folder_that_became_a_link_is_skipped_as_a_whole(folder: Path) -> None:
    (folder / "sub").symlink_to("../outside")
    found = read(folder / "sub", within=folder)
    assert (found.texts, len(found.skipped)) == ({}, 1)


class Swapping(TextLoader):
    """The loader of texts, whose file is replaced by a link at the last moment."""

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:
        path = Path(source)
        path.unlink()
        path.symlink_to("../outside/secret.txt")
        return super().load(source, on_broken=on_broken)


def test_a_file_that_is_swapped_for_a_link_after_the_walk_is_not_read(folder: Path) -> None:
    found = read(folder, installed=Catalogue({"text": Swapping()}, {}))
    assert found.texts == {}
    assert found.broken == ["notes.txt: points outside the folders that may be read"]


def test_files_that_loaders_open_beside_the_named_one_are_held_to_it_too(folder: Path) -> None:
    write(folder.parent / "outside" / "nodes.csv", f"id,text\na,{SECRET}\n")
    write(folder / "graph" / "edges.csv", "source,target\na,b\n")
    (folder / "graph" / "nodes.csv").symlink_to("../../outside/nodes.csv")
    found = read(folder)
    assert SECRET not in repr(found)
    assert "graph/nodes.csv: points outside the folders that may be read" in found.broken


def test_members_and_attachments_are_read_from_their_copies(folder: Path) -> None:
    write(folder / "a.zip", zip_of({"in/notes.txt": "In the archive.", "read.me": "# Hello\n"}))
    message = mail_of("Salt", "See the file.")
    message.add_attachment(b"Attached.", "text", "plain", filename="a.txt")
    write(folder / "a.eml", message.as_bytes())
    found = read(folder)
    assert found.texts["a.zip/in/notes.txt"] == "In the archive."
    assert found.texts["a.eml/a.txt"] == "Attached."
    assert (found.broken, os.path.realpath(folder)) == ([], str(folder))
