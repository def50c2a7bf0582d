"""Time spans of sentences in six languages."""

from __future__ import annotations

import pytest

from overstory.text.time_spans import fact_span, time_spans

SPANS = [
    ("", "Ruth Amsel was chief executive from 2019 until March 2022.", "2019", "2022-03"),
    ("", "Since 1 July 2023 Pavel Horn has been in charge.", "2023-07-01", None),
    ("", "The rule applied until the end of 2021.", None, "2021"),
    ("", "The pump was repaired in May 2021.", "2021-05", "2021-05"),
    ("", "He directed the museum (2007–2011).", "2007", "2011"),
    ("", "He taught there 2007–11.", "2007", "2011"),
    ("", "Between 3 and 7 May 2021 the pool was closed.", "2021-05-03", "2021-05-07"),
    ("", "From May 12, 2020, to June 3, 2021 she led the choir.", "2020-05-12", "2021-06-03"),
    ("", "In the early 1990s he lived in Ulm.", "1990", "1999"),
    ("", "The office has been open from 2019 to the present.", "2019", None),
    ("", "Before 1 July 2023 the ticket was free.", None, "2023-06-30"),
    ("", "After 2019 the ticket was free.", "2020", None),
    ("", "She lived in Rome from 1990 until her death in 1999.", "1990", "1999"),
    ("", "In March and April 2020 there were no lessons.", "2020-03", "2020-04"),
    ("de", "Er war von 2007 bis 2011 Leiter der Schule.", "2007", "2011"),
    ("de", "Seit dem 1. März 2020 ist sie Vorsitzende.", "2020-03-01", None),
    ("de", "Bis Ende 2021 war der Eintritt frei.", None, "2021"),
    ("de", "Die Pumpe wurde 2012 repariert.", "2012", "2012"),
    ("fr", "Il a été directeur de 2007 à 2011.", "2007", "2011"),
    ("fr", "Depuis le 1er mars 2020, elle préside.", "2020-03-01", None),
    ("fr", "Jusqu'en mars 2022, il dirigeait l'école.", None, "2022-03"),
    ("es", "Fue director de 2007 a 2011.", "2007", "2011"),
    ("es", "Desde el 1 de marzo de 2020 preside la junta.", "2020-03-01", None),
    ("es", "Entre mayo y julio de 2019 no hubo clases.", "2019-05", "2019-07"),
    ("it", "È stato direttore dal 2007 al 2011.", "2007", "2011"),
    ("it", "Fino al 2021 l'ingresso era libero.", None, "2021"),
    ("nl", "Hij was van 2007 tot 2011 directeur.", "2007", "2011"),
    ("nl", "Sinds 1 maart 2020 is zij voorzitter.", "2020-03-01", None),
    ("pt", "Foi diretor (2007-2011).", "2007", "2011"),
]


@pytest.mark.parametrize(("language", "sentence", "holds_from", "holds_to"), SPANS)
def test_prepositions_and_ranges_date_a_fact(
    language: str, sentence: str, holds_from: str | None, holds_to: str | None
) -> None:
    assert _shown(sentence, language) == (holds_from, holds_to)


@pytest.mark.parametrize(
    ("language", "sentence", "holds_from", "holds_to"),
    [
        ("", "Ruth Amsel was appointed head on 4 March 2019.", "2019-03-04", None),
        ("", "Ruth Amsel resigned on 12 June 2023.", None, "2023-06-12"),
        ("", "The museum opened in 1998 and closed in March 2005.", "1998", "2005-03"),
        ("", "The rule ceased to be valid in 2014.", None, "2014"),
        ("", "The pool has been closed from 3 May 2021.", "2021-05-03", None),
        ("de", "Er wurde 2012 zum Direktor gewählt.", "2012", None),
        ("de", "Sie trat am 3. Mai 2021 zurück.", None, "2021-05-03"),
        ("fr", "Elle a démissionné en mai 2021.", None, "2021-05"),
        ("es", "Dimitió el 3 de mayo de 2021.", None, "2021-05-03"),
        ("it", "Nel maggio 2021 fu nominata direttrice.", "2021-05", None),
        ("nl", "Zij trad in mei 2021 af.", None, "2021-05"),
    ],
)
def test_verbs_make_a_date_the_beginning_or_the_end(
    language: str, sentence: str, holds_from: str | None, holds_to: str | None
) -> None:
    assert _shown(sentence, language) == (holds_from, holds_to)


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("", "The 2012 report names three shafts."),
        ("", "The report of 4 March 2019 names three shafts."),
        ("", "The hall seats from 1500 to 1800 people."),
        ("", "Version 2.2019 costs 2,019 euros."),
        ("", "There is no 30 February 2021 in any calendar."),
        ("de", "Das Protokoll vom 4. März 2019 nennt drei Namen."),
        ("de", "Der Bericht von 2012 nennt drei Namen."),
        ("fr", "Le rapport de 2012 cite trois noms."),
        ("pt", "Em 2012 foi diretor."),
    ],
)
def test_dates_of_documents_and_quantities_are_no_time_spans(language: str, sentence: str) -> None:
    assert _shown(sentence, language) == (None, None)


@pytest.mark.parametrize(
    ("language", "sentence", "holds_to"),
    [
        ("", "The former head spoke first.", None),
        ("", "The ferry has no longer carried cars since 2020.", "2020"),
        ("de", "Die Fähre befördert seit 2020 keine Autos mehr.", "2020"),
        ("de", "Der ehemalige Leiter sprach zuerst.", None),
        ("nl", "De voormalige directeur sprak eerst.", None),
    ],
)
def test_a_sentence_may_say_that_something_no_longer_holds(language: str, sentence: str, holds_to: str | None) -> None:
    (span,) = time_spans(sentence, language)
    assert span.ended
    assert (span.holds_from, span.holds_to and str(span.holds_to)) == (None, holds_to)


def test_a_span_has_the_words_it_was_read_from() -> None:
    sentence = "Ruth Amsel was head from 2019 until March 2022, and is retired."
    (span,) = time_spans(sentence)
    assert span.words == sentence[span.start : span.end] == "from 2019 until March 2022"


def _shown(sentence: str, language: str) -> tuple[str | None, str | None]:
    span = fact_span(sentence, language)
    if span is None:
        return None, None
    return str(span.holds_from) if span.holds_from else None, str(span.holds_to) if span.holds_to else None
