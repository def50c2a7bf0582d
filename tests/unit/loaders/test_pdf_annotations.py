"""Annotations on the pages of a PDF are read: form fields, free text and stamps."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pypdf
import pytest
from pypdf.generic import (
    ArrayObject,
    DictionaryObject,
    FloatObject,
    NameObject,
    NumberObject,
    StreamObject,
    TextStringObject,
)
from tests.sources import load, write

from overstory_loaders import PdfLoader

FONT = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica", "/Encoding": "/WinAnsiEncoding"}
Printed = tuple[float, float, str]
"""A text on a page, after its position."""


def form_of(printed: Sequence[Printed], *annotations: dict[str, Any], fields: Sequence[dict[str, Any]] = ()) -> bytes:
    """A PDF of one page with texts and annotations; the Parent of an annotation is the place of one of the fields."""
    writer = pypdf.PdfWriter()
    page = writer.add_blank_page(600, 800)
    resources = _object({"/Font": {"/F1": FONT}})
    page[NameObject("/Resources")] = resources
    contents = StreamObject()
    shown = "\n".join(f"1 0 0 1 {x} {y} Tm ({text}) Tj" for x, y, text in printed)
    contents.set_data(f"BT /F1 12 Tf\n{shown}\nET".encode("cp1252"))
    page[NameObject("/Contents")] = _added(writer, contents)
    parents = [_added(writer, _object(each)) for each in fields]
    made: list[Any] = []
    for each in annotations:
        annotation = _object({"/Type": "/Annot", **each})
        if "Draws" in each:
            drawn = StreamObject()
            drawn.set_data(f"BT /F1 12 Tf 2 4 Td ({each['Draws']}) Tj ET".encode("cp1252"))
            drawn.update({NameObject("/Subtype"): NameObject("/Form"), NameObject("/Resources"): resources})
            annotation[NameObject("/AP")] = DictionaryObject({NameObject("/N"): _added(writer, drawn)})
        if "/Parent" in each:
            annotation[NameObject("/Parent")] = parents[each["/Parent"]]
        made.append(_added(writer, annotation))
    page[NameObject("/Annots")] = ArrayObject(made)
    stream = io.BytesIO()
    writer.write(stream)
    return stream.getvalue()


def _added(writer: pypdf.PdfWriter, made: Any) -> Any:
    return writer._add_object(made)  # pyright: ignore[reportPrivateUsage] # there is no other way


def _object(value: Any) -> Any:
    match value:
        case dict():
            return DictionaryObject({NameObject(key): _object(each) for key, each in value.items() if key[0] == "/"})
        case list():
            return ArrayObject([_object(each) for each in value])
        case str():
            return NameObject(value) if value.startswith("/") else TextStringObject(value)
        case int():
            return NumberObject(value)
        case _:
            return FloatObject(value)


def field(kind: str, left: float, bottom: float, value: object = None, **more: Any) -> dict[str, Any]:
    """A form field of 150 by 20 points; check boxes and radio buttons are 12 points wide and high."""
    width, height = (12, 12) if kind == "/Btn" else (150, 20)
    made = {"/Subtype": "/Widget", "/FT": kind, "/Rect": [left, bottom, left + width, bottom + height]}
    return made | ({} if value is None else {"/V": value}) | {f"/{key}": each for key, each in more.items()}


def read(folder: Path, content: bytes) -> str:
    return load(PdfLoader(), write(folder / "form.pdf", content)).document.text


def test_fields_and_free_text_of_a_lease(tmp_path: Path) -> None:
    lease = form_of(
        [(50, 700, "Tenant:"), (50, 670, "Monthly rent in euro:")],
        field("/Tx", 150, 695, "Mira Toft", T="tenant"),
        field("/Tx", 200, 665, "840", T="rent"),
        {"/Subtype": "/FreeText", "/Contents": "Approved by Ida Moss", "/Rect": [50, 600, 250, 620]},
    )
    assert read(tmp_path, lease) == "Tenant: Mira Toft\nMonthly rent in euro: 840\nApproved by Ida Moss"


def test_a_value_is_named_by_the_label_next_to_it_or_above_it_or_by_its_field(tmp_path: Path) -> None:
    form = form_of(
        [(50, 700, "First name"), (300, 700, "Last name"), (50, 640, "Town"), (300, 640, "Since"), (50, 760, "Lease")],
        field("/Tx", 300, 615, "May 2024", T="a4"),
        field("/Tx", 50, 615, "Brell", T="a3"),
        field("/Tx", 370, 695, "Moss", T="a2"),
        field("/Tx", 120, 695, "Ida", T="a1"),
        field("/Tx", 50, 200, "none", T="pets", TU="Pets of the tenant"),
        field("/Tx", 50, 150, "4711", T="account", Parent=0),
        field("/Tx", 50, 100, "", T="empty"),
        fields=[{"/T": "bank"}],
    )
    assert read(tmp_path, form).split("\n") == [
        "First name: Ida Last name: Moss",
        "Town: Brell Since: May 2024",
        "Lease",
        "Pets of the tenant: none",
        "bank.account: 4711",
    ]


def test_values_stand_in_the_sentence_around_their_fields(tmp_path: Path) -> None:
    form = form_of(
        [(50, 700, "The tenant,"), (270, 700, "of"), (440, 700, "pays monthly.")],
        field("/Tx", 115, 695, "Mira Toft", T="who"),
        field("/Tx", 285, 695, "Århus", T="where"),
    )
    assert read(tmp_path, form) == "The tenant, Mira Toft of: Århus pays monthly."


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (field("/Ch", 150, 695, "dk", Opt=[["de", "Germany"], ["dk", "Denmark"]]), "Choice: Denmark"),
        (field("/Ch", 150, 695, ["salt", "tea"], Opt=["salt", "tea", "rye"]), "Choice: salt, tea"),
        (field("/Ch", 150, 695, "other"), "Choice: other"),
        (field("/Btn", 150, 695, AS="/Yes", AP={"/N": {"/Yes": 0, "/Off": 0}}), "Choice: Yes"),
        (field("/Btn", 150, 695, AS="/Off"), "Choice:"),
        (field("/Btn", 150, 695, "Send", Ff=1 << 16), "Choice:"),
        (field("/Tx", 150, 695, "secret", Ff=1 << 13), "Choice:"),
        (field("/Tx", 150, 695, "hidden", F=2), "Choice:"),
        (field("/Tx", 150, 695, None) | {"Draws": "drawn"}, "Choice: drawn"),
        (field("/Sig", 150, 695, {"/Name": "Ida Moss"}), "Choice: Ida Moss"),
        (field("/Tx", 150, 695, "two\rlines"), "Choice: two\nlines"),
    ],
)
def test_each_kind_of_field_has_its_shown_value(made: dict[str, Any], text: str, tmp_path: Path) -> None:
    assert read(tmp_path, form_of([(50, 700, "Choice:")], made)) == text


def test_check_boxes_are_shown_before_the_labels_on_their_right(tmp_path: Path) -> None:
    states = {"/N": {"/1": 0, "/Off": 0}}
    form = form_of(
        [(50, 700, "Pets:"), (120, 700, "cat"), (220, 700, "dog"), (120, 670, "The rules are accepted.")],
        field("/Btn", 100, 698, Parent=0, AS="/Off", AP=states),
        field("/Btn", 200, 698, Parent=0, AS="/1", AP=states),
        field("/Btn", 100, 668, "/1", T="rules", AP=states),
        field("/Btn", 400, 100, Parent=1, AS="/1", AP=states),
        fields=[{"/T": "pet", "/V": "/1"}, {"/T": "floor", "/Opt": ["ground", "first"]}],
    )
    assert read(tmp_path, form).split("\n") == ["Pets: ☐ cat ☒ dog", "☒ The rules are accepted.", "floor: first"]


def test_stamps_are_read_as_they_are_drawn_and_comments_are_not_read(tmp_path: Path) -> None:
    box = {"/Rect": [50, 500, 200, 540]}
    form = form_of(
        [(50, 700, "Invoice 4711")],
        {"/Subtype": "/Stamp", "/Contents": "a comment", **box, "Draws": "PAID 3 May"},
        {"/Subtype": "/Stamp", "/Name": "/Approved", **box},
        {"/Subtype": "/Stamp", "/Contents": "Received", "/Name": "/X", **box},
        {"/Subtype": "/FreeText", **box, "Draws": "see page 2"},
        {"/Subtype": "/Text", "/Contents": "a note", **box},
        {"/Subtype": "/Link", "/Contents": "a link", **box},
    )
    assert read(tmp_path, form).split("\n") == ["Invoice 4711", "PAID 3 May", "Approved", "Received", "see page 2"]


def test_a_page_without_a_text_has_its_fields(tmp_path: Path) -> None:
    assert read(tmp_path, form_of([], field("/Tx", 50, 700, "840", T="rent"))) == "rent: 840"


def test_damaged_annotations_are_reported_and_the_page_is_read(tmp_path: Path) -> None:
    broken = form_of([(50, 700, "Lease")], {"/Subtype": "/Widget", "/FT": "/Tx", "/V": "x"})
    outcome = load(PdfLoader(), write(tmp_path / "a.pdf", broken))
    assert [document.text for document in outcome.documents] == ["Lease"]
    assert outcome.messages == ["page 1: its form fields cannot be read: its structure is invalid ('/Rect')"]
