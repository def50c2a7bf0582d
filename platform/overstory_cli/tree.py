"""overstory tree"""

from __future__ import annotations

import click

from overstory.display import printable
from overstory.knowledge import Knowledge
from overstory.model.communities import SHORT_ID_DIGITS, Community, CommunityTree, MemberPassage
from overstory.model.passage_text import PATH_SEPARATOR
from overstory.systems.tree.view import MOST_LEVELS_SHOWN, MOST_SHOWN_BELOW
from overstory_cli.options import Result, json_option, knowledge_options, where_option
from overstory_cli.output import show_notes, shown_origin, shown_title, wrapped

_TREE_INDENT = 4


@click.command()
@click.argument("node", required=False)
@click.option(
    "--depth",
    type=click.IntRange(1, MOST_LEVELS_SHOWN),
    default=1,
    show_default=True,
    help="Number of levels to show below NODE.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, MOST_SHOWN_BELOW),
    default=20,
    show_default=True,
    help="Maximum number of communities and of members to show below each community, largest first.",
)
@click.option(
    "--tree",
    "which",
    default="",
    metavar="NAME",
    help="Tree to show; the first tree of the corpus by default. An unknown name lists all trees.",
)
@where_option
@knowledge_options
@json_option
def tree(knowledge: Knowledge, node: str | None, depth: int, limit: int, which: str, where: str | None) -> Result:
    """Show the tree of communities of a corpus.

    Communities group passages, entities or documents. The tree starts at NODE, the id of a community or a unique
    prefix of it, or at the top.

    Each community is shown with its size, the share of its edge weight that stays inside, its term of the tree's
    entropy, the sum of the terms below it, its most characteristic entities, and its central sentences or its title
    and summary. A tree of summaries has no edge weights and no entropy.

    The corpus needs the index of a system with trees: overstory index --system NAME.

    \b
    Examples:
      overstory tree --corpus wiki
      overstory tree 45ad4824 --corpus wiki --depth 2
      overstory tree --corpus wiki --tree NAME
      overstory tree --corpus wiki --where "author = 'Ada'"
      overstory tree --corpus wiki --limit 100 --json
    """
    found = knowledge.tree(node, depth=depth, limit=limit, tree=which, where=where)
    return Result(found, lambda: _show(found))


def _show(found: CommunityTree) -> None:
    show_notes(found.notes)
    click.echo(printable(found.headline))
    if found.above:
        click.echo(f"in {PATH_SEPARATOR.join(id_[:SHORT_ID_DIGITS] for id_ in found.above)}")
    if found.community.level:
        click.echo()
        _show_community(found.community, 0)
        _show_below(found.community, _TREE_INDENT)
    else:
        _show_below(found.community, 0)


def _show_below(community: Community, indent: int) -> None:
    for below in community.communities:
        click.echo()
        _show_community(below, indent)
        _show_below(below, indent + _TREE_INDENT)
    if community.members:
        click.echo()
    for passage in community.passages:
        _show_passage(passage, indent)
    for member in (*community.entities, *community.documents):
        click.echo(printable(f"{' ' * indent}{member}"))
    if community.hidden:
        click.echo(f"{' ' * indent}… {community.hidden}")


def _show_community(community: Community, indent: int) -> None:
    click.echo(f"{' ' * indent}{click.style(community.short_id, bold=True)}  {community.figures}")
    if community.title:
        click.echo(wrapped(community.title, indent + _TREE_INDENT, most=2))
    if community.names:
        names = ", ".join(f"{each.name} ({each.passages:,})" for each in community.names)
        click.echo(wrapped(names, indent + _TREE_INDENT, most=2))
    if community.summary:
        click.echo(wrapped(community.summary, indent + _TREE_INDENT, most=2))
    for sentence in () if community.summary else community.sentences:
        click.echo(click.style(wrapped(f"“{sentence}”", indent + _TREE_INDENT, most=1), dim=True))


def _show_passage(passage: MemberPassage, indent: int) -> None:
    title = shown_title(passage.title, passage.heading) or "(no title)"
    click.echo(f"{' ' * indent}{title}  [{shown_origin(passage)}]")
    click.echo(wrapped(passage.text, indent + _TREE_INDENT, most=1))
