"""`overstory bench --answers questions.csv` on a real corpus, and what it says of wrong use."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.chat_endpoint import running_chat_endpoint, saying
from tests.commands import Ran, Run

from overstory.knowledge import Knowledge

QUESTIONS = """question,answer,source
Where was Albert Einstein born?,Ulm,einstein | ulm
Where was Marie Curie born?,Paris,tests/passages#curie
Where was Marie Curie born?,Warsaw,danube
Which option of dpkg lists diverted files?,,
"""

Bench = Callable[..., Ran]


@pytest.fixture
def bench(overstory: Run, shared_corpus: Knowledge) -> Bench:
    """Runs `overstory bench` on the shared corpus, without progress."""
    return functools.partial(overstory, "bench", "-q", "--corpus", shared_corpus.corpus_name)


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    file = tmp_path / "questions.csv"
    file.write_text(QUESTIONS, encoding="utf-8")
    return file


def test_questions_of_a_file_are_answered_and_compared(bench: Bench, questions: Path) -> None:
    result = bench("--answers", questions, "--model", "none", "--json")
    assert result.code == 0, result.err
    [row] = json.loads(result.out)
    assert (row["retriever"], row["questions"], row["answerable"], row["kind"]) == ("canopy", 4, 3, "extractive")
    born, wrong, elsewhere, unanswerable = row["answers"]
    assert (born["guess"], born["EM"], born["sources_cited"], born["failures"]) == ("Ulm", 1.0, 0.5, [])  # one of two
    assert "another answer" not in elsewhere["failures"]
    assert "another source" in elsewhere["failures"]
    assert (wrong["citations_right"], wrong["sources"]) == (1.0, ["tests/passages#curie"])
    assert wrong["guess"] == "Warsaw"
    assert wrong["failures"][0].startswith("another")
    assert (unanswerable["state"], unanswerable["failures"]) == ("not_in_documents", [])
    assert row["measures"]["refused"]["mean"] == row["measures"]["refusals_right"]["mean"] == 1.0
    assert row["measures"]["answered"] == {"mean": 1.0, "low": 1.0, "high": 1.0, "of": 3}


def test_people_see_measures_of_each_retriever_and_what_went_wrong(bench: Bench, questions: Path) -> None:
    result = bench(
        "--answers", questions, "--model", "none", "--retriever", "dense", "--retriever", "canopy", "-k", "2"
    )
    assert result.code == 0, result.err
    title = "questions.csv: 4 questions, 1 of them without an answer in the documents; corpus shared\n"
    assert result.out.startswith(title)
    assert "Unexpected answers with dense:" in result.out
    assert "another source" in " ".join(result.out.split())


def test_an_answer_of_a_model_without_citations_is_counted(
    bench: Bench, questions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_chat_endpoint() as endpoint:
        endpoint.then = saying("It was Ulm.")
        for name, value in (("BASE_URL", endpoint.url), ("MODEL", "m"), ("CACHE_MB", "0")):
            monkeypatch.setenv(f"OVERSTORY_LLM_{name}", value)
        result = bench("--answers", questions, "--json")
    assert result.code == 0, result.err
    [row] = json.loads(result.out)
    assert (row["kind"], row["measures"]["uncited"]["mean"]) == ("llm", 1.0)
    assert row["answers"][0]["failures"] == ["no passage cited"]


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("question,answer,source\nWho?,I,none.md\n", 11, "line 2, column 'source': no document of the corpus"),
        ("question,answers\nWho?,I\n", 11, "unknown column 'answers'"),
    ],
)
def test_a_wrong_file_is_explained(bench: Bench, tmp_path: Path, text: str, code: int, said: str) -> None:
    file = tmp_path / "wrong.csv"
    file.write_text(text, encoding="utf-8")
    result = bench("--answers", file, "--json")
    assert (result.code, result.out) == (code, "")
    assert said in result.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--answers", "questions.csv", "--pack-seed", "1"], "--pack-seed needs a folder"),
        (["folder", "--answers", "questions.csv"], "Give either the folder"),
        (["folder"], "--corpus needs a file of questions"),
        ([], "Give a BEIR folder (DIR), or a file of questions"),
    ],
)
def test_a_folder_and_a_file_of_questions_have_their_own_options(bench: Bench, arguments: list[str], said: str) -> None:
    result = bench(*arguments)
    assert result.code == 2
    assert said in " ".join(result.err.split())


def test_a_corpus_that_is_not_there_is_an_error(overstory: Run, questions: Path) -> None:
    result = overstory("bench", "-q", "--answers", questions, "--corpus", "none-such")
    assert result.code == 7
