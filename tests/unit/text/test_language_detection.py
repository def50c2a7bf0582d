"""Which language a document is in; none rather than a wrong one."""

from __future__ import annotations

import pytest

from overstory.model import Document
from overstory.text.language_detection import detected_language, passage_languages, question_language, with_language
from overstory.text.languages import foreign_language, language_of_tag

GERMAN = (
    "Die Bibliothek wurde im Jahr 1837 gegründet und ist heute für alle geöffnet, die in der Stadt wohnen. Wer "
    "ein Buch ausleihen möchte, braucht nur einen Ausweis, der am Eingang ausgestellt wird und nichts kostet, "
    "auch nicht für Kinder."
)
FRENCH = (
    "La bibliothèque a été fondée en 1837 et elle est ouverte à tous ceux qui habitent dans la ville. Pour "
    "emprunter un livre, il suffit d'une carte que l'on établit à l'entrée et qui ne coûte rien, pas même pour "
    "les enfants du quartier."
)
SPANISH = (
    "La biblioteca se fundó en el año 1837 y está abierta a todos los que viven en la ciudad. Para llevarse un "
    "libro a casa solo hace falta un carné que se hace en la entrada y que no cuesta nada, tampoco para los "
    "niños que vienen del barrio."
)
ENGLISH = (
    "The library was founded in 1837 and is open to all who live in the town. To borrow a book you need a "
    "card, which is made out at the entrance and costs nothing, for children neither. Lost cards are replaced "
    "for a small fee each time."
)
JAPANESE = (
    "この図書館は1837年に設立され、市内に住むすべての人に開放されています。本を借りるには入口で発行される利用者カードが必要です。"
) * 2
CHINESE = (
    "这座图书馆成立于1837年，向所有居住在本市的人开放。借书只需要一张在入口处办理的借书证，对儿童也完全免费，欢迎大家来。"
) * 2
CODE = (
    'int main(void) { return printf("%d\\n", x[i] + y[j]); } /* der die das */ for (i = 0; i < n; i++) x[i] = y;\n' * 5
)
NAMES = (
    "Charles Eugène Gabriel de La Croix de Castries, marquis de Castries, baron des États de Languedoc, comte de "
    "Charlus, baron de Castelnau et de Montjouvent, seigneur de Puylaurens et de Lézignan, was a French marshal and "
    "the son of Joseph François de La Croix de Castries and his second wife, Marie-Françoise de Lévis de Charlus."
)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (ENGLISH, "en"),
        (GERMAN, "de"),
        (FRENCH, "fr"),
        (SPANISH, "es"),
        (JAPANESE, "ja"),
        (CHINESE, "zh"),
        ("도서관은 1837년에 설립되었으며 시내에 사는 모든 사람에게 열려 있습니다. " * 5, "ko"),
    ],
)
def test_a_text_of_some_length_has_its_language(text: str, language: str) -> None:
    assert detected_language(text) == language


@pytest.mark.parametrize("text", ["", "Guten Tag", CODE, "12 34 56 " * 100])
def test_a_short_text_and_code_have_none(text: str) -> None:
    assert detected_language(text) == ""


def test_an_english_text_full_of_foreign_names_is_in_no_other_language() -> None:
    assert detected_language(NAMES) in ("", "en")


def test_a_page_with_code_in_it_keeps_its_language() -> None:
    assert detected_language(f"{CHINESE}\n{CODE[:300]}") == "zh"
    assert detected_language(f"{ENGLISH}\n{CODE}") == "en"


SHORT_GERMAN = "Wer ein Buch ausleihen möchte, braucht nur einen Ausweis."
SHORT_ENGLISH = "Readers need a card, which is free."
TABLE = "Bibliothek 12\nMuseum 7"
LOREM = (
    "Qui dolorem ipsum quia dolor sit amet, consectetur, adipisci velit, sed quia non numquam eius modi tempora "
    "incidunt ut labore et dolore magnam aliquam quaerat voluptatem, porro quisquam est."
)


@pytest.mark.parametrize(
    ("texts", "language", "expected"),
    [
        ([ENGLISH, GERMAN], "", "en de"),
        (
            [ENGLISH, SHORT_GERMAN, GERMAN, TABLE, SHORT_GERMAN, JAPANESE, "館内では静かに。"],
            "",
            "en de de de de ja ja",
        ),
        ([SHORT_ENGLISH, ENGLISH, SHORT_GERMAN, GERMAN, JAPANESE], "ja", "en en de de ja"),
        ([SHORT_GERMAN, FRENCH, ENGLISH, SHORT_ENGLISH], "de", "de fr en en"),
        ([ENGLISH, TABLE, GERMAN, TABLE, ENGLISH], "en", "en en de en en"),
        ([GERMAN, TABLE], "en", "de de"),
        ([SHORT_GERMAN, TABLE, "", NAMES, CODE, LOREM], "", "en en en en en en"),
        ([CHINESE, JAPANESE], "ja", "ja ja"),
        ([], "de", ""),
    ],
)
def test_each_passage_of_a_document_in_several_languages_has_its_own(
    texts: list[str], language: str, expected: str
) -> None:
    assert " ".join(passage_languages(texts, language)) == expected


def test_what_the_format_says_of_the_language_stays() -> None:
    said = Document("a", "", GERMAN, metadata={"language": "fr"})
    assert with_language(said) is said
    for tag in ("de-AT", "de_AT.UTF-8", "ger", "German", ["de", "en"]):
        coded = with_language(Document("a", "", GERMAN, metadata={"language": tag}))
        assert coded.metadata == {"language": "de", "language_tag": tag}
        assert with_language(coded) is coded
    unknown = Document("a", "", "Guten Tag", metadata={"language": "German"})
    assert with_language(unknown) is unknown
    assert with_language(Document("a", "", GERMAN)).metadata == {"language": "de"}
    assert with_language(Document("a", "", "Guten Tag")).metadata == {}


@pytest.mark.parametrize(
    ("question", "languages", "language"),
    [
        ("list the contents of directories", ("de",), "en"),
        ("Verzeichnisinhalt auflisten", ("de", "fr"), "de"),
        ("lister le contenu des répertoires", ("de", "fr"), "fr"),
        ("Hva koster brødet i dag?", ("de", "nb"), "nb"),
        ("ディレクトリの内容を一覧表示する", ("ja", "zh"), "ja"),
        ("ls 命令列出目录内容", ("zh",), "zh"),
        ("図書館", ("ja",), "ja"),  # which no Kana tells from Chinese
        ("図書館", ("de",), "en"),
        ("", ("de",), "en"),
        ("4711", ("zh", "de"), "en"),
    ],
)
def test_a_question_is_in_english_or_a_language_of_the_corpus(
    question: str, languages: tuple[str, ...], language: str
) -> None:
    assert question_language(question, languages) == language


@pytest.mark.parametrize(
    ("tag", "code"),
    [
        ("de", "de"),
        ("de-AT", "de"),
        ("pt_BR", "pt"),
        ("EN", "en"),
        ("zh-Hant-TW", "zh"),
        ("nn", "nb"),
        ("deu", "de"),
        ("de_AT.UTF-8", "de"),
        ("eng", "en"),
        ("German", ""),
        (7, ""),
    ],
)
def test_a_tag_is_read_as_the_code_of_its_language(tag: object, code: str) -> None:
    assert language_of_tag(tag) == code


def test_english_and_unknown_languages_are_read_alike() -> None:
    assert (
        foreign_language({"language": "en-GB"}) == foreign_language({}) == foreign_language({"language": "klar"}) == ""
    )
    assert foreign_language({"language": "fr"}) == "fr"
