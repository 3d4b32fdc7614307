"""The words of the English -> French task: what each English form is in French, and how French bends.

Nouns stand by the kind of thing that they name, which decides what the rules let them do. No noun, verb or adjective
form of the English side belongs to a second word, so that a form has one translation for each part of speech.
"""

from dataclasses import dataclass, replace

NOUNS = {
    "person": "boy garçon m, girl fille f, man/men homme m, woman/women femme f, child/children enfant m, "
    "friend ami m, teacher professeur m, student étudiant m, doctor médecin m, nurse infirmière f, king roi m, "
    "queen reine f, sister sœur f, brother frère m",
    "animal": "cat chat m, dog chien m, bird oiseau/oiseaux m, horse cheval/chevaux m, mouse/mice souris/souris f, "
    "cow vache f, fox/foxes renard m, rabbit lapin m, owl hibou/hiboux m, elephant éléphant m",
    "text": "book livre m, letter lettre f, newspaper journal/journaux m, story/stories histoire f",
    "item": "bag sac m, hat chapeau/chapeaux m, key clé f, flower fleur f, dress/dresses robe f, umbrella parapluie m",
    "food": "apple pomme f, egg œuf m, cake gâteau/gâteaux m, orange orange f, carrot carotte f",
    "place": "house maison f, school école f, garden jardin m, church/churches église f, hospital hôpital/hôpitaux m, "
    "market marché m, park parc m, forest forêt f, village village m",
    "support": "table table f, chair chaise f, bed lit m, tree arbre m",
    "opening": "door porte f, window fenêtre f, box/boxes boîte f",
}
"""Countable nouns: `singular/plural`, or the singular alone where the plural adds -s, on both sides; and gender."""

MASS_NOUNS = {
    "drink": "water eau f, milk lait m, coffee café m",
    "dish": "bread pain m, cheese fromage m, soup soupe f",
}
"""Nouns without a plural, with their gender."""

ASPIRATED = frozenset({"hibou", "hiboux"})
"""Words with an h that lets no vowel before it fall: "le hibou"."""

ADJECTIVES_BEFORE = {
    "big grand": "animal item place support opening food",
    "small petit": "person animal text item place support opening food",
    "old vieux/vieille/vieux/vieil": "person animal text item place support opening",
    "new nouveau/nouvelle/nouveaux/nouvel": "text item place support opening",
    "beautiful beau/belle/beaux/bel": "person animal text item place support opening",
    "young jeune": "person animal",
    "good bon/bonne": "text food drink dish",
}
"""Adjectives that French sets before the noun, with the kinds of noun that they go with. Forms: masculine, feminine,
masculine plural, and masculine before a vowel; those that are left out follow the rule."""

ADJECTIVES_AFTER = {
    "black noir": "animal item support opening",
    "white blanc/blanche": "animal item place support opening",
    "red rouge": "item support opening food",
    "green vert": "item support opening food",
    "happy heureux/heureuse": "person animal",
    "sad triste": "person animal text",
    "strong fort": "person animal",
    "intelligent intelligent": "person animal",
    "famous célèbre": "person text place",
    "cold froid": "drink dish",
    "hot chaud": "drink dish",
}
"""Adjectives that French sets after the noun."""

VERBS = {
    "rest": "sleep dors/dort/dorment, sing chanter, work travailler, play jouer, arrive arriver",
    "see": "see vois/voit/voient, watch/watches regarder, follow suis/suit/suivent",
    "like": "like aimer, love adorer",
    "meet": "help aider, know connais/connaît/connaissent, invite inviter",
    "eat": "eat manger",
    "drink": "drink bois/boit/boivent",
    "read": "read lis/lit/lisent, write écris/écrit/écrivent",
    "have": "have/has ai/a/ont, want veux/veut/veulent, find trouver",
    "carry": "carry/carries porter, buy achète/achète/achètent",
    "open": "open ouvre/ouvre/ouvrent, close fermer",
    "go": "go/goes vais/va/vont",
    "speak": "speak parler",
}
"""Verbs: `base/third person` in English (-s added where it is left out), then a French verb in -er, or the forms of
the present after je, il, ils."""

BE = ("suis", "est", "sont")
PREPOSITIONS = {"in": "dans", "on": "sur", "under": "sous", "with": "avec", "to": "à"}
DETERMINERS = {  # masculine, feminine, plural
    "the": ("le", "la", "les"),
    "a": ("un", "une", ""),
    "this": ("ce", "cette", ""),
    "these": ("", "", "ces"),
    "two": ("", "", "deux"),
    "my": ("mon", "ma", "mes"),
    "his": ("son", "sa", "ses"),
    "her": ("son", "sa", "ses"),
    "their": ("leur", "leur", "leurs"),
}
BEFORE_A_VOWEL = {"ce": "cet", "ma": "mon", "sa": "son"}
CLITICS = {"me": "me", "him": "le", "them": "les"}


@dataclass(frozen=True, slots=True)
class Noun:
    """A French noun. gender: "m" or "f"."""

    singular: str
    plural: str
    gender: str


@dataclass(frozen=True, slots=True)
class Adjective:
    """The forms of a French adjective; `before_vowel` is the masculine singular before a vowel."""

    masculine: str
    feminine: str
    plural: str
    before_vowel: str

    def form(self, gender: str, number: str) -> str:
        """The form for gender "m" or "f" and number "s" or "p"."""
        if gender == "f":
            return self.feminine + ("s" if number == "p" else "")
        return self.plural if number == "p" else self.masculine


def opens_with_a_vowel(word: str) -> bool:
    """Whether le, la, je, ne lose their vowel before this French word."""
    return word[0] in "aeiouhâàéèêîôœ" and word not in ASPIRATED


def _plural(word: str) -> str:
    return word if word[-1] in "sxz" else word + "s"


def _noun(entry: str) -> tuple[tuple[str, str], Noun]:
    """English forms (singular, plural) and the French noun."""
    english, french, gender = entry.split()
    one, _, many = english.partition("/")
    singular, _, plural = french.partition("/")
    return (one, many or one + "s"), Noun(singular, plural or _plural(singular), gender)


def _adjective(entry: str) -> tuple[str, Adjective]:
    english, french = entry.split()
    masculine, feminine, plural, before = (*french.split("/"), "", "", "")[:4]
    feminine = feminine or (masculine if masculine[-1] == "e" else masculine + "e")
    return english, Adjective(masculine, feminine, plural or _plural(masculine), before or masculine)


def _verb(entry: str) -> tuple[tuple[str, str], tuple[str, ...]]:
    """English forms (base, third person) and the French ones after je, il, ils."""
    english, french = entry.split()
    base, _, third = english.partition("/")
    forms = tuple(french.split("/"))
    if len(forms) == 1:
        stem = french.removesuffix("er")
        forms = (stem + "e", stem + "e", stem + "ent")
    return (base, third or base + "s"), forms


ENGLISH_NOUNS: dict[str, list[tuple[str, str]]] = {}  # kind -> (singular, plural); mass nouns have the singular twice
FRENCH_NOUNS: dict[str, Noun] = {}  # by each English form
for _kind, _entries in (NOUNS | MASS_NOUNS).items():
    for _forms, _french in map(_noun, _entries.split(", ")):
        if _kind in MASS_NOUNS:
            _forms, _french = (_forms[0],) * 2, replace(_french, plural=_french.singular)
        ENGLISH_NOUNS.setdefault(_kind, []).append(_forms)
        FRENCH_NOUNS |= dict.fromkeys(_forms, _french)

ENGLISH_ADJECTIVES: dict[tuple[str, str], list[str]] = {}  # ("Before" or "After", kind of noun) -> adjectives
FRENCH_ADJECTIVES: dict[str, Adjective] = {}
for _place, _table in (("Before", ADJECTIVES_BEFORE), ("After", ADJECTIVES_AFTER)):
    for _entry, _kinds in _table.items():
        _english, _bent = _adjective(_entry)
        FRENCH_ADJECTIVES[_english] = _bent
        for _kind in _kinds.split():
            ENGLISH_ADJECTIVES.setdefault((_place, _kind), []).append(_english)

ENGLISH_VERBS: dict[str, list[tuple[str, str]]] = {}  # class -> (base, third person)
FRENCH_VERBS: dict[str, tuple[str, ...]] = {}  # by each English form
for _kind, _entries in VERBS.items():
    for _forms, _bends in map(_verb, _entries.split(", ")):
        ENGLISH_VERBS.setdefault(_kind, []).append(_forms)
        FRENCH_VERBS |= dict.fromkeys(_forms, _bends)
