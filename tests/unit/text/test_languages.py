"""The language of a question by its frequent words."""

from __future__ import annotations

import pytest

from overstory.text.languages import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Who manages the project?", "en"),
        ("Wie viele Tage in der Woche darf man von zu Hause arbeiten?", "de"),
        ("Où se trouve la trousse de secours ?", "fr"),
        ("¿Cuántos días de vacaciones hay en el año?", "es"),
        ("Nosferatu Murnau", "en"),
        ("", "en"),
        ("C++ 17", "en"),
        ("图书馆什么时候开门？", ""),
        ("Где находится аптечка?", ""),
    ],
)
def test_it_is_told_by_function_words(text: str, language: str) -> None:
    assert language_of(text) == language
