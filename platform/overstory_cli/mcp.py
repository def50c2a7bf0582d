"""overstory mcp"""

from __future__ import annotations

import click

from overstory.errors import ExtraMissing
from overstory.examples import agent_skill
from overstory.protocols import Progress
from overstory.settings import Settings
from overstory_cli.options import verbosity_options


@click.command()
@click.option("--corpus", "corpora", multiple=True, metavar="NAME", help="A corpus that can be asked; all if left out.")
@click.option("--write", is_flag=True, help="Also store texts, delete documents and index, if the agent asks for it.")
@click.option("--skill", is_flag=True, help="Print instructions for agents (SKILL.md) instead, and end.")
@verbosity_options
def mcp(progress: Progress, corpora: tuple[str, ...], write: bool, skill: bool) -> None:
    """Give an agent tools to ask corpora: the Model Context Protocol on standard input and output.

    An agent's program starts this command (docs/mcp.md says how it is told to). Tools: ask, search, why, name, tree,
    report, read_document, corpora. They only read, unless --write is given. `overstory serve` has the same at /mcp.

    \b
    OVERSTORY_TOKEN (or OVERSTORY_TOKEN_FILE) gives it the rights of a token (overstory tokens add) instead of yours.
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
