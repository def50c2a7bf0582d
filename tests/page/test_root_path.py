"""The page below a path of its own, as a proxy gives it one."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.page.conftest import DEMO, ask
from tests.serving import serving

from overstory.protocols import Embedder, Extractor
from overstory.settings import Settings
from overstory_service.settings import ServiceSettings

QUESTION = "Who was Ezer Weizman?"


def test_all_requests_of_the_page_have_the_path(
    open_page: Any, settings: Settings, models: tuple[Embedder, Extractor], corpora: None, tmp_path: Path
) -> None:
    with serving(settings, models, tmp_path, ServiceSettings(root_path="/kb")) as running:
        secret = running.token("root", "admin")
        page = open_page(base=f"{running.url}/kb", expected="401")
        paths: list[str] = []

        def note(request: Any) -> None:
            paths.append(urlsplit(request.url).path)

        page.on("request", note)
        page.locator("input").first.fill(secret)
        page.keyboard.press("Enter")
        page.locator("#question").wait_for()
        (cookie,) = page.context.cookies()
        assert cookie["path"] == "/kb"
        page.goto(f"{running.url}/kb/#/ask/{DEMO}")
        ask(page, QUESTION)
        with running.client(secret) as client:
            asked = {"model": DEMO, "messages": [{"role": "user", "content": QUESTION}]}
            answer = client.post("/v1/chat/completions", json=asked).json()["choices"][0]["message"]
        link = answer["annotations"][0]["url_citation"]["url"]
        assert link.startswith(f"{running.url}/kb/#/document/{DEMO}/")
        page.goto(link)
        page.locator(".passage.is-wanted").wait_for()
        page.reload()
        page.locator(".passage.is-wanted").wait_for()
        page.goto(f"{running.url}/kb/#/manage/{DEMO}/documents")
        page.locator("input[type=file]").first.wait_for(state="attached")
        assert paths
        assert [path for path in paths if not path.startswith("/kb/")] == []
