"""Measure the list of entities of the folder: how many of the first fifty a reader would name, and with the right type.

    python -m benchmarks.own_folder.listed [--json FILE]

`entities.csv` has the people, organisations, places, projects and products of the folder with their accepted types.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from pathlib import Path

from benchmarks.own_folder.run import HERE, indexed

from overstory import OverstoryError
from overstory.text import entity_key

FIRST = 50


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the names and types to this file")
    arguments = parser.parse_args()
    accepted = read_names(HERE / "entities.csv")
    try:
        with indexed() as knowledge:
            listed = [(entity.name, entity.type) for entity in knowledge.entities(limit=FIRST)]
    except OverstoryError as error:
        print(f"Error: {error}\n  {error.remedy}".rstrip(), file=sys.stderr)
        return error.exit_code
    for name, type_ in listed:
        types = accepted.get(entity_key(name))
        print(f"{'' if types is None else 'named' if type_ in types else 'type':6}{type_ or '-':14}{name}")
    named = [(name, type_) for name, type_ in listed if entity_key(name) in accepted]
    right = sum(type_ in accepted[entity_key(name)] for name, type_ in named)
    print(f"\n{len(named)} of {len(listed)} named, types right {right / max(1, len(named)):.3f}")
    if arguments.json:
        arguments.json.write_text(json.dumps(listed, ensure_ascii=False, indent=1), encoding="utf-8")
    return 0


def read_names(file: Path) -> dict[str, frozenset[str]]:
    """Return the accepted types by normalised name."""
    with file.open(encoding="utf-8", newline="") as lines:
        return {entity_key(row["name"]): frozenset(row["types"].split()) for row in csv.DictReader(lines)}


if __name__ == "__main__":
    sys.exit(main())
