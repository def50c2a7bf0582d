"""`Knowledge.ask` and `overstory ask` on a real graph, with a real model where one answers."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.chat_endpoint import Endpoint, Handler, failing, running_chat_endpoint, streaming
from tests.local_model import WHY_NOT, local_model_is_there, local_settings

from overstory.errors import LlmError, QuestionError
from overstory.knowledge import Knowledge
from overstory.llm import Spent
from overstory.protocols import Embedder, Extractor
from overstory.settings import LlmSettings, Settings
from overstory_cli.main import run

BORN = "Where was Albert Einstein born?"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with running_chat_endpoint() as endpoint:
        endpoint.then = streaming("In ", "Ulm [", "1] [9].")
        yield endpoint


@pytest.fixture
def knowledge(
    shared_corpus: Knowledge, settings: Settings, endpoint: Endpoint, models: tuple[Embedder, Extractor], tmp_path: Path
) -> Iterator[Knowledge]:
    """The shared corpus with a model at the endpoint, and a memory of its own."""
    places = replace(settings.places, cache=tmp_path)
    llm = LlmSettings("openai", model="m", base_url=endpoint.url, retries=0)
    with Knowledge(shared_corpus.corpus_name, settings=replace(settings, llm=llm, places=places)) as knowledge:
        knowledge.use(embedder=models[0], extractor=models[1])
        yield knowledge


def test_an_answer_has_its_passages_and_says_what_it_took(knowledge: Knowledge) -> None:
    heard: list[str] = []
    first = knowledge.ask(BORN, 2, on_text=heard.append)
    assert first.text == "".join(heard) == "In Ulm [1]."
    assert (first.kind, first.answered, first.model) == ("llm", True, "m-2026")
    assert [(each.number, each.chunk_id) for each in first.citations] == [(1, first.evidence.hits[0].chunk_id)]
    assert (first.usage.requests, first.usage.usage.tokens) == (1, 12)
    again = knowledge.ask(BORN, 2)
    assert again.text == first.text
    assert (again.usage.requests, again.usage.remembered, again.usage.saved) == (0, 1, 12)


def test_two_threads_with_the_same_question_have_a_usage_each(knowledge: Knowledge, endpoint: Endpoint) -> None:
    both_are_asked, stream = threading.Barrier(2, timeout=60), endpoint.then

    def when_both_are_asked(handler: Handler, request: dict[str, Any]) -> None:
        both_are_asked.wait()
        stream(handler, request)

    endpoint.then = when_both_are_asked
    with ThreadPoolExecutor(2) as pool:
        asking = [pool.submit(knowledge.ask, BORN, 2) for _ in range(2)]
        answers = [each.result() for each in asking]
    assert [(each.usage.requests, each.usage.usage.tokens) for each in answers] == [(1, 12), (1, 12)]
    chat = knowledge.chat()
    assert chat is not None
    assert chat.usage.spent.usage.tokens == 24


def test_without_a_model_the_best_sentence_and_the_place_come_from_real_models(knowledge: Knowledge) -> None:
    knowledge.use_model("none")
    answer = knowledge.ask(BORN)
    assert (answer.kind, answer.short, answer.usage) == ("extractive", "Ulm", Spent())
    assert answer.text.startswith("Albert Einstein was born in Ulm.")
    assert all(f"[{each.number}]" in answer.text for each in answer.citations)
    assert knowledge.ask("Which river flows through Ulm, Vienna and Budapest?", 1).citations[0].source_key == "danube"


def test_an_answer_that_breaks_off_is_replaced_by_sentences(knowledge: Knowledge, endpoint: Endpoint) -> None:
    endpoint.then = streaming("In ", "Bern", finish=None)
    heard: list[str] = []
    answer = knowledge.ask(BORN, on_text=heard.append)
    assert "".join(heard) == f"In Bern\n\n{answer.text}"
    assert (answer.kind, answer.short) == ("extractive", "Ulm")
    assert any("broke off after 7 characters" in note for note in answer.notes)
    assert answer.usage.wasted > 0
    with pytest.raises(LlmError):
        knowledge.ask(BORN, strict=True)


def test_what_cannot_be_asked_is_refused(knowledge: Knowledge, endpoint: Endpoint) -> None:
    for question, k, tokens in (("", 5, 100), ("Where?", 0, 100), ("Where?", 5, 0)):
        with pytest.raises(QuestionError):
            knowledge.ask(question, k, context_tokens=tokens)
    with pytest.raises(QuestionError, match="must be a string"):
        knowledge.ask(None)  # type: ignore[arg-type] # what a user may do
    assert endpoint.requests == []


@pytest.mark.slow
@pytest.mark.skipif(not local_model_is_there(), reason=WHY_NOT)
def test_a_real_model_answers_within_its_context(shared_corpus: Knowledge, settings: Settings, tmp_path: Path) -> None:
    llm = local_settings(context=1_024, max_tokens=32)
    places = replace(settings.places, cache=tmp_path)
    with Knowledge(shared_corpus.corpus_name, settings=replace(settings, llm=llm, places=places)) as knowledge:
        knowledge.use(embedder=shared_corpus.embedder, extractor=shared_corpus.extractor)
        heard: list[str] = []
        answer = knowledge.ask(BORN, on_text=heard.append, context_tokens=100_000)
        assert answer.kind == "llm"
        assert "".join(heard).strip() == answer.text
        assert 0 < answer.usage.usage.tokens <= 1_024
        assert knowledge.ask(BORN, context_tokens=100_000).text == answer.text


def environment(settings: Settings, **more: str) -> dict[str, str]:
    return os.environ | {"OVERSTORY_HOME": str(settings.places.data)} | more


@pytest.fixture
def at_home(settings: Settings, shared_corpus: Knowledge, monkeypatch: pytest.MonkeyPatch) -> str:
    """The environment of a user without a model; the name of the corpus."""
    monkeypatch.setenv("OVERSTORY_HOME", str(settings.places.data))
    return shared_corpus.corpus_name


def test_the_command_shows_answer_sentences_sources_and_how_to_set_a_model(
    at_home: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ask", BORN, "--corpus", at_home]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Perhaps: Ulm\n\n    Albert Einstein was born in Ulm. [")
    assert "Sources:\n" in shown
    assert "[tests/passages#einstein]" in shown
    assert "This answer is extractive" in shown
    assert "OVERSTORY_LLM_BASE_URL" in shown


@pytest.mark.slow
def test_the_command_says_that_the_documents_do_not_answer(at_home: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "Which option of dpkg lists diverted files?", "--corpus", at_home, "-k", "2"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("The documents found do not answer this. No sentence mentions “diverted” or “files”.\n\n")
    assert "Nearest, not sure:\n    " in shown
    assert "Sources" not in shown
    assert run(["ask", "Which option of dpkg lists diverted files?", "--corpus", at_home, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["state"], said["answered"], said["short"], said["citations"]) == ("not_in_documents", False, "", [])
    assert said["evidence"]["hits"]


@pytest.mark.slow
def test_the_caller_says_how_sure_an_answer_must_be(at_home: str, capsys: pytest.CaptureFixture[str]) -> None:
    question = "What is the salary of Albert Einstein?"
    assert run(["ask", question, "--corpus", at_home]) == 0
    assert capsys.readouterr().out.startswith("The documents found do not answer this. No sentence mentions “salary”.")
    assert run(["ask", question, "--corpus", at_home, "--always"]) == 0
    shown = capsys.readouterr()
    assert "Albert Einstein" in shown.out
    assert "No sentence mentions “salary”." in shown.err
    assert run(["ask", BORN, "--corpus", at_home, "--least-confidence", "1"]) == 0
    assert capsys.readouterr().out.startswith("The documents found do not answer this.")


def test_the_command_gives_json_with_what_went_wrong(
    at_home: str, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.then = failing(401, "who are you")
    for name, value in (("BASE_URL", endpoint.url), ("MODEL", "m"), ("CACHE_MB", "0")):
        monkeypatch.setenv(f"OVERSTORY_LLM_{name}", value)
    assert run(["ask", BORN, "--corpus", at_home, "--json", "-k", "1"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert list(said) == [
        *("question", "follow_up", "answer", "short", "kind", "guess", "confidence", "answered", "state"),
        *("unsupported", "did_you_mean", "nearest", "citations", "notes", "model", "usage", "evidence"),
    ]
    assert (said["short"], said["kind"], said["guess"]) == ("Ulm", "extractive", "Ulm")
    assert (said["answered"], said["state"]) == (True, "answered")
    assert said["citations"][0]["number"] == 1
    assert "refused the key" in said["notes"][0]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([""], 10),
        ([BORN, "-k", "0"], 2),
        ([BORN, "--context-tokens", "0"], 2),
        ([BORN, "--retriever", "none-such"], 3),
        ([BORN, "--corpus", "none-such"], 7),
        ([BORN, "--model", "none-such"], 14),
        ([BORN, "--strict", "--always"], 2),
        ([BORN, "--least-confidence", "2"], 2),
    ],
)
def test_wrong_use_is_explained(
    at_home: str, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int
) -> None:
    chosen = [] if "--corpus" in arguments else ["--corpus", at_home]
    assert run(["ask", *arguments, *chosen]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Error" in captured.err


def test_search_takes_a_model_too(at_home: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["search", BORN, "--corpus", at_home, "--model", "none", "--budget-tokens", "5"]) == 0
    assert "Ulm" in capsys.readouterr().out


def read_to_the_end(terminal: int) -> bytes:
    read = bytearray()
    while True:
        try:
            read += os.read(terminal, 1_000)
        except OSError:  # the other end is closed
            os.close(terminal)
            return bytes(read)


@pytest.mark.slow
def test_on_a_terminal_the_answer_is_shown_while_it_comes(at_home: str, settings: Settings, endpoint: Endpoint) -> None:
    ours, theirs = pty.openpty()
    our_errors, their_errors = pty.openpty()
    more = {"OVERSTORY_LLM_BASE_URL": endpoint.url, "OVERSTORY_LLM_MODEL": "m", "OVERSTORY_LLM_CACHE_MB": "0"}
    more |= {"TERM": "xterm"}
    command = [str(Path(sys.executable).with_name("overstory")), "ask", BORN, "--corpus", at_home, "-k", "1"]
    with subprocess.Popen(command, env=environment(settings, **more), stdout=theirs, stderr=their_errors) as asked:
        os.close(theirs)
        os.close(their_errors)
        with ThreadPoolExecutor(1) as pool:
            errors = pool.submit(read_to_the_end, our_errors)
            shown = read_to_the_end(ours)
        asked.wait()
    assert "Reading the passages …" in errors.result().decode()
    assert endpoint.requests[0]["stream"] is True
    assert shown.decode().replace("\r", "").startswith("In Ulm [1].\n\nSources:\n  1. ")
