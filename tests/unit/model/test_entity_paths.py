"""Display of paths in a REPL, in a notebook, and in pandas."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from overstory.model.entity_paths import EntityPath, EntityPaths, PathStep
from overstory.surrogates import printable

WROTE = PathStep(
    start="Dracula",
    end="Bram Stoker",
    kind="fact",
    predicate="write",
    subject="Bram Stoker",
    object="Dracula",
    sentences=("Bram Stoker wrote Dracula.",),
    title="Bram Stoker",
    heading="",
    source="wiki",
    source_key="7",
    document_id="d1",
    chunk_id="c1",
    cost=1.0,
    more=2,
)
TOGETHER = dataclasses.replace(
    WROTE,
    start="Bram Stoker",
    end="Dublin",
    kind="passage",
    predicate="",
    subject="",
    object="",
    sentences=("Stoker <wrote>.", "Dublin was home."),
    title="",
    source_key="",
)
LINKED = dataclasses.replace(
    WROTE,
    start="The Matrix",
    end="Keanu Reeves",
    kind="link",
    predicate="ACTED_IN",
    subject="Keanu Reeves",
    object="The Matrix",
    link_text="Neo",
)
PATHS = EntityPaths(
    "Dracula",
    "Dublin",
    (EntityPath(("Dracula", "Bram Stoker", "Dublin"), (WROTE, TOGETHER), 2.5),),
    notes=("names are older",),
)


def test_a_step_says_what_is_stated_and_where() -> None:
    assert repr(WROTE) == "<PathStep Bram Stoker – write – Dracula [wiki#7]: Bram Stoker wrote Dracula.>"
    assert LINKED.statement == "Keanu Reeves – ACTED_IN (Neo) – The Matrix"
    assert dataclasses.replace(LINKED, link_text="").statement == "Keanu Reeves – ACTED_IN – The Matrix"
    assert repr(TOGETHER) == "<PathStep Bram Stoker and Dublin together [wiki]: Stoker <wrote>. … Dublin was home.>"


@pytest.mark.parametrize(
    ("times", "when"),
    [
        ({}, ""),
        ({"holds_from": "2021-05", "holds_to": "2021-05"}, "2021-05"),
        ({"holds_from": "2019", "holds_to": "2022-03"}, "2019 to 2022-03"),
        ({"holds_from": "2023-07-01", "said_at": "2023-06-12"}, "since 2023-07-01, said 2023-06-12"),
        ({"holds_to": "2020"}, "until 2020"),
        ({"ended": True, "said_at": "2020"}, "no longer, said 2020"),
    ],
)
def test_a_fact_says_when_it_holds(times: dict[str, Any], when: str) -> None:
    assert dataclasses.replace(WROTE, **times).when == when


def test_paths_say_how_one_name_leads_to_the_other() -> None:
    assert repr(PATHS.paths[0]) == "<EntityPath 2.50 Dracula → Bram Stoker → Dublin>"
    assert repr(PATHS).splitlines() == [
        "<EntityPaths from 'Dracula' to 'Dublin': 1 path>",
        "  1. Dracula → Bram Stoker → Dublin  (cost 2.50)",
        "     Bram Stoker – write – Dracula: Bram Stoker [wiki#7]",
        "       Bram Stoker wrote Dracula.",
        "     Bram Stoker and Dublin together: (no title) [wiki]",
        "       Stoker <wrote>. … Dublin was home.",
        "Note: names are older",
    ]


def test_a_notebook_shows_a_row_a_step_with_everything_escaped() -> None:
    table = PATHS._repr_html_()  # pyright: ignore[reportPrivateUsage] # IPython's name for it
    assert "Stoker &lt;wrote&gt;." in table
    assert table.count("<tr>") == 3


def test_pandas_gets_a_row_a_step() -> None:
    frame = PATHS.to_pandas()
    assert list(frame["step"]) == [1, 2]
    assert list(frame["path_cost"]) == [2.5, 2.5]
    assert list(frame["kind"]) == ["fact", "passage"]
    assert list(EntityPaths("A", "B", ()).to_pandas().columns) == list(frame.columns)


def test_a_terminal_obeys_nothing_of_what_paths_show() -> None:
    hostile = dataclasses.replace(
        LINKED,
        subject="\x1b[31mDracula",
        predicate="\u202eWROTE",
        link_text="\x9b2J",
        title="a\u200bb",
        sentences=("\x07!",),
    )
    path = EntityPath(("\x1b[31mDracula", "Dublin\u202e"), (hostile,), 1.0)
    paths = EntityPaths("\x1b[2J", "Dublin", (path,), ("note\u2066",))
    for shown in (repr(hostile), str(path), repr(path), repr(paths), str(paths)):
        assert printable(shown) == shown
        assert "Dracula" in shown
