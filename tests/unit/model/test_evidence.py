"""Display of results in a REPL, in a notebook, and in pandas."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import pytest

from overstory.errors import StatementRefused, install_command
from overstory.model import BridgePath, BridgeStep, Document, Evidence, Hit, HitStatement, Part, Reason

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
PATH = BridgePath.along([STEP], asked="She", score=0.5, documents=["d0", "d1"])
REACHED = dataclasses.replace(EVIDENCE, hits=(HIT,), notes=(), parts=(PATH,))
REPORT = Part(
    kind="report", text="Ada and <friends>\nThey met.", score=0.4, chunks=("c1", "c9"), documents=("d1", "d9")
)
SOURCE = dataclasses.replace(HIT, chunk_id="c9", document_id="d9", source_key="9", score=0.0, reasons=())
REPORTED = dataclasses.replace(REACHED, parts=(PATH, REPORT), sources=(SOURCE,))
NOTHING = Evidence("Where?", "lexical", ())


def test_a_hit_says_its_score_title_origin_and_text_on_one_line() -> None:
    assert repr(HIT) == "<Hit 0.7500 'Ada Lovelace' [wiki#7]: Ada Lovelace was born in London.>"
    assert len(repr(OTHER)) < 120


def test_evidence_says_what_was_found_and_why() -> None:
    assert repr(EVIDENCE).splitlines() == [
        "<Evidence by hybrid for 'Where was <Ada> born?': 2 hits>",
        "  1. Ada Lovelace [wiki#7]: Ada Lovelace was born in London.",
        "     dense 0.500: rank 1; lexical 0.250: rank 2; lexical 0.125: again",
        f"  2. {'x' * 78} … [wiki]",
        "     dense 0.100",
        "Note: the question was cut",
    ]
    assert repr(NOTHING) == "<Evidence by lexical for 'Where?': 0 hits>"


def test_evidence_says_by_which_names_a_hit_was_reached() -> None:
    assert repr(REACHED).splitlines()[-1] == "     by way of She → She knew Ada. → Ada → Ada Lovelace"
    assert REACHED.paths_to(HIT) == REACHED.paths
    assert REACHED.paths_to(dataclasses.replace(HIT, chunk_id="c2")) == ()
    assert list(REACHED.to_pandas()["path"]) == ["She → She knew Ada. → Ada → Ada Lovelace"]
    assert list(EVIDENCE.to_pandas()["path"]) == ["", ""]


def test_reasons_are_said_in_words_those_that_brought_most_first_and_figures_apart() -> None:
    meaning = Reason("dense", 0.2, "cosine 0.300", "is among the closest in meaning to the question")
    name = Reason("name", 0.4, "Ada", "names Ada, as the question does")
    words = Reason("words", 0.1, "BM25 2.000", "has words of the question: born")
    hit = dataclasses.replace(HIT, reasons=(meaning, name, words, Reason("rest", 0.05)))
    assert hit.in_words == "It names Ada, as the question does; is among the closest in meaning to the question."
    assert hit.figures == "dense 0.200: cosine 0.300; name 0.400: Ada; words 0.100: BM25 2.000; rest 0.050"
    assert hit.why == hit.in_words
    alone = dataclasses.replace(HIT, reasons=(words, words))
    assert alone.in_words == "It has words of the question: born."
    silent = dataclasses.replace(HIT, reasons=(Reason("dense", 0.5),))
    assert (silent.in_words, silent.why) == ("", "dense 0.500")


def test_a_hit_without_a_title_has_its_first_words_for_one() -> None:
    assert HIT.shown_title == "Ada Lovelace"
    assert OTHER.shown_title == f"{'x' * 58} …"
    assert dataclasses.replace(HIT, title="a\x1b[31m\nb\u202e").shown_title == "a[31m b"
    assert dataclasses.replace(HIT, title="", text=" ").shown_title == "(no text)"


def test_the_part_of_a_text_that_is_shown_has_the_sentence_that_matched() -> None:
    text = "Filler it is. " * 40 + "Ada was born here. " + "And more. " * 9
    start = text.index("Ada")
    hit = dataclasses.replace(HIT, text=text, matches=((start, start + 3),), sentence=(start, start + 18))
    assert hit.excerpt(2_000) == (0, len(text))
    first, last = hit.excerpt(60)
    assert text[first:last].startswith("Ada was born here. And")
    assert text[last] == " "
    assert dataclasses.replace(hit, sentence=(0, 13)).excerpt(60) == (0, 55)
    assert dataclasses.replace(OTHER, sentence=None).excerpt(60) == (0, 30)  # one word


def test_what_a_terminal_obeys_is_not_printed() -> None:
    odd = dataclasses.replace(HIT, title="a\x1b[31m", source="w\x1biki", text="t\x9b")
    evidence = Evidence("q\x1b", "dense", (odd,), notes=("n\x1b",))
    assert not {"\x1b", "\x9b"} & set(repr(evidence) + repr(odd) + evidence._repr_html_())  # pyright: ignore[reportPrivateUsage] # IPython's name for it


def test_a_notebook_marks_words_and_sentence() -> None:
    hit = dataclasses.replace(HIT, text="<Ada> was born.", matches=((1, 4), (10, 14)), sentence=(0, 15))
    table = Evidence("?", "dense", (hit,))._repr_html_()  # pyright: ignore[reportPrivateUsage] # as above
    assert "<u>&lt;<mark>Ada</mark>&gt; was <mark>born</mark>.</u>" in table


def test_a_hit_says_its_page_where_its_document_has_pages() -> None:
    assert dataclasses.replace(HIT, source="a.pdf", source_key="", page=1_234).origin == "a.pdf, page 1,234"
    assert hash(dataclasses.replace(HIT, metadata={"year": 1815})) == hash(HIT)


def test_parts_lead_to_their_passages_whether_these_are_hits_or_not() -> None:
    assert REPORTED.passages_of(REPORT) == (HIT, SOURCE)
    assert REPORTED.passages_of(PATH) == (HIT,)  # its first passage is not carried
    assert REPORTED.parts_on(HIT) == (PATH, REPORT)
    assert REPORTED.parts_on(SOURCE) == (REPORT,)
    assert (REPORTED.paths, REPORTED.excerpts, REPORTED.other_parts) == ((PATH,), (), (REPORT,))


def test_evidence_names_the_parts_that_stand_for_themselves() -> None:
    assert repr(REPORTED).splitlines()[-1] == "  report 0.4000  Ada and <friends>"
    many = dataclasses.replace(REPORTED, parts=(REPORT,) * 21)
    assert repr(many).splitlines()[-1] == "     … and 1 more part"


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


def test_a_notebook_shows_parts_in_a_second_table() -> None:
    tables = REPORTED._repr_html_()  # pyright: ignore[reportPrivateUsage] # IPython's name for it
    assert tables.count("<table>") == 2
    assert "Ada and &lt;friends&gt; They met." in tables
    assert "wiki#7, wiki#9" in tables
    assert EVIDENCE._repr_html_().count("<table>") == 1  # pyright: ignore[reportPrivateUsage] # as above


def test_pandas_gets_where_hits_stand_and_what_their_documents_came_with() -> None:
    hit = dataclasses.replace(HIT, start=4, end=40, page=2, metadata={"year": 1815})
    frame = dataclasses.replace(EVIDENCE, hits=(hit, OTHER)).to_pandas()
    assert list(frame.loc[0, ["start", "end", "page", "metadata_year"]]) == [4, 40, 2, 1815]
    assert list(frame["metadata_year"].isna()) == [False, True]


def test_pandas_gets_a_row_a_part() -> None:
    frame = REPORTED.parts_to_pandas()
    assert list(frame["kind"]) == ["path", "report"]
    assert frame.loc[1, "chunks"] == ["c1", "c9"]
    assert list(frame["details"]) == [PATH.details, {}]
    assert NOTHING.parts_to_pandas().empty


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
    assert ran.stdout.strip() == f"pandas is not installed. Install it: {install_command('pandas')}"


@pytest.mark.parametrize("text", ["", "MATCH (c:Chunk) RETURN c.id AS id", "UNWIND ids AS id RETURN id"])
def test_a_statement_that_does_not_ask_for_the_hits_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(StatementRefused, match="does not use") as caught:
        HitStatement(text)
    HitStatement(caught.value.remedy)


def test_the_hits_are_no_parameter() -> None:
    with pytest.raises(StatementRefused, match="reserved"):
        HitStatement("UNWIND $ids AS id RETURN id", {"ids": ["a"]})
