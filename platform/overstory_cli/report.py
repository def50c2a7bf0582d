"""overstory report"""

from __future__ import annotations

import click

from overstory.display import counted, on_one_line, printable, shortened
from overstory.knowledge import Knowledge
from overstory.model.communities import (
    SHORT_ID_DIGITS,
    CommunityReports,
    FullReport,
    ReportedCommunity,
    ReportStatement,
)
from overstory.model.passage_text import PATH_SEPARATOR
from overstory.systems.tree.report_view import MOST_REPORTS_LISTED
from overstory_cli.options import Result, json_option, knowledge_options, where_option
from overstory_cli.output import OUTPUT_WIDTH, show_notes, shown_origin, shown_title, wrapped

_REPORT_INDENT = 4


@click.command()
@click.argument("community", required=False)
@click.option(
    "--level",
    type=click.IntRange(1),
    help="List the reports of this level; 1 is the coarsest. Default: the coarsest level with reports.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, MOST_REPORTS_LISTED),
    default=20,
    show_default=True,
    help="Number of reports, highest rating first.",
)
@click.option(
    "--tree",
    "which",
    default="",
    metavar="NAME",
    help="Tree of the communities; the first tree with reports by default. An unknown name lists all trees.",
)
@where_option
@knowledge_options
@json_option
def report(
    knowledge: Knowledge, community: str | None, level: int | None, limit: int, which: str, where: str | None
) -> Result:
    """Show reports on the communities of a corpus.

    With COMMUNITY, the id of a community or a unique prefix of it, the command shows the full report and the passages
    that support it. Without it, the command lists reports by rating, from 0 to 10, and then by the size of the
    community.

    If a passage is deleted, the reports based on it are deleted, too. Their communities are listed without a report
    until `overstory index` writes new ones.

    The corpus needs the index of a system that writes reports: overstory index --system NAME.

    \b
    Examples:
      overstory report --corpus wiki
      overstory report 45ad4824 --corpus wiki
      overstory report --corpus wiki --where "author = 'Ada'"
      overstory report --corpus wiki --level 2 --limit 100 --json
    """
    if community is not None and level is not None:
        raise click.UsageError("--level applies to the list of reports: leave out either --level or COMMUNITY.")
    if community is not None:
        one = knowledge.report(community, tree=which, where=where)
        return Result(one, lambda: _show(one))
    found = knowledge.reports(level=level, limit=limit, tree=which, where=where)
    return Result(found, lambda: _show_list(found))


def _show_list(found: CommunityReports) -> None:
    show_notes(found.notes)
    click.echo(printable(found.headline))
    for each in (*found.reports, *found.without):
        click.echo()
        _show_line(each, 0)
        if each.summary:
            click.echo(wrapped(on_one_line(each.summary), _REPORT_INDENT, most=2))
    if found.more:
        click.echo(f"\n… {counted(found.more, 'more report')}")


def _show(found: FullReport) -> None:
    show_notes(found.notes)
    community = found.community
    click.echo(f"{community.short_id}  {click.style(on_one_line(community.title) or 'no report', bold=True)}")
    figures = [community.sized, f"level {community.level} of tree {found.tree}"]
    if community.has_report:
        written = f"written by {on_one_line(community.by)} from {counted(found.passages, 'passage')}"
        figures = [f"rating {community.rating:.1f} of 10", *figures, written]
    click.echo(printable(", ".join(figures)))
    if found.above:
        places = (f"{each.short_id} {shortened(each.title, OUTPUT_WIDTH // 3)}".strip() for each in found.above)
        click.echo(printable(f"in {PATH_SEPARATOR.join(places)}"))
    if community.summary:
        click.echo(f"\n{wrapped(on_one_line(community.summary))}")
    for number, finding in enumerate(found.findings, start=1):
        _show_finding(number, finding)
    if found.below:
        click.echo("\nCommunities inside:")
    for each in found.below:
        _show_line(each, _REPORT_INDENT)
    if found.communities > len(found.below):
        more = found.communities - len(found.below)
        click.echo(f"{' ' * _REPORT_INDENT}… {counted(more, 'more community', 'more communities')}")


def _show_line(community: ReportedCommunity, indent: int) -> None:
    click.echo(
        f"{' ' * indent}{click.style(community.short_id, bold=True)}{printable(community.line[SHORT_ID_DIGITS:])}"
    )


def _show_finding(number: int, finding: ReportStatement) -> None:
    first = f"\n{number:>2}. "
    click.echo(first + wrapped(on_one_line(finding.text), _REPORT_INDENT).lstrip())
    if finding.names:
        click.echo(click.style(wrapped(f"about {'; '.join(finding.names)}", _REPORT_INDENT + 2, most=2), dim=True))
    for passage in finding.passages:
        title = shown_title(passage.title, passage.heading) or "(no title)"
        click.echo(f"{' ' * (_REPORT_INDENT + 2)}from {title}  [{shown_origin(passage)}]")
