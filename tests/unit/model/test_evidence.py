"""What a person sees of results in a REPL, in a notebook, and in pandas."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

from overstory.model import BridgePath, BridgeStep, Document, Evidence, Hit, Reason

HIT = Hit(
    chunk_id="c1",
    document_id="d1",
    source="wiki",
    source_key="7",
    title="Ada Lovelace",
    heading="Life",
    text="Ada Lovelace\nwas born in London.",
    score=0.75,
    reasons=(Reason("dense", 0.5, "rank 1"), Reason("lexical", 0.25, "rank 2"), Reason("lexical", 0.125, "again")),
)
OTHER = dataclasses.replace(HIT, title="", source_key="", text="x" * 500, reasons=(Reason("dense", 0.1),))
EVIDENCE = Evidence("Where was <Ada> born?", "hybrid", (HIT, OTHER), notes=("the question was cut",))
STEP = BridgeStep(
    name="Ada",
    kind="about",
    source_id="c0",
    source_title="",
    source_sentence="She knew Ada.",
    target_id="c1",
    target_title="Ada Lovelace",
    target_sentence="Ada was born in London.",
)
REACHED = dataclasses.replace(EVIDENCE, hits=(HIT,), notes=(), paths=(BridgePath("She", (STEP,), 0.5),))
NOTHING = Evidence("Where?", "lexical", ())


def test_a_hit_says_its_score_title_origin_and_text_on_one_line() -> None:
    assert repr(HIT) == "<Hit 0.7500 'Ada Lovelace' [wiki#7]: Ada Lovelace was born in London.>"
    assert len(repr(OTHER)) < 120


def test_evidence_says_what_was_found_and_why() -> None:
    assert repr(EVIDENCE).splitlines() == [
        "<Evidence by hybrid for 'Where was <Ada> born?': 2 hits>",
        "  1. Ada Lovelace [wiki#7]: Ada Lovelace was born in London.",
        "     0.7500  dense: rank 1; lexical: rank 2; lexical: again",
        f"  2. (no title) [wiki]: {'x' * 78} …",
        "     0.7500  dense: ",
        "Note: the question was cut",
    ]
    assert repr(NOTHING) == "<Evidence by lexical for 'Where?': 0 hits>"


def test_evidence_says_by_which_names_a_hit_was_reached() -> None:
    assert repr(REACHED).splitlines()[-1] == "     by way of She → She knew Ada. → Ada → Ada Lovelace"
    assert REACHED.paths_to(HIT) == REACHED.paths
    assert REACHED.paths_to(dataclasses.replace(HIT, chunk_id="c2")) == ()
    assert list(REACHED.to_pandas()["path"]) == ["She → She knew Ada. → Ada → Ada Lovelace"]
    assert list(EVIDENCE.to_pandas()["path"]) == ["", ""]


def test_of_many_hits_the_first_are_shown() -> None:
    lines = repr(Evidence("Where?", "dense", (HIT,) * 1_000)).splitlines()
    assert len(lines) == 42
    assert lines[-1].endswith("… and 980 more")


def test_a_long_document_is_shown_in_a_line() -> None:
    shown = repr(Document(source="wiki", source_key="7", title="Ada", text="word " * 1_000_000))
    assert shown.startswith("<Document [wiki#7] 'Ada': word word")
    assert len(shown) < 120


def test_a_notebook_shows_a_table_with_everything_escaped() -> None:
    table = EVIDENCE._repr_html_()  # pyright: ignore[reportPrivateUsage] # IPython's name for it
    assert "&lt;Ada&gt;" in table
    assert "<Ada>" not in table
    assert table.count("<tr>") == 3
    assert "<p>the question was cut</p>" in table


def test_pandas_gets_a_row_a_hit_and_a_column_a_kind_of_reason() -> None:
    frame = EVIDENCE.to_pandas()
    assert list(frame["rank"]) == [1, 2]
    assert frame.loc[0, "score_lexical"] == 0.375
    assert list(frame["score_lexical"].isna()) == [False, True]
    assert frame.loc[0, "text"] == HIT.text


def test_nothing_found_gives_a_frame_with_the_same_columns_and_no_rows() -> None:
    frame = NOTHING.to_pandas()
    assert frame.empty
    assert {"rank", "score", "source", "chunk_id"} <= set(frame.columns)


def test_without_pandas_the_extra_is_named() -> None:
    script = (
        "import sys; sys.modules['pandas'] = None\n"
        "from overstory.model import Evidence\n"
        "try: Evidence('?', 'dense', ()).to_pandas()\n"
        "except ImportError as error: print(error, error.remedy)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == 'pandas is not installed. Install it: pip install "overstory[pandas]"'
