"""The service behind a real nginx with TLS and a path of its own, by the configuration of docs/proxy.md."""

from __future__ import annotations

import json
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urljoin

import httpx
import httpx2
import openai
import pytest
from tests.agents import asked, over_http, structure, talk
from tests.chat_endpoint import Endpoint, hung, streaming
from tests.passages import PASSAGES, OpenCorpus
from tests.serving import CLIENT_SECONDS, Running, serving

from overstory.knowledge import Knowledge
from overstory.protocols import Embedder, Extractor
from overstory.settings import LlmSettings, Settings
from overstory_service.settings import ServiceSettings

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
OPENSSL = shutil.which("openssl")
PAGE = Path(__file__).parents[3] / "docs" / "proxy.md"
QUESTION = "Where was Albert Einstein born?"
START_SECONDS = 20.0
pytestmark = pytest.mark.skipif(
    not (NGINX and OPENSSL), reason="nginx or openssl is not installed: apt-get install nginx"
)


@dataclass(frozen=True)
class Proxied:
    """A service below /kb of an nginx. `kept` leaves /kb in the addresses of requests, `stripped` takes it off."""

    kept: str
    stripped: str
    certificate: Path
    token: str
    running: Running

    def client(self, url: str, token: str = "") -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        context = ssl.create_default_context(cafile=str(self.certificate))
        return httpx.Client(base_url=url, headers=headers, verify=context, timeout=CLIENT_SECONDS, trust_env=False)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


def documented(service: int, port: int, folder: Path) -> str:
    """The server of the documentation, on ports and with a certificate of the test."""
    found = re.search(r"```nginx\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    replaced = {
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "/etc/ssl/certs/kb.example.org.pem": str(folder / "certificate.pem"),
        "/etc/ssl/private/kb.example.org.key": str(folder / "key.pem"),
        "server_name kb.example.org": "server_name localhost",
        "127.0.0.1:8484": f"127.0.0.1:{service}",
    }
    text = found[1]
    for written, used in replaced.items():
        assert written in text
        text = text.replace(written, used)
    return text


@contextmanager
def nginx(folder: Path, configure: Callable[[Path], str], ports: tuple[int, ...]) -> Generator[None]:
    """An nginx with these servers, without rights of root and with all its files in the folder."""
    assert NGINX
    assert OPENSSL
    made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext"
    written_to = ["subjectAltName=DNS:localhost", "-keyout", str(folder / "key.pem")]
    command = [OPENSSL, *made.split(), *written_to, "-out", str(folder / "certificate.pem")]
    subprocess.run(command, check=True, capture_output=True)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = "".join(f"{kind}_temp_path {folder / kind};\n" for kind in kinds)
    written = folder / "nginx.conf"
    written.write_text(
        f"daemon off; master_process off; pid {folder / 'pid'}; error_log stderr warn;\n"
        f"events {{}}\nhttp {{\naccess_log off;\n{paths}{configure(folder)}}}\n",
        encoding="utf-8",
    )
    running = subprocess.Popen([NGINX, "-p", str(folder), "-c", str(written)], stderr=subprocess.PIPE, text=True)
    try:
        end = time.monotonic() + START_SECONDS
        for port in ports:
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port), timeout=1).close()
                    break
                except OSError:
                    assert running.poll() is None, running.communicate()[1]
                    assert time.monotonic() < end, "nginx does not listen"
                    time.sleep(0.05)
        yield
    finally:
        running.terminate()
        running.communicate(timeout=START_SECONDS)


@contextmanager
def proxied(
    settings: Settings, models: tuple[Embedder, Extractor], folder: Path, ports: tuple[int, int]
) -> Generator[Proxied]:
    kept, stripped = ports
    chosen = ServiceSettings(address=f"https://localhost:{kept}", root_path="/kb")
    (folder / "nginx").mkdir()
    (folder / "service").mkdir()
    first = ServiceSettings(root_path="/kb")  # open until there is a token, which `address` needs from the start
    with serving(settings, models, folder / "service", first) as before:
        token = before.token("root", "admin")
    with serving(settings, models, folder / "service", chosen) as running:

        def configured(place: Path) -> str:
            taking_off = documented(running.port, stripped, place)
            at = f"proxy_pass http://127.0.0.1:{running.port}"
            return documented(running.port, kept, place) + taking_off.replace(f"{at};", f"{at}/;")

        with nginx(folder / "nginx", configured, ports):
            urls = tuple(f"https://localhost:{port}/kb" for port in ports)
            yield Proxied(urls[0], urls[1], folder / "nginx" / "certificate.pem", token, running)


@pytest.fixture(scope="module")
def people(open_module_corpus: OpenCorpus) -> Knowledge:
    knowledge = open_module_corpus()
    knowledge.ingest_documents(PASSAGES)
    knowledge.index()
    return knowledge


@pytest.fixture(scope="module")
def proxy(
    settings: Settings, models: tuple[Embedder, Extractor], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Proxied]:
    with proxied(settings, models, tmp_path_factory.mktemp("proxy"), (free_port(), free_port())) as made:
        yield made


@pytest.fixture(params=["kept", "stripped"])
def url(proxy: Proxied, request: pytest.FixtureRequest) -> str:
    return proxy.kept if request.param == "kept" else proxy.stripped


def test_the_page_and_all_its_files_are_below_the_path(proxy: Proxied, url: str) -> None:
    with proxy.client(url) as client:
        moved = client.get(url)
        assert moved.is_redirect
        assert urljoin(url, moved.headers["location"]) == f"{url}/"
        index = client.get(f"{url}/")
        linked = re.findall(r'(?:href|src)="([^"]+)"', index.text)
        assert len(linked) > 5
        for address in linked:
            assert address.startswith("/kb/page/")
            assert client.get(urljoin(url, address)).status_code == HTTPStatus.OK
        assert client.get(urljoin(url, "/page/js/main.js")).status_code == HTTPStatus.NOT_FOUND


def test_the_page_signs_in_by_a_cookie_of_the_path(proxy: Proxied, url: str) -> None:
    origin = url.removesuffix("/kb")
    with proxy.client(url) as client:
        own = {"X-Overstory-Page": "1", "Origin": origin}
        assert client.get("/v1/session").status_code == HTTPStatus.UNAUTHORIZED
        signed = client.post("/v1/session", json={"token": proxy.token}, headers=own)
        assert signed.status_code == HTTPStatus.OK
        cookie = signed.headers["set-cookie"]
        assert "Path=/kb;" in cookie
        assert "Secure" in cookie
        assert client.get("/v1/session").json()["by"] == "cookie"
        ended = client.delete("/v1/session", headers=own)
        assert "Path=/kb;" in ended.headers["set-cookie"]
        assert client.get("/v1/session").status_code == HTTPStatus.UNAUTHORIZED
        foreign = client.post(
            "/v1/session", json={"token": proxy.token}, headers=own | {"Origin": "https://evil.example"}
        )
        assert foreign.status_code == HTTPStatus.FORBIDDEN


def test_the_api_says_where_it_is(proxy: Proxied, url: str, people: Knowledge) -> None:
    with proxy.client(url, proxy.token) as client:
        described = client.get("/openapi.json").json()
        assert described["servers"] == [{"url": proxy.kept}]
        assert "/v1/corpora" in described["paths"]
        names = [each["name"] for each in client.get("/v1/corpora").json()["corpora"]]
        assert people.corpus_name in names
        found = client.post(f"/v1/corpora/{people.corpus_name}/search", json={"question": QUESTION})
        assert found.json()["hits"]


def test_names_with_slashes_are_reached_where_the_path_is_kept(proxy: Proxied) -> None:
    proxy.running.token("a/b", "read")
    with proxy.client(proxy.kept, proxy.token) as client:
        assert client.delete("/v1/tokens/a%2Fb").json()["name"] == "a/b"


def test_sources_of_a_chat_answer_lead_to_the_page(proxy: Proxied, url: str, people: Knowledge) -> None:
    with (
        proxy.client(url, proxy.token) as http,
        httpx2.Client(verify=ssl.create_default_context(cafile=str(proxy.certificate)), trust_env=False) as own,
        openai.OpenAI(base_url=f"{url}/v1", api_key=proxy.token, max_retries=0, http_client=own) as client,
    ):
        assert people.corpus_name in [each.id for each in client.models.list()]
        answer = client.chat.completions.create(
            model=people.corpus_name, messages=[{"role": "user", "content": QUESTION}]
        )
        message = answer.choices[0].message
        assert message.annotations
        link = message.annotations[0].url_citation.url
        assert link in str(message.content)
        page, _, place = link.partition("#")
        assert page == f"{proxy.kept}/"
        view, _, passage = place.partition("?passage=")
        _, kind, corpus, document = view.split("/")
        assert kind == "document"
        stored = http.get(f"/v1/corpora/{corpus}/documents/{document}", params={"around": passage}).json()
        assert passage in [each["chunk_id"] for each in stored["passages"]]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_agents_have_their_tools(proxy: Proxied, url: str, mode: str, people: Knowledge) -> None:
    async def names() -> set[str]:
        async with over_http(url, proxy.token, mode=mode, certificate=proxy.certificate) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert "ask" in talk(names)
    given = {"corpus": people.corpus_name, "question": QUESTION}
    found = structure(asked(url, "search", given, token=proxy.token, mode=mode, certificate=proxy.certificate))
    assert found["hits"]


@pytest.mark.slow
def test_pieces_of_an_answer_come_before_its_end(
    settings: Settings,
    models: tuple[Embedder, Extractor],
    tmp_path: Path,
    people: Knowledge,
    endpoint: Endpoint,
) -> None:
    llm = LlmSettings(llm="openai", model="m", base_url=endpoint.url, api_key="x", cache_megabytes=0)
    written = streaming("He was ", "born in ![Ulm", "](https://evil.example/ulm.png) ", "[1]. ", then=hung)
    endpoint.then = written
    with proxied(replace(settings, llm=llm), models, tmp_path, (free_port(), free_port())) as made:
        for url in (made.kept, made.stripped):
            body = {"model": people.corpus_name, "messages": [{"role": "user", "content": QUESTION}], "stream": True}
            with (
                made.client(url, made.token) as client,
                client.stream("POST", "/v1/chat/completions", json=body) as got,
            ):
                text = ""
                for line in got.iter_lines():
                    if line.startswith("data: "):
                        text += json.loads(line.removeprefix("data: "))["choices"][0]["delta"].get("content", "")
                    if "ulm.png" in text:
                        break
            assert text.startswith("He was born in ![Ulm] (https://evil.example/ulm.png)")
