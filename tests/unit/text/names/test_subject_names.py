from __future__ import annotations

import pytest

from overstory.text.names.subject_names import lead_name, lead_names, short_forms, title_names


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("Ada Lovelace", {"ada lovelace": 1.0}),
        ("Possession (1922 film)", {"possession 1922 film": 1.0, "possession": 1.0}),
        ("Lambert, Margrave of Tuscany", {"lambert margrave of tuscany": 1.0, "lambert": 0.7}),
        ("The (…)", {}),
        ("", {}),
    ],
)
def test_a_title_names_its_text_with_and_without_what_tells_it_apart(title: str, names: dict[str, float]) -> None:
    assert title_names(title) == names


@pytest.mark.parametrize(
    ("paragraph", "lead"),
    [
        ("Teutberga( died 875) was a queen.", "Teutberga"),
        ("The Glass Wall is a 1953 film.", "The Glass Wall"),
        ("J. Lee Thompson (1914–2002) was a director.", "J. Lee Thompson"),
        ('"You Don\'t Love Me (No, No, No)" is a song.', "You Don't Love Me (No, No, No)"),
        ("Installing on Linux\nFirst fetch the package.", "Installing on Linux"),
        ("Admiral Twin released their first album.", "Admiral Twin"),
        ("Flute sonata in C is a piece.", "Flute sonata in C"),
        ("It Happened One Night is a film.", "It Happened One Night"),
        ("Her friends included Ada.", ""),
        ("He was born in Ulm.", ""),
        ("It is located in Cumbria.", ""),
        ("In 1914, war broke out.", ""),
        ("during the war", ""),
        ("The recorded history of the whole of Maryland up to now and then is long.", ""),
        ("", ""),
    ],
)
def test_a_paragraph_begins_with_the_name_of_its_subject_or_with_none(paragraph: str, lead: str) -> None:
    assert lead_name(paragraph) == lead


@pytest.mark.parametrize(
    ("paragraph", "others"),
    [
        ("John Villiers Farrow (1904–1963) was a director.", {"john farrow"}),
        ("Jerry Hall, born Geraldine Hall in Gonzales, is a model.", {"geraldine hall"}),
        ("Eilleen Edwards (known professionally as Shania Twain) is a singer.", {"shania twain"}),
        ("Lothario, called the Young, was a king.", set[str]()),
        ('Earvin "Magic" Johnson is a player.', {"earvin johnson", "magic johnson"}),
        ("Alice Guy or Alice Guy-Blaché was a pioneer.", {"alice guy", "alice guy blache"}),
    ],
)
def test_its_first_words_give_other_names_of_it(paragraph: str, others: set[str]) -> None:
    assert others <= lead_names(paragraph).keys()


def test_a_full_name_can_be_shortened_in_the_middle() -> None:
    assert set(short_forms("Maria Antonia of Austria")) == {
        "maria antonia",
        "maria of",
        "maria austria",
        "maria antonia of",
        "maria antonia austria",
        "maria of austria",
    }
    assert not list(short_forms("Maria Antonia"))
