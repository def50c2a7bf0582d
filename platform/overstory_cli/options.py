"""Options that several commands share."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

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
"""Packages whose logs are shown with `-v`. Loaders are left out, because they may log a line for each record."""

corpus_option = click.option(
    "--corpus", metavar="NAME", help="Corpus to use.  [default: OVERSTORY_CORPUS, or 'default']"
)

model_option = click.option(
    "--model", metavar="NAME", help="Language model: local, the name of a model at the endpoint, or none."
)

retriever_option = click.option(
    "--retriever",
    default=DEFAULT_RETRIEVER,
    show_default=True,
    metavar="NAME",
    help="Search method: canopy, dense, lexical, hybrid or the name of a system.",
)

where_option = click.option(
    "--where",
    metavar="FILTER",
    help="Only documents whose metadata match this filter, as in \"author = 'Ada' and date >= 2024-01-01\".",
)


class _PartialDateType(click.ParamType[str]):
    name = "DATE"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from overstory.model.time_spans import PartialDate

        try:
            return f"as of {PartialDate.read(value).last}"
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)


def selection_options(command: Callable[..., R]) -> Callable[..., R]:
    """Add the options --where and --as-of to a command, which receives both as one filter in its argument `where`."""

    @where_option
    @click.option(
        "--as-of",
        type=_PartialDateType(),
        help="Only what had been said, and facts that had begun, by this day, month or year, such as 2023-06-12.",
    )
    @functools.wraps(command)
    def wrapper(*args: Any, **kwargs: Any) -> R:
        where, by = kwargs["where"], kwargs.pop("as_of")
        kwargs["where"] = f"({where}) and {by}" if where and by else where or by
        return command(*args, **kwargs)

    return wrapper


budget_option = click.option(
    "--budget-tokens",
    type=click.IntRange(min=0),
    metavar="N",
    help="Stop before the language model uses more than N tokens.",
)


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a command.

    Attributes:
        value: the value that is printed as JSON with --json.
        show: the function that prints the result for people, without --json.
    """

    value: object
    show: Callable[[], object]
    code: int = 0


def json_option(command: Callable[P, Result | int | None]) -> Callable[P, int]:
    """Add the option --json to a command, and print the `Result` that the command returns.

    A command that prints its results while it works must check `wants_json` itself, and return an exit code or None.
    """

    @click.option("--json", "as_json", is_flag=True, help="Print only JSON on standard output.")
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
    return bool(click.get_current_context().params.get("as_json"))


def refining_options(command: Callable[P, R]) -> Callable[P, R]:
    """Add the options --where, --as-of, --rerank, --decompose and --hypothetical to a command.

    The command receives their values as a dictionary in its argument `refined`.
    """

    @selection_options
    @click.option(
        "--rerank", is_flag=True, help="Rerank the best passages with the model at OVERSTORY_RERANK_BASE_URL."
    )
    @click.option(
        "--decompose",
        is_flag=True,
        help="Let the language model split the question into simpler ones, and search for these, too.",
    )
    @click.option(
        "--hypothetical",
        is_flag=True,
        help="Let the language model write a hypothetical answer (HyDE), and search with it, too.",
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
    """Add the options -v and -q to a command. The command receives a progress display as its first argument."""

    @click.option("-v", "--verbose", is_flag=True, help="Show more, including error details.")
    @click.option("-q", "--quiet", is_flag=True, help="Do not show progress.")
    @functools.wraps(command)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        verbose, quiet = bool(kwargs.pop("verbose")), bool(kwargs.pop("quiet"))
        if verbose:
            _log_to_stderr()
        else:
            for library in ("pypdf", "neo4j"):  # these libraries log warnings about harmless faults and about retries
                logging.getLogger(library).setLevel(logging.CRITICAL)
        return command(progress_for(quiet=quiet), *args, **kwargs)

    return wrapper


def is_verbose() -> bool:
    return bool(click.get_current_context().params.get("verbose"))


def knowledge_options(command: Callable[Concatenate[Knowledge, P], R]) -> Callable[P, R]:
    """Add the options --corpus, -v and -q to a command. The command receives the open corpus as its first argument."""

    @functools.wraps(command)
    def opened(progress: Progress, /, *args: P.args, **kwargs: P.kwargs) -> R:
        from overstory.graph.driver import import_driver_alone
        from overstory.knowledge import Knowledge  # imported here because --help would be slow otherwise

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
    help="Corpus to ask; repeat it to ask several corpora together.  [default: OVERSTORY_CORPUS, or 'default']",
)

uri_option = click.option(
    "--uri",
    "uris",
    multiple=True,
    metavar="ADDRESS",
    help="Neo4j server of the corpus, such as bolt://host:7687. Repeat it to give each --corpus its own server, or to"
    " ask one corpus on several servers.",
)


def questions_options(command: Callable[Concatenate[Knowledge | SeveralCorpora, P], R]) -> Callable[P, R]:
    """Add the options --corpus, --uri, -v and -q to a command. --corpus and --uri can be repeated.

    The command receives the open corpus, or an object for several open corpora, as its first argument.
    """

    @functools.wraps(command)
    def opened(progress: Progress, /, *args: P.args, **kwargs: P.kwargs) -> R:
        from overstory import server
        from overstory.graph.driver import import_driver_alone

        corpora, uris = cast("tuple[str, ...]", kwargs.pop("corpora")), cast("tuple[str, ...]", kwargs.pop("uris"))
        places = _places(corpora, uris)
        if not uris:
            server.begin_if_embedded()  # to save time, the server starts while this process imports other modules
        from overstory.knowledge import Knowledge

        import_driver_alone()
        with ExitStack() as open_:
            every = [open_.enter_context(Knowledge(corpus, uri=uri, progress=progress)) for corpus, uri in places]
            return command(every[0] if len(every) == 1 else Knowledge.over(every), *args, **kwargs)

    return several_option(uri_option(verbosity_options(opened)))


def _places(corpora: Sequence[str], uris: Sequence[str]) -> list[tuple[str | None, str | None]]:
    """Return pairs of a corpus name and a database URI. None means that the value in the settings is used."""
    if len(corpora) > 1 and len(uris) > 1 and len(corpora) != len(uris):
        raise click.UsageError(
            f"Got {len(corpora)} --corpus options and {len(uris)} --uri options. Give the same number of both, or just"
            " one of either."
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
