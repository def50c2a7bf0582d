"""overstory browser"""

from __future__ import annotations

import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from overstory import browser as graph_browser
from overstory.browser import Contribution
from overstory.display import counted
from overstory.errors import CorpusNotFound
from overstory.graph import Corpus, read_corpus
from overstory.knowledge import Knowledge
from overstory.protocols import Progress
from overstory.settings import DEFAULT_CORPUS
from overstory.systems.base import System
from overstory.systems.registry import installed_systems
from overstory_cli.options import Result, json_option, verbosity_options, wants_json


def contributions() -> list[Contribution]:
    """Return the contribution of each installed system to Neo4j Browser, such as saved queries and styles."""
    return [_of(system) for system in installed_systems()]


def _of(system: System[Any, Any]) -> Contribution:
    owns = system.owns
    return Contribution(
        name=system.name,
        title=system.title,
        queries=owns.saved_queries,
        labels=owns.labels,
        marks=owns.marks,
        slotted=owns.vector_indexes if owns.generations else (),
        examples=owns.examples,
        style=owns.style.read_text(encoding="utf-8") if owns.style else "",
    )


@click.command()
@click.option(
    "--corpus", metavar="NAME", help="Corpus to show.  [default: OVERSTORY_CORPUS, 'default', or the only corpus]"
)
@click.option("--url", metavar="URL", help="Address of Neo4j Browser, if it is not on port 7474 of the Neo4j server.")
@click.option("--no-open", is_flag=True, help="Serve the guide without opening a web browser.")
@click.option("--print", "only_print", is_flag=True, help="Print the addresses and exit, without serving the guide.")
@click.option(
    "--save",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write the saved queries and the style to this folder and exit.",
)
@verbosity_options
@json_option
def browser(
    progress: Progress, corpus: str | None, url: str | None, no_open: bool, only_print: bool, folder: Path | None
) -> Result | None:
    """Open Neo4j Browser on a corpus, with a guide of saved queries.

    The guide also sets colours and captions. It is served on this machine until Ctrl-C. With --json or --print, the
    command only prints addresses.

    \b
    Examples:
      overstory browser --corpus demo
      overstory browser --save queries/
    """
    with Knowledge(corpus, progress=progress) as knowledge:
        shown = _corpus(knowledge, corpus)
        addresses = graph_browser.Addresses.of(knowledge.graph, browser=url)
        if folder is not None:
            return _save(knowledge, shown, folder)
        if wants_json() or only_print:
            return _addresses(addresses, shown)
        _serve(knowledge, shown, addresses, open_it=not no_open)
        return None


def _corpus(knowledge: Knowledge, wanted: str | None) -> Corpus:
    """Return the corpus `wanted`, else the corpus in the settings, else the only corpus that exists."""
    if wanted is not None:
        return read_corpus(knowledge.graph, wanted)
    corpora = {size.corpus.name: size.corpus for size in knowledge.corpora()}
    if knowledge.corpus_name in corpora or not corpora or knowledge.corpus_name != DEFAULT_CORPUS:
        return read_corpus(knowledge.graph, knowledge.corpus_name)
    if len(corpora) > 1:
        raise CorpusNotFound(
            f"There are several corpora: {', '.join(corpora)}.", remedy="Choose one: overstory browser --corpus NAME"
        )
    return next(iter(corpora.values()))


def _save(knowledge: Knowledge, corpus: Corpus, folder: Path) -> Result:
    systems = contributions()
    queries = graph_browser.all_queries(graph_browser.saved_queries(corpus.label, systems))
    files = graph_browser.save(folder, corpus.name, queries, graph_browser.style_of(knowledge.graph, systems))

    def show() -> None:
        click.echo(f"{counted(len(files), 'file')} for corpus {corpus.name!r} in {folder}.")
        click.echo("Drop them onto Neo4j Browser: the .zip file adds favourites, the .grass file colours and captions.")

    return Result({"files": [str(file) for file in files]}, show)


def _addresses(addresses: graph_browser.Addresses, corpus: Corpus) -> Result:
    fields = {
        "browser": addresses.link(),
        "bolt": addresses.bolt,
        "user": addresses.user,
        "database": addresses.database,
        "corpus": corpus.name,
        "label": corpus.label,
    }
    return Result(fields, lambda: _show(addresses))


def _serve(knowledge: Knowledge, corpus: Corpus, addresses: graph_browser.Addresses, *, open_it: bool) -> None:
    # As long as the guide is served, the connection stays open. It keeps an embedded server from stopping as idle.
    with suppress(KeyboardInterrupt), graph_browser.GuideServer(origin=addresses.origin) as server:
        guide = graph_browser.serve_guide(server, knowledge.graph, corpus, contributions())
        link = addresses.link(guide)
        _show(addresses, link)
        click.echo(f"Guide     :guide {guide}")
        if open_it and not webbrowser.open(link):
            click.echo("No web browser could be opened. Open the first address yourself.")
        click.echo(f"\nThe guide of corpus {corpus.name!r} is served until you press Ctrl-C.")
        server.wait()


def _show(addresses: graph_browser.Addresses, link: str = "") -> None:
    click.echo(f"Browser   {link or addresses.link()}")
    click.echo(f"User      {addresses.user}")
    if addresses.embedded:
        click.echo("Password  overstory server password")
