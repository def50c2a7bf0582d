"""The page by keyboard, on a phone, from right to left, enlarged, and as axe sees it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.page.conftest import ARABIC, DEMO, STRANGE, Page, ask, violations

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
ENLARGED = {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2}
"""The content area of a window of 1280 × 800 at 200 %."""
DARK = {"color_scheme": "dark"}
LEAST_ROOM_FOR_A_MARK = 16
"""Pixels for the marker of a list item."""


def is_wider_than_its_window(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > window.innerWidth"))


@pytest.mark.parametrize("options", [{}, DARK, PHONE, ENLARGED], ids=["light", "dark", "phone", "enlarged"])
def test_axe_finds_nothing_and_nothing_is_cut_off(open_page: Any, options: dict[str, Any]) -> None:
    page = open_page(f"#/ask/{DEMO}", **options)
    page.locator(".examples button").first.wait_for()
    assert violations(page) == []
    ask(page, "Who was Ezer Weizman?")
    page.get_by_role("button", name="See why").click()
    page.locator(".why-lines path").first.wait_for(state="attached")
    page.locator(".why-table summary").click()
    page.locator(".options summary").click()
    assert violations(page) == []
    assert not is_wider_than_its_window(page)
    page.locator(".cite").first.click()
    page.get_by_role("dialog").locator("mark").first.wait_for()
    assert violations(page) == []
    page.keyboard.press("Escape")
    ask(page, "What is the salary of Ezer Weizman?")
    assert violations(page) == []
    assert not is_wider_than_its_window(page)


def test_the_keyboard_is_enough(open_page: Any) -> None:
    page = open_page(f"#/ask/{DEMO}")
    page.locator(".examples button").first.wait_for()
    assert page.evaluate("document.activeElement.id") == "question"
    page.keyboard.type("Who was Ezer Weizman?")
    page.keyboard.press("Enter")
    page.locator(".turn-actions").wait_for()
    page.wait_for_function("document.activeElement.id === 'question'")
    press_until(page, "Shift+Tab", "document.activeElement.matches('.cite')")
    page.keyboard.press("Enter")
    page.get_by_role("dialog").locator("mark").first.wait_for()
    page.wait_for_function("document.activeElement.closest('dialog') !== null")
    page.keyboard.press("Escape")
    page.wait_for_function("document.activeElement.matches('.cite')")  # where it was
    press_until(page, "Tab", "document.activeElement.textContent === 'See why'")
    page.keyboard.press("Enter")
    page.locator(".why-passage").first.wait_for()
    press_until(page, "Tab", "document.activeElement.matches('.why-table summary')")
    page.keyboard.press("Enter")
    assert page.locator(".why-table table").is_visible()


def test_the_keyboard_goes_on_where_it_was(open_page: Any) -> None:
    page = open_page(f"#/ask/{DEMO}")
    page.locator(".examples button").first.wait_for()
    press_until(page, "Tab", "document.activeElement.matches('.examples button')", most=4)  # in the order that is seen
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Explore").press("Enter")
    page.get_by_role("heading", name="Entities").wait_for()
    page.wait_for_function("document.activeElement.id === 'main'")
    page.locator(".names a").first.press("Enter")
    page.get_by_role("heading", name="Facts").wait_for()
    page.wait_for_function("document.activeElement.id === 'main'")
    page.get_by_text("Edit this entity").press("Enter")
    page.get_by_role("button", name="Hide").press("Enter")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")  # Yes, do it
    page.locator(".edit-done").wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Undo"
    page.keyboard.press("Enter")
    page.get_by_text("Undone.", exact=True).wait_for()
    page.wait_for_function("document.activeElement.matches('.edit-said')")


def test_a_corpus_is_chosen_by_the_keyboard_step_by_step(open_page: Any) -> None:
    page = open_page(f"#/explore/{DEMO}")
    page.get_by_role("heading", name="Entities").wait_for()
    chosen = page.locator("header select")
    chosen.focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_function(f"!location.hash.includes('{DEMO}')")
    page.get_by_role("heading", name="Entities").wait_for()
    page.wait_for_function("document.activeElement.matches('header select')")


def press_until(page: Page, key: str, reached: str, most: int = 40) -> None:
    for _ in range(most):
        if page.evaluate(reached):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{key} does not lead there: {reached}")


def test_texts_from_right_to_left_are_set_so(open_page: Any) -> None:
    page = open_page(f"#/ask/{STRANGE}")
    ask(page, "أين ولدت سارة القاسم؟")
    assert page.locator(".question").evaluate("each => getComputedStyle(each).direction") == "rtl"
    page.locator(".cite, .source-card").first.click()
    passage = page.get_by_role("dialog").locator(".passage.is-wanted")
    passage.wait_for()
    assert passage.inner_text().strip() in ARABIC
    assert passage.evaluate("each => getComputedStyle(each).direction") == "rtl"


def test_lists_and_titles_from_right_to_left_stay_within_the_page(open_page: Any) -> None:
    page = open_page(f"#/ask/{STRANGE}")
    ask(page, "أين ولدت سارة القاسم؟")
    room = page.evaluate(
        "async text => { const { formatted } = await import('/page/js/formatted.js');"
        " document.querySelector('.answer-text').append(...formatted(text, () => null));"
        " return [...document.querySelectorAll('.answer-text li')].map(each => {"
        "   const [item, list] = [each, each.parentElement].map(one => one.getBoundingClientRect());"
        "   return getComputedStyle(each).direction === 'rtl' ? list.right - item.right : item.left - list.left }) }",
        f"- {ARABIC}\n- An English line\n1. {ARABIC}\n2. Another",
    )
    assert len(room) == 4
    assert min(room) >= LEAST_ROOM_FOR_A_MARK
    page.goto(page.url.partition("#")[0] + f"#/explore/{STRANGE}/entity/سارة القاسم")
    title = page.get_by_role("heading", level=1, name="سارة")
    title.wait_for()
    style = title.evaluate(
        "each => { const found = getComputedStyle(each); return [found.direction, found.textAlign] }"
    )
    assert style == ["rtl", "left"]  # where the page begins


def test_a_page_that_is_set_from_right_to_left_fits_and_is_drawn(open_page: Any) -> None:
    page = open_page(f"#/ask/{DEMO}")
    page.evaluate("document.documentElement.dir = 'rtl'")
    ask(page, "Who was Ezer Weizman?")
    page.get_by_role("button", name="See why").click()
    page.locator(".why-lines path").first.wait_for(state="attached")
    assert not is_wider_than_its_window(page)
    places = [page.locator(f".why-{each}").first.bounding_box() for each in ("question", "name", "passage")]
    ends = [place["x"] + place["width"] for place in places]
    assert ends == sorted(ends, reverse=True)  # each further in, from the right
    assert len(set(ends)) == len(ends)


def test_without_the_service_the_page_says_so_and_goes_on_afterwards(open_page: Any) -> None:
    page = open_page(f"#/ask/{DEMO}", expected="ERR_INTERNET_DISCONNECTED")
    ask(page, "Who was Ezer Weizman?")
    page.context.set_offline(True)
    page.locator("#question").fill("When was he born?")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="The service cannot be reached").wait_for()
    assert page.locator(".banner").is_visible()
    assert page.locator(".answer").is_visible()  # what was there stays
    page.context.set_offline(False)
    page.get_by_role("button", name="Try again").click()
    page.locator(".asked-as").wait_for()
    assert page.locator(".banner").is_hidden()


def test_a_view_that_could_not_be_loaded_is_shown_once_the_service_is_there(open_page: Any) -> None:
    page = open_page(f"#/ask/{DEMO}", expected="ERR_INTERNET_DISCONNECTED")
    page.locator(".examples button").first.wait_for()
    page.context.set_offline(True)
    page.get_by_role("link", name="Explore").click()  # whose module was never loaded
    page.get_by_role("heading", name="The service cannot be reached").wait_for()
    assert page.locator(".banner").is_visible()
    assert page.locator(".brand img").evaluate("each => each.complete && each.naturalWidth > 0")
    page.context.set_offline(False)
    page.get_by_role("heading", name="Entities").wait_for()  # nobody pressed anything
    assert page.locator(".banner").is_hidden()


def test_places_that_are_not_there_are_said(open_page: Any) -> None:
    page = open_page("#/ask/nowhere", expected="404")
    page.get_by_role("heading", name="There is no corpus “nowhere”").wait_for()
    assert violations(page) == []
    page.goto(page.url.partition("#")[0] + f"#/nothing/{DEMO}")
    page.get_by_role("heading", name="Page not found").wait_for()
    page.goto(page.url.partition("#")[0] + f"#/document/{DEMO}/0123")
    page.get_by_role("alert").wait_for()
