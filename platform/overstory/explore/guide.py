"""The guide: a page of slides for Neo4j Browser's `:guide` and `:play`, made from the saved queries and their headers.

Browser takes `<slide>` elements, puts a clicked `pre.runnable` into its editor, and runs the command (without its
colon) that an element has in `data-exec`. It strips what looks like an event handler, scripts included.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping

from overstory.explore.queries import PARAMETERS, SavedQuery


def guide(
    corpus: str,
    chapters: Mapping[str, Iterable[SavedQuery]],
    examples: Mapping[str, str],
    *,
    style_url: str,
    queries_url: str,
) -> str:
    """The page.

    Args:
        examples: values that the parameters are set to by a click.
        style_url, queries_url: where the style file and the archive of the queries are served.
    """
    slides = [_start(corpus, examples, style_url, queries_url)]
    slides += [_chapter(title, queries, examples) for title, queries in chapters.items()]
    title = f"Overstory: {_text(corpus)}"
    page = "".join(f"<slide>\n{slide}</slide>\n" for slide in slides)
    return f'<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{title}</title></head>\n<body>\n{page}</body>\n</html>\n'


def parameters_command(values: Mapping[str, str]) -> str:
    """The Browser command that sets all parameters, without its colon.

    A semicolon would end a statement, so that it is written as JSON allows.
    """
    return "params " + json.dumps(dict(values), ensure_ascii=False).replace(";", "\\u003b")


def parameter_command(name: str, value: str) -> str:
    """The Browser command that sets one parameter and keeps the others."""
    quoted = value.replace("\\", "\\\\").replace("'", "\\'")
    return f":param {name} => '{quoted}'"


def _start(corpus: str, examples: Mapping[str, str], style_url: str, queries_url: str) -> str:
    rows = "".join(
        f"<tr><td><code>${name}</code></td><td>{_text(meaning)}</td></tr>\n" for name, meaning in PARAMETERS.items()
    )
    return f"""<h3>The corpus “{_text(corpus)}”</h3>
<p>A <b>Document</b> is cut into passages (<b>Chunk</b>), in reading order (NEXT). A passage MENTIONS names
(<b>Entity</b>), and a <b>Fact</b> is STATED_IN a passage, with its SUBJECT and its OBJECT. Names that are subject and
object of one fact are RELATED.</p>
<h4>1. Colours and captions</h4>
<p>{_command(f"style {style_url}", "Set colours and captions")}</p>
<h4>2. Something to ask for</h4>
<p>{_command(parameters_command(examples), "Set the example values")}</p>
<p>The queries take these values from Browser:</p>
<table>
{rows}</table>
<p>To ask for another name, say, click, change it in the editor, and run it:</p>
{_runnable(parameter_command("name", examples["name"]))}
<h4>3. Ask</h4>
<p>The next slides have the queries. A click puts one into the editor; Ctrl+Enter (⌘+Enter) runs it.</p>
<h4>To keep the queries</h4>
<p><a href="{html.escape(queries_url)}" target="_blank">Download them</a>, and drop the archive onto this page: they are
then among the favourites (the star at the left), in a folder.</p>
"""


def _chapter(title: str, queries: Iterable[SavedQuery], examples: Mapping[str, str]) -> str:
    return f"<h3>{_text(title)}</h3>\n" + "".join(_query(query, examples) for query in queries)


def _query(query: SavedQuery, examples: Mapping[str, str]) -> str:
    asks = ", ".join(_asked(name, examples) for name in query.parameters)
    return (
        f"<h4>{_text(query.title)}</h4>\n"
        + (f"<p>Asks for {asks}.</p>\n" if asks else "")
        + _runnable(query.text)
        + f"<p>Gives {_text(query.rows)}.</p>\n"
    )


def _asked(name: str, examples: Mapping[str, str]) -> str:
    example = examples.get(name, "")
    return f"<code>${name}</code>" + (f" (example: {_text(example)})" if example else "")


def _command(command: str, words: str) -> str:
    return f'<a data-exec="{html.escape(command)}">{_text(words)}</a>'


def _runnable(text: str) -> str:
    return f'<pre class="runnable">{_text(text)}</pre>\n'


def _text(text: str) -> str:
    return html.escape(text, quote=False)
