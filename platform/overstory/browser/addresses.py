"""Where Neo4j Browser is, and the link that opens it on a graph with the guide."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, urlencode, urlsplit

from overstory.graph import GraphClient

_USUAL_PORT = 7474


@dataclass(frozen=True, slots=True)
class Addresses:
    """Of one database.

    Attributes:
        browser: of Neo4j Browser itself, up to and with its last slash.
        bolt: of the database, as Browser connects to it.
        embedded: whether it is the embedded server's.
    """

    browser: str
    bolt: str
    user: str
    database: str
    embedded: bool

    @classmethod
    def of(cls, graph: GraphClient, *, browser: str | None = None) -> Addresses:
        """The addresses of a connected database.

        Args:
            browser: where Browser is; if left out, the embedded server's own, or where a server of the user's usually
                has it (port 7474 of its host).
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
        """The origin of the page, as web browsers define it."""
        parts = urlsplit(self.browser)
        return f"{parts.scheme}://{parts.netloc}"

    def link(self, guide: str = "", *, editor: str = "") -> str:
        """Opens Browser with user and database filled in and, if one is given, the guide of this address or this
        text in its editor."""
        scheme, separator, rest = self.bolt.partition("://")
        values = {"dbms": f"{scheme}{separator}{self.user}@{rest}", "db": self.database}
        if guide:
            values |= {"cmd": "guide", "arg": guide}
        elif editor:
            values |= {"cmd": "edit", "arg": editor}
        return f"{self.browser}?{urlencode(values, quote_via=quote)}"


def browser_address(named: str | None, own: str, bolt: str) -> str:
    """The address of Browser: the given one, else the server's own HTTP address, else the usual one."""
    base = (named or own or f"http://{_host(bolt)}:{_USUAL_PORT}").rstrip("/")
    return f"{base}/" if base.endswith("/browser") else f"{base}/browser/"


def _host(uri: str) -> str:
    host = urlsplit(uri).hostname or "localhost"
    return f"[{host}]" if ":" in host else host
