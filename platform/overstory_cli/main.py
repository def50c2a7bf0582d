"""The `overstory` command: finds subcommands, and converts our errors to a message, a remedy and an exit code."""

from __future__ import annotations

import atexit
import difflib
import gc
import importlib
import io
import logging
import os
import sys
from typing import Any

import click

from overstory.display import printable
from overstory.errors import OverstoryError

COMMANDS = {
    "demo": "Load a small real corpus into a real Neo4j, index it, ask three questions, and say where to look further.",
    "ingest": (
        "Load files and folders into a corpus: text, Markdown, HTML, PDF, Office files, books, e-mail, notebooks, "
        "source code, manual pages, archives, JSON lines, CSV, BEIR folders, OpenIE triples, graphs (nodes.csv and "
        "edges.csv, JSON lines, GraphML), and files of `overstory export`."
    ),
    "watch": (
        "Keep a corpus a mirror of folders while they change, until Ctrl-C: `overstory ingest --sync` of everything at "
        "the start, then of what changed, a line for each document."
    ),
    "stage": (
        "Read, embed and extract files and folders without a database: what takes most of the time of a first load, on "
        "any machine."
    ),
    "index": "Build what searching needs: vectors, entities and mentions, facts, relationships.",
    "systems": "List the installed systems: published methods with an index and a retriever of their own.",
    "search": "Find the passages that answer a question, best first, each with its source and why it was found.",
    "ask": "Answer a question from the passages found for it, with their numbers and sources.",
    "memory": "Look at, delete, export and restore the answers that systems remember.",
    "path": "Show how the names A and B are connected: the shortest path, and the best others.",
    "tree": "Show the communities of a corpus: a tree of passages, names or documents, from NODE or from the top.",
    "report": (
        "Show the reports on the communities of a corpus, or the whole report on COMMUNITY with the passages it "
        "stands on."
    ),
    "status": "Show what a corpus holds, what its index lacks, and what each stage did.",
    "corpora": "List all corpora with their sizes.",
    "documents": (
        "List the documents of a corpus by source: id, number of passages, title, source, and how many links "
        "start there if any do."
    ),
    "metadata": (
        "List what the documents of a corpus say of themselves: keys with the type of their values, how many documents "
        "have some, how many distinct ones there are, and examples; of KEY the values with their counts, most frequent "
        "first."
    ),
    "entities": "List the entities of a corpus, and correct their names by hand.",
    "delete": "Delete documents, with names that only they mention, or a whole corpus.",
    "export": (
        "Write a corpus to a file of JSON lines (- is standard output) that `overstory ingest` can restore: "
        "documents, chunks, vectors, mentions and facts."
    ),
    "server": "Control the embedded Neo4j.",
    "serve": "Serve corpora over HTTP, until Ctrl-C: a page for people, questions, documents, jobs.",
    "mcp": "Give an agent tools to ask corpora: the Model Context Protocol on standard input and output.",
    "tokens": "Make, list and end the tokens with which requests reach `overstory serve`.",
    "browser": "Open Neo4j Browser on a corpus, with a guide of saved queries, colours and captions.",
    "bench": "Measure retrievers on a BEIR folder, or answers to questions of your own.",
    "llm": "Check the language model, and manage the cache of answers.",
    "doctor": "Check this set-up, and show problems with remedies.",
}
"""What `overstory --help` says of each: the first sentence of its own help, which it need not import for this."""
_INTERRUPTED_EXIT_CODE = 130

EPILOG = """
\b
Try it:
  overstory demo                             a real corpus, searched in minutes
  overstory ingest docs/ notes.md            load files and folders
  overstory index                            build the index for searches
  overstory search 'Who wrote Dracula?'      evidence with sources
  overstory ask 'Who wrote Dracula?'         an answer with sources
  overstory path Dracula Dublin              how two names are connected
\b
Environment:
  OVERSTORY_NEO4J_URI, _USER, _PASSWORD, _DATABASE   your own Neo4j (5.26 or later); default: an embedded one
  OVERSTORY_SOURCE_NEO4J_URI, _USER, _PASSWORD, _DATABASE   the one that graphs are loaded from (ingest neo4j:…)
  OVERSTORY_CORPUS      the corpus where --corpus names none (default)
  OVERSTORY_HOME        folder of the embedded server and its data (several homes are several instances)
  OVERSTORY_CACHE       folder of downloaded jars
  OVERSTORY_JAVA        a Java 17 or 21 binary
  OVERSTORY_SERVER_HEAP, _PAGECACHE          memory of the embedded server (1g, 256m)
  OVERSTORY_SERVER_IDLE_MINUTES              stop it after this idle time (30; 0 never)
  OVERSTORY_SERVER_START_SECONDS             timeout of a start (120)
  OVERSTORY_QUERY_SECONDS                    timeout of a search (60; 0 for none)
  OVERSTORY_MEMORY                           megabytes of a stage of the index; the rest goes to disk (500)
  OVERSTORY_EMBEDDER, OVERSTORY_EMBEDDING_MODEL, _BASE_URL, _API_KEY   the embedder and its settings
  OVERSTORY_SPACY_PIPELINE, OVERSTORY_PROCESSES                        the spaCy pipelines, number of processes
  OVERSTORY_LLM_BASE_URL, OVERSTORY_LLM_MODEL, _API_KEY                a language model (optional)
  OVERSTORY_RERANK_BASE_URL, OVERSTORY_RERANK_MODEL, _API_KEY          a reranker (optional; docs/rerank.md)
  OVERSTORY_TOKEN                            the token of `overstory mcp` (optional; docs/mcp.md)
  OVERSTORY_LLM=local                        a small one in this process (docs/llm.md has the rest)
  Secrets can also be read from files: OVERSTORY_NEO4J_PASSWORD_FILE, OVERSTORY_EMBEDDING_API_KEY_FILE,
  OVERSTORY_LLM_API_KEY_FILE, OVERSTORY_RERANK_API_KEY_FILE, OVERSTORY_SOURCE_NEO4J_PASSWORD_FILE,
  OVERSTORY_TOKEN_FILE
\b
Exit codes:
  0 done, 2 wrong use, 3 setting, 4 embedded server, 5 database, 6 stored data does not fit, 7 corpus,
  8 broken source (the rest was loaded), 9 model, 10 question, 11 benchmark data, 12 graph, 13 extra missing,
  14 language model, 15 its budget is used up, 130 interrupted
"""


class CommandGroup(click.Group):
    """Imports the module of a subcommand only when it is used, to keep the start fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 # click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 # click's
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"overstory_cli.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and (near := difflib.get_close_matches(args[0], COMMANDS, n=1)):
            raise click.UsageError(f"No such command {args[0]!r}. Did you mean {near[0]}?", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 # click's
        width = formatter.width - 6 - max(map(len, COMMANDS))
        with formatter.section("Commands"):
            listed = ((name, click.Command(name, help=text)) for name, text in COMMANDS.items())
            formatter.write_dl([(name, command.get_short_help_str(width)) for name, command in listed])

    def invoke(self, ctx: click.Context) -> Any:  # what the subcommand returns
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # `overstory documents | head`: the reader has closed the pipe, which is no failure
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0


@click.group(cls=CommandGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="overstory", prog_name="overstory")
def overstory() -> None:
    """Turn documents into a layered knowledge graph in Neo4j, and answer questions from it with evidence."""


def main(arguments: list[str] | None = None) -> None:
    """Run a command and exit with its code."""
    # By default the collector runs some sixty times while 800 modules are imported, and goes through them all at the
    # exit: a sixth of a second of a search that takes one.
    gc.set_threshold(100_000, 50, 100)
    atexit.register(gc.freeze)
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run a command; returns its exit code."""
    try:
        # click's return value has no type; a command that found a problem returns a number
        result: Any = overstory.main(args=arguments, prog_name="overstory", standalone_mode=False)
    except OverstoryError as error:
        _explain(error)
        return error.exit_code
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        click.echo(printable(shown.getvalue()), err=True, nl=False)  # it quotes what a pattern of the shell may give
        return error.exit_code
    except (click.Abort, KeyboardInterrupt) as error:
        if isinstance(error, click.Abort) and not isinstance(error.__cause__, KeyboardInterrupt):
            click.echo("Nothing was changed.", err=True)  # the user answered no
            return 1
        click.echo("Interrupted. Finished work is kept; run the same command to continue.", err=True)
        return _INTERRUPTED_EXIT_CODE
    return result if isinstance(result, int) else 0


def _explain(error: OverstoryError) -> None:
    click.echo(f"Error: {error}", err=True)
    if error.remedy:
        click.echo(f"  {error.remedy}", err=True)
    if logging.getLogger("overstory").isEnabledFor(logging.DEBUG):
        logging.getLogger("overstory").debug("Details", exc_info=error)
