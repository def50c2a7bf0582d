"""Manage: documents in and out, jobs, the index, corpora, tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.page.broken_line import line_to
from tests.page.conftest import SCRIPT, Page, strange_documents, violations
from tests.serving import Running, serving

from overstory.knowledge import Knowledge
from overstory.protocols import Embedder, Extractor
from overstory.settings import Settings

CORPUS = "kept"
ENLARGED = {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2}
"""The content area of a window of 1280 × 800 at 200 %."""
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
DARK = {"color_scheme": "dark"}
JOB_MILLISECONDS = 90_000


@pytest.fixture(scope="module", autouse=True)
def corpus(settings: Settings, models: tuple[Embedder, Extractor]) -> None:
    """Hostile documents."""
    with Knowledge(CORPUS, settings=settings) as knowledge:
        knowledge.use(embedder=models[0], extractor=models[1])
        knowledge.ingest_documents(strange_documents())
        knowledge.index()


@pytest.fixture
def closed(
    settings: Settings, models: tuple[Embedder, Extractor], corpora: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    """A service whose tokens are of one test."""
    with serving(settings, models, tmp_path_factory.mktemp("kept")) as running:
        yield running


def files(*given: tuple[str, bytes]) -> list[dict[str, Any]]:
    return [{"name": name, "mimeType": "application/octet-stream", "buffer": content} for name, content in given]


def send(page: Page, *given: tuple[str, bytes]) -> None:
    page.get_by_label("choose files").set_input_files(files(*given))


def rows(page: Page) -> Any:
    """Those of the table, without what is asked or said below one."""
    return page.locator("tbody tr:not(.row-below)")


def test_files_are_loaded_with_progress_and_a_broken_one_says_what_to_do(open_page: Any) -> None:
    page = open_page(f"#/manage/{CORPUS}")
    page.get_by_text("Metadata and encoding of these files").click()
    page.get_by_label("Metadata", exact=True).fill("[")
    send(page, ("lamp.md", b"# Lamp\n\nJonas Reed lit the lamp."))
    page.get_by_text("This is not a JSON object").wait_for()
    page.get_by_label("Metadata", exact=True).fill('{"team": "harbour"}')
    page.get_by_label("Encoding", exact=True).fill("windows-1252")
    old = ("mole.txt", "Jonas Reed repaired the mole at Århus.".encode("windows-1252"))
    send(page, ("lamp.md", b"# Lamp\n\nJonas Reed lit the lamp."), ("broken.pdf", b"%PDF-1.7 nothing"), old)
    job = page.locator(".sending .job")
    job.get_by_text("Done").wait_for(timeout=JOB_MILLISECONDS)
    trouble = job.locator(".trouble")
    assert "1 file could not be read" in trouble.inner_text()
    assert "broken.pdf" in trouble.inner_text()
    row = page.locator("tbody tr").filter(has_text="lamp.md")
    row.wait_for()
    assert "harbour" in row.inner_text()
    rows(page).filter(has_text="mole.txt").wait_for()
    page.get_by_role("navigation", name="Manage").get_by_role("link", name="Jobs").click()
    page.locator(".job-done .trouble").first.wait_for()


def test_remedies_of_jobs_are_those_of_the_page(open_page: Any) -> None:
    page = open_page(f"#/manage/{CORPUS}")
    send(page, ("old.txt", "Jonas Reed kam nach Århus.".encode("windows-1252")), ("x.bin", bytes(range(256))))
    job = page.locator(".sending .job-done")
    job.wait_for(timeout=JOB_MILLISECONDS)
    assert "“Metadata and encoding of these files”" in job.locator(".trouble").inner_text()
    assert "--encoding" not in job.inner_text()
    assert "x.bin (this file type is not supported)" in job.inner_text()
    remedy = "Run: overstory index. Over HTTP: POST /v1/corpora/{corpus}/index."
    problem = {"type": "urn:overstory:problem:index-missing", "detail": "There is no index.", "remedy": remedy}

    def fail(route: Any) -> None:
        found = route.fetch().json()
        found["jobs"][0] |= {"state": "failed", "problem": problem, "result": None}
        route.fulfill(json=found)

    page.route("**/v1/jobs?**", fail)
    page.get_by_role("navigation", name="Manage").get_by_role("link", name="Jobs").click()
    trouble = page.locator(".job-failed .trouble")
    trouble.wait_for()
    assert "There is no index." in trouble.inner_text()
    assert "“Index now” under Manage" in trouble.inner_text()
    assert "POST" not in trouble.inner_text()


def test_files_that_were_not_sent_are_sent_again(open_page: Any) -> None:
    page = open_page(f"#/manage/{CORPUS}", expected="ERR_INTERNET_DISCONNECTED")
    page.locator("tbody tr").first.wait_for()
    page.context.set_offline(True)
    send(page, ("again.txt", b"Edda Marlow came again."))
    sending = page.locator(".sending")
    sending.get_by_role("heading", name="The upload was interrupted").wait_for()
    page.context.set_offline(False)
    sending.get_by_role("button", name="Upload again").click()
    sending.locator(".job-done").wait_for(timeout=JOB_MILLISECONDS)
    rows(page).filter(has_text="again.txt").wait_for()


@pytest.mark.parametrize("is_stored", [False, True], ids=["half of it", "all but the answer"])
def test_files_that_a_restart_cut_off_are_said_and_sent_again(
    open_page: Any, service: Running, is_stored: bool
) -> None:
    large = (f"tower {is_stored}.txt", b"Edda Marlow built the tower of Hollin Point. " + b"\n" * 4_000_000)
    with line_to(service.port) as line, service.client() as client:
        page = open_page(f"#/manage/{CORPUS}", base=line.url, expected="ERR_")
        page.locator("tbody tr").first.wait_for()
        line.breaks_after, line.when_answered = 2_000_000, is_stored
        send(page, large)
        said = page.locator(".sending").get_by_role("heading", name="The upload was interrupted")
        said.wait_for()
        line.mend()
        page.get_by_role("link", name="Ask", exact=True).click()
        page.get_by_role("heading", name="What do you want to know?").wait_for()
        page.go_back()
        said.wait_for()  # not lost while something else was looked at
        page.get_by_role("button", name="Upload again").click()
        page.locator(".sending .job-done").wait_for(timeout=JOB_MILLISECONDS)
        assert page.locator(".sending .job-done").get_by_text("1 unchanged" if is_stored else "1 added").is_visible()
        found = client.get(f"/v1/corpora/{CORPUS}/documents", params={"limit": 1000}).json()["documents"]
        assert [each["source"] for each in found].count(large[0]) == 1


def test_the_focus_stays_on_a_job_that_goes_on(open_page: Any) -> None:
    page = open_page(f"#/manage/{CORPUS}")
    send(page, *((f"lens {n}.md", f"# Lens {n}\n\nEdda Marlow cut lens {n}.".encode()) for n in range(3)))
    page.locator(".sending").get_by_role("button", name="Cancel").focus()
    page.locator(".sending .job-done").wait_for(timeout=JOB_MILLISECONDS)  # drawn again with each step
    assert page.evaluate("document.activeElement.closest('.sending .job') !== null")


def test_a_job_is_seen_after_a_reload_wherever_it_matters(open_page: Any, service: Running) -> None:
    page = open_page(f"#/manage/{CORPUS}/documents")
    send(page, *((f"bulb {n}.md", f"# Bulb {n}\n\nJonas Reed mended bulb {n}.".encode()) for n in range(40)))
    page.locator(".sending .job").wait_for()
    for place in ("documents", "corpora", "runs"):
        page.goto(f"{service.url}/#/manage/{CORPUS}/{place}")
        page.reload()
        page.locator(".job").filter(has_text="40 files").wait_for()
    page.goto(f"{service.url}/#/manage/{CORPUS}/documents?where=file_name%20%3D%20'bulb%207.md'")
    page.locator(".unfinished .job-done").wait_for(timeout=JOB_MILLISECONDS)
    rows(page).filter(has_text="Bulb 7").wait_for()


def test_which_files_are_read_is_said_and_what_others_would_need(open_page: Any, service: Running) -> None:
    with service.client() as client:
        formats = client.get("/v1/formats").json()["formats"]
    unread = [each for each in formats if each["problem"]]
    page = open_page(f"#/manage/{CORPUS}/documents")
    page.get_by_text("Supported file types").click()
    shown = page.locator(".formats")
    shown.get_by_text(".pdf", exact=True).wait_for()
    assert {".md", ".csv", ".eml", ".json"} <= set(shown.locator("p code").all_inner_texts())
    assert shown.locator("li").count() == len(unread)
    for each, line in zip(unread, shown.locator("li").all_inner_texts(), strict=True):
        assert each["suffixes"][0] in line
        assert "install" in line


def test_dropped_files_are_sent(open_page: Any) -> None:
    page = open_page(f"#/manage/{CORPUS}/documents")
    page.locator(".drop").wait_for()
    dropped = page.evaluate_handle(
        "() => { const all = new DataTransfer();"
        " all.items.add(new File(['Edda Marlow was here.'], 'dropped.txt')); return all }"
    )
    page.dispatch_event(".drop", "drop", {"dataTransfer": dropped})
    page.locator(".sending .job-done").wait_for(timeout=JOB_MILLISECONDS)
    page.locator("tbody tr").filter(has_text="dropped.txt").wait_for()


def test_a_document_is_disabled_enabled_filtered_and_deleted(open_page: Any) -> None:
    page = open_page(f"#/manage/{CORPUS}/documents")
    row = rows(page).filter(has_text="Hollin Point")
    row.get_by_role("button", name="Disable").click()
    row.locator(".chip.off").wait_for()
    row.get_by_role("button", name="Enable").click()
    page.get_by_text("is enabled.").wait_for()
    page.get_by_text("Metadata keys").click()
    page.locator(".keys li").filter(has_text="team").get_by_role("button", name="press").click()
    page.get_by_role("button", name="Filter").click()
    rows(page).nth(1).wait_for(state="detached")
    page.get_by_role("link", name="All documents").click()
    row.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Cancel").click()
    row.locator("button:focus").wait_for()
    page.set_viewport_size({"width": 1000, "height": 300})  # the row is far down
    row.get_by_role("button", name="Delete").scroll_into_view_if_needed()
    scrolled = page.evaluate("window.scrollY")
    assert scrolled > 0
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Yes", exact=True).click()
    page.get_by_text("was deleted.").wait_for()
    row.wait_for(state="detached")
    assert page.get_by_text("was deleted.").is_visible()
    assert page.evaluate("window.scrollY") > scrolled / 2


def test_that_the_last_document_was_deleted_stays_to_be_read(open_page: Any, service: Running) -> None:
    corpus = "of one"
    with service.client() as client:
        text = {"text": "Otto Brand built it.", "source": "mill", "title": "Mill"}
        client.post(f"/v1/corpora/{corpus}/documents", json={"documents": [text]}).raise_for_status()
    page = open_page(f"#/manage/{corpus}/documents", expected="404")
    row = rows(page).filter(has_text="Mill")
    row.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Yes", exact=True).click()
    page.get_by_role("heading", name="There are no documents yet").wait_for()
    assert page.get_by_text("“Mill” was deleted.").is_visible()
    page.wait_for_function("document.activeElement.textContent.includes('was deleted')")


@pytest.mark.parametrize(("locale", "shown"), [("en-US", "Mar 5, 2024"), ("en-GB", "5 Mar 2024")])
def test_dates_of_metadata_are_the_readers(open_page: Any, service: Running, locale: str, shown: str) -> None:
    with service.client() as client:
        values = {"published": "2024-03-05", "seen": "2024-03-05T14:30:00+01:00", "note": "2024-03-05 or so"}
        given = {"text": "Edda Marlow dated it.", "source": "dated.txt", "metadata": values}
        client.post(f"/v1/corpora/{CORPUS}/documents", json={"documents": [given]}).raise_for_status()
    page = open_page(f"#/manage/{CORPUS}/documents", locale=locale, timezone_id="Europe/Berlin")
    row = rows(page).filter(has_text="dated.txt")
    row.wait_for()
    assert shown in row.inner_text()
    assert "T00:00" not in row.inner_text()
    assert "30" in row.inner_text()  # the time of the other
    assert "2024-03-05 or so" in row.inner_text()
    row.get_by_role("link", name="dated.txt").click()
    page.locator(".source-metadata summary").click()
    assert shown in page.locator(".source-metadata").inner_text()


def test_a_wrong_filter_says_what_to_do(open_page: Any) -> None:
    page = open_page(f"#/manage/{CORPUS}/documents?where=team%20%3D", expected="400")
    assert page.get_by_role("alert").inner_text()
    page.get_by_role("link", name="All documents").click()
    page.locator("tbody tr").first.wait_for()


def test_the_index_says_what_it_lacks_and_is_brought_up_to_date(open_page: Any, service: Running) -> None:
    with service.client() as client:
        documents = {"documents": [{"text": "Otto Brand built the mill.", "source": "mill"}]}
        client.post(f"/v1/corpora/{CORPUS}/documents", json=documents).raise_for_status()
    page = open_page(f"#/manage/{CORPUS}/runs")
    page.get_by_role("heading", name="The index is out of date").wait_for()
    page.get_by_role("button", name="Index now").click()
    page.get_by_role("heading", name="The index is up to date.").wait_for(timeout=JOB_MILLISECONDS)
    assert page.get_by_role("rowheader", name="embed").is_visible()
    assert page.get_by_text("No language model is set").is_visible()


def test_a_corpus_is_made_and_deleted_by_its_name(open_page: Any) -> None:
    page = open_page(f"#/manage/{CORPUS}/corpora", expected="404")
    page.get_by_label("New corpus").fill("a new one")
    page.get_by_role("button", name="Continue to its documents").click()
    page.get_by_role("heading", name="There are no documents yet").wait_for()
    send(page, ("first.txt", b"The first document."))
    page.locator(".sending .job-done").wait_for(timeout=JOB_MILLISECONDS)
    page.get_by_role("navigation", name="Manage").get_by_role("link", name="Corpora").click()
    page.locator("tbody tr").filter(has_text="a new one").get_by_role("button", name="Delete").click()
    sure = page.get_by_role("button", name="Yes")
    assert sure.is_disabled()
    page.get_by_label("Name of the corpus").fill("a new one")
    sure.click()
    page.get_by_text("The corpus “a new one” was deleted.").wait_for()
    rows(page).filter(has_text="a new one").wait_for(state="detached")
    assert "a new one" not in page.locator("header option").all_inner_texts()
    assert "a%20new%20one" not in "".join(page.locator("a").evaluate_all("all => all.map(each => each.hash)"))


def test_tokens_from_the_first_to_the_last(open_page: Any, closed: Running) -> None:
    page = open_page(f"#/manage/{CORPUS}/tokens", base=closed.url, expected="40")
    page.get_by_text("There are no tokens").wait_for()
    page.get_by_label("Name of the user or program").fill("root")
    page.get_by_role("button", name="Create token").click()
    root = page.get_by_label("Token of “root”").input_value()
    page.locator("tbody tr").filter(has_text="root").wait_for()
    assert root == page.get_by_label("Token of “root”").input_value()
    page.get_by_label("Name of the user or program").fill(f"{SCRIPT[:40]}")
    page.get_by_label("Rights", exact=True).select_option("read")
    page.get_by_label(CORPUS, exact=True).check()
    page.get_by_label("Only documents where").fill("team = 'press'")
    page.get_by_role("button", name="Create token").click()
    row = rows(page).filter(has_text=SCRIPT[:40])
    row.wait_for()
    assert CORPUS in row.inner_text()
    page.get_by_role("button", name="I have saved it").click()
    assert page.locator(".secret").count() == 0
    row.get_by_role("button", name="Revoke").click()
    page.get_by_role("button", name="Yes").click()
    row.wait_for(state="detached")
    assert [each.name for each in closed.tokens.tokens()] == ["root"]
    assert violations(page) == []
    rows(page).get_by_role("button", name="Revoke").click()
    page.get_by_text("This is the last token.").wait_for()
    page.get_by_role("button", name="Yes").click()
    page.get_by_role("heading", name="Sign in").wait_for()


def test_who_only_reads_is_offered_nothing_else(open_page: Any, closed: Running) -> None:
    closed.token("root", "admin")
    token = closed.token("reader", corpora=(CORPUS,), where="team = 'press'")
    page = open_page(f"#/manage/{CORPUS}", base=closed.url, expected="40")
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    page.locator("tbody tr").first.wait_for()
    assert page.locator(".drop, .row-actions").count() == 0
    assert page.get_by_role("navigation", name="Manage").get_by_role("link").all_inner_texts() == [
        "Documents",
        "Index",
        "Corpora",
    ]
    page.evaluate("location.hash = '#/manage/kept/tokens'")
    page.get_by_text("Only administrators can see tokens.").wait_for()


@pytest.mark.parametrize("options", [{}, DARK, PHONE, ENLARGED], ids=["light", "dark", "phone", "enlarged"])
def test_axe_finds_nothing_in_manage(open_page: Any, options: dict[str, Any]) -> None:
    page = open_page(f"#/manage/{CORPUS}/documents", **options)
    for address, ready in (
        ("documents", "tbody tr"),
        ("jobs", ".manage h1"),
        ("runs", ".figures"),
        ("corpora", "tbody tr"),
        ("tokens", ".making"),
    ):
        page.evaluate("address => { location.hash = address }", f"#/manage/{CORPUS}/{address}")
        page.locator(ready).first.wait_for()
        for summary in page.locator("main summary").all():
            if summary.is_visible() and not summary.evaluate("each => each.parentElement.open"):
                summary.click()
        assert violations(page) == [], address
        assert not page.evaluate("document.documentElement.scrollWidth > window.innerWidth"), address


def test_hostile_names_of_files_and_metadata_are_texts(open_page: Any) -> None:
    page = open_page(f"#/manage/{CORPUS}/documents")
    row = page.locator("tbody tr").filter(has_text="Mallory Vane")
    row.wait_for()
    assert SCRIPT[:30] in row.inner_text()
    row.get_by_role("button", name="Delete").click()
    assert SCRIPT[:30] in page.locator(".sure").inner_text()
    page.get_by_role("button", name="Cancel").click()
    send(page, ("<img src=x onerror=document.documentElement.dataset.ran=1>.bin", b"\x00\x01"))
    page.locator(".sending .job-done, .sending .job-failed").wait_for(timeout=JOB_MILLISECONDS)
