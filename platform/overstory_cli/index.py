"""overstory index"""

from __future__ import annotations

import shlex

import click

from overstory.index import IndexReport
from overstory.knowledge import Knowledge
from overstory.llm import Estimate
from overstory.systems import build_requests
from overstory_cli.options import Result, budget_option, json_option, knowledge_options, model_option
from overstory_cli.output import show_notes


@click.command()
@click.option(
    "--re-embed",
    is_flag=True,
    help="Switch to the embedder of the settings. Searches use the old one until all passages are embedded.",
)
@click.option(
    "--embedder",
    metavar="NAME",
    help="Switch the corpus to this embedder (minilm, fast, best, multilingual), whatever OVERSTORY_EMBEDDER is."
    " Searches use the old one until all passages are embedded.",
)
@click.option(
    "--rebuild-indexes",
    is_flag=True,
    help="First drop and rebuild the vector and full-text indexes. Until then, dense searches scan all vectors.",
)
@click.option(
    "--system",
    "systems",
    multiple=True,
    metavar="NAME[:OPTION=VALUE,…]",
    help="Build the index of this system, and update it in later runs. overstory systems lists the systems, overstory"
    " systems NAME the options. May be repeated.",
)
@click.option(
    "--remove-system",
    "removed",
    multiple=True,
    metavar="NAME",
    help="Remove the index of this system; may be repeated.",
)
@click.option(
    "--forget", is_flag=True, help="With --remove-system, also delete its remembered answers (overstory memory)."
)
@click.option(
    "--improve",
    is_flag=True,
    help="Cluster from scratch in systems that only added recent changes to existing communities (see overstory"
    " status). Takes as long as the first build.",
)
@model_option
@budget_option
@click.option(
    "--estimate",
    is_flag=True,
    help="Only estimate the most requests and tokens for the language model. Nothing is sent or written.",
)
@knowledge_options
@json_option
def index(
    knowledge: Knowledge,
    re_embed: bool,
    embedder: str | None,
    rebuild_indexes: bool,
    systems: tuple[str, ...],
    removed: tuple[str, ...],
    forget: bool,
    improve: bool,
    model: str | None,
    budget_tokens: int | None,
    estimate: bool,
) -> Result:
    """Build or update the search index of a corpus.

    The index has vectors, entities, mentions, facts and relationships. Only stages whose input changed are run. To
    resume an interrupted run, run the same command again.

    Systems read passages with a language model only if --model names one. They use it in later runs, too, until you
    give --model none.

    \b
    Examples:
      overstory index --corpus wiki
      overstory index --corpus wiki --system NAME
      overstory index --corpus wiki --system NAME:OPTION=VALUE,OPTION
      overstory index --corpus wiki --system NAME --model local --estimate
      overstory index --corpus wiki --system NAME --model local --budget-tokens 200000
      overstory index --corpus wiki --improve
      overstory index --corpus wiki --embedder multilingual
      OVERSTORY_EMBEDDER=openai overstory index --re-embed
      overstory index --corpus wiki --rebuild-indexes
    """
    for both in sorted(set(removed) & {name.partition(":")[0] for name in systems}):
        raise click.UsageError(f"--system and --remove-system both name {both}.")
    if embedder is not None and re_embed:
        raise click.UsageError("--re-embed and --embedder cannot be combined: both switch the embedder.")
    if forget and not removed:
        raise click.UsageError("--forget needs --remove-system.")
    if budget_tokens is not None:
        knowledge.use_model(model, budget_tokens=budget_tokens)
    if estimate:
        estimated = knowledge.estimate_index(systems, model=model)
        return Result(estimated, lambda: _show_estimate(estimated))
    build_requests([*systems, *removed], model)  # raises if a name is unknown, before any index is removed
    for name in removed:
        knowledge.remove_system(name, forget=forget)
        click.echo(f"Removed the index of {name} from corpus {knowledge.corpus_name!r}.", err=True)
    report = knowledge.index(
        re_embed=re_embed,
        embedder=embedder,
        rebuild_indexes=rebuild_indexes,
        systems=systems,
        model=model,
        improve=improve,
    )
    show_notes(report.notes)
    return Result(index_fields(knowledge, report), lambda: show_indexed(knowledge, report))


def show_indexed(knowledge: Knowledge, report: IndexReport) -> None:
    if report.done:
        click.echo(f"Corpus {knowledge.corpus_name!r} is indexed ({', '.join(report.done)}).")
        click.echo(f"Next: overstory search 'your question' --corpus {shlex.quote(knowledge.corpus_name)}")
    else:
        click.echo(f"The index of corpus {knowledge.corpus_name!r} is up to date.")


def index_fields(knowledge: Knowledge, report: IndexReport) -> dict[str, object]:
    return {"done": report.done, "notes": report.notes, "status": knowledge.status()}


def _show_estimate(estimate: Estimate) -> None:
    if not estimate.requests and not estimate.remembered:
        click.echo("No requests would be sent to a language model.")
    else:
        click.echo(f"The language model would be sent {estimate}.")
