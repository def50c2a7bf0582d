"""overstory serve"""

from __future__ import annotations

import socket
import threading
import time
import webbrowser
from pathlib import Path

import click

from overstory.display import printable
from overstory.errors import ExtraMissing
from overstory.knowledge import Knowledge
from overstory.protocols import Progress
from overstory.settings import Settings
from overstory_cli.demo import CORPUS, load_demo, page_link
from overstory_cli.options import verbosity_options
from overstory_cli.tokens import NONE_LEFT
from overstory_service.settings import (
    DEFAULT_HOST,
    DEFAULT_PORT,
    MOST_REQUESTS_AT_ONCE,
    MOST_UPLOAD_MEGABYTES,
    SERVED_REQUEST_SECONDS,
    ServiceSettings,
    is_any_address,
    proxy_network,
    public_address,
    public_root_path,
)
from overstory_service.tokens import token_file

_WAIT_FOR_SERVICE_SECONDS = 60.0
_SECONDS_BETWEEN_CONNECTIONS = 0.1


@click.command()
@click.option(
    "--host",
    default=DEFAULT_HOST,
    show_default=True,
    help="Address to listen on; any other than the default needs tokens.",
)
@click.option("--port", type=click.IntRange(0, 65_535), default=DEFAULT_PORT, show_default=True)
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Number of worker processes.")
@click.option("--allow-host", "hosts", multiple=True, metavar="NAME", help="Also accept this name in the Host header.")
@click.option(
    "--allow-origin", "origins", multiple=True, metavar="ORIGIN", help="Allow requests from this web origin (CORS)."
)
@click.option(
    "--address", default="", metavar="URL", help="Public address of the service, such as https://kb.example.org"
)
@click.option("--root-path", default="", metavar="PATH", help="Path prefix of the service behind a proxy, such as /kb")
@click.option(
    "--proxy", "proxies", multiple=True, metavar="IP", help="Trust X-Forwarded-* headers from this address or network."
)
@click.option(
    "--folder",
    "folders",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path),
    help="Folder on this machine that tokens with admin rights may load and sync.",
)
@click.option(
    "--most-requests",
    type=click.IntRange(1, 10_000),
    default=MOST_REQUESTS_AT_ONCE,
    show_default=True,
    help="Maximum number of concurrent requests per process; further requests get 429.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(1.0),
    default=SERVED_REQUEST_SECONDS,
    show_default=True,
    help="Timeout of a question.",
)
@click.option(
    "--upload-megabytes",
    type=click.IntRange(1, 100_000),
    default=MOST_UPLOAD_MEGABYTES,
    show_default=True,
    help="Largest upload.",
)
@click.option("--no-jobs", is_flag=True, help="Only queue jobs; other processes run them.")
@click.option("--mcp-write", is_flag=True, help="Let agents (/mcp) change corpora, if their token has write rights.")
@click.option("--open", "open_it", is_flag=True, help="Open the page in a web browser.")
@click.option("--demo", is_flag=True, help="Load and index the demo corpus first, unless it exists.")
@click.option("--log-questions", is_flag=True, help="Write questions to the access log.")
@verbosity_options
def serve(
    progress: Progress,
    host: str,
    port: int,
    workers: int,
    hosts: tuple[str, ...],
    origins: tuple[str, ...],
    address: str,
    root_path: str,
    proxies: tuple[str, ...],
    folders: tuple[Path, ...],
    most_requests: int,
    seconds: float,
    upload_megabytes: int,
    no_jobs: bool,
    mcp_write: bool,
    open_it: bool,
    demo: bool,
    log_questions: bool,
) -> None:
    """Serve corpora over HTTP: web page, API, chat endpoint and MCP.

    The service runs until Ctrl-C. By default it accepts requests only from this machine, and without a token. Once you
    have created a token with `overstory tokens add`, every request needs one.

    \b
    Examples:
      overstory serve --open
      overstory serve --demo
      curl -s localhost:8484/v1/corpora
      overstory tokens add alice && overstory serve --host 0.0.0.0 --allow-host notes.example.org
      overstory tokens add alice && overstory serve --address https://kb.example.org --root-path /kb
    """
    try:
        from overstory_service.application import listen
    except ImportError as error:
        raise ExtraMissing(error.name or "fastapi", extra="serve") from error
    service = ServiceSettings(
        host=host,
        port=port,
        allowed_hosts=hosts,
        allowed_origins=origins,
        folders=tuple(str(each) for each in folders),
        most_requests=most_requests,
        request_seconds=seconds,
        upload_megabytes=upload_megabytes,
        jobs=not no_jobs,
        log_questions=log_questions,
        agents_write=mcp_write,
        address=public_address(address) if address else "",
        root_path=public_root_path(root_path),
        proxies=tuple(map(proxy_network, proxies)),
    )
    settings = Settings.from_environment()
    reached = DEFAULT_HOST if is_any_address(host) else f"[{host}]" if ":" in host else host
    base = (service.address or f"http://{reached}:{port}") + service.root_path
    link = page_link(base) if demo else f"{base}/"

    def begin() -> None:
        if demo:  # loading takes minutes, therefore it begins only after the port and the tokens have been checked
            with Knowledge(CORPUS, settings=settings, progress=progress) as knowledge:
                load_demo(knowledge)
        click.echo(printable(f"Overstory listens on http://{host}:{port}. Press Ctrl-C to stop."))
        click.echo(printable(f"Web page: {link}  API description: {base}/openapi.json"))
        file = token_file(settings)
        if file.had_some() and not file.tokens():
            click.echo(NONE_LEFT)
        if open_it:
            open_when_listening(link, reached.strip("[]"), port)

    listen(settings, service, workers=workers, on_listening=begin)


def open_when_listening(link: str, host: str, port: int) -> None:
    """Start a background thread that opens a link in a web browser as soon as the service accepts connections."""

    def wait() -> None:
        end = time.monotonic() + _WAIT_FOR_SERVICE_SECONDS
        while time.monotonic() < end:
            try:
                socket.create_connection((host, port), timeout=1.0).close()
            except OSError:
                time.sleep(_SECONDS_BETWEEN_CONNECTIONS)
            else:
                webbrowser.open(link)
                return

    threading.Thread(target=wait, name="open", daemon=True).start()
