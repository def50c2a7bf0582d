"""overstory llm …"""

from __future__ import annotations

import click

from overstory.display import counted, printable
from overstory.llm import answer_cache, check_model, open_chat
from overstory.protocols import Progress
from overstory.settings import Settings
from overstory_cli.options import Result, budget_option, json_option, model_option, verbosity_options


@click.group()
def llm() -> None:
    """Check the language model and manage its response cache.

    A language model is optional. To use one behind an OpenAI-compatible endpoint, set OVERSTORY_LLM_BASE_URL,
    OVERSTORY_LLM_MODEL and OVERSTORY_LLM_API_KEY. To run a small one in this process, set OVERSTORY_LLM=local.
    """


@llm.command()
@model_option
@budget_option
@verbosity_options
@json_option
def check(progress: Progress, model: str | None, budget_tokens: int | None) -> Result:
    """Ask the language model a test question, and show its answer, time and tokens.

    \b
    Examples:
      overstory llm check
      overstory llm check --model local
    """
    del progress
    with open_chat(Settings.from_environment(), model, budget_tokens=budget_tokens) as chat:
        found = check_model(chat)

    def show() -> None:
        verdict = "correct" if found.right else "wrong; this model may give poor answers"
        form = "valid JSON after a correction" if found.corrected else "valid JSON on the first try"
        click.echo(f"Model    {printable(found.model)} ({printable(found.fingerprint)})")
        click.echo(f"Asked    {found.question}")
        click.echo(f"Answer   {printable(found.answer)} [{found.passage}] ({verdict}), {form}")
        click.echo(f"Took     {found.usage.tokens:,} tokens, {found.seconds:.1f} s")

    return Result(found, show)


@llm.command()
@click.option("--clear", is_flag=True, help="Delete all cached responses.")
@json_option
def cache(clear: bool) -> Result:
    """Show the size of the response cache, or clear it. A cached request is not sent again.

    \b
    Examples:
      overstory llm cache
      overstory llm cache --clear
    """
    answers = answer_cache(Settings.from_environment())
    found = answers.clear() if clear else answers.size()

    def show() -> None:
        done = "deleted" if clear else "cached"
        click.echo(f"{counted(found.answers, 'response')} {done}, {found.bytes / 1e6:,.1f} MB, {found.tokens:,} tokens")
        click.echo(f"File: {found.path}")

    fields = {"path": str(found.path), "answers": found.answers, "bytes": found.bytes, "tokens": found.tokens}
    return Result(fields, show)
