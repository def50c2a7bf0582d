"""Remembered answers: across processes, within bounds, and never at the price of a run."""

from __future__ import annotations

import multiprocessing
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.chat_endpoint import Handler, running_chat_endpoint, saying

from overstory.errors import LlmError
from overstory.llm.cache import (
    _ANSWER_OVERHEAD_BYTES,
    _QUOTE_BYTES,
    FORGET_ANSWERS,
    FORGET_QUOTES,
    AnswerCache,
    request_key,
)
from overstory.model import Completion, JsonSchema, Message, Usage

ANSWER = Completion("Dublin", "m", Usage(10, 2))
MESSAGES = [Message("user", "Where?")]


@pytest.fixture
def cache(tmp_path: Path) -> AnswerCache:
    return AnswerCache(tmp_path / "llm" / "answers.sqlite3", most_bytes=100_000)


def test_an_answer_is_given_again_and_says_so(cache: AnswerCache) -> None:
    assert cache.get("a") is None
    cache.put("a", ANSWER)
    found = AnswerCache(cache.path, most_bytes=1).get("a")
    assert found == Completion("Dublin", "m", Usage(10, 2), cached=True)


def test_looking_makes_no_file(cache: AnswerCache) -> None:
    assert cache.get("a") is None
    assert cache.size().answers == 0
    assert cache.clear().answers == 0
    assert not cache.path.parent.exists()


def test_the_key_changes_with_everything_that_may_change_the_answer() -> None:
    schema: JsonSchema = {"type": "object"}
    keys = [
        request_key("m", MESSAGES, None, 10),
        request_key("n", MESSAGES, None, 10),
        request_key("m", [Message("system", "Where?")], None, 10),
        request_key("m", [Message("user", "Who?")], None, 10),
        request_key("m", [*MESSAGES, *MESSAGES], None, 10),
        request_key("m", MESSAGES, schema, 10),
        request_key("m", MESSAGES, None, 11),
    ]
    assert len(set(keys)) == len(keys)
    assert keys[0] == request_key("m", [Message("user", "Where?")], None, 10)


def test_the_file_holds_no_prompt_and_only_its_owner_reads_it(cache: AnswerCache) -> None:
    cache.put(request_key("m", [Message("user", "a secret question")], None, 10), ANSWER)
    assert all(b"secret question" not in file.read_bytes() for file in cache.path.parent.iterdir())
    assert stat.S_IMODE(cache.path.stat().st_mode) == 0o600


def test_size_and_clear_say_what_there_is(cache: AnswerCache) -> None:
    cache.put("a", ANSWER)
    cache.put("b", ANSWER)
    cache.put("b", ANSWER)
    assert (cache.size().answers, cache.size().tokens) == (2, 24)
    assert cache.clear().answers == 2
    assert cache.size().answers == 0
    assert cache.get("a") is None


def test_the_oldest_go_when_it_is_full(cache: AnswerCache) -> None:
    small = AnswerCache(cache.path, most_bytes=10 * (_ANSWER_OVERHEAD_BYTES + 6))
    for number in range(25):
        small.put(str(number), ANSWER)
    assert small.get("24")
    assert small.get("0") is None
    assert small.size().bytes <= 10 * (_ANSWER_OVERHEAD_BYTES + 6)
    small.put("large", Completion("x" * 10_000, "m", Usage()))
    assert small.get("large") is None
    assert small.get("24")


@pytest.mark.parametrize("content", [b"", b"not a database" * 100])
def test_a_broken_file_is_begun_anew(cache: AnswerCache, content: bytes) -> None:
    cache.path.parent.mkdir()
    cache.path.write_bytes(content)
    assert cache.get("a") is None
    cache.put("a", ANSWER)
    assert cache.get("a")


def test_a_file_that_is_broken_further_in_is_begun_anew(cache: AnswerCache) -> None:
    for number in range(50):
        cache.put(str(number), Completion("x" * 1_000, "m", Usage()))
    content = bytearray(cache.path.read_bytes())
    content[1_000:] = b"\xff" * (len(content) - 1_000)
    cache.path.write_bytes(content)
    assert cache.get("7") is None
    cache.put("a", ANSWER)
    assert cache.get("a")


def test_a_file_of_another_version_is_begun_anew(cache: AnswerCache) -> None:
    cache.put("a", ANSWER)
    database = sqlite3.connect(cache.path)
    database.execute("PRAGMA user_version = 99")
    database.close()
    assert cache.get("a") is None


def test_a_folder_that_cannot_be_made_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LlmError, match="answer cache") as caught:
        AnswerCache(tmp_path / "file" / "x" / "answers.sqlite3", most_bytes=1_000).put("a", ANSWER)
    assert "OVERSTORY_LLM_CACHE_MB=0" in caught.value.remedy


def test_with_a_passage_go_the_answers_whose_prompts_quote_it(cache: AnswerCache) -> None:
    cache.put("a", ANSWER, quotes=["p1", "p2", "p2"])
    cache.put("b", ANSWER, quotes=["p2"])
    cache.put("c", ANSWER, quotes=["p3"])
    cache.put("d", ANSWER)
    assert cache.forget(["p9"]) == 0
    assert cache.forget(["p2", "p9"]) == 2
    assert [bool(cache.get(key)) for key in "abcd"] == [False, False, True, True]
    cache.put("a", ANSWER, quotes=["p4"])
    assert cache.forget(["p1", "p2"]) == 0  # what the forgotten answer quoted is forgotten, too


def test_forgetting_makes_no_file(cache: AnswerCache) -> None:
    assert cache.forget(["p1"]) == 0
    cache.move([("p1", "p2")])
    assert not cache.path.parent.exists()


def test_a_forgotten_answer_is_not_left_in_the_file(cache: AnswerCache) -> None:
    secret = "born in Dublin, as nobody may know"
    for number in range(50):
        cache.put(f"k{number}", Completion(f"{number} {secret}", "m", Usage()), quotes=["p"])
    cache.forget(["p"])
    assert all(secret.encode() not in file.read_bytes() for file in cache.path.parent.iterdir())


def test_an_answer_that_another_passage_with_the_same_text_got_from_the_cache_goes_with_either(
    cache: AnswerCache,
) -> None:
    cache.put("a", ANSWER, quotes=["p1"])
    before = cache.size().bytes
    assert cache.get("a", quotes=["p1", "p2"])
    assert cache.get("a", quotes=["p2"])
    assert cache.size().bytes == before + _QUOTE_BYTES
    assert cache.forget(["p2"]) == 1
    assert cache.get("a") is None


def test_an_answer_follows_a_passage_that_moved(cache: AnswerCache) -> None:
    cache.put("a", ANSWER, quotes=["old", "new", "other"])
    cache.put("b", ANSWER, quotes=["old"])
    cache.move([("old", "new"), ("unknown", "p")])
    assert cache.forget(["old", "unknown"]) == 0
    assert cache.forget(["new"]) == 2


def test_what_dropped_answers_quoted_is_dropped_with_them(cache: AnswerCache) -> None:
    small = AnswerCache(cache.path, most_bytes=10 * (_ANSWER_OVERHEAD_BYTES + _QUOTE_BYTES + 6))
    for number in range(25):
        small.put(str(number), ANSWER, quotes=["p"])
    with closing(sqlite3.connect(cache.path)) as database:
        [(quotes,)] = database.execute("SELECT count(*) FROM quotes").fetchall()
    assert small.size().bytes <= 10 * (_ANSWER_OVERHEAD_BYTES + _QUOTE_BYTES + 6)
    assert quotes == small.size().answers
    small.clear()
    assert small.forget(["p"]) == 0


def test_forgetting_reads_only_what_quotes_the_passages(cache: AnswerCache) -> None:
    cache.put("a", ANSWER, quotes=["p1"])
    with closing(sqlite3.connect(cache.path)) as database:
        for statement in (FORGET_ANSWERS, FORGET_QUOTES):
            plan = [row[3] for row in database.execute(f"EXPLAIN QUERY PLAN {statement}", ("[]",))]
            assert any("quotes USING PRIMARY KEY (passage=?)" in step for step in plan)
            assert [step for step in plan if step.startswith("SCAN")] == ["SCAN json_each VIRTUAL TABLE INDEX 1:"]


def test_a_file_of_the_version_before_is_begun_anew_and_knows_what_prompts_quote(cache: AnswerCache) -> None:
    cache.path.parent.mkdir()
    with closing(sqlite3.connect(cache.path)) as database:
        database.execute(
            "CREATE TABLE answers (key TEXT PRIMARY KEY, model TEXT, text TEXT, prompt_tokens INTEGER,"
            " completion_tokens INTEGER, estimated INTEGER, size INTEGER, used REAL) WITHOUT ROWID"
        )
        database.execute("INSERT INTO answers VALUES ('a', 'm', 'Dublin', 1, 1, 0, 1, 1.0)")
        database.execute("PRAGMA user_version = 1")
        database.commit()
    assert cache.get("a") is None  # nobody knows what it quotes, so that it could not be forgotten
    cache.put("a", ANSWER, quotes=["p"])
    assert cache.forget(["p"]) == 1


def _fill(path: Path, name: str) -> None:
    cache = AnswerCache(path, most_bytes=10_000_000)
    for number in range(20):
        cache.put(f"{name}-{number}", ANSWER)


def test_a_new_file_is_waited_for_while_another_makes_it(cache: AnswerCache) -> None:
    cache.path.parent.mkdir()
    with closing(sqlite3.connect(cache.path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        done = threading.Timer(0.2, other.execute, ["COMMIT"])
        done.start()
        cache.put("a", ANSWER)
        done.join()
    assert cache.get("a") is not None


def test_processes_and_threads_write_at_the_same_time(cache: AnswerCache) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_fill, args=(cache.path, str(name))) for name in range(2)]
    for process in processes:
        process.start()
    with ThreadPoolExecutor(3) as threads:
        for done in [threads.submit(_fill, cache.path, name) for name in "xyz"]:
            done.result()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    assert cache.size().answers == 100


RUN = """
import sys
from overstory.llm import open_chat
from overstory.model import Message
from overstory.settings import Settings

with open_chat(Settings.from_environment()) as chat:
    texts = list(chat.each(lambda n: chat.ask([Message("user", f"Number {n}?")]).text, range(40)))
    print(len(texts), chat.usage.spent.requests, chat.usage.spent.remembered)
"""
AT_ONCE = 3


def slow(handler: Handler, request: dict[str, Any]) -> None:
    time.sleep(0.02)
    saying(request["messages"][0]["content"])(handler, request)


@pytest.mark.slow
def test_what_a_killed_run_was_answered_is_not_asked_again(tmp_path: Path) -> None:
    with running_chat_endpoint() as endpoint:
        endpoint.then = slow
        environment = {
            "PYTHONPATH": ":".join(sys.path),
            "OVERSTORY_HOME": str(tmp_path),
            "OVERSTORY_LLM_BASE_URL": endpoint.url,
            "OVERSTORY_LLM_MODEL": "m",
            "OVERSTORY_LLM_AT_ONCE": str(AT_ONCE),
        }
        command = [sys.executable, "-W", "error", "-c", RUN]
        for killed_after in (10, 30):
            with subprocess.Popen(command, env=environment) as run:
                while len(endpoint.requests) < killed_after:
                    time.sleep(0.005)
                run.kill()
        result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert result.stderr == ""
        total, requests, remembered = map(int, result.stdout.split())
        assert (total, requests + remembered) == (40, 40)
        assert remembered >= 30 - 3 * AT_ONCE
        assert len(endpoint.requests) <= 40 + 3 * AT_ONCE
