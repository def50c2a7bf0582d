"""A web server on this machine, which answers as a test says and remembers what it was asked."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler

from tests.web_server import web_server


@dataclass
class Answer:
    """The response for a path; a request with its ETag gets 304."""

    body: bytes = b""
    content_type: str = "text/html"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])


@dataclass
class Website:
    """A server that runs."""

    url: str
    answers: dict[str, Answer] = field(default_factory=dict[str, Answer])
    asked: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    hosts: set[str] = field(default_factory=set[str])

    def page(self, path: str, text: str, *, etag: str = "") -> None:
        body = f"<html><head><title>{path}</title></head><body><p>{text}</p></body></html>".encode()
        self.answers[path] = Answer(body, headers={"ETag": etag} if etag else {})

    def sitemap(self, path: str, *pages: str, kind: str = "url") -> None:
        root = "urlset" if kind == "url" else "sitemapindex"
        listed = "".join(f"<{kind}><loc>{page if '://' in page else self.url + page}</loc></{kind}>" for page in pages)
        xml = f'<?xml version="1.0"?><{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</{root}>'
        self.answers[path] = Answer(xml.encode(), "application/xml")


@contextmanager
def website() -> Generator[Website]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = site.answers.get(self.path, Answer(status=404))
            etag = answer.headers.get("ETag")
            is_known = etag is not None and self.headers.get("If-None-Match") == etag
            status = 304 if is_known else answer.status
            site.asked.append((self.path, status))
            site.hosts.add(self.headers["Host"])
            self.send_response(status)
            for name, value in {"Content-Type": answer.content_type, **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if not is_known:
                self.wfile.write(answer.body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 # as it is called there
            """Nothing."""

    with web_server(Handler) as port:
        site = Website(f"http://localhost:{port}")
        yield site
