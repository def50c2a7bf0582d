"""The content of a page. The fixtures have the shape of pages by Sphinx, DocBook, pandoc and others."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from overstory_loaders import join_blocks
from overstory_loaders.html_blocks import page_blocks

SPHINX = """<body>
<div class="mobile-nav"><nav><a href="index.html">index</a></nav></div>
<div class="related" role="navigation" aria-label="related navigation">
  <h3>Navigation</h3><ul><li><a href="genindex.html">index</a></li><li><a href="modindex.html">modules</a> |</li></ul>
</div>
<div class="document"><div class="documentwrapper"><div class="bodywrapper"><div class="body" role="main">
  <section id="heapq">
    <h1>heapq<a class="headerlink" href="#heapq" title="Permalink to this headline">¶</a></h1>
    <div class="contents topic" id="on-this-page"><p>On this page</p><ul><li><a href="#push">Push</a></li></ul></div>
    <p>A heap is a tree.</p>
    <aside class="footnote">See Knuth.</aside>
  </section>
</div></div></div>
<div class="sphinxsidebar" role="navigation"><h4>Previous topic</h4><p><a href="bisect.html">bisect</a></p></div>
</div>
<div class="related"><h3>Navigation</h3><ul><li><a href="genindex.html">index</a></li></ul></div>
<div class="footer">Copyright 2023.</div>
</body>"""

DOCBOOK = """<body>
<div class="navheader"><table><tr><th colspan="3">Chapter 6. Updates</th></tr>
<tr><td><a href="a.html">Prev</a></td><td></td><td><a href="b.html">Next</a></td></tr></table><hr></div>
<ul class="docnav top"><li><a href="a.html">Prev</a></li><li>The Handbook</li></ul>
<div class="section"><h2 class="title">6.2. Commands</h2>
<div class="toc"><p>Table of Contents</p><dl><dt><a href="#one">6.2.1. The first command</a></dt></dl></div>
<p>apt installs packages.</p></div>
<div class="navfooter"><hr><table><tr><td><a href="a.html">Prev</a></td><td><a href="b.html">Next</a></td></tr>
<tr><td>Chapter 6</td><td>6.3. Cache</td></tr></table></div>
</body>"""


def text_of(page: str) -> str:
    return join_blocks(page_blocks(LexborHTMLParser(page).root)).text


def test_a_page_of_sphinx_is_its_body() -> None:
    assert text_of(SPHINX) == "heapq\n\nA heap is a tree.\n\nSee Knuth."


def test_a_page_of_docbook_is_its_section() -> None:
    assert text_of(DOCBOOK) == "6.2. Commands\n\napt installs packages."


@pytest.mark.parametrize("role", ["navigation", "search", "banner", "contentinfo", "complementary"])
def test_what_a_role_says_is_around_the_content_is_left_out(role: str) -> None:
    assert text_of(f"<div role='{role}'>around</div><p>content</p>") == "content"


@pytest.mark.parametrize(
    "around",
    [
        "<p aria-hidden='true'>around</p>",
        "<p hidden>around</p>",
        "<search>around</search>",
        "<header><p>around</p></header>",
        "<footer><p>around</p></footer>",
        "<ol class='breadcrumb'><li><a href='/'>around</a></li></ol>",
        "<div aria-label='Breadcrumb'><a href='/'>around</a> / here</div>",
        "<div id='TOC'><a href='#a'>around</a></div>",
        "<h2><a class='header-anchor' href='page.html#a'>link</a></h2>",
    ],
)
def test_what_surrounds_the_content_is_left_out(around: str) -> None:
    assert text_of(f"{around}<p>content of this page</p>") == "content of this page"


@pytest.mark.parametrize(
    "kept",
    [
        "<article><header><p>kept</p></header></article>",
        "<section><footer><p>kept</p></footer></section>",
        "<header><h1>kept</h1></header>",
        "<div aria-hidden='false'>kept</div>",
        "<div class='related'>kept, for it says at some length how this work is <a href='b.html'>related</a></div>",
        "<div id='contents'>kept, for it is the text itself in full, with <a href='b.html'>a link</a></div>",
        "<p><a class='permalink' href='post.html#top'>kept: a long title that links to itself</a></p>",
    ],
)
def test_what_only_looks_like_it_is_kept(kept: str) -> None:
    text = text_of(f"{kept}<p>and the rest of the content</p>")
    assert text.startswith("kept")
    assert text.endswith("\n\nand the rest of the content")


def test_the_only_main_is_the_content() -> None:
    assert text_of("<div>menu</div><main><p>the content</p></main><div>imprint</div>") == "the content"
    assert text_of("<div>menu</div><div role='main'>the content</div><div>imprint</div>") == "the content"


def test_the_only_article_with_most_of_the_text_is_the_content() -> None:
    assert text_of("<div>menu</div><article><p>the content</p></article>") == "the content"
    teaser = "<article>teaser</article><p>a page of its own accord</p>"
    assert text_of(teaser) == "teaser\n\na page of its own accord"


def test_of_several_articles_all_are_read() -> None:
    assert text_of("<article>one</article><article>two</article>") == "one\n\ntwo"


def test_a_main_that_scripts_fill_does_not_hide_the_page() -> None:
    assert text_of("<main><p>…</p></main><p>This page has its text outside.</p>").endswith("text outside.")


@pytest.mark.parametrize(
    "page",
    [
        "<body><header><h2>All of it</h2><p>is in here</p></header><p>©</p></body>",
        "<body><nav><p>All of it</p><p>is in here</p></nav></body>",
        "<body><div role='navigation'><p>All of it</p><p>is in here</p></div><script>x()</script></body>",
    ],
)
def test_a_page_that_has_nothing_else_is_read_whole(page: str) -> None:
    assert text_of(page).startswith("All of it\n\nis in here")


def test_a_book_on_one_page_is_no_table_of_contents() -> None:
    chapter = "<section><h1>One</h1><p>A long chapter, with <a href='#b'>links</a>.</p></section>"
    assert text_of(f"<div class='toctree-wrapper'>{chapter}</div>") == "One\n\nA long chapter, with links."
