"""Signing in to the page, and what the service says of its files."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import Any

import pytest
from tests.page.conftest import DEMO, STRANGE, ask, violations
from tests.serving import Running, serving

from overstory.protocols import Embedder, Extractor
from overstory.settings import Settings

MOST_BYTES = 200_000
"""Compressed, of all that is loaded before the first question."""


@pytest.fixture(scope="module")
def closed(
    settings: Settings,
    models: tuple[Embedder, Extractor],
    corpora: None,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Running]:
    """A service with tokens."""
    with serving(settings, models, tmp_path_factory.mktemp("closed")) as running:
        running.token("operator", "admin")
        yield running


def sign_in(page: Any, token: str) -> None:
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Sign in").click()


def test_a_token_is_typed_once_and_a_revoked_one_ends_the_session(open_page: Any, closed: Running) -> None:
    token = closed.token("reader", corpora=(DEMO,))
    page = open_page(f"#/ask/{DEMO}", base=closed.url, expected="401")
    sign_in(page, "ovs_wrong")
    page.get_by_role("alert").wait_for()
    assert "This token does not exist or was revoked." in page.get_by_role("alert").inner_text()
    assert page.get_by_role("alert").get_by_role("heading").inner_text() == "Token unknown"
    assert "Sign in with" not in page.get_by_role("alert").inner_text()
    assert violations(page) == []
    sign_in(page, token)
    page.locator("#question").wait_for()
    assert page.url.endswith(f"#/ask/{DEMO}")
    (cookie,) = page.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["secure"]) == (True, "Strict", False)
    assert token not in cookie["value"]
    assert token not in page.evaluate("JSON.stringify(localStorage) + document.cookie")
    page.reload()
    ask(page, "Who was Ezer Weizman?")
    assert page.locator("header select option").all_inner_texts() == [DEMO]
    closed.tokens.revoke("reader")
    page.locator("#question").fill("When was he born?")
    page.keyboard.press("Enter")
    page.get_by_text("You were signed out").wait_for()


def test_signing_out_ends_the_session_for_whoever_has_the_cookie(open_page: Any, closed: Running) -> None:
    token = closed.token("leaver")
    page = open_page(f"#/ask/{DEMO}", base=closed.url, expected="401")
    sign_in(page, token)
    page.locator("#question").wait_for()
    ask(page, "Who was Ezer Weizman?")
    (cookie,) = page.context.cookies()
    with closed.client() as client:
        client.cookies.set(cookie["name"], cookie["value"])
        assert client.get("/v1/session").json()["name"] == "leaver"
        page.get_by_role("button", name="Sign out").click()
        page.get_by_label("Token").wait_for()
        assert client.get("/v1/session").status_code == 401
    assert page.evaluate("Object.keys(localStorage).filter(each => each.includes('conversation')).length") == 0


def test_a_filter_of_a_token_holds_in_the_page(open_page: Any, closed: Running) -> None:
    token = closed.token("press", corpora=(STRANGE,), where="team = 'press'")
    page = open_page("", base=closed.url, expected="401")
    sign_in(page, token)
    page.locator("#question").wait_for()
    ask(page, "Who wrote Glass Harbour?")
    assert "Mallory" not in page.locator(".turn").inner_text()


def test_what_is_sent_before_the_first_question_is_small_and_policed(open_page: Any, service: Running) -> None:
    sizes: dict[str, int] = {}
    page = open_page("")

    def weigh(answer: Any) -> None:
        sizes[answer.url] = len(gzip.compress(answer.body()))

    page.on("response", weigh)
    page.reload()
    page.locator(".examples button").first.wait_for()
    assert 0 < sum(sizes.values()) < MOST_BYTES
    assert all(url.startswith(service.url) for url in sizes)
    with service.client() as client:
        answer = client.get("/")
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        again = client.get("/", headers={"If-None-Match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert client.get("/page/js/main.js").headers["content-encoding"] == "gzip"
        for name in ("../routes/page.py", "..%2frouting.py", "js/", "js/nothing.js", "js/..%5cx.js", "."):
            assert client.get(f"/page/{name}").status_code == 404


def test_a_script_that_stands_in_the_page_does_not_run(open_page: Any) -> None:
    page = open_page("", expected="TrustedHTML")
    refused = page.evaluate("try { document.body.innerHTML = '<b>x</b>'; 'set' } catch (error) { error.name }")
    assert refused == "TypeError"
