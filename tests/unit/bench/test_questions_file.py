"""Questions in a CSV file: what is read, and what is said of a file that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from overstory.bench.own_questions import OwnQuestion, expected, notes_on, read_own_questions
from overstory.errors import BenchError
from overstory.index import StoredDocument

FILE = "question,answer,source\nWho wrote Dracula?,Bram Stoker | Stoker,authors/stoker.md\nWho is mayor?,,\n"
READ = [
    OwnQuestion(2, "Who wrote Dracula?", ("Bram Stoker", "Stoker"), ("authors/stoker.md",)),
    OwnQuestion(3, "Who is mayor?"),
]


def written(folder: Path, text: str | bytes) -> Path:
    file = folder / "questions.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


@pytest.mark.parametrize(
    "text",
    [
        FILE,
        FILE.replace(",", ";"),
        FILE.replace(",", "\t"),
        FILE.replace("\n", "\r\n"),
        FILE.encode("utf-8-sig"),
        FILE.encode("utf-16"),
        FILE.replace("question,answer", " Question , ANSWER "),
    ],
)
def test_a_file_is_read_as_spreadsheets_write_it(tmp_path: Path, text: str | bytes) -> None:
    assert read_own_questions(written(tmp_path, text)) == READ


def test_columns_may_be_in_any_order_and_the_source_may_be_left_out(tmp_path: Path) -> None:
    file = written(tmp_path, '\n"answer","question"\n"Ulm, Germany","Where ""exactly""\nwas it?"\n\n,Why?\n')
    assert read_own_questions(file) == [
        OwnQuestion(3, 'Where "exactly"\nwas it?', ("Ulm, Germany",)),
        OwnQuestion(6, "Why?"),
    ]


@pytest.mark.parametrize(
    ("text", "message", "remedy"),
    [
        ("", "the file is empty", "question,answer,source"),
        ("question,answer\n", "there is no question below the header", "one question per line"),
        ("question,answers\nWho?,I\n", "line 1: unknown column 'answers'", "question,answer,source"),
        ("question,source\nWho?,I\n", "line 1: the column 'answer' is missing", "question,answer,source"),
        ("question,answer,answer\nWho?,I,I\n", "line 1: duplicate column 'answer'", "question,answer"),
        ("Who?,I\n", "line 1: unknown column 'who?'", "question,answer,source"),
        (
            "question,answer\nWho?,Ulm, Germany\n",
            "line 2: 3 cells for 2 columns; the first extra cell is 'Germany'",
            "Quote cells",
        ),
        ("question,answer\nWho?\n", "line 2, column 'answer': the row ends before this column", "Write the separator"),
        ("question,answer\n,Ulm\n", "line 2, column 'question': The question is empty", "Write a question"),
        ('question,answer\n"Who?,I\n', "line 2: unexpected end of data", "Quote cells"),
        (FILE.replace("Bram", "Bräm").encode("latin-1"), "line 2: this is not UTF-8", "iconv"),
        (b"question,answer\nWho?,\0\n", "is not a text file", "CSV"),
    ],
)
def test_a_file_that_is_wrong_is_explained(tmp_path: Path, text: str | bytes, message: str, remedy: str) -> None:
    file = written(tmp_path, text)
    with pytest.raises(BenchError) as caught:
        read_own_questions(file)
    assert str(caught.value).startswith(str(file))
    assert message in str(caught.value)
    assert remedy in caught.value.remedy


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="cannot be read: No such file"):
        read_own_questions(tmp_path / "none.csv")


def document(id_: str, source: str, key: str = "") -> StoredDocument:
    return StoredDocument(id_, source, key, "", 1, {})


DOCUMENTS = [
    document("d1", "/work/docs/authors/Stoker.md"),
    document("d2", "/work/docs/films/stoker.md"),
    document("d3", "/work/docs/people.csv", "7"),
    document("d4", "notes", "ulm"),
]


@pytest.mark.parametrize(
    ("source", "ids"),
    [
        ("authors/stoker.md", {"d1"}),
        ("authors\\stoker.md", {"d1"}),
        ("./authors/stoker.md", {"d1"}),
        ("/work/docs/authors/stoker.md", {"d1"}),
        ("stoker.md", {"d1", "d2"}),
        ("people.csv", {"d3"}),
        ("people.csv#7", {"d3"}),
        ("ulm", {"d4"}),
        ("notes", {"d4"}),
    ],
)
def test_a_source_names_documents_by_how_they_end(source: str, ids: set[str]) -> None:
    [asked] = expected([OwnQuestion(2, "Who?", ("I",), (source,))], DOCUMENTS, Path("q.csv"))
    assert asked.sources == (frozenset(ids),)
    assert (asked.answerable, asked.id, asked.named) == (True, "line 2", (source,))


def test_a_source_that_is_no_document_is_named_with_the_nearest() -> None:
    questions = [OwnQuestion(2, "Who?", ("I",), ("toker.md", "x")), OwnQuestion(3, "Why?", (), ("ulm",))]
    with pytest.raises(
        BenchError, match=r"q\.csv, line 2, column 'source': no document of the corpus matches 'toker\.md'"
    ) as caught:
        expected(questions, DOCUMENTS, Path("q.csv"))
    assert "and 1 other source" in str(caught.value)
    assert "Similar: stoker.md" in caught.value.remedy


def test_a_source_that_names_several_documents_is_noted() -> None:
    asked = expected([OwnQuestion(2, "Who?", ("I",), ("stoker.md", "ulm"))], DOCUMENTS, Path("q.csv"))
    assert notes_on(asked) == ("'stoker.md' matches 2 documents. Citing any matching document counts.",)
    assert notes_on(asked[:0]) == ()
