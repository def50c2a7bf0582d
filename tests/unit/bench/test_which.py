"""The measures of benchmarks/which.py, and its tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from benchmarks.read_text import Read, bound_for, read_at, read_of, text_of
from benchmarks.which import (
    PAGE,
    Costs,
    EqualRead,
    Measured,
    Run,
    Size,
    Target,
    equal_rows,
    markdown,
    page_lines,
    replaced,
    table_rows,
)

from overstory.answer.context import read_within
from overstory.bench.dataset import BenchDataset, BenchQuestion
from overstory.bench.metrics import Scores, mean_scores
from overstory.bench.runner import BenchResult, BenchRow
from overstory.model import Evidence, Hit

DRACULA = "Bram Stoker wrote Dracula. He was born in Dublin, in November of 1847. His wife was Florence Balcombe."
DUBLIN = "Dublin is the capital of Ireland. It lies on the Liffey. It was founded by Vikings."


def evidence(*texts: str) -> Evidence:
    """A passage a text, each of a document of its own: d0, d1 and so on."""
    hits = [Hit(f"c{n}", f"id{n}", "s", f"d{n}", "", "", text, 1.0 - n / 10) for n, text in enumerate(texts)]
    return Evidence("Where was the author of Dracula born?", "dense", tuple(hits))


def words(text: str) -> int:
    return len(text.split())


def test_reading_counts_the_gold_documents_that_can_be_cited_and_looks_for_the_answer() -> None:
    context = read_within(1_000, evidence(DRACULA, DUBLIN))
    read = read_of(context, {"d0", "d7"}, ["in the Dublin", "Cork"], words)
    assert read == Read(tokens=words(DRACULA) + words(DUBLIN), gold=0.5, answered=1.0)


def test_whether_yes_or_no_is_in_a_text_says_nothing() -> None:
    context = read_within(1_000, evidence("No, it is not."))
    assert read_of(context, {"d0"}, ["No"], words).answered is None
    assert read_of(context, {"d0"}, [], words).answered is None
    assert read_of(context, {"d0"}, ["No", "never"], words).answered == 0.0


@pytest.mark.parametrize("tokens", [12, 20, 30, 1_000])
def test_as_much_is_read_as_fits_into_so_many_tokens_of_the_tokenizer(tokens: int) -> None:
    found = evidence(DRACULA, DUBLIN)
    bound = bound_for(tokens, found, words)
    assert words(text_of(read_at(tokens, found, words))) <= tokens
    assert tokens == 1_000 or words(text_of(read_within(bound + 1, found))) > tokens


def result(name: str, *recalls: float, p50: float = 10.0) -> BenchResult:
    each = {f"q{number}": Scores(0.0, r, 1.0, float(r == 1.0), r) for number, r in enumerate(recalls)}
    return BenchResult(BenchRow(name, mean_scores(each.values()), p50, 40.0, 0.0, len(recalls)), {}, each)


def run(name: str, passages: int, *measured: Measured, stale: Sequence[str] = ()) -> Run:
    found = {each.result.row.retriever: each for each in measured}
    return Run(name, "bench-x", 2, passages, {"embed": 20.0}, Size(500, 1_000), found, stale)


READS = [Read(300, 0.5, 1.0), Read(500, 1.0, None)]
DENSE = Measured(result("dense", 0.5, 0.5), READS, None)
SYSTEM = Measured(result("serag", 1.0, 1.0, p50=25.0), READS, Costs(30.0, Size(250, 400, 50)))


def test_a_row_has_the_quality_on_every_benchmark_and_the_costs_on_the_largest() -> None:
    runs = [run("small", 10, DENSE), run("large", 100, DENSE, SYSTEM)]
    rows = table_rows(runs, ["dense", "serag", "canopy"], runs[1])
    quality = ["small", "large"]
    assert rows[0][1:3] == quality
    assert [row[: 1 + len(quality)] for row in rows[1:]] == [
        ["`dense`", "**.500** / .000 / .500", ".500 / .000 / .500"],
        ["`serag`", "–", "**1.000** / 1.000 / 1.000<br>+.500 [+.500, +.500]"],
        ["`canopy`", "–", "–"],
    ]
    assert [row[1 + len(quality) :] for row in rows[1:]] == [
        ["10 / 40<br>(1.0 ×)", "–", "–", "400<br>.750 / 1.000"],
        ["25 / 40<br>(2.5 ×)", "30<br>(1.5 ×)", "2.5 + 0.5, 4.0", "400<br>.750 / 1.000"],
        ["–"] * 4,
    ]


def test_below_the_table_is_what_it_was_measured_on_and_what_was_missing() -> None:
    lines = page_lines([run("films", 100, DENSE, SYSTEM, stale=["serag"])], ["dense", "serag", "hirag"])
    assert "films (2 questions, 100 passages)" in lines[-5]
    assert "20 s (embed 20), 5.0 nodes and 10.0 relationships a passage" in lines[-5]
    assert lines[-3] == "films, not asked, for lack of an index: `hirag`."
    assert lines[-1] == "films, asked with an index out of date: `serag`."


def test_contexts_of_equal_length_are_compared_with_those_of_dense_question_by_question() -> None:
    base = EqualRead([Read(290, 0.5, 0.0), Read(300, 0.5, None)], [0.0, 0.5])
    other = EqualRead([Read(280, 1.0, 1.0), Read(300, 1.0, None)], [0.5, 1.0])
    first, second = equal_rows({"films": {300: {"dense": base, "canopy": other}}})[1:]
    assert first == ["films", "300", "`dense`", "295", ".500", ".000", ".250"]
    assert second[:4] == ["films", "300", "`canopy`", "290"]
    assert second[4:] == [
        "1.000<br>+.500 [+.500, +.500]",
        "1.000<br>+1.000 [+1.000, +1.000]",
        ".750<br>+.500 [+.500, +.500]",
    ]


def test_a_sample_of_questions_does_not_depend_on_their_order() -> None:
    questions = tuple(BenchQuestion(f"q{number}", "") for number in range(20))

    def target(questions: tuple[BenchQuestion, ...]) -> Target:
        return Target("films", "bench-x", BenchDataset(Path("corpus.jsonl"), "", (), questions, {}))

    sample = {question.id for question in target(questions).sample(5)}
    assert len(sample) == 5
    assert sample == {question.id for question in target(questions[::-1]).sample(5)}
    assert len(target(questions).sample(100)) == 20


def test_a_table_takes_the_place_of_the_one_before() -> None:
    page = "# Which\n<!-- table -->\nold\n<!-- /table -->\nrest\n"
    table = "\n".join(markdown([["", "R@5"], ["`dense`", ".5"]]))
    written = replaced(page, "table", table)
    assert written == f"# Which\n<!-- table -->\n{table}\n<!-- /table -->\nrest\n"
    assert replaced(written, "table", "old") == page
    with pytest.raises(ValueError, match="lacks <!-- equal-tokens -->"):
        replaced(page, "equal-tokens", table)


def test_the_page_has_a_place_for_both_tables() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for mark in ("table", "equal-tokens"):
        assert replaced(page, mark, "new") != page
