"""The address and the path that a proxy gives the service, and whose word on it is believed."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from starlette.testclient import TestClient

from overstory.errors import SettingsError
from overstory.settings import Places, Settings
from overstory_service.application import create_application, from_environment, server_options, to_environment
from overstory_service.settings import ServiceSettings, proxy_network, public_address, public_root_path
from overstory_service.tokens import TOKENS_FILE, TokenFile

PUBLIC = "https://kb.example.org"
OWN = {"X-Overstory-Page": "1"}


def client(folder: Path, service: ServiceSettings, base: str = "http://127.0.0.1:8484") -> TestClient:
    """A browser of the service as uvicorn serves it, without the lifespan that connects; its token is `secret`."""
    settings = Settings(places=Places(data=folder, cache=folder))
    application = create_application(settings, service, folder=folder)
    options = server_options(service)
    options["log_config"] = None
    config = uvicorn.Config(application, **options)
    config.load()
    served: Any = config.loaded_app
    return TestClient(served, base_url=base, client=("127.0.0.1", 50_000), follow_redirects=False)


@pytest.fixture
def secret(tmp_path: Path) -> str:
    return TokenFile(tmp_path / TOKENS_FILE).add("root", "admin")


def cookie_of(made: TestClient, secret: str, **headers: str) -> str:
    signed = made.post("/v1/session", json={"token": secret}, headers=OWN | headers)
    assert signed.status_code == HTTPStatus.OK, signed.text
    return signed.headers["set-cookie"]


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("https://KB.example.org/", PUBLIC),
        ("https://kb.example.org:443", PUBLIC),
        ("http://kb.example.org:80", "http://kb.example.org"),
        ("https://kb.example.org:8443", "https://kb.example.org:8443"),
        ("http://[::1]:8484", "http://[::1]:8484"),
    ],
)
def test_an_address_is_written_as_browsers_write_it(given: str, address: str) -> None:
    assert public_address(given) == address


@pytest.mark.parametrize(
    "given", ["kb.example.org", f"{PUBLIC}/kb", "ftp://x", "https://a@b", "https://a\n", "https://"]
)
def test_what_is_not_an_address_is_refused(given: str) -> None:
    with pytest.raises(SettingsError, match="--address"):
        public_address(given.replace("\n", "\nb"))


@pytest.mark.parametrize(("given", "path"), [("", ""), ("/", ""), ("kb", "/kb"), ("/kb/", "/kb"), ("/a/b-1", "/a/b-1")])
def test_a_root_path_begins_with_a_slash(given: str, path: str) -> None:
    assert public_root_path(given) == path


@pytest.mark.parametrize("given", ["/k b", "/a//b", "/../x", "/.", '/"><script>', "/ä", "/a?b", "/a%2Fb"])
def test_what_is_not_a_path_is_refused(given: str) -> None:
    with pytest.raises(SettingsError, match="--root-path"):
        public_root_path(given)


@pytest.mark.parametrize("given", ["*", "proxy.example.org", "10.0.0.1/8", ""])
def test_a_proxy_is_an_address_or_a_network(given: str) -> None:
    assert proxy_network("10.0.0.0/8") == "10.0.0.0/8"
    with pytest.raises(SettingsError, match="--proxy"):
        proxy_network(given)


@pytest.mark.parametrize("path", ["/v1", "/page", "/mcp", "/healthz", "/v1/corpora", "/openapi.json"])
def test_a_root_path_is_not_one_of_the_service(tmp_path: Path, path: str) -> None:
    with pytest.raises(SettingsError, match="conflicts with a path of the service"):
        client(tmp_path, ServiceSettings(root_path=path))


def test_an_address_needs_a_token_first(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="There is no token"):
        client(tmp_path, ServiceSettings(address=PUBLIC))
    client(tmp_path, ServiceSettings(address="http://localhost:8484", root_path="/kb"))


@pytest.mark.parametrize("prefix", ["", "/kb"])
def test_paths_are_the_same_with_and_without_the_root_path(tmp_path: Path, prefix: str) -> None:
    made = client(tmp_path, ServiceSettings(root_path="/kb"))
    assert made.get(f"{prefix}/healthz").status_code == HTTPStatus.OK
    assert made.get(f"{prefix}/openapi.json").json()["servers"] == [{"url": "/kb"}]
    assert '="/kb/page/js/main.js"' in made.get(f"{prefix}/").text
    assert made.get(f"{prefix}/page/js/main.js").status_code == HTTPStatus.OK
    for strange in ("/kbx/healthz", "/kb/kb/healthz", "/%6bb/healthz", "/kb%2Fhealthz", "/kb//healthz"):
        assert made.get(f"{prefix}{strange}").status_code == HTTPStatus.NOT_FOUND
    large = made.post(f"{prefix}/v1/chat/completions", content=b"x" * 2_000_001)
    assert large.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    wrong = made.post(f"{prefix}/v1/chat/completions", json={})
    assert "error" in wrong.json()  # in the form of OpenAI's API


def test_the_root_path_itself_leads_to_the_page(tmp_path: Path) -> None:
    moved = client(tmp_path, ServiceSettings(root_path="/kb")).get("/kb")
    assert (moved.status_code, moved.headers["location"]) == (HTTPStatus.PERMANENT_REDIRECT, "/kb/")


def test_host_origin_and_cookie_are_those_of_the_address(tmp_path: Path, secret: str) -> None:
    service = ServiceSettings(address=PUBLIC, root_path="/kb")
    cookie = cookie_of(client(tmp_path, service), secret, Host="kb.example.org", Origin=PUBLIC)
    assert "Path=/kb;" in cookie
    assert "Secure" in cookie
    cookie_of(client(tmp_path, service), secret, Origin=PUBLIC)  # of a proxy that names the host otherwise
    for headers in (
        {"Host": "evil.example"},
        {"Host": "kb.example.org", "Origin": "https://evil.example"},
        {"Host": "127.0.0.1:8484", "Origin": "http://kb.example.org"},
        {"Host": "kb.example.org.evil.example", "Origin": PUBLIC},
    ):
        assert client(tmp_path, service).get("/healthz", headers=headers).status_code == HTTPStatus.FORBIDDEN


def test_without_an_address_the_cookie_is_that_of_the_root(tmp_path: Path, secret: str) -> None:
    cookie = cookie_of(client(tmp_path, ServiceSettings()), secret)
    assert "Path=/;" in cookie
    assert "Secure" not in cookie


@pytest.mark.parametrize(
    ("proxies", "believed"),
    [((), False), (("10.0.0.0/8",), False), (("127.0.0.1",), True), (("127.0.0.0/8", "10.0.0.1"), True)],
)
def test_only_named_proxies_say_that_the_browser_has_https(
    tmp_path: Path, secret: str, proxies: tuple[str, ...], believed: bool
) -> None:
    made = client(tmp_path, ServiceSettings(proxies=proxies))
    forwarded = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example", "X-Forwarded-Prefix": "/evil"}
    cookie = cookie_of(made, secret, **forwarded)
    assert ("Secure" in cookie) is believed
    assert "Path=/;" in cookie


def test_each_process_of_several_has_the_same_settings(
    tmp_path: Path, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OVERSTORY_HOME", str(tmp_path))
    monkeypatch.setenv("OVERSTORY_SERVICE", "")
    service = ServiceSettings(root_path="/kb", proxies=("127.0.0.1",))
    to_environment(service)
    assert from_environment().state.host.settings == service
