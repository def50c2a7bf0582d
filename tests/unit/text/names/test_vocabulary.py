from __future__ import annotations

import json
from pathlib import Path

import pytest

from overstory.errors import BrokenSource
from overstory.text.names.edits import EditedNames, NameEdit
from overstory.text.names.vocabulary import (
    _LONGEST_VOCABULARY_NAME_CHARACTERS,
    _MOST_VOCABULARY_LINES,
    VocabularyName,
    read_vocabulary,
)

HEADER = "name,type,aliases\n"


def read(folder: Path, text: str) -> dict[str, VocabularyName]:
    path = folder / "terms"
    path.write_text(text, encoding="utf-8")
    return read_vocabulary(path)


def test_both_forms_say_the_same(tmp_path: Path) -> None:
    rows = [
        {"name": "Heap Overflow", "type": "TERM", "aliases": ["Heap Smash", "HO"]},
        {"name": "Smith, Wesson & Co", "type": "ORG"},
        {"name": "Zürich", "aliases": "Zurigo; zurich"},
    ]
    from_csv = read(
        tmp_path,
        f"\ufeff{HEADER}Heap Overflow,TERM,Heap Smash;HO; heap  smash\n\n"
        '"Smith, Wesson & Co",ORG,\nZürich,,Zurigo;zurich\n',
    )
    assert from_csv == read(tmp_path, "".join(json.dumps(row) + "\n" for row in rows))
    assert from_csv == {
        "heap overflow": VocabularyName("Heap Overflow", "TERM", ("Heap Smash", "HO")),
        "smith wesson and co": VocabularyName("Smith, Wesson & Co", "ORG"),
        "zurich": VocabularyName("Zürich", "", ("Zurigo",)),
    }
    for empty in ("", "\n \n", HEADER):
        assert read(tmp_path, empty) == {}


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("Ulm,GPE,\n", 1, "the header must be"),
        (f"{HEADER}Ulm,,\n ,GPE,\n", 3, "the name is empty"),
        (f"{HEADER},,\n", 2, "the name is empty"),
        (f"{HEADER}…,,\n", 2, "has no word"),
        (f"{HEADER}the,,\n", 2, "the name 'the' has no word except an article"),
        (f"{HEADER}\x1b\u202e,,\n", 2, "the name is empty"),
        (f"{HEADER}Ulm,,…\n", 2, "has no word"),
        (f"{HEADER}Ulm,,\nBern,,\nthe ULM,,\n", 4, "already on line 2"),
        (f"{HEADER}Ulm,,Bern\nBasel,,bern\n", 3, "also an alias of 'Ulm' on line 2"),
        (f"{HEADER}Ulm,,Bern\nBERN,,\n", 3, "an alias of 'Ulm' on line 2"),
        (f"{HEADER}Ulm,,\nBern,,ulm\n", 3, "is a name on line 2"),
        (f"{HEADER}Ulm,CITY,\n", 2, "'CITY' is not a type"),
        (f"{HEADER}Ulm,GPE,a,b\n", 2, "4 fields"),
        (f'{HEADER}"Ulm,GPE,\n', 2, "unexpected end"),
        (f"{HEADER}{'x' * (_LONGEST_VOCABULARY_NAME_CHARACTERS + 1)},,\n", 2, "201 characters"),
        (f"{HEADER}Ulm,,{'x' * (_LONGEST_VOCABULARY_NAME_CHARACTERS + 1)}\n", 2, "201 characters"),
        (HEADER + "\n" * _MOST_VOCABULARY_LINES, _MOST_VOCABULARY_LINES + 1, "more than 100,000 lines"),
        ('{"name": "Ulm"}\n[]\n', 2, "not a JSON object"),
        ('{"name": "Ulm", "kind": "GPE"}\n', 1, "'kind' is not a key"),
        ('{"name": 7}\n', 1, "must be a string"),
        ('{"name": "Ulm", "aliases": {"a": 1}}\n', 1, "must be a list or a string"),
        ('{"name": "Ulm\\ud800"}\n', 1, "half of a character"),
        ('{"type": "GPE"}\n', 1, "the name is empty"),
        ('{"name": "Ulm"}\n{"name": \n', 2, "Expecting value"),
    ],
)
def test_a_wrong_line_is_named_with_a_remedy(tmp_path: Path, text: str, line: int, why: str) -> None:
    with pytest.raises(BrokenSource, match=why) as error:
        read(tmp_path, text)
    assert error.value.line == line
    assert error.value.source == str(tmp_path / "terms")
    assert "name,type,aliases" in error.value.remedy


def test_characters_that_no_loaded_text_has_are_left_out(tmp_path: Path) -> None:
    found = read(tmp_path, f"{HEADER}\x1b[31mVienna\u202e,GPE,Vi\x00en;\u200b\n")
    assert list(found.values()) == [VocabularyName("[31mVienna", "GPE", ("Vien",))]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(HEADER.encode() + b"Z\xfcrich,,\n")
    for name in ("latin", "missing", "."):
        with pytest.raises(BrokenSource, match="cannot be read") as error:
            read_vocabulary(tmp_path / name)
        assert error.value.remedy


def test_edits_win_over_vocabularies_and_later_vocabularies_over_earlier_ones() -> None:
    first = VocabularyName("IBM", "ORG", ("Big Blue",))
    edited = EditedNames([], [first, VocabularyName("Deep Blue", "", ("Big Blue",)), VocabularyName("ibm", "PRODUCT")])
    assert edited.resolve("big blue") == "deep blue"
    assert edited.given == {"ibm": "PRODUCT", "deep blue": ""}
    assert edited.type_of("ibm", ["GPE"]) == "PRODUCT"
    assert edited.type_of("deep blue", ["GPE"]) == "GPE"
    assert edited.type_of("deep blue", []) == "TERM"
    assert edited.type_of("ulm", []) == ""
    assert EditedNames([NameEdit("hide", "IBM")], [first]).given == {}
    merged = EditedNames([NameEdit("merge", "IBM", "Acme")], [first])
    assert merged.given == {"acme": "ORG"}
    assert merged.resolve("big blue") == "acme"
