"""Names of uploaded files, as clients write them."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from overstory_service.jobs.uploads import upload_form


async def names_of(request: Request) -> Response:
    async with upload_form(request, most_files=2, most_fields=2) as form:
        found = [(name, getattr(each, "filename", each)) for name, each in form.multi_items()]
        texts = [(await each.read()).decode() for _, each in form.multi_items() if not isinstance(each, str)]
    return JSONResponse({"found": found, "texts": texts})


CLIENT = TestClient(Starlette(routes=[Route("/", names_of, methods=["POST"])]))


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ("name=files; filename*=UTF-8''Stra%C3%9Fe%201.md", "Straße 1.md"),
        ("name=files; filename*=utf-8'de'%e2%82%ac.md", "€.md"),
        ("name=files; filename*=iso-8859-1''%A3.md", "£.md"),
        ("name=files; filename=\"Strasse.md\"; filename*=UTF-8''Stra%C3%9Fe.md", "Straße.md"),
        ("filename*=UTF-8''Stra%C3%9Fe.md; name=files; filename=Strasse.md", "Straße.md"),
        ("name=files; filename*=\"UTF-8''Stra%C3%9Fe.md\"", "Straße.md"),
        ("name=files; FileName*=UTF-8''%22a%5Cb%22.md", '"a\\b".md'),
        ("name=files; filename=\"a; filename*=UTF-8''b.md\"", "a; filename*=UTF-8''b.md"),
        ("name=files; filename=plain.md; filename*=UTF-8''%ff.md", "plain.md"),
        ("name=files; filename=plain.md; filename*=klingon''a.md", "plain.md"),
        ("name=files; filename=plain.md", "plain.md"),
    ],
)
def test_a_file_keeps_its_name(disposition: str, name: str) -> None:
    answer = CLIENT.post(
        "/",
        content=f"--x\r\nContent-Disposition: form-data; {disposition}\r\n\r\ntext\r\n--x--\r\n".encode(),
        headers={"Content-Type": "multipart/form-data; boundary=x"},
    )
    assert answer.json() == {"found": [["files", name]], "texts": ["text"]}


def test_files_are_counted_and_other_forms_are_empty() -> None:
    part = "--x\r\nContent-Disposition: form-data; name=files; filename*=UTF-8''a.md\r\n\r\ntext\r\n"
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    assert CLIENT.post("/", content=f"{part * 3}--x--\r\n", headers=kind).status_code == 400
    assert CLIENT.post("/", content="not a form", headers=kind).status_code == 400
    assert CLIENT.post("/", data={"files": "a"}).json()["found"] == []
