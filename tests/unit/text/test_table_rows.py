from __future__ import annotations

from overstory.text.table_rows import PassageText, Table, joined_tables, row_cells, tables_in


def tables(*texts: str, heading: str = "") -> list[Table]:
    return tables_in(PassageText(f"c{seq}", seq, heading, text) for seq, text in enumerate(texts))


def test_a_row_gives_its_cells_by_column_name() -> None:
    assert row_cells("Name: Ada | City: Ulm") == {"Name": "Ada", "City": "Ulm"}
    assert row_cells("salt | Price: 2 | Stock: 7") == {"": "salt", "Price": "2", "Stock": "7"}
    assert row_cells("Name: Ada | Note: a | b | City: Ulm") == {"Name": "Ada", "Note": "a | b", "City": "Ulm"}
    assert row_cells("See http://example.org | 10:30 | no names here") == {}
    assert row_cells("Name: Ada") == {}


def test_rows_of_all_passages_belong_to_one_table_and_name_their_passages() -> None:
    (table,) = tables("Staff\n\nName: Ada | City: Ulm\nName: Ben", " | City: Kiel\nName: Cleo | Phone: 3\n")
    assert table.columns == ("Name", "City", "Phone")
    assert [(row.chunks, row.cells["Name"]) for row in table.rows] == [
        (("c0",), "Ada"),
        (("c0", "c1"), "Ben"),
        (("c1",), "Cleo"),
    ]


def test_other_columns_begin_another_table() -> None:
    found = tables("Name: Ada | City: Ulm\n\nItem: salt | Price: 2 | Stock: 7\n")
    assert [table.columns for table in found] == [("Name", "City"), ("Item", "Price", "Stock")]


def test_a_markdown_table_may_continue_in_the_next_passage() -> None:
    (table,) = tables("# Rooms\n\n| Room | Floor |\n|---|:-:|\n| Danube | 1 |\n", "| Iller | |\n\nText | with a bar.\n")
    assert [dict(row.cells) for row in table.rows] == [{"Room": "Danube", "Floor": "1"}, {"Room": "Iller"}]


def test_tables_are_joined_on_a_column_with_the_same_name_or_on_codes() -> None:
    staff, sites = tables("Name: Ada | City: Ulm\nName: Ben | City: Kiel\n\nCity: Ulm | Lift: yes | Seats: 3\n")
    joined = joined_tables(staff, sites)
    assert joined is not None
    assert [dict(row.cells) for row in joined.rows] == [{"Name": "Ada", "City": "Ulm", "Lift": "yes", "Seats": "3"}]
    rows = "Name: Ada | Unit: V\nName: Ben | Unit: P\nName: Cleo | Unit: V\n"
    people, units = tables(f"{rows}\nCode: V | Unit: Valves\nCode: P | Unit: Pumps\n")
    by_code = joined_tables(people, units)
    assert by_code is not None
    assert [row.cells["Unit"] for row in by_code.rows] == ["Valves", "Pumps", "Valves"]
    assert joined_tables(units, people) is None


def test_a_row_that_continues_in_a_missing_passage_is_left_out() -> None:
    passages = [PassageText("a", 3, "", "Name: Ada | City: Ulm\nName: Ben | Ci"), PassageText("b", 9, "", "Text.\n")]
    (table,) = tables_in(passages)
    assert [row.cells for row in table.rows] == [{"Name": "Ada", "City": "Ulm"}]


def test_rows_with_totals_are_left_out() -> None:
    (table,) = tables("Item: salt | Sold: 2\nItem: oil | Sold: 3\nItem: Total | Sold: 5\n")
    assert [row.cells["Item"] for row in table.rows] == ["salt", "oil"]
