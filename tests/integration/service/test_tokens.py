"""Tokens over HTTP: none gives away more than it has, and none learns of those that are good for more."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import pytest
from tests.passages import OpenCorpus
from tests.serving import Running, serving

from overstory.graph import create_corpus
from overstory.knowledge import Knowledge
from overstory.protocols import Embedder, Extractor
from overstory.settings import Settings


@pytest.fixture
def service(
    settings: Settings, models: tuple[Embedder, Extractor], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    with serving(settings, models, tmp_path_factory.mktemp("tokens")) as running:
        yield running


def test_the_first_token_is_an_administrators_and_closes_the_service(service: Running) -> None:
    with service.client() as client:
        assert client.get("/v1/tokens").json() == {"tokens": []}
        refused = client.post("/v1/tokens", json={"name": "reader"})
        assert refused.status_code == HTTPStatus.FORBIDDEN
        narrow = client.post("/v1/tokens", json={"name": "narrow", "rights": "admin", "corpora": ["docs"]})
        assert narrow.status_code == HTTPStatus.FORBIDDEN
        made = client.post("/v1/tokens", json={"name": "root", "rights": "admin"})
        assert made.status_code == HTTPStatus.CREATED
        assert client.get("/v1/tokens").status_code == HTTPStatus.UNAUTHORIZED
    with service.client(made.json()["secret"]) as client:
        (listed,) = client.get("/v1/tokens").json()["tokens"]
        assert (listed["name"], listed["rights"], listed["corpora"], listed["own"]) == ("root", "admin", [], True)
        assert made.json()["secret"] not in client.get("/v1/tokens").text
        reader = client.post("/v1/tokens", json={"name": "a/b", "where": "team = 'x'"}).json()
        assert reader["token"]["where"] == "team = 'x'"
        with service.client(reader["secret"]) as other:
            assert other.get("/v1/tokens").status_code == HTTPStatus.FORBIDDEN
            assert client.delete("/v1/tokens/a%2Fb").json()["name"] == "a/b"
            assert other.get("/v1/corpora").status_code == HTTPStatus.UNAUTHORIZED
        assert client.delete("/v1/tokens/a%2Fb").status_code == HTTPStatus.NOT_FOUND


def test_a_token_that_may_only_read_has_no_answer_remembered(service: Running, shared_corpus: Knowledge) -> None:
    service.token("root", "admin")
    with service.client(service.token("reader", "read")) as client:
        ask = f"/v1/corpora/{shared_corpus.corpus_name}/ask"
        asked = {"question": "Where was Albert Einstein born?", "retriever": "apr"}
        assert client.post(ask, json=asked).status_code == HTTPStatus.OK
        assert client.post(ask, json=asked | {"remember": True}).status_code == HTTPStatus.FORBIDDEN
    assert shared_corpus.memory.answers() == []


@pytest.mark.parametrize("rights", ["read", "write"])
def test_only_administrators_see_make_and_end_tokens(service: Running, rights: Any) -> None:
    service.token("root", "admin")
    with service.client(service.token("other", rights)) as client:
        for answer in (
            client.get("/v1/tokens"),
            client.post("/v1/tokens", json={"name": "mine"}),
            client.delete("/v1/tokens/root"),
            client.delete("/v1/tokens/missing"),
        ):
            assert answer.status_code == HTTPStatus.FORBIDDEN
            assert "root" not in answer.text
    assert [each.name for each in service.tokens.tokens()] == ["root", "other"]


@pytest.mark.parametrize(
    ("asked", "status", "corpora"),
    [
        ({}, 201, ("docs", "more")),
        ({"rights": "admin"}, 201, ("docs", "more")),
        ({"corpora": ["docs"]}, 201, ("docs",)),
        ({"corpora": ["docs", "hidden"]}, 404, ()),
        ({"corpora": ["hidden"], "rights": "admin"}, 404, ()),
        ({"corpora": ["docs"], "where": "a = 1", "rights": "write"}, 400, ()),
        ({"corpora": ["docs"], "where": "a ="}, 400, ()),
        ({"rights": "all"}, 422, ()),
        ({"digest": "0"}, 422, ()),
    ],
)
def test_a_token_gives_away_no_more_than_it_has(
    service: Running, asked: dict[str, object], status: int, corpora: tuple[str, ...]
) -> None:
    service.token("root", "admin")
    service.token("hidden one", "read", corpora=("docs", "hidden"))
    service.token("seen", "read", corpora=("more",))
    with service.client(service.token("part", "admin", corpora=("docs", "more"))) as client:
        listed = client.get("/v1/tokens").json()["tokens"]
        assert [each["name"] for each in listed] == ["seen", "part"]
        answer = client.post("/v1/tokens", json={"name": "new", **asked})
        assert answer.status_code == status, answer.text
        made = {each.name: each for each in service.tokens.tokens()}
        assert made["new"].corpora == corpora if corpora else "new" not in made
        for other in ("root", "hidden one", "missing"):
            refused = client.delete(f"/v1/tokens/{other}")
            assert refused.status_code == HTTPStatus.NOT_FOUND
            assert refused.text == client.delete("/v1/tokens/missing").text
        assert {"root", "hidden one"} <= {each.name for each in service.tokens.tokens()}


def test_the_page_of_another_place_makes_no_token(service: Running) -> None:
    token = service.token("root", "admin")
    with service.client() as client:
        client.post("/v1/session", json={"token": token}, headers={"X-Overstory-Page": "1"})
        assert client.post("/v1/tokens", json={"name": "forged"}).status_code == HTTPStatus.FORBIDDEN
        assert [each.name for each in service.tokens.tokens()] == ["root"]
        made = client.post("/v1/tokens", json={"name": "mine"}, headers={"X-Overstory-Page": "1"})
        assert made.status_code == HTTPStatus.CREATED


def test_a_forged_request_with_the_cookie_is_refused(service: Running, shared_corpus: Knowledge) -> None:
    token = service.token("forged", "admin")
    with service.client() as client:
        assert client.post("/v1/session", json={"token": token}).status_code == HTTPStatus.FORBIDDEN  # no page
        own = {"X-Overstory-Page": "1"}
        signed_in = client.post("/v1/session", json={"token": token}, headers=own)
        assert signed_in.json() == {"by": "cookie", "name": "forged", "rights": "admin", "filtered": False}
        assert "Secure" not in signed_in.headers["set-cookie"]
        by_https = own | {"Origin": f"https://127.0.0.1:{service.port}"}  # as a proxy that ends TLS passes it on
        assert "Secure" in client.post("/v1/session", json={"token": token}, headers=by_https).headers["set-cookie"]
        client.cookies.set("overstory_session", signed_in.cookies["overstory_session"])
        place = f"/v1/corpora/{shared_corpus.corpus_name}/search"
        assert client.post(place, json={"question": "Who?"}).status_code == HTTPStatus.FORBIDDEN
        assert client.post(place, json={"question": "Who?"}, headers=own).status_code == HTTPStatus.OK
        foreign = own | {"Origin": "https://evil.example"}
        assert client.post(place, json={"question": "Who?"}, headers=foreign).status_code == HTTPStatus.FORBIDDEN
        assert client.delete("/v1/corpora/missing").status_code == HTTPStatus.FORBIDDEN
        assert client.delete("/v1/corpora/missing", headers=own).status_code == HTTPStatus.NOT_FOUND


def test_a_job_names_its_token_to_those_who_administer_it(service: Running, open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    corpus = knowledge.corpus_name
    create_corpus(knowledge.graph, corpus)
    tokens = {
        "secret root": service.token("secret root", "admin"),
        "owner": service.token("owner", "write", corpora=(corpus,)),
        "colleague": service.token("colleague", "write", corpora=(corpus,)),
        "part": service.token("part", "admin", corpora=(corpus,)),
    }
    jobs: dict[str, str] = {}
    for by in ("secret root", "owner"):
        with service.client(tokens[by]) as client:
            queued = client.post(f"/v1/corpora/{corpus}/index").json()
            assert queued["by"] == by
            jobs[by] = queued["id"]
            client.delete(f"/v1/jobs/{queued['id']}")
    seen = {"secret root": {"secret root", "owner"}, "owner": {"owner"}, "colleague": set(), "part": {"owner"}}
    for asking, token in tokens.items():
        with service.client(token) as client:
            answers = [client.get(f"/v1/jobs?corpus={corpus}"), client.get("/v1/jobs")]
            answers += [client.get(f"/v1/jobs/{job}") for job in jobs.values()]
            answers += [client.delete(f"/v1/jobs/{job}") for job in jobs.values()]
            answers += [client.get(f"/v1/jobs/{job}/events") for job in jobs.values()]
            for by in jobs:
                assert any(f'"{by}"' in each.text for each in answers) is (by in seen[asking]), (asking, by)
