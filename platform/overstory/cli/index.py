"""overstory index"""

from __future__ import annotations

import shlex

import click

from overstory.cli.options import json_option, knowledge_options
from overstory.cli.output import show_json
from overstory.knowledge import Knowledge


@click.command()
@click.option(
    "--re-embed", is_flag=True, help="Change to the embedder in use now; searches use the old one until then."
)
@click.option(
    "--sentences/--no-sentences",
    default=None,
    help="Also embed sentences, for the retriever canopy, from now on; or remove these vectors.",
)
@json_option
@knowledge_options
def index(knowledge: Knowledge, re_embed: bool, sentences: bool | None, as_json: bool) -> None:
    """Build what searching needs: vectors, entities and mentions, facts, relationships.

    Only what is missing is done. An interrupted run goes on where it was: run the same command again.

    \b
    Examples:
      overstory index --corpus wiki
      overstory index --corpus wiki --sentences
      OVERSTORY_EMBEDDER=openai overstory index --re-embed
    """
    report = knowledge.index(re_embed=re_embed, sentences=sentences)
    if as_json:
        show_json({"done": report.done, "status": knowledge.status()})
    elif report.done:
        click.echo(f"Corpus {knowledge.corpus_name!r} is indexed ({', '.join(report.done)}).")
        click.echo(f"Next: overstory search 'your question' --corpus {shlex.quote(knowledge.corpus_name)}")
    else:
        click.echo(f"Corpus {knowledge.corpus_name!r} is up to date; nothing to do.")
