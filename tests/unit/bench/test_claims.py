"""How benchmarks/claims.py judges figures, keeps them, and writes them into docs/claims.md."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.claims import (
    CLAIMS,
    ELSEWHERE,
    EXPERIMENTS,
    FIGURES,
    MARK,
    PAGE,
    Claim,
    Figure,
    Given,
    Input,
    Measure,
    Rule,
    above,
    at_least,
    at_most,
    exceeds,
    main,
    measured,
    merged,
    no_less,
    reaches,
    read_figures,
    settles,
    table,
    write_figures,
)
from benchmarks.which import replaced

from overstory.errors import BenchError


def figure(name: str, mean: float, low: float | None = None, high: float | None = None, corpus: str = "A") -> Figure:
    return Figure("made", name, corpus, 50, mean, low, high)


MORE, PERHAPS, LESS = figure("x", 0.2, 0.1, 0.3), figure("x", 0.05, -0.1, 0.2, "B"), figure("x", -0.2, -0.3, -0.1, "C")
OTHER = figure("y", 0.15, corpus="A")


@pytest.mark.parametrize(
    ("rule", "figures", "verdict"),
    [
        (above("x"), [MORE], "yes"),
        (above("x"), [MORE, PERHAPS], "in part"),
        (above("x"), [PERHAPS, LESS], "no"),
        (above("x"), [], "not measured"),
        (reaches("x", 0.25), [MORE], "yes"),
        (reaches("x", 0.35), [MORE], "in part"),
        (reaches("x", 0.05), [LESS], "no"),
        (at_least(-0.01, "x"), [figure("x", -0.01, -0.1)], "yes"),
        (at_least(-0.01, "x"), [MORE, LESS], "in part"),
        (at_most(0.0, "x", "y"), [LESS, OTHER], "in part"),
        (exceeds("x", "y"), [MORE, OTHER], "no"),
        (exceeds("x", "y"), [MORE, figure("y", 0.05)], "yes"),
        (exceeds("x", "y"), [MORE, figure("y", 0.05, corpus="B")], "not measured"),
        (no_less("x", "y"), [MORE, OTHER], "yes"),
        (settles, [figure("first", 0.97)], "in part"),
        (settles, [figure("first", 0.97), figure("last_but_one", 0.98), figure("last", 0.99)], "yes"),
        (settles, [figure("first", 0.97), figure("last_but_one", 0.97), figure("last", 0.5)], "no"),
        (None, [MORE], "cannot be tested here"),
    ],
)
def test_a_claim_holds_if_all_figures_show_it_and_in_part_if_some_do(
    rule: Rule | None, figures: list[Figure], verdict: str
) -> None:
    claim = Claim("made", "Made", "Table 1", "more", "made", "", rule)
    assert claim.verdict(figures) == verdict


def test_a_row_says_of_each_corpus_what_has_all_its_figures_there() -> None:
    claim = Claim(
        "made", "Made", "", "more", "made", "[{x:signed} of {y:share}]; [{x:signed}]", above("x"), ("no", "!")
    )
    found = [MORE, PERHAPS, OTHER, Figure("another", "x", "D", 1, 1.0)]
    said = "+.200 [+.100, +.300] of .150 on A; +.200 [+.100, +.300] on A, +.050 [−.100, +.200] on B"
    assert claim.row(found) == ["Made", "more", said, "in part"]
    assert claim.row([LESS])[2:] == ["–; −.200 [−.300, −.100] on C", "no!"]


def test_the_page_has_the_claims_and_the_kept_figures() -> None:
    page, figures = PAGE.read_text(encoding="utf-8"), read_figures(FIGURES)
    assert replaced(page, MARK, table(CLAIMS, figures)) == page
    assert {each.experiment for each in figures} == {*EXPERIMENTS, *ELSEWHERE}
    assert {claim.experiment for claim in CLAIMS} == {*EXPERIMENTS, *ELSEWHERE, ""}
    assert not [claim.id for claim in CLAIMS if claim.verdict(figures) == "not measured"]


def test_new_figures_take_the_places_of_those_of_the_same_corpus() -> None:
    new = figure("x", 0.7, corpus="B")
    assert merged([MORE, PERHAPS, LESS], [new, OTHER]) == [MORE, new, LESS, OTHER]


def test_what_a_killed_run_has_measured_is_not_measured_again(tmp_path: Path) -> None:
    file, folders = tmp_path / "figures.json", [tmp_path / name for name in ("first", "second")]
    for folder in folders:
        folder.mkdir()
        (folder / "corpus.jsonl").write_text(folder.name)
    given, asked = Given([Input(folder, "bench-x", 2.0) for folder in folders]), list[str]()

    def measure(of: Input) -> dict[str, list[float] | float]:
        asked.append(of.title)
        return {"x": [0.0, 1.0], "y": 3.0}

    experiments: dict[str, tuple[str, Measure]] = {"made": ("several", measure), "other": ("one", measure)}
    write_figures(file, next(measured(given, experiments, read_figures(file))))
    assert asked == ["first"]
    x, y = read_figures(file)
    assert (x.corpus, x.n, x.mean, x.low, x.high, y.mean, y.low) == ("first", 2, 0.5, 0.0, 1.0, 3.0, None)
    for figures in measured(given, experiments, read_figures(file)):
        write_figures(file, figures)
    assert asked == ["first", "second"]
    (folders[0] / "corpus.jsonl").write_text("changed")
    (figures,) = measured(given, experiments, read_figures(file))
    assert asked == ["first", "second", "first"]
    assert len(figures) == 4


def test_claims_are_listed_without_a_server(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list", "--system", "SlimRAG"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in listed] == [claim.id for claim in CLAIMS if claim.system == "SlimRAG"]
    assert main(["--list", "--only", "slimrag-nothing"]) == 3
    assert "--only slimrag-nothing: there is no such claim" in capsys.readouterr().err


def test_what_lacks_its_input_is_named_with_the_option_that_gives_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "tretriever-edges"]) == 0
    out, err = capsys.readouterr()
    assert "not measured. Needs a graph with its corpus, --graph DIR=CORPUS." in err
    assert "Of the 1 claims" in out
    assert main(["--only", "tretriever-edges", "--graph", "nowhere"]) == 11
    assert "Give --graph DIR=CORPUS" in capsys.readouterr().err


def test_a_file_of_something_else_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "notes.json").write_text('[{"a": 1}]')
    with pytest.raises(BenchError, match="has no figures of claims"):
        read_figures(tmp_path / "notes.json")
