from __future__ import annotations

import pytest

from overstory.retrieve.table_query import RowsFound, Unclear, rows_found
from overstory.text.questions.sets import set_question
from overstory.text.table_rows import PassageText, Table, tables_in

STAFF = """\
Name: Ada Huber | City: Ulm | Team: Valves | Role: Engineer | Joined: 2019-03-01 | Salary: 52,000 | Phone: 301
Name: Ben Okoro | City: Ulm | Team: Valves | Role: Technician | Joined: 2021-06-01 | Salary: 41,000 | Phone: 302
Name: Carla Diaz | City: Ulm | Team: Pumps | Role: Engineer | Joined: 2022-02-01 | Salary: 48,000
Name: Dev Rao | City: Kiel | Team: Valves | Role: Engineer | Joined: 2018-09-01 | Salary: 55,000 | Phone: 401
Name: Edith Moor | City: Kiel | Team: Pumps | Role: Clerk | Joined: 2023-01-01 | Salary: 36,000
Name: Finn Berg | City: Neu-Ulm | Team: Pumps | Role: Senior engineer | Joined: 2015-05-01 | Salary: 61,000 | Phone: 501
"""
PUMPS = """\
Model: P10 | Type: dosing pump | Price: 89.50 € | Weight kg: 4 | Stock: 12
Model: P20 | Type: dosing pump | Price: 120 € | Weight kg: 6 | Stock: 0
Model: P30 | Type: vacuum pump | Price: 1,310 € | Weight kg: 15 | Stock: 3
"""
HALLS = """\
Hall: Danube | Seats: 40 | Beamer: yes | Kind of room: lecture
Hall: Iller | Seats: 12 | Beamer: no | Kind of room: meeting
Hall: Blau | Seats: 25 | Beamer: yes | Kind of room: meeting
"""
COURSES = """\
Kurs: Töpfern | Lehrer: Jana Kühn | Ort: Altbau | Plätze: 8
Kurs: Weben | Lehrer: Jana Kühn | Ort: Neubau | Plätze: 12
Kurs: Malen | Lehrer: Uwe Lang | Ort: Altbau | Plätze: 15
"""
VISITS = """\
Guest: Mara | House: Lake | Year: 2021
Guest: Mara | House: Forest | Year: 2022
Guest: Olaf | House: Lake | Year: 2022
"""


def table(text: str, title: str = "") -> Table:
    (found,) = tables_in([PassageText("c", 0, "", text)], title=title)
    return found


STAFF_TABLE, PUMP_TABLE, HALL_TABLE = table(STAFF, "staff"), table(PUMPS, "pumps"), table(HALLS, "Rooms of the house")
COURSE_TABLE, VISIT_TABLE = table(COURSES, "kurse"), table(VISITS, "visits")


def asked(question: str, of: Table) -> RowsFound | None:
    read = set_question(question)
    return rows_found(read, of) if read is not None else None


@pytest.mark.parametrize(
    ("question", "of", "names"),
    [
        ("Who works in Ulm but not in Valves?", STAFF_TABLE, "Carla Diaz"),
        ("Who works in Valves and in Ulm?", STAFF_TABLE, "Ada Huber, Ben Okoro"),
        ("Except Ada Huber, who works in Ulm?", STAFF_TABLE, "Ben Okoro, Carla Diaz"),
        ("Who does not work in Ulm, Neu-Ulm or Bonn?", STAFF_TABLE, None),  # no row has Bonn
        ("Who does not work in Ulm or Neu-Ulm?", STAFF_TABLE, "Dev Rao, Edith Moor"),
        ("Who is neither in Ulm nor in Pumps?", STAFF_TABLE, "Dev Rao"),
        ("Who has no phone in Kiel?", STAFF_TABLE, "Edith Moor"),
        ("Which engineers are in Kiel?", STAFF_TABLE, "Dev Rao"),
        ("List all clerks.", STAFF_TABLE, "Edith Moor"),
        ("Who joined after 2020?", STAFF_TABLE, "Ben Okoro, Carla Diaz, Edith Moor"),
        ("Who joined in 2021?", STAFF_TABLE, "Ben Okoro"),
        ("Who has a salary of at least 52000?", STAFF_TABLE, "Ada Huber, Dev Rao, Finn Berg"),
        ("Who earns the most?", STAFF_TABLE, "Finn Berg"),
        ("Which teams have more than two people?", STAFF_TABLE, "Valves, Pumps"),
        ("Which city has the most people?", STAFF_TABLE, "Ulm"),
        ("Which teams are in Kiel?", STAFF_TABLE, "Valves, Pumps"),
        ("Which pumps cost less than 100 euros?", PUMP_TABLE, "P10"),
        ("Which pump is the heaviest?", PUMP_TABLE, "P30"),
        ("Which pumps are not in stock?", PUMP_TABLE, "P20"),
        ("Which rooms have no beamer?", HALL_TABLE, "Iller"),
        ("Which halls have a beamer and between 20 and 30 seats?", HALL_TABLE, "Blau"),
        ("Which meeting rooms have fewer than 20 seats?", HALL_TABLE, "Iller"),
        ("Wer arbeitet in Ulm, aber nicht in Valves?", STAFF_TABLE, "Carla Diaz"),
        ("Qui travaille à Ulm mais pas dans Valves ?", STAFF_TABLE, "Carla Diaz"),
        ("¿Quién trabaja en Ulm pero no en Valves?", STAFF_TABLE, "Carla Diaz"),
        ("Welche Kurse sind im Altbau?", COURSE_TABLE, "Töpfern, Malen"),
        ("Welche Kurse haben mehr als 10 Plätze?", COURSE_TABLE, "Weben, Malen"),
        ("Welcher Kurs hat die meisten Plätze?", COURSE_TABLE, "Malen"),
        ("Who joined before 2019-03-01?", STAFF_TABLE, "Dev Rao, Finn Berg"),
        ("Which guests were not at the Lake?", VISIT_TABLE, ""),
        ("Which guests were both at the Lake and at the Forest?", VISIT_TABLE, "Mara"),
    ],
)
def test_rows_are_filtered_compared_and_grouped(question: str, of: Table, names: str | None) -> None:
    found = asked(question, of)
    assert (None if found is None else ", ".join(found.names)) == names


@pytest.mark.parametrize(
    ("question", "of", "number"),
    [
        ("How many work in Ulm?", STAFF_TABLE, 3),
        ("How many people work in Ulm or Kiel?", STAFF_TABLE, 5),
        ("How many teams are there?", STAFF_TABLE, 2),
        ("How many seats does the Danube have?", HALL_TABLE, 40),
        ("How many seats are in the meeting rooms?", HALL_TABLE, 37),
        ("How many pumps weigh between 4 and 6 kg?", PUMP_TABLE, 2),
        ("Wie viele Personen arbeiten in Kiel?", STAFF_TABLE, 2),
        ("Combien de personnes travaillent à Ulm ?", STAFF_TABLE, 3),
        ("¿Cuántas personas trabajan en Ulm?", STAFF_TABLE, 3),
    ],
)
def test_rows_values_and_numbers_are_counted(question: str, of: Table, number: int) -> None:
    found = asked(question, of)
    assert found is not None
    assert found.number == number


@pytest.mark.parametrize(
    "question",
    [
        "How many women work in Ulm?",
        "Who left Ulm?",
        "Who worked with Ada Huber in Ulm?",
        "How many former clerks are there?",
        "How many people work in Rome?",
        "Who is Ada Huber?",
        "What is the salary of Ada Huber?",
        "Why does Ada not work in Ulm?",
        "Who was the clerk before Edith Moor?",
        "Who was in Ulm in 2021?",
    ],
)
def test_a_word_that_the_table_lacks_makes_no_answer(question: str) -> None:
    assert asked(question, STAFF_TABLE) is None


def test_who_somebody_is_is_no_question_about_a_set() -> None:
    contacts = table("Firm: Lake Works | Contact: Mara Lind\nFirm: Forest Inn | Contact: Olaf Berg\n")
    assert asked("Who is Mara Lind?", contacts) is None


def test_rows_are_no_people_unless_a_column_names_people() -> None:
    assert asked("How many work in Lake?", table("House: Lake | Town: Ulm\nHouse: Forest | Town: Ulm\n")) is None


def test_values_of_each_kind_are_counted() -> None:
    found = asked("How many people work in each team?", STAFF_TABLE)
    assert found is not None
    assert found.groups == (("Valves", 3), ("Pumps", 3))


def test_longer_texts_are_reported_and_always_excluded() -> None:
    counted = asked("How many engineers are there?", STAFF_TABLE)
    assert counted is not None
    assert (counted.number, counted.notes) == (
        3,
        ("Role contains “engineers” within a longer text (Senior engineer): not counted.",),
    )
    others = asked("Who is not an engineer?", STAFF_TABLE)
    assert others is not None
    assert others.names == ("Ben Okoro", "Edith Moor")


def test_two_exclusions_without_a_conjunction_are_unclear() -> None:
    with pytest.raises(Unclear, match="may exclude either or both"):
        asked("Who is not a clerk in Kiel?", STAFF_TABLE)


def test_a_value_in_two_columns_is_unclear_unless_the_question_names_one() -> None:
    moves = table("Name: Ada | Born in: Ulm | Lives in: Kiel\nName: Ben | Born in: Kiel | Lives in: Ulm\n")
    with pytest.raises(Unclear, match="name the column"):
        asked("How many people are from Ulm?", moves)
    found = asked("How many people were born in Ulm?", moves)
    assert found is not None
    assert found.names == ("Ada",)


def test_rows_without_a_value_are_not_counted_as_different() -> None:
    people = table("Name: Ada | City: Ulm | A: 1\nName: Ben | A: 2\nName: Cleo | City: Kiel\n")
    found = asked("Who is not in Ulm?", people)
    assert found is not None
    assert (found.names, found.notes) == (("Cleo",), ("1 more row without a value to compare.",))
