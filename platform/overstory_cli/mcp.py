"""overstory mcp"""

from __future__ import annotations

import click

from overstory.errors import ExtraMissing
from overstory.examples import agent_skill
from overstory.protocols import Progress
from overstory.settings import Settings
from overstory_cli.options import verbosity_options


@click.command()
@click.option(
    "--corpus",
    "corpora",
    multiple=True,
    metavar="NAME",
    help="Corpus the agent can access; may be repeated. Default: all.",
)
@click.option("--write", is_flag=True, help="Also offer tools that store texts, delete documents and index.")
@click.option("--skill", is_flag=True, help="Print instructions for agents (SKILL.md) and exit.")
@verbosity_options
def mcp(progress: Progress, corpora: tuple[str, ...], write: bool, skill: bool) -> None:
    """Serve corpora to an agent over MCP, on standard input and output.

    The agent's application starts this command; see docs/mcp.md for its configuration. The tools are ask, search,
    path, entity, tree, report, read_document and corpora. They only read, unless you give --write. `overstory serve`
    offers the same tools at /mcp.

    The agent has your rights. To limit it to the rights of a token from `overstory tokens add`, set OVERSTORY_TOKEN or
    OVERSTORY_TOKEN_FILE.

    \b
    Examples:
      overstory mcp --corpus docs
      overstory mcp --skill > ~/.claude/skills/overstory/SKILL.md
    """
    del progress
    if skill:
        click.echo(agent_skill().read_text(encoding="utf-8"), nl=False)
        return
    try:
        from overstory_service.mcp.server import serve_stdio
    except ImportError as error:
        raise ExtraMissing((error.name or "mcp").partition(".")[0], extra="mcp") from error
    serve_stdio(Settings.from_environment(), corpora=corpora, write=write)
