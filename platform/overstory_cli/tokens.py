"""overstory tokens …"""

from __future__ import annotations

import click

from overstory.display import printable
from overstory.settings import Settings
from overstory_cli.options import Result, json_option
from overstory_service.tokens import RIGHTS, Rights, token_file

NONE_LEFT = "All tokens are revoked: `overstory serve` refuses every request until you run `overstory tokens add NAME`."


@click.group()
def tokens() -> None:
    """Create, list and revoke the access tokens of `overstory serve`.

    A new token is shown only once. Its digest is stored in OVERSTORY_HOME, in a file that only you can read.
    """


@tokens.command()
@click.argument("name")
@click.option("--rights", type=click.Choice(RIGHTS), default="read", show_default=True, help="Rights of the token.")
@click.option(
    "--corpus", "corpora", multiple=True, metavar="NAME", help="Corpus it can access; may be repeated. Default: all."
)
@click.option("--where", default="", help="Metadata filter: the token sees only matching documents. Needs read rights.")
@json_option
def add(name: str, rights: Rights, corpora: tuple[str, ...], where: str) -> Result:
    """Create a token for NAME, a user or program, and print it.

    Tokens with read rights can ask questions. Those with write rights can also load, delete and index documents and
    edit entities. Those with admin rights can also delete corpora, load folders of the server and read metrics.

    \b
    Examples:
      overstory tokens add alice
      overstory tokens add ci --rights write --corpus docs
      overstory tokens add visitor --corpus docs --where "team = 'public'"
    """
    secret = token_file(Settings.from_environment()).add(name, rights, corpora=corpora, where=where)

    def show() -> None:
        click.echo(secret)
        click.echo("Save it: it is not shown again. Send it as the header Authorization: Bearer TOKEN", err=True)

    return Result({"name": name, "token": secret}, show)


@tokens.command("list")
@json_option
def list_() -> Result:
    """List the tokens with their rights.

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
            click.echo("There are no tokens: `overstory serve` accepts requests only from this machine.")

    listed = ("name", "rights", "corpora", "where", "created")
    return Result([{field: getattr(each, field) for field in listed} for each in found], show)


@tokens.command()
@click.argument("name")
def revoke(name: str) -> None:
    """Revoke the token NAME. It is refused from the next request on.

    \b
    Example:
      overstory tokens revoke ci
    """
    file = token_file(Settings.from_environment())
    revoked = file.revoke(name)
    click.echo(printable(f"Revoked the token {revoked.name!r}."))
    if not file.tokens():
        click.echo(NONE_LEFT)
