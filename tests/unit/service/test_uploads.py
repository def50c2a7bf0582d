"""Where uploaded files may go: below the folder of their job, and nowhere else."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory_service.jobs.uploads import Uploads, safe_parts
from overstory_service.problems import Refused
from overstory_service.sending import cursor_of, job_number_of, place_of

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
    with pytest.raises(Refused, match="cannot be named"):
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
    with pytest.raises(ValueError, match="no id of a job"):
        Uploads(tmp_path / "uploads").folder(job)


@given(st.lists(st.text(max_size=20), min_size=1, max_size=3))
def test_a_cursor_gives_its_place_back(place: list[str]) -> None:
    assert place_of(cursor_of(*place), parts=len(place)) == tuple(place)


def test_the_cursor_of_a_list_of_jobs_gives_its_number_back() -> None:
    assert job_number_of(cursor_of("17")) == 17


@pytest.mark.parametrize("number", ["", "x", "-1", "1.5", "٣", str(2**63), "9" * 140])
def test_a_cursor_of_jobs_with_another_number_is_refused(number: str) -> None:
    with pytest.raises(Refused, match="cursor"):
        job_number_of(cursor_of(number))


@pytest.mark.parametrize("cursor", ["", "!", "e30", "WzFd", "ä", "WyJhIl0", "bnVsbA"])
def test_a_cursor_that_was_not_given_is_refused(cursor: str) -> None:
    with pytest.raises(Refused, match="cursor"):
        place_of(cursor, parts=2)


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
