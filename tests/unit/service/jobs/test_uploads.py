"""Uploaded files: their names, and where they may go, below the folder of their job and nowhere else."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from overstory_service.jobs.uploads import Uploads, safe_parts, upload_form
from overstory_service.problems import Refused

JOB = "0123456789abcdef" * 2


@pytest.mark.parametrize(
    "name",
    [
        "../secret",
        "a/../../b",
        "/etc/passwd",
        "..\\..\\b",
        "C:\\x",
        "C:x",
        "",
        ".",
        "a//b",
        ".hidden",
        "docs/.git/config",
        "a\0b",
        "a\nb",
        "a\u202eb",
        "x" * 256,
        "docs/ /a",
        "/".join("a" * 21),
    ],
)
def test_names_that_lead_elsewhere_are_refused(name: str) -> None:
    with pytest.raises(Refused, match="not a valid file name"):
        safe_parts(name)


@given(st.text(max_size=40))
def test_no_name_leads_out_of_its_folder(name: str) -> None:
    try:
        parts = safe_parts(name)
    except Refused:
        return
    root = Path("/of/uploads")
    assert root in (root.joinpath(*parts)).parents
    assert ".." not in parts


def test_files_lie_in_a_folder_of_their_user_alone(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path / "uploads")
    path = uploads.file(JOB, "docs/Straße 1.md")
    path.write_text("x")
    assert path == tmp_path / "uploads" / JOB / "docs" / "Straße 1.md"
    assert stat.S_IMODE((tmp_path / "uploads").stat().st_mode) == 0o700
    assert uploads.jobs() == [JOB]
    with pytest.raises(Refused, match="Two files"):
        uploads.file(JOB, "docs/Straße 1.md")
    uploads.delete(JOB)
    assert uploads.jobs() == []
    assert Uploads(tmp_path / "uploads").place == uploads.place


@pytest.mark.parametrize("job", ["", "..", "../x", "ABCDEF" * 5 + "AB"])
def test_a_job_is_known_by_its_id_alone(tmp_path: Path, job: str) -> None:
    with pytest.raises(ValueError, match="not the id of a job"):
        Uploads(tmp_path / "uploads").folder(job)


def test_a_process_that_starts_leaves_files_alone_that_arrive_in_another(tmp_path: Path) -> None:
    here, starting = Uploads(tmp_path / "uploads"), Uploads(tmp_path / "uploads")
    old = "f" * 32
    here.file(old, "a.md").write_text("x")
    with here.arriving(JOB):
        here.file(JOB, "a.md").write_text("x")
        starting.delete_unless(lambda _: False)
        assert here.jobs() == [JOB]
    starting.delete_unless(lambda job: job == JOB)
    assert (here.folder(JOB) / "a.md").exists()
    starting.delete_unless(lambda _: False)
    assert here.jobs() == []
    assert [path.name for path in (tmp_path / "uploads").iterdir()] == ["place"]


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
