from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.sources import load, write

from overstory.errors import BrokenSource
from overstory.sources.walk import read_sources
from overstory_loaders import JsonLinesLoader

SOURCE_LINES = '{"id": "a", "title": "A", "text": "First."}\n{"id": 2, "text": "Second."}\n'


def test_a_record_is_a_document_and_its_other_fields_metadata(tmp_path: Path) -> None:
    record = {
        "_id": "x1",
        "name": "Salt",
        "contents": " Sodium chloride. ",
        "year": 1807,
        "tags": ["ion", "food"],
        "nothing": None,
        "maker": {"name": "Davy"},
        "read": "1807-11-19T14:00:00Z",
        "metadata": {"lang": "en", "year": 0},
    }
    path = write(tmp_path / "a.jsonl", json.dumps(record))
    document = load(JsonLinesLoader(), path).document
    assert (document.source, document.source_key) == (path.as_posix(), "x1")
    assert (document.title, document.text) == ("Salt", "Sodium chloride.")
    assert document.metadata == {
        "year": 1807,
        "tags": ["ion", "food"],
        "maker": '{"name": "Davy"}',
        "read": datetime(1807, 11, 19, 14, tzinfo=UTC),
        "lang": "en",
    }


@pytest.mark.parametrize("field", ["text", "contents", "content", "body", "page_content", "Text", " BODY "])
def test_the_text_goes_by_many_names(tmp_path: Path, field: str) -> None:
    assert load(JsonLinesLoader(), write(tmp_path / "a.jsonl", json.dumps({field: "x"}))).document.text == "x"


@pytest.mark.parametrize("field", ["id", "_id", "key", "ID"])
def test_the_id_goes_by_many_names_and_stays_as_it_is(tmp_path: Path, field: str) -> None:
    path = write(tmp_path / "a.jsonl", json.dumps({field: " Ä\u0308 ", "text": "x"}))
    assert load(JsonLinesLoader(), path).document.source_key == " Ä\u0308 "


@pytest.mark.parametrize("content", [SOURCE_LINES, "\ufeff" + SOURCE_LINES.replace("\n", "\r\n\r\n")])
def test_blank_lines_windows_line_ends_and_byte_order_marks_do_not_matter(tmp_path: Path, content: str) -> None:
    outcome = load(JsonLinesLoader(), write(tmp_path / "a.jsonl", content))
    assert [document.source_key for document in outcome.documents] == ["a", "2"]
    assert outcome.broken == []


def test_compressed_files_and_utf16_are_read(tmp_path: Path) -> None:
    for name, content in {
        "a.jsonl.gz": gzip.compress(SOURCE_LINES.encode()),
        "b.ndjson": SOURCE_LINES.encode("utf-16"),
    }.items():
        path = write(tmp_path / name, content)
        assert JsonLinesLoader().recognises(str(path))
        assert len(load(JsonLinesLoader(), path).documents) == 2


@pytest.mark.parametrize(
    "content",
    ['[{"text": "a"},\n {"text": "b"}]', '{"text": "a"}\n{"text": "b"}', '{"docs": [{"text": "a"}, {"text": "b"}]}'],
)
@pytest.mark.parametrize("name", ["a.json", "a.json.gz"])
def test_arrays_are_read_too(tmp_path: Path, content: str, name: str) -> None:
    path = write(tmp_path / name, gzip.compress(content.encode()) if name.endswith("gz") else content)
    assert JsonLinesLoader().recognises(str(path))
    assert [document.text for document in load(JsonLinesLoader(), path).documents] == ["a", "b"]


def test_one_object_over_several_lines_is_one_document(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", json.dumps({"id": "a", "text": "line\u2028line"}, indent=2, ensure_ascii=False))
    assert load(JsonLinesLoader(), path).document.text == "line\nline"


def test_a_broken_line_is_reported_with_its_number_and_the_rest_goes_on(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"text": "a"}\n\n{"text": "b",}\n[1]\n{"text": "c"}\n')
    outcome = load(JsonLinesLoader(), path)
    assert [document.text for document in outcome.documents] == ["a", "c"]
    assert [error.line for error in outcome.broken] == [3, 4]
    assert outcome.messages[0].startswith("line 3: is not JSON: ")
    assert outcome.messages[1] == "line 4: is not a JSON object"


def test_the_first_record_of_an_id_wins(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"id": 1, "text": "a"}\n{"id": "1", "text": "b"}\n')
    outcome = load(JsonLinesLoader(), path)
    assert [document.text for document in outcome.documents] == ["a"]
    assert outcome.messages == ["line 2: has the same id '1' as line 1, which was loaded"]


def test_records_without_ids_keep_their_keys_when_others_come_and_go(tmp_path: Path) -> None:
    lines = [json.dumps({"text": text, "stars": stars}) for text, stars in [("good", 5), ("good", 4), ("bad", 1)]]
    before = load(JsonLinesLoader(), write(tmp_path / "a.jsonl", "\n".join(lines)))
    after = load(JsonLinesLoader(), write(tmp_path / "a.jsonl", "\n".join(['{"text": "new"}', *reversed(lines)])))
    keys = {(document.text, document.metadata["stars"]): document.source_key for document in before.documents}
    assert len(set(keys.values())) == 3
    for document in after.documents[1:]:
        assert document.source_key == keys[document.text, document.metadata["stars"]]


def test_records_that_repeat_word_for_word_all_go_in(tmp_path: Path) -> None:
    outcome = load(JsonLinesLoader(), write(tmp_path / "a.jsonl", '{"text": "good"}\n' * 3))
    first, *others = (document.source_key for document in outcome.documents)
    assert others == [f"{first}-2", f"{first}-3"]
    assert outcome.broken == []


def test_a_title_alone_is_text_enough(tmp_path: Path) -> None:
    document = load(JsonLinesLoader(), write(tmp_path / "a.jsonl", '{"title": "Only a title", "text": ""}')).document
    assert document.text == document.title == "Only a title"


def test_half_an_emoji_costs_no_document_but_no_id_may_have_one(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", r'{"id": 1, "text": "so \ud83d"}' + "\n" + r'{"id": "\ud83d", "text": "x"}')
    outcome = load(JsonLinesLoader(), path)
    assert [document.text for document in outcome.documents] == ["so \ufffd"]
    assert outcome.messages == ["line 2: its id '\\ud83d' has a control character or a lone surrogate"]


def test_what_is_no_json_at_all_is_given_up_soon(tmp_path: Path) -> None:
    outcome = load(JsonLinesLoader(), write(tmp_path / "a.jsonl", "a line of text\n" * 5_000))
    assert outcome.messages == ["is not JSON lines: none of its first 100 lines is a JSON object"]


def test_a_few_broken_lines_at_the_head_hide_nothing(tmp_path: Path) -> None:
    outcome = load(JsonLinesLoader(), write(tmp_path / "a.jsonl", "// header\n" * 99 + '{"text": "x"}\n{\n'))
    assert len(outcome.documents) == 1
    assert [error.line for error in outcome.broken] == [*range(1, 100), 101]
    assert len(load(JsonLinesLoader(), write(tmp_path / "b.jsonl", "{\n" * 99)).broken) == 99


@pytest.mark.parametrize(
    ("content", "recognised"),
    [
        ('{"text": "x"}', True),
        ('{"other": "x"}', True),
        ("not JSON", True),
        ('{"overstory_export": 1}\n{"text": "x"}', False),
        ('{"_id": "x", "entities": [], "triples": []}', False),
    ],
)
def test_exports_and_triples_are_left_to_others(tmp_path: Path, content: str, recognised: bool) -> None:
    assert JsonLinesLoader().recognises(str(write(tmp_path / "a.jsonl", content))) is recognised


@pytest.mark.parametrize("content", ["[1, 2]", '"text"', "", "{"])
def test_json_files_of_other_kinds_are_not_recognised(tmp_path: Path, content: str) -> None:
    assert not JsonLinesLoader().recognises(str(write(tmp_path / "a.json", content)))


def _feature(properties: dict[str, object]) -> dict[str, object]:
    return {"type": "Feature", "geometry": None, "properties": properties}


TROWEL: dict[str, object] = {"sku": "GT-1", "name": "Garden trowel", "price": 12.5, "maker": "Oakfield"}
CAN: dict[str, object] = {"sku": "WC-2", "name": "Watering can", "price": 18.0, "maker": "Rivet & Sons"}
ROWS = [
    "sku: GT-1 | name: Garden trowel | price: 12.5 | maker: Oakfield",
    "sku: WC-2 | name: Watering can | price: 18 | maker: Rivet & Sons",
]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", f"{json.dumps(TROWEL)}\n{json.dumps(CAN)}\n"),
        ("a.ndjson", f"{json.dumps(TROWEL)}\n{json.dumps(CAN)}\n"),
        ("a.json", json.dumps([TROWEL, CAN])),
        ("a.json", json.dumps({"items": [TROWEL, CAN]})),
        ("a.json", json.dumps({"result": {"rows": [TROWEL, CAN]}}, indent=1)),
        ("a.json", json.dumps({"old": [TROWEL], "new": [CAN]})),
        ("a.json", json.dumps({"type": "FeatureCollection", "features": [_feature(TROWEL), _feature(CAN)]})),
    ],
)
def test_records_without_a_text_are_read_as_rows_whatever_contains_them(
    name: str, content: str, tmp_path: Path
) -> None:
    path = write(tmp_path / name, content)
    assert JsonLinesLoader().recognises(str(path))
    documents = load(JsonLinesLoader(), path).documents
    assert [document.text for document in documents] == ROWS
    assert [document.title for document in documents] == ["Garden trowel", "Watering can"]
    assert documents[0].metadata == {"sku": "GT-1", "price": 12.5, "maker": "Oakfield"}


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (
            {"id": 1, "title": "Kiln", "description": "Owned by Mira Toft.", "summary": "x"},
            "id: 1 | title: Kiln | description: Owned by Mira Toft. | summary: x",
        ),
        ({"question": "Who owns it?", "answer": "Mira Toft."}, "question: Who owns it? | answer: Mira Toft."),
        (
            {
                "messages": [
                    {"role": "user", "content": "Who owns it?"},
                    {"role": "bot", "content": [{"text": "Mira."}]},
                ]
            },
            "messages: role: user | content: Who owns it?\nmessages: role: bot | content: text: Mira.",
        ),
        (
            {"maker": {"name": "Toft", "town": {"name": "Ribe"}}, "tags": ["a", 1, True], "none": None, "at": []},
            "maker.name: Toft | maker.town.name: Ribe | tags: a, 1, true",
        ),
        ({"name": "Toft", "note": "x" * 101}, f"name: Toft\nnote: {'x' * 101}"),
        ({"name": "Toft", "text": " ", "vector": [0.5] * 101, "age": 3}, "name: Toft | age: 3"),
        ({"name": "Toft", "text": "", "metadata": {"lang": "en"}}, "Toft"),
        ({"content": [{"type": "text", "text": "Hi."}], "role": "user"}, "content: type: text | text: Hi.\nrole: user"),
    ],
)
def test_a_row_has_each_field_with_its_name(record: dict[str, object], text: str, tmp_path: Path) -> None:
    lines = json.dumps(record) + "\n" + json.dumps({"text": "x"})
    assert load(JsonLinesLoader(), write(tmp_path / "a.jsonl", lines)).documents[0].text == text


def test_what_surrounds_a_list_of_records_is_a_record_too(tmp_path: Path) -> None:
    content = json.dumps({"museum": "Oakfield", "pieces": [TROWEL], "next": None})
    documents = load(JsonLinesLoader(), write(tmp_path / "a.json", content)).documents
    assert [document.text for document in documents] == [ROWS[0], "museum: Oakfield"]


def test_an_object_with_a_title_is_one_record_and_one_with_only_objects_names_its_records(tmp_path: Path) -> None:
    order = json.dumps({"title": "Order 17", "lines": [{"sku": "GT-1"}, {"sku": "WC-2"}]})
    document = load(JsonLinesLoader(), write(tmp_path / "a.json", order)).document
    assert document.text == "title: Order 17\nlines: sku: GT-1\nlines: sku: WC-2"
    named = json.dumps({"GT-1": {"price": 12.5}, "WC-2": {"price": 18}})
    documents = load(JsonLinesLoader(), write(tmp_path / "b.json", named)).documents
    assert [(document.source_key, document.text) for document in documents] == [
        ("GT-1", "id: GT-1 | price: 12.5"),
        ("WC-2", "id: WC-2 | price: 18"),
    ]


def test_one_object_larger_than_what_is_looked_at_first_is_recognised(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", json.dumps({"items": [{"sku": str(number)} for number in range(100_000)]}))
    assert JsonLinesLoader().recognises(str(path))


@pytest.mark.parametrize("value", ["[" * 940 + "]" * 940, '{"a":' * 500 + "1" + "}" * 500, "[" * 100_000])
@pytest.mark.parametrize(
    ("loader", "content"),
    [
        ("jsonl", '{"text": "a", "m": VALUE}\n{"text": "b"}\n'),
        ("jsonl", '[{"text": "a", "m": VALUE}]'),
        ("graph", '{"type": "node", "id": "a", "m": VALUE}\n{"type": "node", "id": "b", "name": "b"}\n'),
        ("openie", '{"docs": [{"passage": "a", "extracted_entities": VALUE}]}'),
        ("notebook", '{"cells": [], "metadata": VALUE}'),
    ],
)
def test_json_that_is_nested_too_deeply_is_broken(tmp_path: Path, loader: str, content: str, value: str) -> None:
    broken: list[BrokenSource] = []
    path = write(tmp_path / "a.jsonl", content.replace("VALUE", value))
    list(read_sources([str(path)], loader=loader, on_broken=broken.append, on_skipped=lambda _: None))
    assert "nested too deeply" in str(broken[0])
