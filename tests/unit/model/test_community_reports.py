"""Display of reports in a REPL and on a terminal."""

from __future__ import annotations

import dataclasses

import pytest

from overstory.display import printable
from overstory.model.communities import (
    CommunityReports,
    FullReport,
    ReportedCommunity,
    ReportPassage,
    ReportStatement,
)
from overstory_cli.report import _show, _show_list  # pyright: ignore[reportPrivateUsage]

OBEYED = "a\x1b[2Jb\rc\u202ed"
RIVERS = ReportedCommunity("0123456789abcdef" * 2, "entity", 1, 12, "Rivers", "Rivers of Europe.", 7.25, "rules")
HIDDEN = ReportedCommunity("fedcba9876543210" * 2, "entity", 1, 1)
PASSAGE = ReportPassage("c1", "d1", "wiki", "7", "", "", 3)
LIST = CommunityReports("demo", "oak", 1, (3, 9), (RIVERS,), (HIDDEN,), 1, ("it is older",))
REPORT = FullReport(
    "demo",
    "oak",
    RIVERS,
    (ReportStatement("Ulm is on the Danube.", ("Ulm", "Danube"), (PASSAGE,)),),
    4,
    (),
    (HIDDEN,),
    3,
)


def test_a_list_has_a_line_for_each_report_and_each_community_without_one() -> None:
    assert repr(LIST).splitlines() == [
        "<CommunityReports of corpus 'demo', tree oak: 3 reports at level 1 of 2>",
        "  01234567   7.2  Rivers (12 entities)",
        "  fedcba98     —  no report (1 entity)",
        "  … 2 more",
        "Note: it is older",
    ]
    assert dataclasses.replace(LIST, levels=()).more == 0


def test_a_report_has_its_findings_with_their_passages() -> None:
    assert repr(REPORT).splitlines() == [
        "<FullReport 01234567   7.2  Rivers (12 entities)>",
        "  Rivers of Europe.",
        "  1. Ulm is on the Danube.",
        "     from (no title) [wiki#7, page 3]",
    ]


def test_a_terminal_shows_both_in_full_and_obeys_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    _show_list(LIST)
    assert capsys.readouterr().out.splitlines()[2:] == [
        "01234567   7.2  Rivers (12 entities)",
        "    Rivers of Europe.",
        "",
        "fedcba98     —  no report (1 entity)",
        "",
        "… 2 more reports",
    ]
    _show(REPORT)
    assert capsys.readouterr().out.splitlines() == [
        "01234567  Rivers",
        "rating 7.2 of 10, 12 entities, level 1 of tree oak, written by rules from 4 passages",
        "",
        "Rivers of Europe.",
        "",
        " 1. Ulm is on the Danube.",
        "      about Ulm; Danube",
        "      from (no title)  [wiki#7, page 3]",
        "",
        "Communities inside:",
        "    fedcba98     —  no report (1 entity)",
        "    … 2 more communities",
    ]
    hostile = dataclasses.replace(RIVERS, title=OBEYED, summary=OBEYED, by=OBEYED)
    passage = dataclasses.replace(PASSAGE, title=OBEYED, heading=OBEYED, source=OBEYED)
    finding = ReportStatement(OBEYED, (OBEYED,), (passage,))
    _show_list(dataclasses.replace(LIST, reports=(hostile,), notes=(OBEYED,)))
    _show(dataclasses.replace(REPORT, community=hostile, findings=(finding,), above=(hostile,), below=(hostile,)))
    shown = capsys.readouterr().out
    assert printable(shown) == shown
    assert all(len(line) <= 100 for line in shown.splitlines())
