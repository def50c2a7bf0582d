"""English function words, which are not names on their own."""

from __future__ import annotations

_WORDS = (
    "a about above after again against all almost along already also although always am among an and another any "
    "are as at away back be became because become been before behind being below between beyond both but by came "
    "can cannot come could did do does doing done down during each either else even ever every few for former from "
    "further get give go had has have having he hence her here hers herself him himself his how however i if in "
    "into is it its itself just last later latter least less like made many may me meanwhile might mine more "
    "moreover most much must my myself near neither never nevertheless next no nobody none nor not nothing now of "
    "off often on once one only onto or other others our ours ourselves out over own part per perhaps please put "
    "quite rather really said same see seem several she should show since so some soon still such take than that "
    "the their theirs them themselves then there therefore these they this those though three through throughout "
    "thus to together too toward towards two under until up upon us use used various very via was we well were what "
    "whatever when whenever where whereas wherever whether which while who whoever whole whom whose why will with "
    "within without would yes yet you your yours yourself yourselves"
)


def word_set(words: str) -> frozenset[str]:
    """Return the set of words in a string, which are separated by spaces."""
    return frozenset(words.split())


FUNCTION_WORDS = word_set(_WORDS)
