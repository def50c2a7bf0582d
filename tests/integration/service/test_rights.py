"""A token reveals nothing outside its rights: no text, name, number, error or log line."""

from __future__ import annotations

import json
import logging
import os
import random
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from tests.passages import OpenCorpus
from tests.serving import Running, serving

from overstory.knowledge import Knowledge
from overstory.model import Document
from overstory.protocols import Embedder, Extractor
from overstory.settings import Settings
from overstory_service.settings import ServiceSettings
from overstory_service.tokens import TOKENS_FILE

REQUESTS = int(os.environ.get("OVERSTORY_TEST_REQUESTS", "100"))
"""Random requests; 10,000 take some minutes."""
SIZE = 12
SYLLABLES = ("bra", "dul", "fen", "gor", "hyl", "jut", "kav", "lom", "mip", "nes", "pol", "ros", "tav", "vur", "wex")
FAULT = 500
CHAT = "/v1/chat/completions"
MCP = "/mcp"


def word(number: int) -> str:
    """A name that no other number has."""
    first, second = divmod(number, len(SYLLABLES))
    return (SYLLABLES[first % len(SYLLABLES)] + SYLLABLES[second] + SYLLABLES[-1 - second]).capitalize()


def secrets(number: int) -> set[str]:
    """Return the words that occur only in one document."""
    return {word(number), word(100 + number), f"key{number:03}", f"Owner{number:03}"}


def document(number: int, part: str) -> Document:
    return Document(
        "files",
        f"key{number:03}",
        f"{word(number)} Smith was born in {word(100 + number)}. {word(number)} Smith works for Harbour Press. "
        "Harbour Press is in Leith.",
        f"{word(number)} Smith",
        {"part": part, "owner": f"Owner{number:03}"},
    )


@pytest.fixture(scope="module")
def corpora(open_module_corpus: OpenCorpus) -> dict[str, Knowledge]:
    """Return two corpora; one of them has documents of two parts."""
    first, second = open_module_corpus("first"), open_module_corpus("second")
    first.ingest_documents([document(number, "ab"[number % 2]) for number in range(SIZE)])
    second.ingest_documents([document(number, "a") for number in range(SIZE, 2 * SIZE)])
    for each in (first, second):
        each.index(systems=["serag"])
    return {"first": first, "second": second}


@pytest.fixture(scope="module")
def service(
    settings: Settings, models: tuple[Embedder, Extractor], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    folder: Path = tmp_path_factory.mktemp("rights")
    with serving(settings, models, folder, ServiceSettings(agents_write=True)) as running:
        running.token("root", "admin")
        yield running


def test_without_a_token_there_is_nothing(service: Running, corpora: dict[str, Knowledge]) -> None:
    name = corpora["first"].corpus_name
    with service.client() as client:
        for path in ("/v1/corpora", f"/v1/corpora/{name}", f"/v1/corpora/{name}/documents", "/metrics", "/v1/jobs"):
            answer = client.get(path)
            assert answer.status_code == HTTPStatus.UNAUTHORIZED
            assert name not in answer.text
        assert client.get("/healthz").status_code == HTTPStatus.OK


def test_tokens_that_cannot_be_read_let_nobody_in_and_say_so_to_the_log_alone(
    settings: Settings,
    models: tuple[Embedder, Extractor],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with serving(settings, models, tmp_path) as service:
        monkeypatch.setattr(logging.getLogger("overstory.service"), "propagate", True)
        token = service.token("reader")
        file = tmp_path / TOKENS_FILE
        file.write_text("{broken")
        with service.client(token) as client:
            refused = client.get("/v1/corpora")
            assert refused.status_code == HTTPStatus.SERVICE_UNAVAILABLE
            assert str(tmp_path) not in refused.text
            assert str(file) in caplog.text


def test_not_there_and_not_allowed_are_the_same_answer(service: Running, corpora: dict[str, Knowledge]) -> None:
    token = service.token("of first", "write", corpora=(corpora["first"].corpus_name,))
    hidden = corpora["second"].corpus_name
    missing = "x" * len(hidden)
    with service.client(token) as client:
        for method, rest, body in routes(random.Random(1), "key001"):  # noqa: S311
            if rest == CHAT:
                continue
            answers = [sent(client, corpus, method, rest, body) for corpus in (hidden, missing)]
            texts = [answer.text.replace(hidden, "?").replace(missing, "?") for answer in answers]
            assert answers[0].status_code == answers[1].status_code, rest
            assert texts[0] == texts[1]


def test_random_tokens_learn_nothing_of_what_they_may_not_see(
    service: Running, corpora: dict[str, Knowledge], caplog: pytest.LogCaptureFixture
) -> None:
    """Random requests over all routes, with tokens for a corpus, for a part of one, or for a document."""
    caplog.set_level(logging.INFO, "overstory_service")
    chance = random.Random(20)  # noqa: S311
    names = {kind: knowledge.corpus_name for kind, knowledge in corpora.items()}
    ids = {each.source_key: each.id for knowledge in corpora.values() for each in knowledge.documents()}
    visible: dict[str, set[int]] = {
        service.token("second", "read", corpora=(names["second"],)): set(range(SIZE, 2 * SIZE)),
        service.token("part a", "read", where="part = 'a'"): {*range(0, SIZE, 2), *range(SIZE, 2 * SIZE)},
        service.token("part b", "read", where="part = 'b'"): set(range(1, SIZE, 2)),
        service.token("one", "read", corpora=(names["first"],), where="owner = 'Owner003'"): {3},
        service.token("none", "read", where="part = 'c'"): set(),
        service.token("no such key", "read", where="nothing = 'c'"): set(),
        service.token("first", "read", corpora=(names["first"],)): set(range(SIZE)),
    }
    everything = {number: secrets(number) for number in range(2 * SIZE)}
    statuses: set[int] = set()
    for _ in range(REQUESTS):
        token = chance.choice(list(visible))
        asked = chance.randrange(2 * SIZE)
        method, rest, body = chance.choice(routes(chance, ids[f"key{asked:03}"], asked))
        with service.client(token) as client:
            corpus, *others = chance.sample(list(names.values()), chance.choice([1, 2]))
            answer = sent(client, corpus, method, rest, with_others(rest, body, others))
            listed = client.get("/v1/corpora").text + sent(client, "", *tool("corpora", {})).text
        said = answer.text + str(dict(answer.headers)) + listed
        statuses.add(answer.status_code)
        assert answer.status_code < FAULT, answer.text
        assert "Internal error" not in answer.text
        for number, words in everything.items():
            if number not in visible[token] and number != asked:
                assert not [each for each in words if each in said], (method, rest, answer.status_code)
        if asked not in visible[token] and answer.is_success and (method == "GET" or rest == MCP):
            assert word(100 + asked) not in answer.text  # it was not in the request
    assert {200, 403, 404} <= statuses
    logged = caplog.text
    assert not [each for words in everything.values() for each in words if each in logged]


def tool(name: str, arguments: dict[str, object]) -> tuple[str, str, dict[str, object] | None]:
    """A call of a tool as a request."""
    return ("POST", MCP, {"name": name, "arguments": arguments})


def with_others(rest: str, body: dict[str, object] | None, others: list[str]) -> dict[str, object] | None:
    """A request that asks other corpora, too, if it is one that can."""
    if body is None or not others:
        return body
    if rest in ("/search", "/ask"):
        return body | {"also": others}
    if rest == MCP and body["name"] in ("search", "ask"):
        arguments = cast("dict[str, object]", body["arguments"])
        return body | {"arguments": arguments | {"also": others}}
    return body


def sent(client: httpx.Client, corpus: str, method: str, rest: str, body: dict[str, object] | None) -> httpx.Response:
    """The answer to a request about a corpus."""
    if rest == CHAT:
        return client.request(method, CHAT, json={**(body or {}), "model": corpus})
    if rest == MCP:
        params: dict[str, Any] = json.loads(json.dumps(body))
        if corpus:
            params["arguments"]["corpus"] = corpus
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        return client.post(MCP, json=call, headers={"Accept": "application/json, text/event-stream"})
    return client.request(method, f"/v1/corpora/{corpus}{rest}", json=body)


def routes(chance: random.Random, document_id: str, asked: int = 1) -> list[tuple[str, str, dict[str, object] | None]]:
    """A request of each kind about a document: method, what follows the corpus in the path, and the body."""
    question = chance.choice([f"Where was {word(asked)} Smith born?", "Who works for Harbour Press?", "Leith"])
    retriever = chance.choice(["dense", "lexical", "hybrid", "canopy", "serag"])
    where = chance.choice([None, f"owner = 'Owner{asked:03}'", "not part = 'a'", "part exists", "owne = 'x'"])
    search: dict[str, object] = {"question": question, "retriever": retriever, "k": 20, "where": where}
    filtered = f"?where={where}" if where else ""
    chat: dict[str, object] = {"messages": [{"role": "user", "content": question}], "where": where}
    return [
        ("POST", CHAT, chat),
        ("POST", CHAT, chat | {"stream": True}),
        tool("search", search),
        tool("ask", search),
        tool("path", {"start": f"{word(asked)} Smith", "end": "Leith", "where": where}),
        tool("path", {"start": "Harbour Press", "end": "Leith"}),
        tool("entity", {"name": f"{word(asked)} Smith"}),
        tool("entity", {"name": "Harbour Press", "limit": 50, "where": where}),
        tool("tree", {"depth": 5, "limit": 50, "where": where}),
        tool("report", {"where": where}),
        tool("report", {"community": "0"}),
        tool("read_document", {"document": document_id}),
        tool("delete_document", {"document": document_id}),
        tool("store_text", {"text": "x", "source": "y"}),
        tool("index", {}),
        ("POST", "/search", search),
        ("POST", "/ask", search),
        ("POST", "/ask", search | {"stream": True}),
        ("GET", f"/documents{filtered}", None),
        ("GET", f"/documents/{document_id}", None),
        ("DELETE", f"/documents/{document_id}", None),
        ("GET", "/entities", None),
        ("GET", f"/entities?like={word(asked)[:4]}", None),
        ("GET", f"/paths?start={word(asked)} Smith&end=Leith", None),
        ("GET", f"/entity?name={word(asked)} Smith", None),
        ("GET", "/entity?name=Harbour Press&limit=100", None),
        ("GET", f"/entity/passages?name={word(asked)} Smith", None),
        ("GET", "/entity/passages?name=Harbour Press&first=2", None),
        ("GET", "/tree?depth=3&first=1", None),
        ("POST", "/entities/edits", {"action": "rename", "names": [word(asked)], "into": "Nobody"}),
        ("POST", "/entities/edits", {"action": "undo", "number": 1}),
        ("POST", "/entities/edits", {"action": "dismiss", "names": [word(asked)], "into": "Nobody"}),
        ("GET", "/models", None),
        ("GET", "/browser?name=Nobody", None),
        ("GET", "/entities/suggestions", None),
        ("GET", "/entities/edits", None),
        ("POST", "/entities/edits", {"action": "hide", "names": [word(asked)]}),
        ("POST", f"/documents/{document_id}/disable", None),
        ("GET", f"/entities{filtered}", None),
        ("GET", f"/tree{filtered}", None),
        ("GET", "/tree", None),
        ("GET", "/trees", None),
        ("GET", "/reports", None),
        ("GET", "/reports/0", None),
        ("GET", "/metadata", None),
        ("GET", "/metadata/owner", None),
        ("GET", "", None),
        ("GET", "?sizes=true", None),
        ("POST", "/index", {}),
        ("POST", "/sync", {"folder": "/"}),
        ("POST", "/documents", {"documents": [{"text": "x", "source": "y"}]}),
        ("DELETE", "", None),
    ]
