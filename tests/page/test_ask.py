"""Ask and See why: from a question to the sentence that answers it, and how it was found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.chat_endpoint import running_chat_endpoint, saying, streaming
from tests.page.conftest import DEMO, PAGES, RUN, SCRIPT, STRANGE, ask, held, violations, wait_for_held
from tests.serving import Running, serving

from overstory.protocols import Embedder, Extractor
from overstory.settings import LlmSettings, Settings

QUESTION = (
    "In what year was the man that resigned as the president of Israel before the Israeli presidential election, 2000 "
    "born?"
)


def test_a_citation_opens_its_document_with_the_sentence_marked(open_page: Any) -> None:
    page = open_page()
    page.get_by_role("heading", name="What do you want to know?").wait_for()
    assert page.url.endswith(f"#/ask/{DEMO}")
    ask(page, QUESTION)
    page.locator(".cite").first.click()
    sheet = page.get_by_role("dialog")
    marked = sheet.locator("mark").first
    marked.wait_for()
    quoted = page.locator(".answer-text p").first.inner_text()
    assert marked.inner_text() in quoted
    assert sheet.get_by_role("heading").inner_text() in {"Israeli presidential election, 2000", "Ezer Weizman"}
    page.keyboard.press("Escape")
    sheet.wait_for(state="hidden")


def test_a_link_to_a_source_shows_page_and_sentence(open_page: Any) -> None:
    page = open_page(f"#/ask/{STRANGE}")
    ask(page, "Who lit the lamp of Hollin Point?")
    page.locator(".cite").first.click()
    address = page.locator(".sheet .source-foot a").get_attribute("href")
    other = open_page(address)
    other.locator("main mark").first.wait_for()
    assert other.locator("main mark").first.inner_text().strip() in "\n".join(PAGES)
    assert other.locator(".source-page").all_inner_texts()[0] == "Page 1"
    assert other.get_by_role("heading", level=1).inner_text() == "Hollin Point"


def test_not_in_these_documents_is_said_with_the_nearest(open_page: Any) -> None:
    page = open_page(f"#/ask/{DEMO}")
    ask(page, "What is the salary of Ezer Weizman?")
    refusal = page.locator(".refusal")
    assert refusal.get_by_role("heading", name="Not in these documents").is_visible()
    assert "salary" in refusal.inner_text()
    refusal.locator(".source-card").first.click()
    page.get_by_role("dialog").get_by_role("heading", name="Ezer Weizman").wait_for()


def test_a_follow_up_question_is_completed_and_kept_in_this_browser_alone(open_page: Any, service: Running) -> None:
    page = open_page(f"#/ask/{DEMO}")
    ask(page, "Who was Ezer Weizman?")
    ask(page, "When was he born?")
    assert "Asked as: When was Ezer Weizman born?" in page.locator(".asked-as").inner_text()
    page.reload()
    page.locator(".turn").nth(1).wait_for()
    assert page.locator(".question").all_inner_texts() == ["Who was Ezer Weizman?", "When was he born?"]
    page.get_by_role("button", name="Delete the conversation").click()
    page.get_by_role("heading", name="What do you want to know?").wait_for()
    assert page.locator(".turn").count() == 0


def test_a_wrong_reading_of_a_follow_up_can_be_undone(open_page: Any) -> None:
    page = open_page(f"#/ask/{DEMO}")
    ask(page, "Who was Ezer Weizman?")
    ask(page, "When was he born?")
    page.get_by_role("button", name="Edit").click()
    assert page.locator("#question").input_value() == "When was Ezer Weizman born?"
    page.get_by_role("button", name="Ask as typed").click()
    page.locator(".turn .turn-actions").nth(2).wait_for()
    assert page.locator(".question").all_inner_texts()[1:] == ["When was he born?", "When was he born?"]
    assert page.locator(".asked-as").count() == 1  # the other one stands as it was typed


def test_a_misspelt_name_in_a_follow_up_question_is_asked_as_it_is_spelt(open_page: Any) -> None:
    page = open_page(f"#/ask/{DEMO}")
    ask(page, "Who was Ezer Weizman?")
    ask(page, "And Moshe Katzaw?")
    turn = page.locator(".turn").last
    assert turn.inner_text().count("Did you mean") == 1
    assert "do not mention “Moshe Katzaw”" in turn.locator(".refusal .meant").inner_text()
    turn.get_by_role("button", name="Moshe Katsav", exact=True).click()
    page.locator(".turn .turn-actions").nth(2).wait_for()
    assert page.locator(".question").last.inner_text() == "Who was Moshe Katsav?"
    assert "Katsav" in page.locator(".turn").last.locator(".answer-text").inner_text()


def test_a_question_is_answered_while_another_view_is_shown(open_page: Any) -> None:
    page = open_page(f"#/ask/{DEMO}")
    routes = held(page, f"/v1/corpora/{DEMO}/ask")
    page.locator("#question").fill("Who was Ezer Weizman?")
    page.keyboard.press("Enter")
    wait_for_held(page, routes)
    page.get_by_role("link", name="Explore").click()
    page.get_by_role("heading", name="Entities").wait_for()
    page.go_back()
    page.locator(".turn-place").get_by_role("button", name="Stop").wait_for()  # still being answered
    assert page.locator("#question").input_value() == ""
    page.get_by_role("link", name="New conversation").click()
    page.get_by_role("heading", name="What do you want to know?").wait_for()
    assert page.locator(".turn, .turn-place").count() == 0
    assert "Answering" in page.locator(".conversations li").inner_text()
    page.get_by_role("link", name="Explore").click()
    page.get_by_role("heading", name="Entities").wait_for()
    routes[0].continue_()
    page.get_by_role("img", name="New answer").wait_for()
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Ask").click()
    page.locator(".turn .turn-actions").wait_for()
    assert page.locator(".question").all_inner_texts() == ["Who was Ezer Weizman?"]
    page.reload()
    page.locator(".turn .turn-actions").wait_for()
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Ask").click()
    page.locator(".examples button").first.wait_for()  # it was seen


def test_a_question_that_a_reload_ends_stands_in_the_field_again(open_page: Any) -> None:
    page = open_page(f"#/ask/{DEMO}")
    routes = held(page, f"/v1/corpora/{DEMO}/ask")
    page.locator("#question").fill("Who was Ezer Weizman?")
    page.keyboard.press("Enter")
    wait_for_held(page, routes)
    page.reload()
    page.get_by_role("heading", name="What do you want to know?").wait_for()
    assert page.locator("#question").input_value() == "Who was Ezer Weizman?"


def test_a_question_that_failed_while_nobody_looked_says_so(open_page: Any) -> None:
    page = open_page(f"#/ask/{DEMO}", expected="ERR_FAILED")
    routes = held(page, f"/v1/corpora/{DEMO}/ask")
    page.locator("#question").fill("Who was Ezer Weizman?")
    page.keyboard.press("Enter")
    wait_for_held(page, routes)
    page.get_by_role("link", name="Manage").click()
    page.get_by_role("heading", name="Documents").wait_for()
    routes[0].abort()
    page.unroute_all()
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Ask").click()
    page.get_by_role("heading", name="The service cannot be reached").wait_for()
    page.get_by_role("button", name="Try again").click()
    page.locator(".turn .turn-actions").wait_for()


def test_a_conversation_that_the_browser_has_no_room_for_is_said_and_stays(open_page: Any) -> None:
    page = open_page(f"#/ask/{DEMO}")
    ask(page, "Who was Ezer Weizman?")
    page.evaluate(
        "() => { for (let size = 1 << 22; size; size >>= 1) try { for (let n = 0; ; n++)"
        " localStorage.setItem(`filled.${size}.${n}`, 'x'.repeat(size)) } catch {} }"
    )
    page.get_by_role("link", name="New conversation").click()
    page.get_by_role("heading", name="What do you want to know?").wait_for()
    ask(page, "Who was Moshe Katsav?")
    said = page.locator(".no-room")
    said.get_by_text("This browser has no space left to save this conversation.").wait_for()
    assert violations(page) == []
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Explore").click()
    page.get_by_role("heading", name="Entities").wait_for()
    assert page.get_by_role("img", name="New answer").count() == 0  # it was seen
    page.go_back()
    said.wait_for()
    assert page.locator(".question").all_inner_texts() == ["Who was Moshe Katsav?"]
    assert page.locator(".conversations li").count() == 2  # none was deleted for it
    page.evaluate(
        "() => { for (const name of Object.keys(localStorage)) if (name.startsWith('filled'))"
        " localStorage.removeItem(name) }"
    )
    page.get_by_role("button", name="Save it now").click()
    said.get_by_role("button").wait_for(state="detached")
    page.reload()
    page.locator(".turn .turn-actions").wait_for()
    assert page.locator(".question").all_inner_texts() == ["Who was Moshe Katsav?"]


def test_a_filter_leaves_documents_out_and_a_wrong_one_says_what_to_do(open_page: Any) -> None:
    page = open_page(f"#/ask/{STRANGE}", expected="400")
    page.get_by_text("Filter and search").click()
    page.get_by_label("Only documents where").fill("team = 'press'")
    ask(page, "Who wrote Glass Harbour?")
    assert "Mallory" not in page.locator(".turn").inner_text()
    assert "only where team = 'press'" in page.locator(".meta").inner_text()
    page.get_by_label("Only documents where").fill("team =")
    page.locator("#question").fill("Who wrote it?")
    page.keyboard.press("Enter")
    failed = page.get_by_role("alert")
    failed.wait_for()
    assert failed.locator(".state-remedy").inner_text()
    assert page.locator("#question").input_value() == "Who wrote it?"  # nothing is lost
    page.reload()
    page.locator("#question").wait_for()
    assert page.locator("#question").input_value() == "Who wrote it?"


def test_why_is_drawn_and_is_a_table(open_page: Any) -> None:
    page = open_page(f"#/ask/{DEMO}")
    ask(page, QUESTION)
    page.get_by_role("button", name="See why").click()
    drawing = page.get_by_role("group", name="How the question led to the passages")
    drawing.wait_for()
    page.wait_for_function("document.querySelectorAll('.why-lines path').length > 4")
    assert QUESTION in drawing.locator(".why-question").inner_text()
    ranked = [each for each in drawing.locator(".why-rank").all_inner_texts() if each]
    assert len(ranked) == 5
    assert "following Ezer Weizman's resignation" in drawing.inner_text()
    assert "%" in drawing.locator(".share-words").first.inner_text()
    page.get_by_text("Show as a table").click()
    rows = page.locator(".why-table tbody tr")
    assert rows.count() == 5
    assert "Israeli presidential election, 2000 → Ezer Weizman" in page.locator(".why-table").inner_text()
    rows.first.get_by_role("button").click()
    page.get_by_role("dialog").locator("mark").first.wait_for()
    page.keyboard.press("Escape")
    drawing.get_by_role("link", name="Ezer Weizman").first.click()
    page.get_by_role("heading", level=1, name="Ezer Weizman").wait_for()


def test_back_returns_to_the_turn_that_was_read_with_what_was_open(open_page: Any) -> None:
    page = open_page(f"#/ask/{DEMO}")
    ask(page, QUESTION)
    ask(page, "Who was Ezer Weizman?")
    page.get_by_role("button", name="See why").first.click()
    page.get_by_text("Show as a table").click()
    name = page.locator(".why-name a").last
    name.scroll_into_view_if_needed()
    scrolled = page.evaluate("window.scrollY")
    assert scrolled > 0
    name.click()
    page.get_by_role("heading", name="Facts").wait_for()
    assert page.evaluate("window.scrollY") == 0
    for back in (page.go_back, page.reload):
        back()
        page.locator(".why-table table").first.wait_for()
        assert page.locator(".question").count() == 2
        page.locator(".why-name a:focus").wait_for()
        assert page.evaluate("window.scrollY") == pytest.approx(scrolled, abs=2)
        assert page.get_by_role("button", name="Hide why").count() == 1


def test_several_corpora_are_asked_as_one_and_citations_open_in_theirs(open_page: Any) -> None:
    page = open_page(f"#/ask/{DEMO}")
    page.get_by_text("Filter and search").click()
    page.get_by_label(STRANGE, exact=True).check()
    ask(page, "Who lit the lamp of Hollin Point?")
    assert f"in {DEMO}, {STRANGE}" in page.locator(".meta").inner_text()
    assert STRANGE in page.locator(".source-where").first.inner_text()
    page.locator(".cite").first.click()
    page.get_by_role("dialog").get_by_role("heading", name="Hollin Point").wait_for()
    assert f"#/document/{STRANGE}/" in page.locator(".sheet .source-foot a").get_attribute("href")
    page.keyboard.press("Escape")
    other = open_page(page.get_by_role("link", name="Link to this question").get_attribute("href"))
    other.locator("#question").wait_for()
    assert other.get_by_label(STRANGE, exact=True).is_checked()


def test_a_model_answers_in_pieces_and_its_tokens_are_told(
    open_page: Any,
    settings: Settings,
    models: tuple[Embedder, Extractor],
    corpora: None,
    tmp_path: Path,
) -> None:
    pieces = ("**Ezer Weizman** ", f"{SCRIPT} was ", "born in 1924 [2], ", "![](https://evil.example/x) in Atlantis.")
    with running_chat_endpoint() as endpoint:
        endpoint.acts = [streaming(*pieces), saying("unused")]
        llm = LlmSettings(llm="openai", model="m", base_url=endpoint.url, api_key="x", cache_megabytes=0)
        with serving(replace(settings, llm=llm), models, tmp_path) as running:
            page = open_page(f"#/ask/{DEMO}", base=running.url)
            ask(page, QUESTION)
            answer = page.locator(".answer-text")
            assert answer.locator("strong").inner_text() == "Ezer Weizman"
            assert RUN in answer.inner_text()
            assert page.locator(".answer img, .answer a").count() == 0
            assert "Atlantis" in page.locator(".warning").inner_text()
            assert "10 input tokens, 2 output tokens" in page.locator(".meta").inner_text()
            page.locator(".cite").first.click()
            page.get_by_role("dialog").locator("mark").first.wait_for()


@pytest.mark.parametrize("question", ["Who is Mallory Vane?", "Who wrote the novel Glass Harbour?"])
def test_what_documents_have_is_text_and_never_runs(open_page: Any, question: str) -> None:
    page = open_page(f"#/ask/{STRANGE}")
    ask(page, question)
    assert RUN in page.locator(".turn").inner_text()
    page.get_by_role("button", name="See why").click()
    page.locator(".why-table summary").click()
    page.locator(".cite, .source-card").first.click()
    sheet = page.get_by_role("dialog")
    sheet.locator(".source-metadata summary").click()
    shown = sheet.inner_text()
    assert shown.count(RUN) >= 5  # title, source, key, metadata, text
    page.goto(page.locator(".sheet .source-foot a").evaluate("each => each.href"))
    page.locator("main mark").first.wait_for()
