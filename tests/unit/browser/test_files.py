from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from overstory.browser.queries import all_queries, saved_queries
from overstory.browser.style import archive, archive_name, save
from overstory.errors import SettingsError

QUERIES = all_queries(saved_queries("Corpus_0123456789abcdef"))


def test_the_archive_is_a_folder_of_favourites() -> None:
    with zipfile.ZipFile(io.BytesIO(archive("wiki", QUERIES))) as file:
        assert {str(Path(name).parent) for name in file.namelist()} == {"Overstory wiki"}
        assert file.read("Overstory wiki/related.cypher").decode().startswith("// Name: the facts around it\n")
        assert len(file.namelist()) == len(QUERIES)


def test_equal_queries_give_equal_archives() -> None:
    assert archive("wiki", QUERIES) == archive("wiki", QUERIES)


def test_a_corpus_name_is_never_a_path() -> None:
    assert archive_name("../a/b") == "overstory----a-b.zip"


def test_saving_writes_queries_style_and_archive(tmp_path: Path) -> None:
    files = save(tmp_path / "new", "wiki", QUERIES, "node {}")
    assert {file.name for file in files} == {
        "overstory-wiki.zip",
        "overstory.grass",
        *(f"{query.name}.cypher" for query in QUERIES),
    }
    assert (tmp_path / "new" / "paths.cypher").read_text(encoding="utf-8").endswith("LIMIT 5\n")


def test_a_folder_that_cannot_be_written_to_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match="cannot be written to"):
        save(tmp_path / "file" / "below", "wiki", QUERIES, "")
