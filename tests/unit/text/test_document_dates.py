"""The date that a document gives for itself."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from overstory.model import Document
from overstory.text.document_dates import document_date, section_time, with_date


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"metadata": {"date": datetime(2020, 1, 2, tzinfo=UTC)}}, ("2020-01-02", "metadata")),
        ({"metadata": {"Date": "March 2020"}}, ("2020-03", "metadata")),
        ({"metadata": {"published": 2020}}, ("2020", "metadata")),
        ({"title": "Price list, May 2021"}, ("2021-05", "title")),
        ({"path": "minutes/2021-05-03.md"}, ("2021-05-03", "path")),
        ({"path": "notes 12.03.2019.txt"}, ("2019-03-12", "path")),
        ({"text": "Ulm, 4 March 2019\n\nDear Sir"}, ("2019-03-04", "text")),
        ({"text": "Ulm, den 4. März 2019\n", "metadata": {"language": "de"}}, ("2019-03-04", "text")),
        ({"text": "Harbour Office\n12 Quay St\n\n3 May 2021\n\nDear Sir"}, ("2021-05-03", "text")),
        ({"text": "Date: Tue, 5 Mar 2019 10:00:00 +0100\n\nHi"}, ("2019-03-05", "text")),
        ({"text": "Board minutes of 4 March 2019. All were present."}, ("2019-03-04", "text")),
    ],
)
def test_a_date_is_found_in_metadata_title_name_and_head(given: dict[str, Any], found: tuple[str, str]) -> None:
    assert _found(given) == found


def test_the_head_makes_the_year_in_a_file_name_precise() -> None:
    minutes = "Board minutes of 4 March 2019."
    assert _found({"path": "board2019.txt", "text": minutes}) == ("2019-03-04", "text")
    assert _found({"path": "board2018.txt", "text": minutes}) == ("2018", "path")


@pytest.mark.parametrize(
    "given",
    [
        {"title": "2012 Summer Olympics"},
        {"text": "Born 14 March 1879"},
        {"text": "Albert Einstein (14 March 1879 – 18 April 1955) was a physicist."},
        {"text": "According to the report of 4 March 2019, all is well."},
        {"metadata": {"year": 2020}},
        {"metadata": {"created": datetime(2013, 12, 23, tzinfo=UTC)}},
    ],
)
def test_a_date_that_the_text_is_about_is_not_its_own(given: dict[str, Any]) -> None:
    assert _found(given) is None


def test_the_date_becomes_metadata_that_follows_from_the_file() -> None:
    dated = with_date(Document("minutes/2021-05-03.md", "", "All were present."))
    assert dated.file_metadata == {"said_at": datetime(2021, 5, 3, tzinfo=UTC)}
    month = with_date(Document("a.md", "", "Ulm, May 2021"))
    assert month.file_metadata == {"said_at": datetime(2021, 5, 1, tzinfo=UTC), "said_at_precision": "month"}
    assert with_date(Document("2021-05-03.csv", "7", "A record is not dated by its file.")).file_metadata == {}


def test_headings_date_the_facts_below_them() -> None:
    assert section_time("Career › 2007–2011: Ulm")[:3] == ("2007", "2011", "")
    assert section_time("Minutes › Meeting of 4 March 2019 › Motions")[:3] == ("", "", "2019-03-04")
    assert section_time("Plans for 2030")[:3] == ("", "", "")


def _found(given: dict[str, Any]) -> tuple[str, str] | None:
    nothing: dict[str, Any] = {"title": "", "path": "", "text": "", "metadata": {}}
    found = document_date(**nothing | given)
    return None if found is None else (str(found.date), found.found_in)
