"""Links of Markdown and HTML files to other files."""

from __future__ import annotations

from pathlib import Path

from tests.sources import Outcome, load, write

from overstory.model import Link
from overstory_loaders import HtmlLoader, MarkdownLoader

MARKDOWN = """# Home

See [the *guide*](guide/start.md#first), [start](guide/start.md), <other.md>, [up](../notes.txt?raw=1) and [ref].
Not [this](https://example.org/a.md), [nor this](/root.md), [nor](#home), [nor](page.md), ![a picture](b.md),
[an archive](c.zip), [a folder](guide/), [half an address](http://[::1), `[code](d.md)`.

- in a list: [a space](my%20notes.md)

[ref]: sub/ref.html
"""
HTML = """<title>T</title><nav><a href="elsewhere.html">Around</a></nav>
<p>See <a href="guide/">the <b>gui</b>de</a>, <a href="a.html#x">A</a>, <a href="a.html">A</a>, <a name="here">here</a>,
<a href="mailto:x@example.org">mail</a>, <a href="//example.org/b.html">B</a>, <a href="">nothing</a>.</p>
<table><tr><td>1<td><a href="../up.pdf">up</a></table>"""


def targets(outcome: Outcome, folder: Path) -> list[tuple[str, str]]:
    assert outcome.document
    assert {(link.type, link.target_key, link.weight) for link in outcome.links} == {("HYPERLINK", "", 1.0)}
    return [(link.target_source.removeprefix(f"{folder.as_posix()}/"), link.text) for link in outcome.links]


def test_relative_links_of_markdown_become_links(tmp_path: Path) -> None:
    page = write(tmp_path / "docs" / "page.md", MARKDOWN)
    outcome = load(MarkdownLoader(), page)
    assert targets(outcome, tmp_path) == [
        ("docs/guide/start.md", "the guide"),
        ("docs/guide/start.md", "start"),
        ("notes.txt", "up"),
        ("docs/sub/ref.html", "ref"),
        ("docs/my notes.md", "a space"),
    ]
    assert {(link.source, link.source_key) for link in outcome.links} == {(page.as_posix(), "")}


def test_relative_links_in_the_content_of_a_page_become_links(tmp_path: Path) -> None:
    outcome = load(HtmlLoader(), write(tmp_path / "site" / "page.html", HTML))
    assert targets(outcome, tmp_path) == [
        ("site/guide/index.html", "the guide"),
        ("site/a.html", "A"),
        ("site/a.html", "A"),
        ("up.pdf", "up"),
    ]


def test_a_link_may_have_no_words(tmp_path: Path) -> None:
    page = write(tmp_path / "page.md", "A picture: [![](a.png)](b.md)\n")
    target = (tmp_path / "b.md").as_posix()
    assert load(MarkdownLoader(), page).links == [
        Link(page.as_posix(), "", "", target_source=target, type="HYPERLINK", text="")
    ]
