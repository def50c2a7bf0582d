"""The guide: a page of slides for Neo4j Browser's `:guide` and `:play`, made from the saved queries and their headers.

Browser takes `<slide>` elements. A click on an element with `data-populate` puts that text into the editor; on one with
`data-exec` it runs the command, which is written without its colon. What looks like an event handler is stripped.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping

from overstory.browser.queries import PARAMETERS, SavedQuery

_CONNECT = "<p>To connect: user <code>neo4j</code>, and what <code>overstory server password</code> prints.</p>\n"
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{title}</title></head>
<body>
{body}</body>
</html>
"""


def guide(
    corpus: str,
    chapters: Mapping[str, Iterable[SavedQuery]],
    examples: Mapping[str, str],
    *,
    style_url: str,
    queries_url: str,
    embedded: bool = False,
) -> str:
    """The page.

    Args:
        examples: values that the parameters are set to by a click.
        embedded: say where to find the embedded server's password.
        style_url, queries_url: where the style file and the archive of the queries are served.
    """
    slides = [(_CONNECT if embedded else "") + _start(corpus, examples, style_url, queries_url)]
    slides += [_chapter(title, queries) for title, queries in chapters.items()]
    body = "".join(f'<slide>\n<div style="padding: 0 18px">\n{slide}</div>\n</slide>\n' for slide in slides)
    return _PAGE.format(title=f"Overstory: {_text(corpus)}", body=body)


def parameters_command(values: Mapping[str, str]) -> str:
    """The Browser command that sets all parameters, without its colon.

    Browser takes a semicolon for the end of a command, even in a string; JSON and Cypher both know it as \\u003b.
    """
    return "params " + json.dumps(dict(values), ensure_ascii=False).replace(";", "\\u003b")


def parameter_command(name: str, value: str) -> str:
    """The Browser command that sets one parameter and keeps the others."""
    quoted = value.replace("\\", "\\\\").replace("'", "\\'").replace(";", "\\u003b")
    return f":param {name} => '{quoted}'"


def _start(corpus: str, examples: Mapping[str, str], style_url: str, queries_url: str) -> str:
    meanings = "".join(
        f"<tr><td><code>${name}</code></td><td>{_text(meaning)}</td></tr>\n" for name, meaning in PARAMETERS.items()
    )
    return f"""<h3>The corpus “{_text(corpus)}”</h3>
<p>A <b>Document</b> is cut into passages (<b>Chunk</b>), in reading order (NEXT). A passage MENTIONS names
(<b>Entity</b>; people, organisations, places, works and technical names have colours of their own). A <b>Fact</b> is
STATED_IN a passage, and has a SUBJECT and an OBJECT; where both are names, these are RELATED. The command
<code>overstory entities</code> hides, merges and renames names that are wrong.</p>
<h4>1. Set colours and captions</h4>
<p>{_runs(f"style {style_url}", "Set them")}</p>
<p>{_runs("config autoComplete: false", "Draw only what a query finds")}: otherwise Browser adds all other
relationships between the nodes.</p>
<h4>2. Set something to ask for</h4>
<p>{_runs(parameters_command(examples), "Set examples from this corpus")}</p>
<table>
{meanings}</table>
<p>{_edits(parameter_command("name", examples["name"]), "Set another name")}, say: change it in the editor, and run
it.</p>
<h4>3. Ask</h4>
<p>The next pages have queries. A click puts one into the editor; Ctrl+Enter runs it (⌘+Enter on a Mac).</p>
<h4>To keep the queries</h4>
<p><a href="{html.escape(queries_url)}" target="_blank">Download them</a>, and drop the file onto this window: they are
then among the favourites (the star at the left), in a folder.</p>
"""


def _chapter(title: str, queries: Iterable[SavedQuery]) -> str:
    return f"<h3>{_text(title)}</h3>\n" + "".join(map(_query, queries))


def _query(query: SavedQuery) -> str:
    gives = "a picture" if query.is_picture else "a table"
    asks = ", ".join(f"<code>${name}</code>" for name in query.parameters)
    return f"<p>{_edits(query.text, query.title)}<br>{gives}{f' for {asks}' if asks else ''}</p>\n"


def _runs(command: str, words: str) -> str:
    """A link that runs a Browser command."""
    return f'<a data-exec="{html.escape(command)}">{_text(words)}</a>'


def _edits(text: str, words: str) -> str:
    """A link that puts a text into Browser's editor."""
    return f'<a data-populate="{html.escape(text)}">{_text(words)}</a>'


def _text(text: str) -> str:
    return html.escape(text, quote=False)
