"""Options shared by commands."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar, cast

import click

from overstory.protocols import Progress
from overstory.settings import DEFAULT_RETRIEVER
from overstory_cli.output import show_json
from overstory_cli.progress import progress_for

if TYPE_CHECKING:
    from overstory.knowledge import Knowledge, SeveralCorpora

P = ParamSpec("P")
R = TypeVar("R")

LOGGED = ("overstory", "overstory_entropy", "overstory_systems")
"""The packages whose log `-v` shows. That of the loaders may have a line for each record of a file."""

corpus_option = click.option(
    "--corpus", metavar="NAME", help="The corpus to work on.  [default: OVERSTORY_CORPUS, or else 'default']"
)

model_option = click.option(
    "--model", metavar="NAME", help="The language model: local, a model name of the endpoint, or none."
)

retriever_option = click.option(
    "--retriever",
    default=DEFAULT_RETRIEVER,
    show_default=True,
    metavar="NAME",
    help="canopy, dense, lexical, hybrid, …",
)

where_option = click.option(
    "--where",
    metavar="FILTER",
    help="Only documents whose metadata fulfil it: \"author = 'Ada' and date >= 2024-01-01\".",
)

budget_option = click.option(
    "--budget-tokens",
    type=click.IntRange(min=0),
    metavar="N",
    help="Stop before the language model uses more tokens than this.",
)


@dataclass(frozen=True, slots=True)
class Result:
    """Result of a command: `value` is printed with --json, `show` prints it for people."""

    value: object
    show: Callable[[], object]
    code: int = 0


def json_option(command: Callable[P, Result | int | None]) -> Callable[P, int]:
    """Add --json, and print the `Result` that the command returns.

    A command that prints while it works returns an exit code or None, and asks `wants_json`.
    """

    @click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on standard output.")
    @functools.wraps(command)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> int:
        kwargs.pop("as_json")
        result = command(*args, **kwargs)
        if not isinstance(result, Result):
            return result or 0
        if wants_json():
            show_json(result.value)
        else:
            result.show()
        return result.code

    return wrapper


def wants_json() -> bool:
    """Whether the running command was given --json."""
    return bool(click.get_current_context().params.get("as_json"))


def refining_options(command: Callable[P, R]) -> Callable[P, R]:
    """Add --where, --rerank, --decompose and --hypothetical; the command gets them as `refined`."""

    @where_option
    @click.option(
        "--rerank", is_flag=True, help="Order the first passages by the reranker of OVERSTORY_RERANK_BASE_URL."
    )
    @click.option(
        "--decompose",
        is_flag=True,
        help="Also search for the simpler questions that the language model makes of the question.",
    )
    @click.option(
        "--hypothetical", is_flag=True, help="Also search for a passage that the language model writes as an answer."
    )
    @functools.wraps(command)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        refined = {name: kwargs.pop(name) for name in ("rerank", "decompose", "hypothetical", "where")}
        if refined["where"] is None:
            del refined["where"]
        kwargs["refined"] = refined
        return command(*args, **kwargs)

    return wrapper


def verbosity_options(command: Callable[Concatenate[Progress, P], R]) -> Callable[P, R]:
    """Add -v and -q; the command gets the corresponding progress as its first argument."""

    @click.option("-v", "--verbose", is_flag=True, help="Show more, including details of errors.")
    @click.option("-q", "--quiet", is_flag=True, help="No progress.")
    @functools.wraps(command)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        verbose, quiet = bool(kwargs.pop("verbose")), bool(kwargs.pop("quiet"))
        if verbose:
            _log_to_stderr()
        else:
            for library in ("pypdf", "neo4j"):  # they warn about oddities and retries; we report final failures
                logging.getLogger(library).setLevel(logging.CRITICAL)
        return command(progress_for(quiet=quiet), *args, **kwargs)

    return wrapper


def is_verbose() -> bool:
    """Whether the running command was given -v."""
    return bool(click.get_current_context().params.get("verbose"))


def knowledge_options(command: Callable[Concatenate[Knowledge, P], R]) -> Callable[P, R]:
    """Add --corpus, -v and -q; the command gets the opened corpus as its first argument."""

    @functools.wraps(command)
    def opened(progress: Progress, /, *args: P.args, **kwargs: P.kwargs) -> R:
        from overstory.graph.driver import import_driver_alone
        from overstory.knowledge import Knowledge  # neither is for --help

        import_driver_alone()
        corpus = kwargs.pop("corpus")
        with Knowledge(None if corpus is None else str(corpus), progress=progress) as knowledge:
            return command(knowledge, *args, **kwargs)

    return corpus_option(verbosity_options(opened))


several_option = click.option(
    "--corpus",
    "corpora",
    multiple=True,
    metavar="NAME",
    help="The corpus to ask; repeat it to ask several as one.  [default: OVERSTORY_CORPUS, or else 'default']",
)

uri_option = click.option(
    "--uri",
    "uris",
    multiple=True,
    metavar="ADDRESS",
    help="Its Neo4j, like bolt://host:7687; repeat it for one of each --corpus, or for one corpus in several.",
)


def questions_options(command: Callable[Concatenate[Knowledge | SeveralCorpora, P], R]) -> Callable[P, R]:
    """Add --corpus and --uri, which may be repeated, -v and -q; the command gets what they name, opened, as its first
    argument."""

    @functools.wraps(command)
    def opened(progress: Progress, /, *args: P.args, **kwargs: P.kwargs) -> R:
        from overstory import server
        from overstory.graph.driver import import_driver_alone

        corpora, uris = cast("tuple[str, ...]", kwargs.pop("corpora")), cast("tuple[str, ...]", kwargs.pop("uris"))
        places = _places(corpora, uris)
        if not uris:
            server.begin_if_embedded()  # starts while this imports what it needs
        from overstory.knowledge import Knowledge

        import_driver_alone()
        with ExitStack() as open_:
            every = [open_.enter_context(Knowledge(corpus, uri=uri, progress=progress)) for corpus, uri in places]
            return command(every[0] if len(every) == 1 else Knowledge.over(every), *args, **kwargs)

    return several_option(uri_option(verbosity_options(opened)))


def _places(corpora: Sequence[str], uris: Sequence[str]) -> list[tuple[str | None, str | None]]:
    """Corpora with their databases; None for those of the settings."""
    if len(corpora) > 1 and len(uris) > 1 and len(corpora) != len(uris):
        raise click.UsageError(
            f"There are {len(corpora)} of --corpus and {len(uris)} of --uri: give as many of both, or one of either."
        )
    count = max(1, len(corpora), len(uris))
    return list(zip(_repeated(corpora, count), _repeated(uris, count), strict=True))


def _repeated(given: Sequence[str], count: int) -> Sequence[str | None]:
    return given if len(given) == count else [given[0] if given else None] * count


def _log_to_stderr() -> None:
    for package in LOGGED:
        log = logging.getLogger(package)
        log.setLevel(logging.DEBUG)
        if not log.handlers:
            log.addHandler(logging.StreamHandler())
