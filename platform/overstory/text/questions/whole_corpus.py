"""Recognises questions about the whole corpus, which no single passage answers: "What are the main themes?".

GraphRAG calls them global questions. They contain no names and consist of few different words, so they are recognised
by a small vocabulary in English, German and French.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from overstory.text.function_words import word_set

_MOST_WORDS_ON_THE_WHOLE = 30

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_TERM = re.compile(
    r"\W*(?:what(?:['’]s|\s+is|\s+are)\s+(?:an?\s+)?|was\s+(?:ist|sind)\s+(?:eine?\s+)?|qu['’]est-ce\s+qu['’]une?\s+)\w+\W*",
    re.IGNORECASE,
)
"""Matches questions for the meaning of a single word, such as "What is a theme?"."""
_ABOUT_THE_READER = re.compile(
    r"\W*(?:tl\W?dr|what\s+(?:do|can|could)\s+(?:you|i|we)\s+(?:(?:know|ask(?:\s+you)?)(?:\s+about)?|(?:find|have|learn)\s+"
    r"(?:in\s+)?here))\W*",
    re.IGNORECASE,
)
"""Matches questions about the system itself, such as "What do you know?" and "What can I find here?"."""


@dataclass(frozen=True, slots=True)
class _QuestionWords:
    """The words of questions about the whole corpus, in one language.

    Attributes:
        pairs: pairs of words for the documents, such as "knowledge base".
        pointers: words that stand for the documents, such as "this" in "What is this about?".
        themes: words for a theme. A question with such a word is about the whole corpus.
        points: words for content. The question must also contain a word from `ranks` or `documents`.
        alone: words from `themes` and `points` that may refer to one thing. For `themes`, the question must also
            contain a word from `ranks` or `documents`; for `points`, a word from `ranks`.
        ranks: words for importance, such as "main".
        summaries: nouns for a summary. A question with such a word is about the whole corpus.
        summarise: verbs for a summary. The question must also contain a word from `documents` or `pointers`.
        treats: words such as "discuss". The question must also contain a word from `documents`, or words from both
            `pointers` and `about`.
        others: words that do not matter.
    """

    documents: frozenset[str]
    pairs: tuple[frozenset[str], ...]
    pointers: frozenset[str]
    themes: frozenset[str]
    points: frozenset[str]
    alone: frozenset[str]
    ranks: frozenset[str]
    summaries: frozenset[str]
    summarise: frozenset[str]
    treats: frozenset[str]
    about: frozenset[str]
    others: frozenset[str]

    @property
    def known(self) -> frozenset[str]:
        named = self.documents | self.pointers | self.themes | self.points | self.ranks
        return frozenset(named | self.summaries | self.summarise | self.treats | self.about | self.others)

    def asks(self, words: frozenset[str]) -> bool:
        """Return True if a question that consists of these words, all of them known, is about the whole corpus."""
        documents = bool(words & self.documents) or any(pair <= words for pair in self.pairs)
        ranked = bool(words & self.ranks) or documents
        if words & self.summaries or (words & self.themes and (ranked or not words & self.themes <= self.alone)):
            return True
        if words & self.points and ranked and (words & self.ranks or not words & self.points <= self.alone):
            return True
        if words & self.summarise:
            return documents or bool(words & self.pointers)
        return bool(words & self.treats and (documents or (words & self.pointers and words & self.about)))


_ENGLISH = _QuestionWords(
    documents=word_set(
        "archive archives article articles collection collections corpora corpus dataset datasets doc docs"
        " document documentation documents everything file files papers passages records sources texts"
    ),
    pairs=(word_set("data set"), word_set("knowledge base")),
    pointers=word_set("these this those"),
    themes=word_set("subject subjects theme themes topic topics"),
    points=word_set(
        "areas categories category concepts concerns contents domains field fields findings focus idea ideas"
        " insights issues matter matters message messages motifs patterns point points takeaways threads trends"
    ),
    alone=word_set("idea matter message messages point subject"),
    ranks=word_set(
        "big biggest broad central common core different dominant essential frequent frequently general important"
        " key leading main mainly major most often overall overarching primary principal prominent recurrent"
        " recurring significant top various"
    ),
    summaries=word_set("digest gist outline overview overviews recap summary summaries survey synopsis"),
    summarise=word_set("characterise characterize describe outline recap summarise summarize sum"),
    treats=word_set(
        "about address addressed concerned contain contained content contents cover covered deal dealt discuss"
        " discussed explored in information kind kinds learn mention mentioned present sort sorts speak talk treat"
        " treated types"
    ),
    about=word_set("about"),
    others=word_set(
        "a across again all among an and any appear are available base be brief briefly by can collected come"
        " complete concise could data do does each entire few find first five for found four from full give given"
        " good have has hello here hi high i identify indexed ingested into is it just kind knowledge know learn"
        " level like list loaded made make me mine my name need of ok on one or our out over paragraph people"
        " please provide provided quick read reading rough run say sentence sentences set short shortly show so"
        " some tell ten that the their them there they three through throughout to together two up upon us want"
        " was we were what what's what’s whats which whole will with within words would write you your"
    ),
)
_GERMAN = _QuestionWords(
    documents=word_set(
        "akten alledem alles archiv archivs artikel artikeln datei dateien daten dokument dokumente dokumenten"
        " dokumentation korpus quellen sammlung texte texten unterlagen wissensbasis wissensdatenbank"
    ),
    pairs=(),
    pointers=word_set("hier"),
    themes=word_set("hauptthema hauptthemen kernthemen thema themen themenbereiche"),
    points=word_set("aussagen bereiche erkenntnisse fragen inhalte inhalt kernaussagen punkte schwerpunkte"),
    alone=word_set("fragen inhalt"),
    ranks=word_set("allgemeinen größten häufigsten wesentlichen wichtigsten wichtigste zentralen zentrale"),
    summaries=word_set("gesamtüberblick überblick übersicht zusammenfassung kurzfassung"),
    summarise=word_set("beschreib beschreibe beschreiben fass fasse fassen zusammenfassen"),
    treats=word_set("behandelt behandeln enthalten geht handeln handelt steckt stehen steht worum wovon"),
    about=word_set("worum wovon"),
    others=word_set(
        "aller alle allen all bitte da dargestellt das dem den der des die diese diesem diesen dieser ein eine"
        " einen einer einige enthält erstelle es für gesamte gesamten ganze ganzen gib gibt haben ich in insgesamt"
        " ist kann kannst kommen können kurz kurze kurzen liste mal mir nenne sätzen sind über um und uns vor"
        " vorkommen was welche welchen wir worüber zeige zu zum zur zusammen"
    ),
)
_FRENCH = _QuestionWords(
    documents=word_set(
        "archive archives article articles base collection corpus document documentation documents données"
        " ensemble fichier fichiers sources textes tout"
    ),
    pairs=(),
    pointers=word_set("ça ceci cela"),
    themes=word_set("sujet sujets thème thèmes thématiques"),
    points=word_set("conclusions domaines idées messages points questions"),
    alone=word_set("questions sujet"),
    ranks=word_set(
        "central centraux clés dominants grandes grands importants importantes majeurs principal principales principaux"
    ),
    summaries=word_set("aperçu résumé synthèse"),
    summarise=word_set("décris décrire décrivez résume résumer résumez"),
    treats=word_set(
        "abordent abordés aborde agit contenu contiennent contient parle parlent quoi traite traitent traités trouve"
    ),
    about=word_set("quoi"),
    others=word_set(
        "a au aux bref ce ces cet cette courte dans de des donne donner donnez du d'un d’un en est est-ce et"
        " faire fais faites il ici l l'ensemble l’ensemble la le les liste moi nous on peux peut quel quelle"
        " quelles quels que qu'est s'agit s’agit se si sont sur t toute toutes tous un une vous y"
    ),
)
_KNOWN = tuple((each, each.known) for each in (_ENGLISH, _GERMAN, _FRENCH))


def asks_about_whole_corpus(question: str) -> bool:
    """Return True if a question is about the whole corpus.

    Examples are "What are the main themes of these documents?", "What is this about?" and "Give me an overview". "What
    is the main theme of Dracula?" is not, because it contains a name.
    """
    if len(question) > 20 * _MOST_WORDS_ON_THE_WHOLE:
        return False
    found = _WORD.findall(question.lower())
    words = frozenset(found)
    if not found or len(found) > _MOST_WORDS_ON_THE_WHOLE:
        return False
    if _ABOUT_THE_READER.fullmatch(question):
        return True
    return any(words <= known and each.asks(words) for each, known in _KNOWN) and not _TERM.fullmatch(question)
