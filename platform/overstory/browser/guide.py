"""The guide: slides for Neo4j Browser's commands `:guide` and `:play`, generated from the saved queries.

Browser shows each `<slide>` element of the page as a slide. Clicking an element with the attribute `data-populate` puts
the attribute's text into the editor. Clicking an element with the attribute `data-exec` runs the attribute's text as a
Browser command, which must be written without its leading colon. Browser removes event handlers from the page.
"""

from __future__ import annotations

import html
import json
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self
from urllib.parse import quote, urlencode, urlsplit

from overstory.browser.queries import (
    PARAMETERS,
    Contribution,
    SavedQuery,
    all_queries,
    example_parameters,
    saved_queries,
)
from overstory.browser.style import FILE_NAME, archive, archive_name, style_of
from overstory.graph import Corpus, GraphClient

_CONNECT = "<p>To connect: user <code>neo4j</code>, password from <code>overstory server password</code>.</p>\n"
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
    """Return the guide as an HTML page.

    Args:
        chapters: map from chapter titles to the queries of each chapter.
        examples: map from parameter names to example values. A click on the page sets all of them.
        queries_url: address of the archive of queries.
        embedded: True if the page should explain how to get the password of the embedded server.
    """
    slides = [(_CONNECT if embedded else "") + _start(corpus, examples, style_url, queries_url)]
    slides += [_chapter(title, queries) for title, queries in chapters.items()]
    body = "".join(f'<slide>\n<div style="padding: 0 18px">\n{slide}</div>\n</slide>\n' for slide in slides)
    return _PAGE.format(title=f"Overstory: {_text(corpus)}", body=body)


def parameters_command(values: Mapping[str, str]) -> str:
    """Return the Browser command that sets all parameters, without its leading colon.

    Semicolons are escaped as \\u003b, because Browser ends a command at a semicolon even inside a string.
    """
    return "params " + json.dumps(dict(values), ensure_ascii=False).replace(";", "\\u003b")


def parameter_command(name: str, value: str) -> str:
    """Return the Browser command that sets one parameter and leaves the other parameters unchanged."""
    quoted = value.replace("\\", "\\\\").replace("'", "\\'").replace(";", "\\u003b")
    return f":param {name} => '{quoted}'"


def _start(corpus: str, examples: Mapping[str, str], style_url: str, queries_url: str) -> str:
    meanings = "".join(
        f"<tr><td><code>${name}</code></td><td>{_text(meaning)}</td></tr>\n" for name, meaning in PARAMETERS.items()
    )
    return f"""<h3>The corpus “{_text(corpus)}”</h3>
<p>A <b>Document</b> is split into passages (<b>Chunk</b>), in reading order (NEXT). A passage MENTIONS entities
(<b>Entity</b>); people, organisations, places, works and technical terms have different colours. A <b>Fact</b> is
STATED_IN a passage, and has a SUBJECT and an OBJECT. If both are entities, they are RELATED. To hide, merge or rename
wrong entities, use <code>overstory entities</code>.</p>
<h4>1. Set colours and captions</h4>
<p>{_runs(f"style {style_url}", "Set them")}</p>
<p>{_runs("config autoComplete: false", "Draw only what a query finds")}: otherwise Browser adds all other
relationships between the nodes.</p>
<h4>2. Set the parameters</h4>
<p>{_runs(parameters_command(examples), "Set examples from this corpus")}</p>
<table>
{meanings}</table>
<p>{_edits(parameter_command("name", examples["name"]), "Set another name")}: change it in the editor, and run it.</p>
<h4>3. Run queries</h4>
<p>The next slides have queries. A click puts a query into the editor; Ctrl+Enter runs it (⌘+Enter on a Mac).</p>
<h4>To keep the queries</h4>
<p><a href="{html.escape(queries_url)}" target="_blank">Download them</a>, and drop the file onto this window. They then
appear in a folder of favourites (the star on the left).</p>
"""


def _chapter(title: str, queries: Iterable[SavedQuery]) -> str:
    return f"<h3>{_text(title)}</h3>\n" + "".join(map(_query, queries))


def _query(query: SavedQuery) -> str:
    gives = "a picture" if query.is_picture else "a table"
    asks = ", ".join(f"<code>${name}</code>" for name in query.parameters)
    return f"<p>{_edits(query.text, query.title)}<br>{gives}{f' for {asks}' if asks else ''}</p>\n"


def _runs(command: str, words: str) -> str:
    return f'<a data-exec="{html.escape(command)}">{_text(words)}</a>'


def _edits(text: str, words: str) -> str:
    return f'<a data-populate="{html.escape(text)}">{_text(words)}</a>'


def _text(text: str) -> str:
    return html.escape(text, quote=False)


_GUIDE = "guide"
_QUERIES = "queries.zip"


def serve_guide(
    server: GuideServer, graph: GraphClient, corpus: Corpus, contributions: Sequence[Contribution] = ()
) -> str:
    """Add the guide, the style file and the archive of queries to the server, and return the guide's address."""
    chapters = saved_queries(corpus.label, contributions)
    page = guide(
        corpus.name,
        chapters,
        example_parameters(graph, corpus.label, contributions),
        style_url=server.url(FILE_NAME),
        queries_url=server.url(_QUERIES),
        embedded=bool(graph.browser_url),
    )
    queries = archive(corpus.name, all_queries(chapters))
    server.put(_GUIDE, File(page.encode(), "text/html; charset=utf-8"))
    server.put(FILE_NAME, File(style_of(graph, contributions).encode(), "text/plain; charset=utf-8"))
    server.put(_QUERIES, File(queries, "application/zip", archive_name(corpus.name)))
    return server.url(_GUIDE)


# The web server for the guide serves a few fixed files, on this machine only.
#
# Browser fetches the guide from `localhost`, which it trusts by default, in a cross-origin request. The server sends
# CORS headers to the pages of one Browser only, so that pages of other sites cannot read the files.

LISTENS = "127.0.0.1"
HOST = "localhost"
"""Host name in the addresses of files. Browser trusts it by default, but does not trust 127.0.0.1."""

_PREFERRED_PORT = 7479
"""A fixed port keeps links valid when the server is restarted. If this port is in use, any free port is used."""


@dataclass(frozen=True, slots=True)
class File:
    """A file to serve.

    Attributes:
        type: content type (MIME type).
        name: file name under which the file is downloaded; "" if it is shown in the browser.
    """

    content: bytes
    type: str
    name: str = ""


class GuideServer:
    """A context manager that serves files at `http://localhost:<port>/` until the context is left."""

    def __init__(self, *, origin: str, port: int = _PREFERRED_PORT) -> None:
        """Reserve a port.

        Args:
            origin: origin of the web pages that may read the files, such as "http://127.0.0.1:7474".
            port: preferred port. If it is in use, any free port is taken.
        """
        self._files: dict[str, File] = {}
        handler = _handler(self._files, _host_of(origin))
        try:
            self._server = _Server((LISTENS, port), handler)
        except OSError:
            self._server = _Server((LISTENS, 0), handler)

    def url(self, path: str) -> str:
        """Return the address of the file with a given path."""
        return f"http://{HOST}:{self._server.server_port}/{path}"

    def put(self, path: str, file: File) -> None:
        """Serve a file under a path. An earlier file with the same path is replaced."""
        self._files[f"/{path}"] = file

    def wait(self) -> None:
        """Wait until the server thread ends or the calling thread is interrupted."""
        while self._thread.is_alive():
            self._thread.join(timeout=1.0)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._server.serve_forever, name="guide", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore the error: for example, a client may disconnect early."""


def _handler(files: Mapping[str, File], browser_host: str) -> type[BaseHTTPRequestHandler]:
    own = {HOST, LISTENS}
    readers = own | {browser_host} - {""}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            file = files.get(self.path.partition("?")[0])
            if not self._asked_by_name():
                self.send_error(403)
            elif file is None:
                self.send_error(404)
            else:
                self._send(file)

        def do_OPTIONS(self) -> None:
            """Answer a CORS preflight request. Browser sends one because its requests have additional headers."""
            self.send_response(204)
            self._allow_origin()
            self.send_header("Access-Control-Allow-Methods", "GET")
            self.send_header("Access-Control-Allow-Headers", "*")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 # the base class' name
            """Log nothing, because the log would appear in the user's terminal."""

        def _send(self, file: File) -> None:
            self.send_response(200)
            self._allow_origin()
            self.send_header("Content-Type", file.type)
            self.send_header("Content-Length", str(len(file.content)))
            self.send_header("Cache-Control", "no-store")
            if file.name:
                self.send_header("Content-Disposition", f"attachment; filename*=UTF-8''{quote(file.name)}")
            self.end_headers()
            self.wfile.write(file.content)

        def _allow_origin(self) -> None:
            origin = self.headers.get("Origin", "")
            if _host_of(origin) in readers:
                self.send_header("Access-Control-Allow-Origin", origin)
                self.send_header("Vary", "Origin")

        def _asked_by_name(self) -> bool:
            # Requests for another host name are refused, even if the name resolves to this machine (DNS rebinding).
            return _host_of(f"//{self.headers.get('Host', '')}") in own

    return Handler


def _host_of(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # the URL contains unmatched brackets; a header can contain anything
        return ""


_PLACES: Mapping[frozenset[str], str] = {
    frozenset({"name"}): "related",
    frozenset({"name", "other"}): "paths",
    frozenset({"document"}): "document_facts",
    frozenset({"tree"}): "tree",
    frozenset({"tree", "community"}): "community",
}
"""Map from sets of parameter names to the saved query that shows the part of the graph described by the parameters."""


def place_commands(label: str, values: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the title of the saved query that shows a part of the graph, and the text for Browser's editor.

    The text sets the parameters and then runs the query. The result is None if no query in `_PLACES` takes exactly
    these parameters.

    Args:
        values: map from parameter names to values, such as {"name": "Bram Stoker"}.
    """
    wanted = _PLACES.get(frozenset(values))
    for query in all_queries(saved_queries(label)):
        if query.name == wanted:
            sets = [f"{parameter_command(name, value)};" for name, value in values.items()]
            return query.title, "\n".join([*sets, query.text])
    return None


_USUAL_PORT = 7474


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of a database and of Neo4j Browser.

    Attributes:
        browser: address of Browser, with a trailing slash.
        bolt: address at which Browser connects to the database.
    """

    browser: str
    bolt: str
    user: str
    database: str
    embedded: bool

    @classmethod
    def of(cls, graph: GraphClient, *, browser: str | None = None) -> Addresses:
        """Return the addresses of the database to which `graph` is connected.

        Args:
            browser: address of Browser. By default, it is served by the embedded server or at port 7474 of the
                database's host.
        """
        return cls(
            browser=browser_address(browser, graph.browser_url, graph.uri),
            bolt=graph.uri,
            user=graph.user,
            database=graph.database,
            embedded=bool(graph.browser_url),
        )

    @property
    def origin(self) -> str:
        """The web origin of Browser, such as "http://localhost:7474"."""
        parts = urlsplit(self.browser)
        return f"{parts.scheme}://{parts.netloc}"

    def link(self, guide: str = "", *, editor: str = "") -> str:
        """Return a link that opens Browser with the user and the database filled in.

        Args:
            guide: address of a guide to open.
            editor: text to put into the editor, if no guide is given.
        """
        scheme, separator, rest = self.bolt.partition("://")
        values = {"dbms": f"{scheme}{separator}{self.user}@{rest}", "db": self.database}
        if guide:
            values |= {"cmd": "guide", "arg": guide}
        elif editor:
            values |= {"cmd": "edit", "arg": editor}
        return f"{self.browser}?{urlencode(values, quote_via=quote)}"


def browser_address(named: str | None, own: str, bolt: str) -> str:
    """Return the address of Browser, with a trailing slash.

    Args:
        named: address given by the user, if any.
        own: HTTP address of the embedded server, or "". It is used if `named` is None.
        bolt: address of the database. If both other addresses are missing, port 7474 of its host is used.
    """
    base = (named or own or f"http://{_host(bolt)}:{_USUAL_PORT}").rstrip("/")
    return f"{base}/" if base.endswith("/browser") else f"{base}/browser/"


def _host(uri: str) -> str:
    host = urlsplit(uri).hostname or "localhost"
    return f"[{host}]" if ":" in host else host
