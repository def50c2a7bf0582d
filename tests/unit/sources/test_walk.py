from __future__ import annotations

import errno
import gzip
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.sources import write

from overstory.errors import BrokenSource, LoaderNotFound, install_command
from overstory.model import Annotation, Document
from overstory.protocols import OnBroken
from overstory.sources.loader_catalogue import Catalogue, catalogue
from overstory.sources.walk import read_sources
from overstory_loaders.files import missing_extra


@dataclass
class Read:
    """The outcome of a call of `read_sources`."""

    texts: list[str] = field(default_factory=list[str])
    broken: list[str] = field(default_factory=list[str])
    remedies: list[str] = field(default_factory=list[str])
    skipped: list[str] = field(default_factory=list[str])


def read(*paths: Path | str, loader: str | None = None, installed: Catalogue | None = None) -> Read:
    result = Read()

    def on_broken(error: BrokenSource) -> None:
        result.broken.append(str(error))
        result.remedies.append(error.remedy)

    items = read_sources(
        [str(path) for path in paths],
        loader=loader,
        on_broken=on_broken,
        on_skipped=result.skipped.append,
        installed=installed,
    )
    result.texts.extend(item.text for item in items if isinstance(item, Document))
    return result


class Scripted:
    """A loader of somebody else's, that does what a test says with `.scripted` files."""

    name = "scripted"

    def __init__(self, script: Callable[[str, OnBroken], Iterator[Document | Annotation]]) -> None:
        self._script = script

    def recognises(self, source: str) -> bool:
        return source.endswith(".scripted")

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:
        return self._script(source, on_broken)


def with_script(script: Callable[[str, OnBroken], Iterator[Document | Annotation]]) -> Catalogue:
    return Catalogue({"scripted": Scripted(script), **catalogue().loaders})


def test_a_folder_is_walked_by_name_and_what_is_hidden_left_alone(tmp_path: Path) -> None:
    for name in ["b.txt", "a/z.md", "a/y.txt", "c/d/e.txt", ".git/x.txt", "a/.hidden.txt"]:
        write(tmp_path / name, name)
    result = read(tmp_path)
    assert result.texts == ["a/y.txt", "a/z.md", "b.txt", "c/d/e.txt"]
    assert result.broken == result.skipped == []


def test_what_is_skipped_in_spite_of_its_name_is_told_why(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('["Germany"]')
    (tmp_path / "b.msg").write_bytes(bytes.fromhex("d0cf11e0a1b11ae1"))
    (tmp_path / "c.xls").write_bytes(bytes.fromhex("d0cf11e0a1b11ae1"))
    (tmp_path / "d.png").write_bytes(b"\x89PNG")
    (tmp_path / "e.json").write_text('[{"text": "One."}]')
    why = [what.removeprefix(f"{tmp_path}/") for what in read(tmp_path).skipped]
    assert why[0] == "a.json (contains no JSON object, or is not JSON. Read it as plain text: --loader text)"
    assert why[1].startswith("b.msg (is an Outlook message (.msg). Save it as .eml")
    assert why[2].startswith(
        "c.xls (is an .xls file from before 2007. Open it in Excel or LibreOffice, and save it as .xlsx"
    )
    assert why[3:] == ["d.png"]
    assert read(tmp_path / "b.msg", tmp_path / "e.json").broken == [f"{tmp_path}/b.msg: is an Outlook message (.msg)"]
    assert read(tmp_path, loader="xml").skipped[0] == f"{tmp_path}/a.json"


def test_what_nobody_recognises_is_skipped_in_folders(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "text")
    image = write(tmp_path / "image.png", b"\x89PNG")
    (tmp_path / "nowhere.txt").symlink_to(tmp_path / "gone.txt")
    result = read(tmp_path)
    assert result.texts == ["text"]
    assert result.skipped == [str(image), f"{tmp_path / 'nowhere.txt'} (a broken link)"]
    assert result.broken == []


def test_the_only_file_named_must_be_recognised(tmp_path: Path) -> None:
    with pytest.raises(LoaderNotFound, match="no loader recognises it"):
        read(write(tmp_path / "image.png", b"\x89PNG"))


def test_among_several_the_unrecognised_one_is_reported(tmp_path: Path) -> None:
    image, text = write(tmp_path / "image.png", b"\x89PNG"), write(tmp_path / "a.txt", "text")
    result = read(image, text)
    assert result.texts == ["text"]
    assert result.broken == [f"{image}: no loader recognises it"]


def test_a_loader_that_nobody_has_is_told_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(LoaderNotFound, match="There is no loader 'txt'"):
        read_sources([str(tmp_path)], loader="txt", on_broken=_fail, on_skipped=_fail)


def test_a_file_is_read_once_however_often_it_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "folder" / "a.txt", "text")
    (tmp_path / "link.txt").symlink_to(path)
    (tmp_path / "folder" / "again").symlink_to(tmp_path / "folder")
    result = read(path, tmp_path, f"{tmp_path}/folder/../folder", tmp_path / "link.txt")
    assert result.texts == ["text"]
    assert result.broken == []


def test_folders_that_link_to_themselves_are_entered_once(tmp_path: Path) -> None:
    write(tmp_path / "a" / "x.txt", "x")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "self").symlink_to("self")
    result = read(tmp_path)
    assert result.texts == ["x"]
    assert result.skipped == [f"{tmp_path / 'self'} (a broken link)"]


def test_a_document_is_known_by_where_it_was_put_not_by_what_a_link_leads_to(tmp_path: Path) -> None:
    write(tmp_path / "release-2" / "a.txt", "text")
    (tmp_path / "current").symlink_to("release-2")
    items = read_sources([f"{tmp_path}/current"], loader=None, on_broken=_fail, on_skipped=_fail)
    assert [item.source for item in items] == [f"{tmp_path}/current/a.txt"]


def test_dots_behind_a_link_are_the_parent_of_what_it_leads_to(tmp_path: Path) -> None:
    write(tmp_path / "real" / "a.txt", "right")
    write(tmp_path / "a.txt", "wrong")
    (tmp_path / "real" / "inner").mkdir()
    (tmp_path / "link").symlink_to("real/inner")
    assert read(f"{tmp_path}/link/../a.txt").texts == ["right"]


def test_a_beir_folder_is_read_as_a_whole_wherever_it_stands(tmp_path: Path) -> None:
    corpus = write(tmp_path / "sets" / "corpus.jsonl", '{"_id": "a", "text": "passage"}\n')
    queries = write(tmp_path / "sets" / "queries.jsonl", '{"_id": "q", "text": "question"}\n')
    write(tmp_path / "notes.txt", "notes")
    result = read(tmp_path, corpus)
    assert result.texts == ["notes", "passage"]
    assert result.skipped == [f"{queries} (its folder is read as a whole, by the loader 'beir')"]
    assert read(corpus, corpus.parent).texts == ["passage"]
    assert read(queries, corpus.parent) == Read(texts=["question", "passage"])


def test_a_named_loader_reads_the_files_named_and_of_folders_what_it_recognises(tmp_path: Path) -> None:
    style = write(tmp_path / "site.css", "style")
    write(tmp_path / "a.txt", "text")
    write(tmp_path / "app.trace", "trace")
    write(tmp_path / "b.md", "markdown")
    assert read(style, loader="text").texts == ["style"]
    result = read(tmp_path, loader="text")
    assert result.texts == ["text", "trace"]
    assert result.skipped == [str(tmp_path / "b.md"), str(style)]


@pytest.mark.parametrize(("loader", "what"), [(None, "any loader"), ("beir", "the loader 'beir'")])
def test_a_folder_that_holds_nothing_to_read_is_reported(tmp_path: Path, loader: str | None, what: str) -> None:
    write(tmp_path / "image.png", b"\x89PNG")
    assert read(tmp_path, loader=loader).broken == [f"{tmp_path}: contains nothing that {what} recognises"]


@pytest.mark.parametrize(
    ("path", "message", "remedy"),
    [
        ("/no/such/file.txt", "/no/such/file.txt: no such file or folder", "Check the path."),
        ("", "(an empty path): no such file or folder", "Check the path."),
        ("/dev/null", "/dev/null: is neither a file nor a folder", "Write it to a file first."),
    ],
)
def test_paths_that_are_none_are_reported_with_a_remedy(path: str, message: str, remedy: str, tmp_path: Path) -> None:
    result = read(path, write(tmp_path / "a.txt", "the rest goes in"))
    assert (result.broken, result.remedies) == ([message], [remedy])
    assert result.texts == ["the rest goes in"]


def test_pipes_in_folders_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    write(tmp_path / "a.txt", "text")
    result = read(tmp_path)
    assert result.texts == ["text"]
    assert result.skipped == [f"{tmp_path / 'pipe.txt'} (neither a file nor a folder)"]


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS refuses such names")
def test_names_that_are_not_utf8_are_reported(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt")).write_text("text")
    write(tmp_path / "a.txt", "text")
    result = read(tmp_path)
    assert result.texts == ["text"]
    assert result.broken == [f"{tmp_path}/caf\\xe9.txt: its name is not UTF-8"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_reported(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "text")
    write(tmp_path / "b.txt", "secret").chmod(0)
    write(tmp_path / "c" / "d.txt", "secret").parent.chmod(0)
    result = read(tmp_path)
    (tmp_path / "c").chmod(0o700)
    assert result.texts == ["text"]
    assert result.broken == [
        f"{tmp_path / 'b.txt'}: cannot be read: permission denied",
        f"{tmp_path / 'c'}: cannot be read: permission denied",
    ]


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs the files of the kernel")
def test_files_of_the_kernel_which_may_never_end_are_not_opened(tmp_path: Path) -> None:
    (tmp_path / "endless.txt").symlink_to("/proc/kmsg")
    (tmp_path / "kernel").symlink_to("/proc/self")
    write(tmp_path / "fine.txt", "text")
    result = read(tmp_path)
    assert result.texts == ["text"]
    assert result.broken == [f"{tmp_path / 'endless.txt'}: is a kernel file, which may never end"]
    assert result.skipped == [f"{tmp_path / 'kernel'} (a kernel folder)"]


def test_a_missing_library_stops_only_its_own_files(tmp_path: Path) -> None:
    def fail(source: str, on_broken: OnBroken) -> Iterator[Document | Annotation]:
        raise missing_extra("pdf", "pypdf")

    write(tmp_path / "a.scripted", "")
    write(tmp_path / "b.txt", "text")
    result = read(tmp_path, installed=with_script(fail))
    assert result.texts == ["text"]
    assert result.broken == [f"{tmp_path / 'a.scripted'}: reading this format needs pypdf, which is not installed"]
    assert result.remedies == [install_command("pdf")]


def test_a_loader_that_fails_stops_only_its_own_file(tmp_path: Path) -> None:
    def fail(source: str, on_broken: OnBroken) -> Iterator[Document | Annotation]:
        yield Document(source, "", "before")
        raise KeyError("oops")

    write(tmp_path / "a.scripted", "")
    write(tmp_path / "b.txt", "text")
    result = read(tmp_path, installed=with_script(fail))
    assert result.texts == ["before", "text"]
    assert result.broken == [f"{tmp_path / 'a.scripted'}: the loader 'scripted' failed: KeyError: 'oops'"]


def test_errors_of_the_file_system_are_reported(tmp_path: Path) -> None:
    def fail(source: str, on_broken: OnBroken) -> Iterator[Document | Annotation]:
        raise OSError(errno.EIO, os.strerror(errno.EIO), source)

    write(tmp_path / "broken.scripted", "")
    write(tmp_path / "fine.txt", "text")
    result = read(tmp_path, installed=with_script(fail))
    assert result.texts == ["text"]
    assert result.broken == [f"{tmp_path / 'broken.scripted'}: cannot be read: Input/output error"]


def test_what_is_no_document_is_reported(tmp_path: Path) -> None:
    def give_text(source: str, on_broken: OnBroken) -> Iterator[Document | Annotation]:
        yield source  # type: ignore[misc] # pyright: ignore[reportReturnType] # as loaders without types may

    path = write(tmp_path / "a.scripted", "")
    result = read(path, installed=with_script(give_text))
    assert result.broken == [f"{path}: the loader 'scripted' failed: TypeError: it returned a str, not a Document"]


def test_what_the_listener_raises_comes_through_as_it_is(tmp_path: Path) -> None:
    class Stop(Exception):
        """An exception of the caller."""

    heard: list[BrokenSource] = []

    def stop(error: BrokenSource) -> None:
        heard.append(error)
        raise Stop

    def wrap(source: str, on_broken: OnBroken) -> Iterator[Document | Annotation]:
        try:
            on_broken(BrokenSource("bad", source=source))
        except Stop as error:
            raise ValueError("wrapped") from error
        yield from ()

    path = write(tmp_path / "a.scripted", "")
    with pytest.raises(Stop):
        list(read_sources([str(path)], loader=None, on_broken=stop, on_skipped=_fail, installed=with_script(wrap)))
    assert len(heard) == 1


def test_strict_reading_stops_at_the_first_broken_record(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"text": "a"}\n{\n{"text": "b"}\n')
    items = read_sources([str(path)], loader=None, on_broken=_fail, on_skipped=_fail)
    next(items)
    with pytest.raises(BrokenSource, match="line 2"):
        next(items)


def test_files_are_opened_one_after_the_other(tmp_path: Path) -> None:
    first, second = write(tmp_path / "a.txt", "a"), write(tmp_path / "b.txt", "b")
    items = read_sources([str(first), str(second)], loader=None, on_broken=_fail, on_skipped=_fail)
    next(items)
    second.write_text("changed meanwhile")
    assert [item.text for item in items if isinstance(item, Document)] == ["changed meanwhile"]


def test_every_built_in_format_is_found_in_one_folder(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "text")
    write(tmp_path / "b.MD", "# markdown")
    write(tmp_path / "c.html", "<p>html")
    write(tmp_path / "d.jsonl.gz", gzip.compress(b'{"text": "jsonl"}\n'))
    write(tmp_path / "e.csv", "text\ncsv\n")
    write(tmp_path / "f.jsonl", '{"idx": "1", "passage": "openie", "extracted_entities": [], "extracted_triples": []}')
    assert read(tmp_path).texts == ["text", "# markdown", "html", "jsonl", "csv", "openie"]


def _fail(error: object) -> None:
    if isinstance(error, BaseException):
        raise error
    raise AssertionError(error)
