"""The page in a real Chromium, over one service on passages of the demo corpus and on a corpus of hostile ones."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.serving import Running, serving

from overstory.examples import demo_corpus
from overstory.knowledge import Knowledge
from overstory.model import Document
from overstory.protocols import Embedder, Extractor
from overstory.settings import Settings

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FOLDER = Path(__file__).parent
DEMO = "demo"
STRANGE = "strange"
FIRST, LAST = "p00340", "p00360"
"""Range of documents of the demo corpus that the tests use, with some neighbours."""
HELD_TRIES = 100
RUN = "document.documentElement.dataset.ran = 'yes'"
SCRIPT = f'<script>{RUN}</script><img src=x onerror="{RUN}">'
ARABIC = "ولدت سارة القاسم في مدينة دمشق عام 1950. كتبت سارة القاسم رواية القمر الأزرق."
PAGES = ("The lighthouse of Hollin Point was built by Edda Marlow in 1871.", "Its lamp was lit by Jonas Reed in 1872.")

Page = Any
"""A page of Playwright, which is not installed where the types are checked."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests of the page where they cannot run, before a fixture starts a server or indexes a corpus."""
    if missing := missing_software():
        for item in items:
            if item.path.is_relative_to(FOLDER):  # pytest passes the tests of all folders
                item.add_marker(pytest.mark.skip(reason=missing))


def missing_software() -> str:
    """Return which software is not installed and how to install it, or "" if everything is there."""
    if importlib.util.find_spec("playwright") is None:
        return "Playwright is not installed: make test-page"
    if CHROMIUM is None:
        return "there is no Chromium on this machine: apt-get install chromium"
    return ""


def strange_documents() -> list[Document]:
    """Documents whose every text tries to run, one from right to left, and one with pages."""
    hostile = f"Mallory Vane {SCRIPT} wrote the novel Glass Harbour. {SCRIPT}"
    return [
        Document(f"{SCRIPT}.md", SCRIPT, hostile, f"Mallory Vane {SCRIPT}", {"note": SCRIPT, "team": "legal"}),
        Document("arabic.txt", "", ARABIC, "سارة القاسم", {"team": "press"}),
        Document("light.pdf", "", "\n".join(PAGES), "Hollin Point", {"page_starts": [0, len(PAGES[0]) + 1]}),
    ]


def demo_documents() -> list[Document]:
    """Some of the demo corpus, as `overstory demo` loads them."""
    lines = map(json.loads, (demo_corpus() / "corpus.jsonl").read_text(encoding="utf-8").splitlines())
    return [
        Document("examples/hotpotqa", each["_id"], each["text"], each["title"])
        for each in lines
        if FIRST <= each["_id"] <= LAST
    ]


@pytest.fixture(scope="session")
def corpora(settings: Settings, models: tuple[Embedder, Extractor]) -> None:
    """The two corpora, indexed."""
    for name, documents in ((DEMO, demo_documents()), (STRANGE, strange_documents())):
        with Knowledge(name, settings=settings) as knowledge:
            knowledge.use(embedder=models[0], extractor=models[1])
            knowledge.ingest_documents(documents)
            knowledge.index()


@pytest.fixture(scope="session")
def service(
    settings: Settings,
    models: tuple[Embedder, Extractor],
    corpora: None,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Running]:
    """Without tokens: who asks may do all."""
    with serving(settings, models, tmp_path_factory.mktemp("page")) as running:
        yield running


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:  # a Browser of Playwright
    """Without a window. Root, who runs tests in containers, has no sandbox."""
    playwright: Any = importlib.import_module("playwright.sync_api")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Any, service: Running) -> Iterator[Any]:  # a function that opens pages
    """Opens the page at an address, with options of a context of Playwright; what it says as an error fails the test,
    and so does a script of a document that ran."""
    contexts: list[Any] = []
    errors: list[str] = []

    def open_one(address: str = "", *, base: str = "", expected: str = "", **options: Any) -> Page:
        """
        Args:
            base: of another service.
            expected: a part of errors that may be said.
        """
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()

        def hear(text: str) -> None:
            if not expected or expected not in text:
                errors.append(text)

        def hear_console(message: Any) -> None:
            if message.type == "error":
                hear(message.text)

        def hear_error(error: Any) -> None:
            hear(str(error))

        page.on("pageerror", hear_error)
        page.on("console", hear_console)
        page.goto(f"{base or service.url}/{address}")
        return page

    yield open_one
    ran = [page.evaluate("document.documentElement.dataset.ran") for each in contexts for page in each.pages]
    for each in contexts:
        each.close()
    assert [each for each in ran if each] == []
    assert errors == []


def ask(page: Page, question: str) -> None:
    """Asks, and waits for the answer."""
    answered = page.locator(".turn .turn-actions")
    before = answered.count()
    page.locator("#question").fill(question)
    page.keyboard.press("Enter")
    answered.nth(before).wait_for()


def held(page: Page, path: str) -> list[Any]:
    """Holds the requests to a path until each is let go on, by `continue_`."""
    routes: list[Any] = []

    def hold(route: Any) -> None:
        routes.append(route)

    page.route(f"**{path}", hold)
    return routes


def wait_for_held(page: Page, routes: list[Any], count: int = 1) -> None:
    for _ in range(HELD_TRIES):
        if len(routes) >= count:
            return
        page.wait_for_timeout(100)  # which also lets Playwright hear of requests
    raise AssertionError(f"{len(routes)} of {count} requests came")


def violations(page: Page) -> list[str]:
    """Return the accessibility violations that axe finds, in words."""
    axe: Any = importlib.import_module("axe_playwright_python.sync_playwright")
    page.wait_for_timeout(250)  # for what slides in, whose colours are mixed until then
    found = axe.Axe().run(page).response["violations"]
    return [f"{each['id']}: {each['help']} {[node['target'] for node in each['nodes']][:3]}" for each in found]
