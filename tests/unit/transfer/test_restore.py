from __future__ import annotations

from pathlib import Path

from overstory.transfer.restore import separate_exports


def test_an_address_that_is_too_long_for_a_path_is_no_export(tmp_path: Path) -> None:
    export = tmp_path / "export.jsonl"
    export.write_text('{"overstory_export":2,"embedder":"","dimension":0}\n', encoding="utf-8")
    address = "neo4j:" + ";".join(f"Label{number}?key=name&text=title,description,body" for number in range(8))
    paths = [address, str(export), "x" * 100_000, "no/such/file"]
    assert separate_exports(paths) == ([str(export)], [address, "x" * 100_000, "no/such/file"])
