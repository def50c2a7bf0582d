"""overstory path"""

from __future__ import annotations

import click

from overstory.display import counted, printable
from overstory.knowledge import MOST_PATHS_FOUND, MOST_STEPS_OF_A_PATH, Knowledge
from overstory.model.entity_paths import EntityPath, EntityPaths, PathStep
from overstory_cli.options import Result, json_option, knowledge_options, selection_options
from overstory_cli.output import MOST_PASSAGE_LINES, show_notes, shown_origin, shown_title, wrapped


@click.command()
@click.argument("start", metavar="A")
@click.argument("end", metavar="B")
@click.option(
    "-k", "k", type=click.IntRange(1, MOST_PATHS_FOUND), default=3, show_default=True, help="Number of paths to show."
)
@click.option(
    "--steps",
    type=click.IntRange(1, MOST_STEPS_OF_A_PATH),
    default=4,
    show_default=True,
    help="Maximum steps in a path.",
)
@selection_options
@knowledge_options
@json_option
def path(knowledge: Knowledge, start: str, end: str, k: int, steps: int, where: str | None) -> Result:
    """Show how two entities are connected.

    A and B are names of entities. The shortest path comes first, then other good paths: short ones whose entities are
    specific, that is, mentioned in few passages.

    Each step is shown with its source and the sentence that states it. A step is a fact ("Bram Stoker – write –
    Dracula"), a link between documents ("Keanu Reeves – ACTED_IN (Neo) – The Matrix"), or a passage that mentions both
    entities.

    \b
    Examples:
      overstory path 'Bram Stoker' Nosferatu
      overstory path Metallica 'San Francisco' -k 10 --steps 2 --json
      overstory path 'Bram Stoker' Nosferatu --where "folder ~ 'biographies/*'"
    """
    found = knowledge.paths(start, end, k, steps=steps, where=where)
    return Result(found, lambda: _show(found, steps))


def _show(found: EntityPaths, steps: int) -> None:
    show_notes(found.notes)
    if not found.paths:
        click.echo(f"No path connects {found.start!r} and {found.end!r} in {_at_most(steps)}.")
    for rank, one in enumerate(found.paths, start=1):
        _show_path(rank, one)


def _at_most(steps: int) -> str:
    return f"at most {counted(steps, 'step')}" if steps > 1 else "one step"


def _show_path(rank: int, one: EntityPath) -> None:
    length = counted(len(one.steps), "step")
    click.echo(f"{rank:>2}. {click.style(printable(str(one)), bold=True)}  ({length}, cost {one.cost:.2f})")
    for step in one.steps:
        _show_step(step)


def _show_step(step: PathStep) -> None:
    where = "" if step.kind == "link" else f" in {shown_title(step.title, step.heading) or '(no title)'}"
    more = f", and {counted(step.more, 'other passage')}" if step.more else ""
    when = f" ({step.when})" if step.when else ""
    click.echo(printable(f"    {step.statement}{when}{where}  [{shown_origin(step)}]{more}"))
    for sentence in step.sentences:
        click.echo(wrapped(sentence, 6, most=MOST_PASSAGE_LINES))
