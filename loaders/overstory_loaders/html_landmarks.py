"""Which parts of an HTML page are its content: landmarks and roles, and what generators of documentation mark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# fmt: off
DROPPED = frozenset({
    "audio", "canvas", "datalist", "head", "iframe", "nav", "noscript", "object", "script", "search", "select",
    "style", "svg", "template", "textarea", "video",
})
NOT_CONTENT = frozenset({
    "navigation", "search", "banner", "contentinfo", "complementary", "doc-toc", "doc-pagelist",
})
"""ARIA roles of what stands around the content."""
NAVIGATION = frozenset({"sphinxsidebar", "localtoc", "globaltoc", "navheader", "navfooter", "docnav"})
"""Classes by which Sphinx, DocBook and Publican mark links to other pages."""
LISTS_OF_LINKS = frozenset({"related", "toctree-wrapper", "toc", "table-of-contents", "breadcrumb", "breadcrumbs"})
"""Classes of elements that are navigation where they consist of links: in a book on a single page, Sphinx puts whole
chapters into a `toctree-wrapper`."""
TABLES_OF_CONTENTS = frozenset({"toc", "table-of-contents", "contents"})
"""Ids of such elements, ignoring case."""
SECTIONS = frozenset({"article", "aside", "main", "nav", "section"})
"""Elements whose `<header>` and `<footer>` are their own, not the page's."""
PERMALINKS = frozenset({"headerlink", "header-anchor", "heading-anchor", "anchorjs-link", "permalink"})
ANCHOR_MARKS = frozenset({"#", "§", "¶", "🔗"})
"""Link marks that documentation generators append to headings."""
# fmt: on

_LEAST_MAIN_SHARE = 0.25
_LEAST_ARTICLE_SHARE = 0.5
"""Parts of the page's text that its only `<main>`, or its only `<article>`, has at least, to count as its content. A
`<main>` with less is an empty frame that scripts fill; an `<article>` with less, a teaser."""
_MOST_HEADER_SHARE = 0.5
"""A `<header>` or `<footer>` with more of the page's text is read: authors put whole pages into one."""
_LEAST_LINKED_SHARE = 0.6
_CAPTION_CHARACTERS = 20
"""Part of a list of links that is links at least, but for so many characters of a caption; the rest are numbers and
marks between the links."""
_MOST_LISTS_OF_LINKS = 200
"""Elements of a page that are looked at for this, or nested ones would take hours."""
_LONGEST_MARK_CHARACTERS = 10
"""Characters of a permalink: a longer text with this class is a title that links to itself."""


class IsShown(Protocol):
    """Whether an element is read, with what it contains."""

    def __call__(self, node: LexborNode, /) -> bool: ...


@dataclass(slots=True)
class Content:
    """The content of a page: where it begins, and what in it is left out, by `mem_id`."""

    root: LexborNode
    dropped: set[int]

    def shows(self, node: LexborNode) -> bool:
        """Whether a node belongs to the content."""
        return node.mem_id not in self.dropped


def walk(root: LexborNode, is_shown: IsShown) -> Iterator[tuple[LexborNode, bool]]:
    """Every node that is shown in document order: (node, True) on entry, (node, False) on exit.

    Without recursion, because pages may be nested deeply.
    """
    above: list[LexborNode] = []
    node = root
    while True:
        if is_shown(node):
            yield node, True
            if (child := node.first_child) is not None:
                above.append(node)
                node = child
                continue
            yield node, False
        while above and node.next is None:
            node = above.pop()
            yield node, False
        following = node.next
        if not above or following is None:
            return
        node = following


def content_of(root: LexborNode) -> Content:
    """The content of a page: its only `<main>` or `<article>` where that has enough of the text, else the whole page;
    without the page's header and footer.

    A header with the only `<h1>` of the page is the title of its content, and stays.
    """
    dropped: set[int] = set()
    page, *parts = _measured(root, dropped)
    dropped |= {
        each.node.mem_id
        for each in parts
        if each.kind == "edge"
        and each.length <= _MOST_HEADER_SHARE * page.length
        and not (each.headings and each.headings == page.headings)
    }
    for kind, least in (("main", _LEAST_MAIN_SHARE), ("article", _LEAST_ARTICLE_SHARE)):
        found = [each for each in parts if each.kind == kind]
        if len(found) == 1 and found[0].length and found[0].length >= least * page.length:
            return Content(found[0].node, dropped)
    return Content(root, dropped)


def is_visible(node: LexborNode) -> bool:
    """Whether a node may hold text that is shown: no script, no hidden element, no permalink."""
    tag = node.tag
    if tag is None or (tag in DROPPED and tag not in ("nav", "search")) or tag in ("-comment", "-doctype"):
        return False
    if tag.startswith("-"):
        return True
    attributes = node.attributes
    if tag == "a" and _is_permalink(node):
        return False
    if (attributes.get("aria-hidden") or "").strip().lower() == "true":
        return False
    # "until-found" is text that the browser's own search may open.
    return "hidden" not in attributes or attributes["hidden"] == "until-found"


def is_navigation(node: LexborNode) -> bool:
    """Whether an element stands around the content by its tag, its role, its label or its class."""
    tag = node.tag
    if tag is None or tag.startswith("-") or tag in ("html", "body", "main"):
        return False
    if tag in ("nav", "search"):
        return True
    attributes = node.attributes
    if NOT_CONTENT & set((attributes.get("role") or "").lower().split()):
        return True
    classes = set((attributes.get("class") or "").lower().split())
    label = (attributes.get("aria-label") or "").strip().lower()
    return bool(NAVIGATION & classes) or label in ("breadcrumb", "breadcrumbs")


@dataclass(slots=True)
class _PageElement:
    """Characters and first-level headings of the page (`kind` "page"), of its main part, an article, or a header or
    footer of its own ("edge")."""

    node: LexborNode
    kind: str
    length: int = 0
    headings: int = 0


def _measured(root: LexborNode, dropped: set[int]) -> list[_PageElement]:
    """The page, then what may be its content or its edges, with what they show outside of navigation.

    Args:
        dropped: gets what is not shown.
    """

    lists = 0

    def is_shown(node: LexborNode) -> bool:
        nonlocal lists
        shown = is_visible(node) and not is_navigation(node)
        if shown and lists < _MOST_LISTS_OF_LINKS and _is_called_list_of_links(node):
            lists += 1
            shown = not _is_linked(node)
        if not shown:
            dropped.add(node.mem_id)
        return shown

    page = _PageElement(root, "page")
    found = [page]
    open_: list[_PageElement] = []
    sections = 0
    for node, entered in walk(root, is_shown):
        tag = node.tag or ""
        if entered and tag == "-text":
            page.length += len("".join((node.text_content or "").split()))
        elif entered:
            page.headings += tag == "h1"
            if kind := _kind(node, tag, in_section=sections > 0):
                # Until it ends, minus what the page had before it.
                open_.append(_PageElement(node, kind, -page.length, -page.headings))
                found.append(open_[-1])
            sections += tag in SECTIONS
        else:
            if open_ and open_[-1].node.mem_id == node.mem_id:
                ended = open_.pop()
                ended.length += page.length
                ended.headings += page.headings
            sections -= tag in SECTIONS
    return found


def _kind(node: LexborNode, tag: str, *, in_section: bool) -> str:
    if tag in ("header", "footer"):
        return "" if in_section else "edge"
    if tag == "main" or "main" in (node.attributes.get("role") or "").lower().split():
        return "main"
    return "article" if tag == "article" else ""


def _is_permalink(node: LexborNode) -> bool:
    attributes = node.attributes
    href = attributes.get("href") or ""
    if href.startswith("#") and node.text().strip() in ANCHOR_MARKS:
        return True
    classes = set((attributes.get("class") or "").lower().split())
    return "#" in href and bool(PERMALINKS & classes) and len(node.text().strip()) <= _LONGEST_MARK_CHARACTERS


def _is_called_list_of_links(node: LexborNode) -> bool:
    tag = node.tag or "-"
    if tag.startswith("-") or tag in ("html", "body", "main"):
        return False
    attributes = node.attributes
    classes = set((attributes.get("class") or "").lower().split())
    if LISTS_OF_LINKS & classes or ("contents" in classes and classes & {"topic", "local"}):
        return True
    return (attributes.get("id") or "").lower() in TABLES_OF_CONTENTS


def _is_linked(node: LexborNode) -> bool:
    whole = len("".join(node.text().split()))
    links = sum(len("".join(link.text().split())) for link in node.css("a[href]"))
    return bool(links) and links >= _LEAST_LINKED_SHARE * (whole - _CAPTION_CHARACTERS)
