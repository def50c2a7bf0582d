"""A question that nobody waits for, after a start: Neo4j plans its statements, and the user's first takes less time."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from overstory.errors import OverstoryError
from overstory.server import Connection, process

PROGRAM = "from overstory_cli.warm_up import main; main()"
QUESTION = "Who wrote the first of them, and when?"


def begin(connection: Connection) -> None:
    """Ask the question in a process of its own, of a server that runs; one that is stopped meanwhile stays so."""
    environ = process.inherited() | {
        "OVERSTORY_NEO4J_URI": connection.uri,
        "OVERSTORY_NEO4J_USER": connection.user,
        "OVERSTORY_NEO4J_PASSWORD": connection.password,
    }
    if sys.executable:
        process.spawn_python(PROGRAM, folder=Path.cwd(), log=Path(os.devnull), environ=environ)


def main() -> None:
    """The program: asks the first corpus that has passages."""
    from overstory.graph.driver import import_driver_alone

    import_driver_alone()
    from overstory.knowledge import Knowledge

    with suppress(OverstoryError), Knowledge() as every:
        found = next((size.corpus for size in every.corpora() if size.chunks and not size.corpus.is_deleting), None)
        if found is not None:
            with Knowledge(found.name) as knowledge:
                knowledge.search(QUESTION)
