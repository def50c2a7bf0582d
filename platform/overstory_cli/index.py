"""overstory index"""

from __future__ import annotations

import shlex

import click

from overstory.index import IndexReport
from overstory.knowledge import Knowledge
from overstory.llm import Estimate
from overstory.systems import wishes
from overstory_cli.options import Result, budget_option, json_option, knowledge_options, model_option
from overstory_cli.output import show_notes


@click.command()
@click.option(
    "--re-embed", is_flag=True, help="Change to the embedder of the settings; searches use the old one until then."
)
@click.option(
    "--embedder",
    metavar="NAME",
    help="Switch the corpus to this embedder (minilm, best, multilingual). The corpus keeps it whatever"
    " OVERSTORY_EMBEDDER says. Searches use the old one until the switch is done.",
)
@click.option(
    "--rebuild-indexes",
    is_flag=True,
    help="First drop and make again the indexes over vectors and words; searches by meaning scan all vectors"
    " meanwhile.",
)
@click.option(
    "--system",
    "systems",
    multiple=True,
    metavar="NAME[:OPTION=VALUE,…]",
    help="Also build what this system needs, from now on. overstory systems lists them, and overstory systems NAME its"
    " options. May be repeated.",
)
@click.option(
    "--remove-system",
    "removed",
    multiple=True,
    metavar="NAME",
    help="Remove the index of this system. May be repeated.",
)
@click.option(
    "--forget", is_flag=True, help="With --remove-system: also the answers that it remembers (overstory memory)."
)
@click.option(
    "--improve",
    is_flag=True,
    help="Cluster again in systems that only added the latest changes to communities they had; overstory status says"
    " which did. Takes as long as their first build.",
)
@model_option
@budget_option
@click.option(
    "--estimate", is_flag=True, help="Say what the language model would be asked, at most; send and write nothing."
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
    """Build what searching needs: vectors, entities and mentions, facts, relationships.

    Only the steps whose input changed are run. To resume an interrupted run, run the same command again.

    A system reads with a language model only where --model names one, and keeps to it until --model none ends that.

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
        raise click.UsageError("--re-embed changes to the embedder of the settings, and --embedder to another.")
    if forget and not removed:
        raise click.UsageError("--forget goes with --remove-system.")
    if budget_tokens is not None:
        knowledge.use_model(model, budget_tokens=budget_tokens)
    if estimate:
        estimated = knowledge.estimate_index(systems, model=model)
        return Result(estimated, lambda: _show_estimate(estimated))
    wishes([*systems, *removed], model)  # a wrong name is found before any index is removed
    for name in removed:
        knowledge.remove_system(name, forget=forget)
        click.echo(f"Corpus {knowledge.corpus_name!r} has no index of {name} now.", err=True)
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
    """Prints the stages that were run."""
    if report.done:
        click.echo(f"Corpus {knowledge.corpus_name!r} is indexed ({', '.join(report.done)}).")
        click.echo(f"Next: overstory search 'your question' --corpus {shlex.quote(knowledge.corpus_name)}")
    else:
        click.echo(f"Corpus {knowledge.corpus_name!r} is up to date; nothing to do.")


def index_fields(knowledge: Knowledge, report: IndexReport) -> dict[str, object]:
    """The fields that --json prints."""
    return {"done": report.done, "notes": report.notes, "status": knowledge.status()}


def _show_estimate(estimate: Estimate) -> None:
    if not estimate.requests and not estimate.remembered:
        click.echo("No language model would be asked.")
    else:
        click.echo(f"The language model would be sent {estimate}.")
