"""Explore: communities down to a sentence, entities with their facts and edits, paths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from tests.page.conftest import DEMO, SCRIPT, Page, demo_documents, strange_documents, violations
from tests.serving import Running

from overstory.knowledge import Knowledge
from overstory.model import Document
from overstory.protocols import Embedder, Extractor
from overstory.settings import Settings

CORPUS = "explored"
JOB_MILLISECONDS = 120_000
NAME = "Moshe Katsav"
OTHER = "Ezer Weizman"
ENLARGED = {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2}
"""The content area of a window of 1280 × 800 at 200 %."""
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
DARK = {"color_scheme": "dark"}


@pytest.fixture(scope="module", autouse=True)
def corpus(settings: Settings, models: tuple[Embedder, Extractor]) -> None:
    """Passages of the demo corpus and hostile ones, with trees and reports."""
    with Knowledge(CORPUS, settings=settings) as knowledge:
        knowledge.use(embedder=models[0], extractor=models[1])
        twins = [
            Document("twins", str(n), f"{each} wrote the novel Dracula.")
            for n, each in enumerate(("Bram Stoker", "Bram Stokers"))
        ]
        knowledge.ingest_documents([*demo_documents(), *strange_documents(), *twins])
        knowledge.index(systems=["serag", "hirag"])


def title(page: Page) -> Any:
    return page.get_by_role("heading", level=1)


def wait_for_title(page: Page, text: str) -> None:
    page.get_by_role("heading", level=1, name=text).wait_for()


def other_than(address: str) -> Callable[[str], bool]:
    return lambda url: url != address


def test_a_tree_leads_down_to_a_sentence_in_its_document(open_page: Any) -> None:
    page = open_page(f"#/explore/{CORPUS}")
    page.get_by_role("link", name="Communities").click()
    page.get_by_role("link", name="SeRAG").first.click()
    wait_for_title(page, "The whole tree serag")
    titles: list[str] = []
    while page.locator(".explore-passage").count() == 0:
        before = page.url
        page.locator(".cards h3 a").first.click()
        page.wait_for_url(other_than(before))
        page.get_by_role("navigation", name="Path in the tree").wait_for()
        titles.append(page.get_by_role("heading", level=1).inner_text())
    way = page.get_by_role("navigation", name="Path in the tree")
    for above in titles[:-1]:
        way.get_by_role("link", name=above, exact=True).wait_for()
    assert way.get_by_role("link", name="The whole tree").is_visible()
    text = page.locator(".explore-passage p").first.inner_text()
    page.locator(".explore-passage .source-link").first.click()
    passage = page.get_by_role("dialog").locator(".passage.is-wanted")
    passage.wait_for()
    assert " ".join(passage.inner_text().split())[:40] in " ".join(text.split())


def test_a_corpus_without_communities_gets_some_at_a_click(open_page: Any) -> None:
    page = open_page(f"#/explore/{DEMO}/trees")
    page.get_by_role("heading", name="There are no communities yet").wait_for()
    offer = page.locator(".cards li").filter(has_text="SeRAG")
    offer.get_by_text("about").wait_for()  # what it takes
    assert violations(page) == []
    offer.get_by_role("button").click()
    page.locator(".job").wait_for()
    page.reload()
    page.get_by_role("link", name="SeRAG").click(timeout=JOB_MILLISECONDS)
    wait_for_title(page, "The whole tree serag")


def test_a_corpus_with_communities_is_offered_those_of_other_kinds(open_page: Any) -> None:
    page = open_page(f"#/explore/{CORPUS}/trees")
    page.get_by_role("link", name="SeRAG").first.wait_for()
    page.get_by_role("heading", name="Other kinds").wait_for()
    offer = page.locator(".cards li").filter(has_text="T-Retriever")
    offer.get_by_text("Takes about").wait_for()
    assert offer.get_by_role("button").count() == 1
    assert page.get_by_role("button", name="SeRAG").count() == 0


def test_names_that_a_reader_looks_for_come_first(open_page: Any) -> None:
    page = open_page(f"#/explore/{CORPUS}")
    names = page.locator(".names tbody tr")
    names.first.wait_for()
    kinds = names.locator("td:nth-of-type(1)").all_inner_texts()
    assert kinds[0] in {"Person", "Organisation", "Country or city", "Place", "Work"}
    assert not names.first.locator("th").inner_text()[0].isdigit()
    assert "" not in kinds[: kinds.index("Person")]


def test_a_report_says_what_it_stands_on(open_page: Any) -> None:
    page = open_page(f"#/explore/{CORPUS}/trees")
    page.get_by_role("link", name="Reports, most important first").first.click()
    page.locator(".cards h2 a").first.click()
    page.get_by_role("heading", name="Findings").wait_for()
    page.locator(".findings .source-link").first.click()
    page.get_by_role("dialog").locator(".passage").first.wait_for()
    page.keyboard.press("Escape")
    page.locator(".findings .chip").first.click()
    page.get_by_role("heading", name="Facts").wait_for()


def test_a_name_has_its_facts_its_neighbours_and_its_passages(open_page: Any) -> None:
    page = open_page(f"#/explore/{CORPUS}")
    page.get_by_label("Search by name").fill("katsav")
    page.keyboard.press("Enter")
    page.locator(".names").get_by_role("link", name=NAME, exact=True).click()
    wait_for_title(page, NAME)
    assert NAME in page.locator(".facts blockquote").first.inner_text()
    page.locator(".name-passages mark").first.wait_for()
    neighbour = page.locator(".name-list a").first
    shown = neighbour.inner_text()
    neighbour.click()
    wait_for_title(page, shown)
    page.go_back()
    wait_for_title(page, NAME)
    page.locator(".facts .source-link").first.click()
    page.get_by_role("dialog").locator("mark").first.wait_for()


def test_relations_are_said_as_their_sentences_say_them(open_page: Any) -> None:
    page = open_page(f"#/explore/{CORPUS}/entity/{NAME}")
    page.locator(".facts blockquote").first.wait_for()
    said = page.locator(".predicate, .name-list .quiet").all_inner_texts()
    assert [each for each in said if each.strip().startswith(("be ", "not be "))] == []
    cases = [
        ("be president of", "Ada Stone was the first President of Ulm.", "Ada Stone", "was president of"),
        ("be president of", "Ada Stone, president of Ulm, came.", "Ada Stone", "president of"),
        ("be president of", "Ada may be president of Ulm.", "Ada", "may be president of"),
        ("be born in", "Ada (born 1950) is a poet of the north born in Ulm.", "Ada", "born in"),
        ("be released in", "It has subsequently been released in Ulm.", "It", "has been released in"),
        ("not win", "Ada did not win it.", "Ada", "did not win"),
        ("win", "Ada did not win it, but Bob won.", "Ada", "won"),
        ("not be", "Ada wasn’t a king.", "Ada", "wasn’t"),
        ("write", "The book was written by Ada, who wrote another.", "Ada", "wrote"),
        ("marry", "سارة", "سارة", "marry"),
        ("be", "", "", "is"),
    ]
    shown = page.evaluate(
        "async cases => { const { relationText } = await import('/page/js/relations.js');"
        " return cases.map(([predicate, sentence, subject]) => relationText(predicate, sentence, subject)) }",
        cases,
    )
    assert shown == [expected for *_, expected in cases]


def test_an_unknown_name_leads_to_the_nearest(open_page: Any) -> None:
    page = open_page(f"#/explore/{CORPUS}/entity/Ezer%20Weizmann%20the%20Other", expected="404")
    page.get_by_role("heading", name="No passage mentions").wait_for()
    page.get_by_role("link", name="All entities").click()
    wait_for_title(page, "Entities")


def test_names_are_renamed_merged_and_hidden_and_each_is_undone(open_page: Any) -> None:
    page = open_page(f"#/explore/{CORPUS}/entity/Bram%20Stokers")
    wait_for_title(page, "Bram Stokers")
    page.get_by_text("Edit this entity").click()
    page.get_by_label("New name").fill("B. Stokers")
    page.get_by_role("button", name="Rename").click()
    page.get_by_text("“Bram Stokers” will be renamed to “B. Stokers”.").wait_for()
    page.locator(".editing").get_by_role("button", name="Undo").click()
    page.get_by_text("Undone.").wait_for()
    page.get_by_label("Merge into").fill("Bram Stoker")
    page.get_by_role("button", name="Merge").click()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Merge").click()
    page.get_by_role("button", name="Yes").click()
    page.get_by_text("“Bram Stokers” will be merged into “Bram Stoker”.").wait_for()
    page.get_by_role("button", name="Hide").click()
    page.get_by_role("button", name="Yes").click()
    page.get_by_text("will be hidden.").wait_for()
    page.get_by_role("link", name="Edits").click()
    wait_for_title(page, "Edits of entities")
    undo = page.locator("main table").get_by_role("button", name="Undo")
    undo.nth(1).wait_for()
    undo.first.click()
    undo.nth(1).wait_for(state="detached")
    undo.first.click()
    page.get_by_text("No entity has been edited.").wait_for()


def test_suggestions_are_accepted_or_dismissed(open_page: Any) -> None:
    page = open_page(f"#/explore/{CORPUS}/edits")
    page.get_by_role("button", name="Find merge suggestions").click()
    pair = page.locator(".suggestions li").filter(has_text="Laura Burhenn")
    pair.get_by_role("button", name="Keep").click()
    page.get_by_text("will not be suggested again").wait_for()
    pair.wait_for(state="detached")


def test_a_path_says_the_sentence_of_each_step(open_page: Any) -> None:
    page = open_page(f"#/explore/{CORPUS}/path", expected="404")
    page.get_by_label("From").fill(NAME)
    page.get_by_label("To").fill(OTHER)
    page.get_by_role("button", name="Find paths").click()
    page.locator(".steps blockquote mark").first.wait_for()
    assert page.locator(".path-names a").all_inner_texts()[0] == NAME
    page.locator(".steps .source-link").first.click()
    page.get_by_role("dialog").locator(".passage.is-wanted").wait_for()
    page.keyboard.press("Escape")
    page.get_by_label("To").fill("Nobody At All Xyz")
    page.get_by_role("button", name="Find paths").click()
    page.get_by_role("alert").wait_for()


@pytest.mark.parametrize("options", [{}, DARK, PHONE, ENLARGED], ids=["light", "dark", "phone", "enlarged"])
def test_axe_finds_nothing_in_explore(open_page: Any, options: dict[str, Any]) -> None:
    page = open_page(f"#/explore/{CORPUS}", **options)
    for address, ready in (
        ("", ".names a"),
        ("/trees", ".cards a"),
        ("/tree/serag", ".cards h3 a"),
        ("/reports/hirag", ".cards h2 a"),
        (f"/entity/{NAME}", ".name-passages mark"),
        (f"/path?start={NAME}&end={OTHER}", ".steps blockquote"),
        ("/edits", "main h2"),
    ):
        page.evaluate("address => { location.hash = address }", f"#/explore/{CORPUS}{address}")
        page.locator(ready).first.wait_for()
        if "/entity/" in address:
            page.get_by_text("Edit this entity").click()
        assert violations(page) == [], address
        assert not page.evaluate("document.documentElement.scrollWidth > window.innerWidth"), address


def first_passage(client: httpx.Client, corpus: str, name: str) -> str:
    found = client.get(f"{corpus}/entity/passages", params={"name": name, "limit": 1}).json()["passages"]
    return "".join(each["text"] for each in found)


def test_hostile_texts_are_texts_in_explore(open_page: Any, service: Running) -> None:
    with service.client() as client:
        corpus = f"/v1/corpora/{CORPUS}"
        names = [each["name"] for each in client.get(f"{corpus}/entities", params={"limit": 1000}).json()["entities"]]
        hostile = next(name for name in names if SCRIPT in first_passage(client, corpus, name))
    page = open_page(f"#/explore/{CORPUS}/entity/{quote(hostile, safe='')}", expected="404")
    page.locator(".explore-passage").first.wait_for()
    assert SCRIPT[:20] in page.locator(".explore-passage").first.inner_text()
    page.evaluate("address => { location.hash = address }", f"#/explore/{CORPUS}/entity/{quote(SCRIPT, safe='')}")
    page.locator("main").get_by_text("<script>").first.wait_for()
    page.evaluate("address => { location.hash = address }", f"#/explore/{CORPUS}/entity/سارة القاسم")
    page.locator(".explore-passage p").first.wait_for()
    assert page.locator(".explore-passage p").first.evaluate("each => getComputedStyle(each).direction") == "rtl"
