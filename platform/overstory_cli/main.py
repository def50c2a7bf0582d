"""The `overstory` command, which runs subcommands and turns errors into a message, a remedy and an exit code."""

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
    "demo": "Load and index a small corpus, and ask it three questions.",
    "ingest": "Load files and folders into a corpus.",
    "watch": "Sync folders into a corpus whenever files change, until Ctrl-C.",
    "stage": "Read, embed and extract files without a database.",
    "index": "Build or update the search index of a corpus.",
    "systems": "List the installed systems: published methods with their own index and retriever.",
    "search": "Find the passages that answer a question.",
    "ask": "Answer a question, with sources.",
    "memory": "List, delete, export and restore remembered answers.",
    "path": "Show how two entities are connected.",
    "tree": "Show the tree of communities of a corpus.",
    "report": "Show reports on the communities of a corpus.",
    "status": "Show the contents of a corpus and the state of its index.",
    "corpora": "List all corpora with their sizes.",
    "documents": "List, disable or enable the documents of a corpus.",
    "metadata": "List the metadata keys of a corpus, or the values of KEY.",
    "entities": "List and edit the entities of a corpus.",
    "delete": "Delete documents or a whole corpus.",
    "export": "Export a corpus to a file.",
    "server": "Control the embedded Neo4j server.",
    "serve": "Serve corpora over HTTP: web page, API, chat endpoint and MCP.",
    "mcp": "Serve corpora to an agent over MCP, on standard input and output.",
    "tokens": "Create, list and revoke the access tokens of `overstory serve`.",
    "browser": "Open Neo4j Browser on a corpus, with a guide of saved queries.",
    "bench": "Measure retrievers on a BEIR folder, or answers to your own questions.",
    "llm": "Check the language model and manage its response cache.",
    "doctor": "Check the installation and suggest fixes.",
}
"""Map from each command to the first sentence of its help. With it, `overstory --help` need not import any command."""
_INTERRUPTED_EXIT_CODE = 130

EPILOG = """
\b
Try it:
  overstory demo                             load and search a small corpus
  overstory ingest docs/ notes.md            load files and folders
  overstory index                            build the search index
  overstory search 'Who wrote Dracula?'      find passages
  overstory ask 'Who wrote Dracula?'         get an answer with sources
  overstory path Dracula Dublin              see how two entities are connected
\b
Environment:
  OVERSTORY_NEO4J_URI, _USER, _PASSWORD, _DATABASE   your own Neo4j (5.26 or later); default: an embedded server
  OVERSTORY_SOURCE_NEO4J_URI, _USER, _PASSWORD, _DATABASE   Neo4j to load graphs from (ingest neo4j:…)
  OVERSTORY_CORPUS      corpus to use without --corpus (default)
  OVERSTORY_HOME        folder of the embedded server and its data; each home has its own server
  OVERSTORY_CACHE       folder of downloaded jars
  OVERSTORY_JAVA        path of a Java 17 or 21 binary
  OVERSTORY_SERVER_HEAP, _PAGECACHE          memory of the embedded server (1g, 256m)
  OVERSTORY_SERVER_IDLE_MINUTES              minutes until an idle server stops (30; 0: never)
  OVERSTORY_SERVER_START_SECONDS             start timeout (120)
  OVERSTORY_QUERY_SECONDS                    search timeout (60; 0: no timeout)
  OVERSTORY_MEMORY                           megabytes for each index stage, before it uses the disk (500)
  OVERSTORY_EMBEDDER, OVERSTORY_EMBEDDING_MODEL, _BASE_URL, _API_KEY   embedder and its settings
  OVERSTORY_SPACY_PIPELINE, OVERSTORY_PROCESSES                        spaCy pipelines, number of processes
  OVERSTORY_LLM_BASE_URL, OVERSTORY_LLM_MODEL, _API_KEY                language model (optional; docs/llm.md)
  OVERSTORY_LLM=local                        a small language model in this process
  OVERSTORY_RERANK_BASE_URL, OVERSTORY_RERANK_MODEL, _API_KEY          reranker (optional; docs/rerank.md)
  OVERSTORY_TOKEN                            access token of `overstory mcp` (optional; docs/mcp.md)
  To read a secret from a file, set OVERSTORY_NEO4J_PASSWORD_FILE, OVERSTORY_EMBEDDING_API_KEY_FILE,
  OVERSTORY_LLM_API_KEY_FILE, OVERSTORY_RERANK_API_KEY_FILE, OVERSTORY_SOURCE_NEO4J_PASSWORD_FILE or
  OVERSTORY_TOKEN_FILE instead.
\b
Exit codes:
  0 success, 2 usage, 3 setting, 4 embedded server, 5 database, 6 stored data does not match, 7 corpus,
  8 broken source (others were loaded), 9 model, 10 question, 11 benchmark data, 12 graph, 13 missing extra,
  14 language model, 15 token budget used up, 130 interrupted
"""


class CommandGroup(click.Group):
    """A command group that starts fast, because it imports a subcommand only when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 # click requires this parameter
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 # for click
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

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 # for click
        width = formatter.width - 6 - max(map(len, COMMANDS))
        with formatter.section("Commands"):
            listed = ((name, click.Command(name, help=text)) for name, text in COMMANDS.items())
            formatter.write_dl([(name, command.get_short_help_str(width)) for name, command in listed])

    def invoke(self, ctx: click.Context) -> Any:  # the result has the type that the subcommand returns
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # not an error: in `overstory documents | head`, `head` closes the pipe early
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0


@click.group(cls=CommandGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="overstory", prog_name="overstory")
def overstory() -> None:
    """Turn documents into a knowledge graph in Neo4j, and answer questions from it with evidence."""


def main(arguments: list[str] | None = None) -> None:
    """Run a command, and end the process with the exit code of the command."""
    # With the default thresholds, garbage collection would take about 0.17 s of a one-second search.
    gc.set_threshold(100_000, 50, 100)
    atexit.register(gc.freeze)
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit code."""
    try:
        # The type is `Any` because click declares no type. Commands may return an exit code.
        result: Any = overstory.main(args=arguments, prog_name="overstory", standalone_mode=False)
    except OverstoryError as error:
        _explain(error)
        return error.exit_code
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        # The message may contain a file name with control characters, which `printable` makes harmless.
        click.echo(printable(shown.getvalue()), err=True, nl=False)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt) as error:
        if isinstance(error, click.Abort) and not isinstance(error.__cause__, KeyboardInterrupt):
            click.echo("Nothing was changed.", err=True)  # the user answered "no" when asked for confirmation
            return 1
        click.echo("Interrupted. Finished work is kept; run the same command again to continue.", err=True)
        return _INTERRUPTED_EXIT_CODE
    return result if isinstance(result, int) else 0


def _explain(error: OverstoryError) -> None:
    click.echo(f"Error: {error}", err=True)
    if error.remedy:
        click.echo(f"  {error.remedy}", err=True)
    if logging.getLogger("overstory").isEnabledFor(logging.DEBUG):
        logging.getLogger("overstory").debug("Details", exc_info=error)
