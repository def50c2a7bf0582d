"""overstory tokens …"""

from __future__ import annotations

import click

from overstory.display import printable
from overstory.settings import Settings
from overstory_cli.options import Result, json_option
from overstory_service.tokens import RIGHTS, Rights, token_file

NONE_LEFT = "Every token was revoked: `overstory serve` answers nobody until `overstory tokens add NAME` makes another."


@click.group()
def tokens() -> None:
    """Make, list and end the tokens with which requests reach `overstory serve`.

    A token is shown once. Its file, in OVERSTORY_HOME, has a digest of it, and only you can read that.
    """


@tokens.command()
@click.argument("name")
@click.option("--rights", type=click.Choice(RIGHTS), default="read", show_default=True, help="What it may do.")
@click.option("--corpus", "corpora", multiple=True, metavar="NAME", help="A corpus that it is for; all if left out.")
@click.option("--where", default="", help="A filter on metadata: it sees these documents alone, and only reads.")
@json_option
def add(name: str, rights: Rights, corpora: tuple[str, ...], where: str) -> Result:
    """Make a token, and show it: NAME says whose it is.

    \b
    read asks; write also loads, deletes, edits names and indexes; admin also deletes corpora, loads folders of the
    server, and sees the figures of the service.
    Examples:
      overstory tokens add alice
      overstory tokens add ci --rights write --corpus docs
      overstory tokens add visitor --corpus docs --where "team = 'public'"
    """
    secret = token_file(Settings.from_environment()).add(name, rights, corpora=corpora, where=where)

    def show() -> None:
        click.echo(secret)
        click.echo("Keep it: it is not shown again. Requests send it as Authorization: Bearer TOKEN", err=True)

    return Result({"name": name, "token": secret}, show)


@tokens.command("list")
@json_option
def list_() -> Result:
    """List the tokens, with their rights.

    \b
    Example:
      overstory tokens list
    """
    file = token_file(Settings.from_environment())
    found = file.tokens()

    def show() -> None:
        for each in found:
            corpora = ", ".join(each.corpora) or "all corpora"
            where = f" where {each.where}" if each.where else ""
            click.echo(printable(f"{each.name}  {each.rights}  {corpora}{where}  since {each.created}"))
        if not found and file.had_some():
            click.echo(NONE_LEFT)
        elif not found:
            click.echo("There are no tokens: `overstory serve` answers whoever is on this machine, and nobody else.")

    listed = ("name", "rights", "corpora", "where", "created")
    return Result([{field: getattr(each, field) for field in listed} for each in found], show)


@tokens.command()
@click.argument("name")
def revoke(name: str) -> None:
    """End the token NAME, from the next request on.

    \b
    Example:
      overstory tokens revoke ci
    """
    file = token_file(Settings.from_environment())
    ended = file.revoke(name)
    click.echo(printable(f"The token {ended.name!r} is good for nothing from now on."))
    if not file.tokens():
        click.echo(NONE_LEFT)
