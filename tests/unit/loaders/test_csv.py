from __future__ import annotations

import csv
import gzip
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.sources import load, write

from overstory_loaders import CsvLoader


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_the_one_of_the_header(tmp_path: Path, delimiter: str) -> None:
    rows = [
        ["id", "Title", "text", "year", "at"],
        ["a", "A; B, C|D", 'He said:\n"Salt, please."', "1807", "1807-11-19"],
    ]
    path = tmp_path / "table.csv"
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    document = load(CsvLoader(), path).document
    assert (document.source, document.source_key) == (path.as_posix(), "a")
    assert document.title == "A; B, C|D"
    assert document.text == 'He said:\n"Salt, please."'
    assert document.metadata == {"year": 1807, "at": datetime(1807, 11, 19, tzinfo=UTC)}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "\ufefftext\r\nx\r\n\r\n"),
        ("a.tsv", "\n\ntext\tn\nx\t1\n"),
        ("a.csv.gz", gzip.compress(b"text\nx\n", mtime=0)),
        ("a.csv", "text,n\nx,1\n".encode("utf-16")),
    ],
)
def test_marks_blank_lines_and_compression_do_not_matter(tmp_path: Path, name: str, content: str | bytes) -> None:
    path = write(tmp_path / name, content)
    assert CsvLoader().recognises(str(path))
    assert load(CsvLoader(), path).document.text == "x"


def test_a_column_has_numbers_or_true_and_false_where_all_of_its_cells_do(tmp_path: Path) -> None:
    rows = "text,year,share,seen,code,mixed,price,title\nx,1905,1,TRUE,007,1,1.10,5\ny,,0.5,false,008,true,2.20,6\n"
    first, second = load(CsvLoader(), write(tmp_path / "a.csv", rows)).documents
    assert first.metadata == {"year": 1905, "share": 1, "seen": True, "code": "007", "mixed": "1", "price": "1.10"}
    assert second.metadata == {"share": 0.5, "seen": False, "code": "008", "mixed": "true", "price": "2.20"}
    assert (first.title, second.title) == ("5", "6")
    later = load(CsvLoader(), write(tmp_path / "b.csv", "text,year\nx,1905\ny,unknown\n")).documents
    assert [document.metadata["year"] for document in later] == ["1905", "unknown"]


def test_columns_without_a_name_are_left_out(tmp_path: Path) -> None:
    path = write(tmp_path / "pandas.csv", ",id,text\n0,a,x\n1,b,y\n")
    outcome = load(CsvLoader(), path)
    assert [(document.source_key, document.metadata) for document in outcome.documents] == [("a", {}), ("b", {})]


def test_rows_that_do_not_fit_are_reported_with_the_line_they_begin_on(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", 'id,text\n1,"two\nlines"\n2,a,b\n3\n4,"x" y\n5,last\n')
    outcome = load(CsvLoader(), path)
    assert [document.source_key for document in outcome.documents] == ["1", "5"]
    assert outcome.messages == [
        "line 4: has 3 cells where the header has 2",
        "line 5: has 1 cell where the header has 2",
        "line 6: is not a valid table row: ',' expected after '\"'",
    ]


def test_a_row_that_is_not_utf8_is_lost_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", b'id,text\n1,"two\ncaf\xe9s"\n2,fine\n')
    outcome = load(CsvLoader(), path)
    assert [document.source_key for document in outcome.documents] == ["2"]
    assert outcome.messages == ["line 2: is not UTF-8: byte 0xe9 at position 8 of 'text'"]


def test_a_text_longer_than_the_usual_limit_of_a_cell_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,text\n1," + "x" * 200_000 + "\n")
    assert len(load(CsvLoader(), path).document.text) == 200_000


def test_a_quote_that_never_closes_is_one_broken_row(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", 'id,text\n1,fine\n2,"open\n3,lost\n')
    outcome = load(CsvLoader(), path)
    assert [document.source_key for document in outcome.documents] == ["1"]
    assert outcome.messages == ["line 3: is not a valid table row: unexpected end of data"]


def test_a_table_without_texts_is_read_as_a_sheet(tmp_path: Path) -> None:
    document = load(CsvLoader(), write(tmp_path / "prices.csv", "kind;year\nsea;1807\nrock;1809;x\n")).document
    assert document.text == "kind: sea | year: 1807\nkind: rock | year: 1809 | x"
    assert (document.title, document.source_key) == ("prices", "")


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    outcome = load(CsvLoader(), write(tmp_path / "a.csv", "text,year,year\nx,1,2\n"))
    assert outcome.messages == ["line 1: has two columns 'year'"]


def test_a_table_without_rows_is_empty(tmp_path: Path) -> None:
    assert load(CsvLoader(), write(tmp_path / "a.csv", "id,text\n\n")).messages == [
        "is empty: it has a header and no rows"
    ]
    assert load(CsvLoader(), write(tmp_path / "b.csv", "\n")).messages == ["is empty"]


def test_a_quote_that_is_never_closed_is_named_and_does_not_swallow_the_file(tmp_path: Path) -> None:
    path = write(tmp_path / "open.csv", 'id,text\na,fine\nb,"open\n' + "c,x\n" * 250_000)
    loaded = load(CsvLoader(), path)
    assert [document.source_key for document in loaded.documents] == ["a"]
    [broken] = loaded.broken
    assert "line 3: has a quote that is not closed within 100,000 lines" in str(broken)
    assert "double the quotes" in broken.remedy


@pytest.mark.parametrize(("mark", "delimiter"), [("sep=;", ";"), ("SEP=|", "|"), ("sep=\t", "\t")])
def test_a_line_that_names_the_delimiter_is_no_row(mark: str, delimiter: str, tmp_path: Path) -> None:
    rows = [("kind, at sea", "sold", "left"), ("salt, fine", "4", "2")]
    text = "\r\n".join([mark, *map(delimiter.join, rows), ""])
    assert load(CsvLoader(), write(tmp_path / "a.csv", text)).document.text == (
        "kind, at sea: salt, fine | sold: 4 | left: 2"
    )
    lines = [mark, delimiter.join(("text", "n")), delimiter.join(("x", "1"))]
    assert load(CsvLoader(), write(tmp_path / "b.csv", "\n".join(lines))).document.metadata == {"n": 1}


def test_a_table_whose_rows_were_all_rejected_leaves_no_document(tmp_path: Path) -> None:
    outcome = load(CsvLoader(), write(tmp_path / "a.csv", b"kind,place\nsea,K\xf6ln\nrock,\xc5rhus\n"))
    assert outcome.documents == []
    assert outcome.messages[-1] == "is empty: none of its rows can be read"
