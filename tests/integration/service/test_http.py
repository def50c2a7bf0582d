"""The HTTP API over a real Neo4j: what the library finds, what is refused, and how."""

from __future__ import annotations

import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from urllib.parse import parse_qs, quote, urlsplit

import httpx
import pytest
from openapi_spec_validator import validate
from tests.commands import Run
from tests.passages import PASSAGES, OpenCorpus
from tests.serving import Running

from overstory.errors import SettingsError
from overstory.graph import read_corpus
from overstory.graph.lease import writing
from overstory.knowledge import Knowledge
from overstory.model import Document
from overstory.model.plain import plain
from overstory_service import application, request_limits
from overstory_service.responses import cursor_of

QUESTION = "On which river is the city where Albert Einstein was born?"
HELLO = [("files", ("a.md", b"Hello there."))]


def url(corpus: str, *rest: str) -> str:
    return "/".join(("/v1/corpora", corpus, *rest))


def test_search_is_that_of_the_library(client: httpx.Client, shared_corpus: Knowledge) -> None:
    found = client.post(url(shared_corpus.corpus_name, "search"), json={"question": QUESTION, "k": 3})
    assert found.status_code == HTTPStatus.OK
    expected = json.loads(json.dumps(plain(shared_corpus.search(QUESTION, 3))))
    assert found.json() == expected
    assert len(found.json()["hits"]) == 3


@pytest.mark.parametrize("retriever", ["dense", "lexical", "hybrid", "canopy", "serag"])
def test_every_retriever_can_be_asked(client: httpx.Client, shared_corpus: Knowledge, retriever: str) -> None:
    asked = {"question": QUESTION, "retriever": retriever}
    found = client.post(url(shared_corpus.corpus_name, "search"), json=asked)
    assert found.status_code == HTTPStatus.OK
    assert found.json()["hits"]


def test_an_answer_comes_whole_or_in_pieces(client: httpx.Client, shared_corpus: Knowledge) -> None:
    place = url(shared_corpus.corpus_name, "ask")
    question = "Where was Albert Einstein born?"
    whole = client.post(place, json={"question": question}).json()
    assert whole["text"]
    assert whole["citations"]
    events = sent_events(client.post(place, json={"question": question, "stream": True}).text)
    assert [kind for kind, _ in events] == ["text", "answer", "end"]
    assert events[1][1]["text"] == events[0][1]["text"] == whole["text"]


def test_several_corpora_are_asked_as_one(
    client: httpx.Client, shared_corpus: Knowledge, open_corpus: OpenCorpus
) -> None:
    other = open_corpus("other")
    other.ingest_documents([Document("mill.md", "", "Ada Quill owns the paper mill at Penicuik.", "The paper mill")])
    other.index()
    name, also = shared_corpus.corpus_name, [other.corpus_name]
    expected = plain(Knowledge.over([shared_corpus, other]).search("Who owns the paper mill?", 3))
    found = client.post(
        f"/v1/corpora/{name}/search", json={"question": "Who owns the paper mill?", "k": 3, "also": also}
    )
    assert found.json() == expected
    assert found.json()["hits"][0]["corpus"] == other.corpus_name
    answer = client.post(f"/v1/corpora/{name}/ask", json={"question": "Who owns the paper mill?", "also": also}).json()
    assert answer["short"] == "Ada Quill"
    missing = client.post(f"/v1/corpora/{name}/search", json={"question": "Who?", "also": ["nowhere"]})
    assert missing.status_code == HTTPStatus.NOT_FOUND
    assert "nowhere" in missing.json()["detail"]


def test_a_question_goes_on_from_the_history_that_is_sent_along(client: httpx.Client, shared_corpus: Knowledge) -> None:
    history = [{"question": "Who is Albert Einstein?", "answer": "A physicist."}]
    asked = {"question": "Where was he born?", "history": history}
    answer = client.post(url(shared_corpus.corpus_name, "ask"), json=asked).json()
    assert (answer["question"], answer["follow_up"]) == ("Where was Albert Einstein born?", "Where was he born?")
    assert answer["citations"]


def test_a_whole_question_finds_the_same_in_a_conversation_as_alone(
    client: httpx.Client, shared_corpus: Knowledge
) -> None:
    history = [{"question": "Where was Albert Einstein born?", "answer": "Ulm"}]
    for question in ("Where was Marie Curie born?", "Which river flows through a city?", "who discovered polonium"):
        asked = {"question": question}
        alone = client.post(url(shared_corpus.corpus_name, "ask"), json=asked).json()
        after = client.post(url(shared_corpus.corpus_name, "ask"), json=asked | {"history": history}).json()
        assert (after["question"], after["follow_up"]) == (question, "")
        assert after["evidence"]["hits"] == alone["evidence"]["hits"]
        assert after["text"] == alone["text"]


def test_an_answer_is_remembered_where_that_is_asked_for(client: httpx.Client, open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(PASSAGES)
    knowledge.index(systems=["apr"])
    place = url(knowledge.corpus_name, "ask")
    asked = {"question": "Where was Albert Einstein born?", "retriever": "apr"}
    assert client.post(place, json=asked).json()["short"] == "Ulm"
    assert knowledge.memory.answers() == []
    assert client.post(place, json=asked | {"remember": True}).json()["short"] == "Ulm"
    assert [each.questions for each in knowledge.memory.answers()] == [("Where was Albert Einstein born?",)]


def test_paths_names_and_trees_are_those_of_the_library(client: httpx.Client, shared_corpus: Knowledge) -> None:
    name = shared_corpus.corpus_name
    listed = client.get(url(name, "entities"), params={"limit": 2}).json()["entities"]
    assert listed == json.loads(json.dumps(plain(shared_corpus.entities(limit=2))))
    worded = client.get(url(name, "entities"), params={"words": "einstein"}).json()["entities"]
    assert worded == json.loads(json.dumps(plain(shared_corpus.entities(words="einstein"))))
    assert "Albert Einstein" in {each["name"] for each in worded}
    tree = client.get(url(name, "tree")).json()
    assert tree == json.loads(json.dumps(plain(shared_corpus.tree())))
    paths = client.get(url(name, "paths"), params={"start": "Danube", "end": "Albert Einstein"}).json()
    assert paths == json.loads(json.dumps(plain(shared_corpus.paths("Danube", "Albert Einstein"))))
    facts = client.get(url(name, "entity"), params={"name": "albert einstein", "limit": 3}).json()
    assert facts == json.loads(json.dumps(plain(shared_corpus.entity("Albert Einstein", limit=3))))
    assert len(facts["facts"]) == 3
    nobody = client.get(url(name, "entity"), params={"name": "Albert Einstien"})
    assert nobody.status_code == HTTPStatus.NOT_FOUND
    assert "Albert Einstein" in nobody.json()["remedy"]
    assert client.get(url(name, "entity"), params={"name": "?!"}).status_code == HTTPStatus.BAD_REQUEST
    unknown = client.get(url(name, "paths"), params={"start": "Albert Einstien", "end": "Danube"})
    assert unknown.status_code == HTTPStatus.NOT_FOUND
    assert "Albert Einstein" in unknown.json()["remedy"]


def test_pages_of_a_name_and_of_a_community_have_each_once(client: httpx.Client, shared_corpus: Knowledge) -> None:
    corpus = f"/v1/corpora/{shared_corpus.corpus_name}"
    name = client.get(f"{corpus}/entities", params={"limit": 1}).json()["entities"][0]
    seen: list[str] = []
    first: int | None = 0
    while first is not None:
        page = client.get(f"{corpus}/entity/passages", params={"name": name["name"], "first": first, "limit": 2}).json()
        seen += [each["chunk_id"] for each in page["passages"]]
        first = page["next"]
    assert len(seen) == len(set(seen)) >= name["passages"] > 2
    for tree in ("serag", "hirag"):
        top = client.get(f"{corpus}/tree", params={"tree": tree, "limit": 100}).json()["community"]
        pages = [
            client.get(f"{corpus}/tree", params={"tree": tree, "limit": 2, "first": at}).json()["community"]
            for at in range(0, len(top["communities"]), 2)
        ]
        assert [c["id"] for page in pages for c in page["communities"]] == [c["id"] for c in top["communities"]]
        lowest = max(top["communities"], key=lambda each: each["leaves"])
        members: list[str] = []
        for at in range(0, lowest["leaves"], 3):
            asked = {"tree": tree, "node": lowest["id"], "first": at, "limit": 3}
            page = client.get(f"{corpus}/tree", params=asked).json()["community"]
            members += [each.get("chunk_id") or each["entity_id"] for each in page["passages"] + page["entities"]]
        assert len(members) == len(set(members)) == lowest["leaves"]


def test_names_are_edited_and_edits_undone(client: httpx.Client, open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    texts = ["Bram Stoker wrote Dracula.", "Abraham Stoker was born in Dublin.", "Count Dracula lives in Transylvania."]
    knowledge.ingest_documents([Document("books", str(n), text) for n, text in enumerate(texts)])
    knowledge.index()
    corpus = f"/v1/corpora/{knowledge.corpus_name}"
    names = f"{corpus}/entities/edits"
    asked = {"action": "rename", "names": ["Bram Stoker"], "into": "B. Stoker"}
    renamed = client.post(names, json=asked).json()["edits"]
    assert [(each["edit"]["kind"], each["edit"]["to"]) for each in renamed] == [("rename", "B. Stoker")]
    undo = {"action": "undo", "number": renamed[0]["number"]}
    assert client.post(names, json=undo).json()["edits"] == renamed
    assert client.get(names).json() == {"edits": [], "dismissed": []}
    assert client.post(names, json=undo).status_code == HTTPStatus.BAD_REQUEST
    pair = {"names": ["Bram Stoker"], "into": "Abraham Stoker"}
    (dismissed,) = client.post(names, json=pair | {"action": "dismiss"}).json()["dismissed"]
    assert (dismissed["name"], dismissed["into"]) == ("Bram Stoker", "Abraham Stoker")
    assert client.get(names).json()["dismissed"] == [dismissed]
    assert client.post(names, json=pair | {"action": "allow"}).json() == {"edits": [], "dismissed": []}
    for incomplete, said in (
        ({"action": "merge", "names": ["Dracula"]}, "`into`"),
        ({"action": "hide"}, "`names`"),
        ({"action": "undo"}, "`number`"),
        ({"action": "rename", "names": ["Dracula", "Bram Stoker"], "into": "Count"}, "one name in `names`"),
    ):
        refused = client.post(names, json=incomplete)
        assert (refused.status_code, refused.json()["type"]) == (400, "urn:overstory:problem:refused")
        assert said in refused.json()["detail"]


def test_edits_one_after_the_other_wait_for_a_writer_that_is_about_to_end(
    client: httpx.Client, open_corpus: OpenCorpus
) -> None:
    knowledge = open_corpus()
    texts = ["Bram Stoker wrote Dracula.", "Abraham Stoker was born in Dublin."]
    knowledge.ingest_documents([Document("books", str(n), text) for n, text in enumerate(texts)])
    knowledge.index()
    names = f"/v1/corpora/{knowledge.corpus_name}/entities/edits"
    merge = {"action": "merge", "names": ["Bram Stoker"], "into": "Abraham Stoker"}
    for _ in range(3):
        merged = client.post(names, json=merge)
        assert merged.status_code == HTTPStatus.OK, merged.text
        undone = client.post(names, json={"action": "undo", "number": merged.json()["edits"][0]["number"]})
        assert undone.status_code == HTTPStatus.OK, undone.text
    held, ended = threading.Event(), threading.Event()

    def write() -> None:
        with writing(knowledge.graph, read_corpus(knowledge.graph, knowledge.corpus_name), "index"):
            held.set()
            ended.wait(1.0)

    other = threading.Thread(target=write)
    other.start()
    assert held.wait(10.0)
    merged = client.post(names, json=merge)
    other.join()
    assert merged.status_code == HTTPStatus.OK, merged.text


def test_a_change_beside_a_long_one_says_that_the_corpus_is_written_to(
    client: httpx.Client, open_corpus: OpenCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_limits, "_WRITER_PATIENCE_SECONDS", 0.0)
    knowledge = open_corpus()
    knowledge.ingest_documents([Document("books", "1", "Bram Stoker wrote Dracula.")])
    with writing(knowledge.graph, read_corpus(knowledge.graph, knowledge.corpus_name), "index"):
        hide = {"action": "hide", "names": ["Dracula"]}
        busy = client.post(f"/v1/corpora/{knowledge.corpus_name}/entities/edits", json=hide)
    assert (busy.status_code, busy.json()["type"]) == (HTTPStatus.CONFLICT, "urn:overstory:problem:writer-busy")
    assert "process" not in busy.text


@pytest.mark.changes_schema
def test_what_is_left_of_a_deletion_is_deleted_and_nothing_else(client: httpx.Client, open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([Document("books", "1", "Bram Stoker wrote Dracula.")])
    with writing(knowledge.graph, read_corpus(knowledge.graph, knowledge.corpus_name), "delete") as writer:
        writer.set(is_deleting=True)
    place = f"/v1/corpora/{knowledge.corpus_name}"
    refused = client.post(f"{place}/search", json={"question": "Who wrote Dracula?"})
    assert (refused.status_code, refused.json()["type"]) == (
        HTTPStatus.CONFLICT,
        "urn:overstory:problem:corpus-deleting",
    )
    assert "DELETE /v1/corpora" in refused.json()["remedy"]
    assert client.delete(place).status_code == HTTPStatus.OK
    assert client.post(f"{place}/search", json={"question": "Who wrote Dracula?"}).status_code == HTTPStatus.NOT_FOUND


def test_a_place_has_an_address_in_neo4j_browser(client: httpx.Client, shared_corpus: Knowledge) -> None:
    corpus = f"/v1/corpora/{shared_corpus.corpus_name}"
    found = client.get(f"{corpus}/browser", params={"name": "O'Brien; x", "other": "Dublin"}).json()
    query = parse_qs(urlsplit(found["address"]).query)
    assert query["cmd"] == ["edit"]
    sets, other, text = query["arg"][0].split("\n", 2)
    assert (sets, other) == (":param name => 'O\\'Brien\\u003b x';", ":param other => 'Dublin';")
    assert text.startswith(f"// {found['query']}")
    assert client.get(f"{corpus}/browser", params={"other": "x"}).status_code == HTTPStatus.BAD_REQUEST


def test_documents_are_listed_by_pages_and_read(client: httpx.Client, shared_corpus: Knowledge) -> None:
    place, cursor, ids = url(shared_corpus.corpus_name, "documents"), None, []
    while True:
        page = client.get(place, params={"limit": 3} | ({"cursor": cursor} if cursor else {})).json()
        ids += [each["id"] for each in page["documents"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert ids == [each.id for each in shared_corpus.documents()]
    read = client.get(f"{place}/{ids[0]}").json()
    assert read["document"]["id"] == ids[0]
    assert read["passages"][0]["text"]
    assert client.get(f"{place}/{'0' * 32}").status_code == HTTPStatus.NOT_FOUND


def test_a_document_is_read_around_a_passage(client: httpx.Client, open_corpus: OpenCorpus) -> None:
    corpus = open_corpus()
    corpus.ingest_documents("\n\n".join(f"Chapter {number}. " + "It goes on and on. " * 60 for number in range(12)))
    (document,) = corpus.documents()
    passages = corpus.document_passages(document.id)
    assert [each.position for each in passages] == list(range(document.chunks))
    place = url(corpus.corpus_name, "documents", document.id)
    middle = passages[document.chunks // 2]
    read = client.get(place, params={"around": middle.chunk_id, "limit": 3}).json()
    assert [each["position"] for each in read["passages"]] == [
        middle.position - 1,
        middle.position,
        middle.position + 1,
    ]
    assert read["next"] == middle.position + 2
    last = client.get(place, params={"around": passages[-1].chunk_id, "limit": 3}).json()
    assert (last["passages"][-1]["chunk_id"], last["next"]) == (passages[-1].chunk_id, None)
    gone = client.get(place, params={"around": "0" * 32})
    assert gone.status_code == HTTPStatus.NOT_FOUND
    assert "has no passage" in gone.json()["detail"]


def test_what_is_wrong_is_said_with_the_remedy(client: httpx.Client, shared_corpus: Knowledge) -> None:
    name = shared_corpus.corpus_name
    cases = [
        (client.post(url("nowhere", "search"), json={"question": "x"}), 404, "not-there"),
        (client.post(url(name, "search"), json={"question": "x", "where": "a ="}), 400, "filter-error"),
        (client.post(url(name, "search"), json={"question": "x", "where": "nokey = 1"}), 404, "metadata-not-found"),
        (client.post(url(name, "search"), json={"question": "x", "retriever": "none"}), 400, "settings-error"),
        (client.post(url(name, "search"), json={"question": "x", "k": 0}), 422, "invalid-request"),
        (client.post(url(name, "search"), json={"question": "x", "unknown": 0}), 422, "invalid-request"),
        (client.post(url(name, "search"), content=b"{", headers={"Content-Type": "application/json"}), 422, "invalid"),
        (client.get(url(name, "search")), 405, "method-not-allowed"),
        (client.get("/nothing"), 404, "not-found"),
        (client.get(url(" x ", "entities")), 400, "corpus-name-invalid"),
        (client.get(url(name, "documents"), params={"cursor": "x"}), 400, "refused"),
        (client.get(url(name, "documents"), params={"cursor": cursor_of("\ud800", "")}), 400, "refused"),
        (client.get(url(name, "documents"), params={"where": "not " * 350 + "a = 1"}), 400, "filter-error"),
        (client.get(url(name, "documents"), params={"where": "a = " + "9" * 5_000}), 400, "filter-error"),
        (client.get("/v1/jobs", params={"cursor": cursor_of(str(2**63))}), 400, "refused"),
        (client.post(url(name, "sync"), json={"folder": "/a\0b"}), 400, "refused"),
        (client.post(url(name, "files"), files=HELLO, data={"metadata": '{"a": NaN}'}), 400, "refused"),
        (client.get(url(name, "tree"), params={"node": "zz"}), 404, "community-not-found"),
        (client.get(url(name, "entity"), params={"name": "Zxqv Wkj"}), 404, "entity-not-found"),
    ]
    for response, status, kind in cases:
        problem = response.json()
        assert (response.status_code, problem["status"]) == (status, status), problem
        assert kind in problem["type"]
        assert response.headers["content-type"] == "application/problem+json"
        assert problem["detail"]


def test_a_parameter_that_no_route_has_is_refused(client: httpx.Client, shared_corpus: Knowledge) -> None:
    place = url(shared_corpus.corpus_name, "documents")
    refused = client.get(place, params={"wher": "a = 1"})
    assert refused.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert refused.json()["remedy"] == "Did you mean where? The parameters are where, cursor, limit."
    twice = client.get(place, params=[("where", "a = 1"), ("where", "b = 1")]).json()
    assert (twice["status"], twice["detail"]) == (422, "The parameter 'where' is given twice.")
    assert client.post(url(shared_corpus.corpus_name, "search"), params={"k": 1}, json={"question": "x"}).json() == {
        "type": "urn:overstory:problem:unknown-parameter",
        "title": "Unknown parameter",
        "status": 422,
        "detail": "Unknown parameter 'k'.",
        "remedy": "This route has no parameters.",
    }


def test_a_body_that_is_not_said_to_be_json_is_said_to_be_so(client: httpx.Client, shared_corpus: Knowledge) -> None:
    wrong = client.post(url(shared_corpus.corpus_name, "search"), content=b'{"question": "x"}')
    assert wrong.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "Content-Type: application/json" in wrong.json()["detail"]


def test_what_needs_a_language_model_says_so(client: httpx.Client, shared_corpus: Knowledge) -> None:
    asked = {"question": QUESTION, "decompose": True}
    refused = client.post(url(shared_corpus.corpus_name, "search"), json=asked).json()
    assert (refused["status"], refused["detail"][:24]) == (501, "No language model is set")


def test_head_is_get_without_a_body(client: httpx.Client, shared_corpus: Knowledge) -> None:
    for path in ("/healthz", "/readyz", "/v1/corpora", url(shared_corpus.corpus_name)):
        head, got = client.head(path), client.get(path)
        assert (head.status_code, head.content) == (got.status_code, b"")
        assert head.headers["content-length"] == got.headers["content-length"]
    assert client.head("/nothing").status_code == HTTPStatus.NOT_FOUND
    assert client.head(url(shared_corpus.corpus_name, "search")).status_code == HTTPStatus.METHOD_NOT_ALLOWED


@pytest.mark.changes_schema
def test_a_name_may_have_a_slash(client: httpx.Client, open_corpus: OpenCorpus) -> None:
    name = f"{open_corpus().corpus_name}/b c"
    place = url(quote(name, safe=""))
    text = {"source": "s", "text": "Ada Stone wrote the Leith Guide.", "metadata": {"a/b": 1}}
    assert client.post(f"{place}/documents", json={"documents": [text]}).json()["added"] == 1
    try:
        assert client.get(place).json()["corpus"]["name"] == name
        (document,) = client.get(f"{place}/documents").json()["documents"]
        assert client.get(f"{place}/documents/{document['id']}").json()["passages"][0]["text"] == text["text"]
        assert client.get(f"{place}/metadata/a%2Fb").json()["values"][0]["value"] == 1
        assert client.get(f"/v1/models/{quote(name, safe='')}").json()["id"] == name
        assert client.post(f"{place}/search", json={"question": "x"}).json()["status"] == HTTPStatus.CONFLICT
    finally:
        assert client.delete(place).json() == {"deleted": name}
    assert client.get(place.replace("%2F", quote("\ue000"))).json()["detail"] == "Not Found"
    missing = client.get(place).json()
    assert (missing["status"], missing["detail"]) == (404, f"There is no corpus {name!r} for this token.")


def test_a_missing_corpus_does_not_name_the_others(client: httpx.Client, shared_corpus: Knowledge) -> None:
    answer = client.get(url("nowhere", "entities")).text
    assert shared_corpus.corpus_name not in answer


@pytest.mark.parametrize(
    ("headers", "query", "status"),
    [
        ({"Host": "evil.example"}, "", 403),
        ({"Host": "evil.example:80"}, "", 403),
        ({"Host": "localhost:80@evil.example"}, "", 403),
        ({"Origin": "http://evil.example"}, "", 403),
        ({"Origin": "null"}, "", 403),
        ({}, "token=x", 422),
    ],
)
def test_what_reaches_no_route(client: httpx.Client, headers: dict[str, str], query: str, status: int) -> None:
    assert client.get(f"/v1/corpora?{query}", headers=headers).status_code == status


def test_a_body_that_does_not_say_how_long_it_is_ends_at_the_limit(client: httpx.Client) -> None:
    def endless() -> object:
        for _ in range(64):
            yield b" " * 65_536

    answer = client.post(url("x", "search"), content=endless())  # type: ignore[arg-type] # an iterator of bytes
    assert answer.status_code == 413
    assert "larger than 2 MB" in answer.json()["detail"]


def test_head_and_body_cannot_be_confused(service: Running) -> None:
    smuggled = (
        b"POST /v1/corpora/x/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n"
        b"0\r\n\r\nGET /v1/jobs HTTP/1.1\r\nHost: localhost\r\n\r\n"
    )
    twice = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"
    for sent in (smuggled, twice):
        with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            while piece := connection.recv(65_536):
                answer += piece
        assert answer.startswith(b"HTTP/1.1 400")
        assert answer.count(b"HTTP/1.1") == 1


def test_a_client_that_never_finishes_the_head_of_its_request_is_left(
    service: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(application, "_HEAD_SECONDS", 1.0)
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as slow, service.client() as patient:
        assert is_left(slow, patient)


def is_left(slow: socket.socket, patient: httpx.Client) -> bool:
    """Return True if the service closes a connection whose head arrives byte by byte, and keeps another."""
    end = time.monotonic() + 15
    while time.monotonic() < end:
        try:
            slow.sendall(b"G")
        except OSError:
            return True
        time.sleep(0.2)
        patient.get("/healthz").raise_for_status()
    return False


def test_more_at_once_than_it_takes_is_429(service: Running, shared_corpus: Knowledge) -> None:
    place = url(shared_corpus.corpus_name, "ask")
    with service.client() as client, ThreadPoolExecutor(100) as threads:
        sent = [threads.submit(client.post, place, json={"question": QUESTION}) for _ in range(100)]
        statuses = [each.result().status_code for each in sent]
    assert set(statuses) <= {200, 429}
    assert 200 in statuses
    assert client_still_answers(service)


def test_the_figures_and_the_log_have_no_questions(
    client: httpx.Client, shared_corpus: Knowledge, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "overstory.service")
    client.post(url(shared_corpus.corpus_name, "search"), json={"question": "Whatever is secretquestion?"})
    figures = client.get("/metrics").text
    assert 'route="/v1/corpora/{corpus}/search",status="200"' in figures
    assert "secretquestion" not in figures + caplog.text


def test_a_port_that_is_taken_is_said_before_anything_else(overstory: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = overstory("serve", "--port", str(port))
    assert refused.code == SettingsError.exit_code
    assert f"Cannot listen on port {port} of '127.0.0.1'" in refused.err
    assert "listens on http" not in refused.out


def test_the_openapi_document_is_valid(client: httpx.Client) -> None:
    document = client.get("/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    validate(document)


def client_still_answers(service: Running) -> bool:
    end = time.monotonic() + 30
    with service.client() as client:
        while time.monotonic() < end:
            if client.get("/v1/corpora").status_code == HTTPStatus.OK:
                return True
            time.sleep(0.1)
    return False


def sent_events(text: str) -> list[tuple[str, dict[str, str]]]:
    """The events of a stream: their kinds and data."""
    events = []
    for block in text.replace("\r\n", "\n").strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line and not line.startswith(":"))
        if "event" in fields:
            events.append((fields["event"], json.loads(fields["data"])))
    return events
