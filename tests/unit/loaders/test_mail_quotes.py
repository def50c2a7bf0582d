from __future__ import annotations

import pytest

from overstory_loaders.mail_parts import LEFT_OUT, without_quotations


@pytest.mark.parametrize(
    ("text", "kept", "left_out"),
    [
        ("Yes.\n\nOn 29 February 2024, Ada wrote:\n> Will you come?\n> Ada\n", "Yes.", 2),
        ("Ja.\n\nAm 29.02.2024 um 12:30 schrieb Ada\n<ada@example.org>:\n> Kommst du?", "Ja.", 1),
        ("On 1.2.2024 Ada wrote:\n> Will you come?\n\nYes.", "On 1.2.2024 Ada wrote:\n> Will you come?\n\nYes.", 0),
        (
            "> one\n> two\n> three\n> four\nFour it is.\n> five\n",
            f"{LEFT_OUT}\n> two\n> three\n> four\n\nFour it is.",
            2,
        ),
        ("See below.\n\n-----Original Message-----\nFrom: Ada\nSubject: Salt\n\nLong.", "See below.", 4),
        ("Fine.\n\nFrom: Ada <ada@example.org>\nSent: Monday\nTo: Bob\n\nLong.", "Fine.", 4),
        ("> only a quotation\n", "> only a quotation\n", 0),
        ("He wrote: no.\nFrom: here on it is fine.", "He wrote: no.\nFrom: here on it is fine.", 0),
        ("", "", 0),
    ],
)
def test_of_a_quotation_only_what_is_answered_stays(text: str, kept: str, left_out: int) -> None:
    assert without_quotations(text) == (kept, left_out)
