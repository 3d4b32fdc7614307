"""The words of the small English grammar, by the class that decides what they may do in a sentence.

Each noun is in one class only, and no verb form is also a noun: this keeps every sentence to a single derivation. No
word breaks the rule "an before a vowel letter" (no "hour", no "university").
"""

NOUNS = {
    "person.a": "boy man/men teacher nurse king artist",
    "person.b": "girl woman/women child/children student doctor farmer",
    "relative": "sister brother friend neighbour",
    "parent": "mother father",
    "animal.a": "cat bird mouse/mice fox/foxes",
    "animal.b": "dog horse rabbit elephant",
    "institution": "government council company/companies committee",
    "facility": "school hospital library/libraries museum shop station",
    "place": "garden park kitchen house village forest street",
    "surface": "mat table chair sofa/sofas floor",
    "thing": "ball box/boxes cup hat bag umbrella",
    "key": "key",
    "text": "book letter story/stories poem",
    "opening": "door window cabinet gate",
    "vehicle": "car bus/buses train boat",
    "nature": "tree river",
    "structure": "bridge road",
    "food": "apple egg cake sandwich/sandwiches carrot",
    "idea": "plan idea problem question rule",
}
"""Countable nouns by class: `singular/plural`, or the singular alone where the plural adds -s.

People and animals come in two halves, so that "the cat and the dog" never names the same one twice.
"""

MASS_NOUNS = {"bread": "bread soup rice cheese", "drink": "milk water tea"}
"""Nouns without a plural: what is eaten, what is drunk."""

NAMES = "Anna Tom Maria Omar Lucy David Mei Peter"

VERBS = {
    "rest": "sit/sits/sat/sitting sleep/sleeps/slept/sleeping wait/waits/waited/waiting stand/stands/stood/standing "
    "play/plays/played/playing",
    "move": "walk/walks/walked/walking run/runs/ran/running",
    "voice": "sing/sings/sang/singing laugh/laughs/laughed/laughing work/works/worked/working",
    "see": "see/sees/saw remember/remembers/remembered know/knows/knew",
    "like": "like/likes/liked",
    "meet": "help/helps/helped/helping meet/meets/met/meeting visit/visits/visited/visiting",
    "tend": "feed/feeds/fed/feeding watch/watches/watched/watching",
    "chase": "chase/chases/chased/chasing follow/follows/followed/following",
    "eat": "eat/eats/ate/eating",
    "drink": "drink/drinks/drank/drinking",
    "read": "read/reads/read/reading",
    "write": "write/writes/wrote/writing",
    "carry": "carry/carries/carried/carrying find/finds/found/finding hold/holds/held/holding",
    "want": "want/wants/wanted have/has/had need/needs/needed",
    "open": "open/opens/opened/opening close/closes/closed/closing",
    "build": "build/builds/built/building",
    "drive": "drive/drives/drove/driving",
    "discuss": "discuss/discusses/discussed/discussing explain/explains/explained/explaining",
    "give": "give/gives/gave/giving send/sends/sent/sending show/shows/showed/showing",
    "enjoy": "enjoy/enjoys/enjoyed/enjoying love/loves/loved",
    "begin": "start/starts/started stop/stops/stopped",
    "consider": "consider/considers/considered/considering avoid/avoids/avoided/avoiding",
    "look": "look/looks/looked",
    "belong": "belong/belongs/belonged",
}
"""Verbs by what they take: `base/with -s/past/with -ing`; a verb of lasting state has no form in -ing here."""

ADJECTIVES = {
    "person": "old tall kind happy clever tired busy",
    "animal": "old small big brown black white hungry",
    "institution": "new old small big local",
    "facility": "new old small big famous",
    "place": "old quiet small big beautiful",
    "surface": "old new red big",
    "thing": "old new small red blue heavy",
    "key": "old new small heavy",
    "text": "long short new old interesting",
    "opening": "old new red blue",
    "vehicle": "old new red blue fast",
    "nature": "old big beautiful",
    "structure": "old new big beautiful",
    "food": "fresh small sweet big",
    "bread": "fresh hot cold good",
    "drink": "hot cold fresh",
    "idea": "new good important interesting",
}
"""Adjectives by the class of noun that they describe."""

SMALL_WORDS = {
    "Possessive": "my your his her our their",
    "Name": NAMES,
    "First": "I",
    "Pronoun.s": "he she",
    "Pronoun.p": "they we you",
    "Object.pronoun": "him her them us me you",
    "Often": "often always never",
    "Manner": "quietly loudly happily",
    "Time.present": "today now",
    "Time.past": "yesterday",
    "Time.future": "tomorrow",
    "Modal": "will can",
    "Is.s": "is",
    "Is.p": "are",
    "Was.s": "was",
    "Was.p": "were",
    "Does.s": "does",
    "Does.p": "do",
}
"""Words of the closed classes, by the symbol that makes them; each word of a line is equally likely."""

FORMS = ("base", "s", "past", "ing")


def _nouns() -> dict[str, tuple[str, ...]]:
    words: dict[str, tuple[str, ...]] = {}
    for kind, text in NOUNS.items():
        pairs = [[*noun.split("/"), noun + "s"][:2] for noun in text.split()]
        words[f"Noun.{kind}.s"], words[f"Noun.{kind}.p"] = zip(*pairs, strict=True)
    return words | {f"Noun.{kind}.m": tuple(text.split()) for kind, text in MASS_NOUNS.items()}


def _verbs() -> tuple[dict[str, tuple[str, ...]], frozenset[str]]:
    """The words of each `Verb.frame.form`, and those of these symbols that have no word.

    Forms are s and p (present, by the number of the subject), sd and pd (past after a singular and a plural subject),
    base (after do, will, can) and ing. A past that looks like the base ("read") is kept after singular subjects only,
    so that "they read" is always the present.
    """
    words: dict[str, tuple[str, ...]] = {}
    for frame, text in VERBS.items():
        verbs = [dict(zip(FORMS, verb.split("/"), strict=False)) for verb in text.split()]
        words[f"Verb.{frame}.s"] = tuple(verb["s"] for verb in verbs)
        words[f"Verb.{frame}.p"] = words[f"Verb.{frame}.base"] = tuple(verb["base"] for verb in verbs)
        words[f"Verb.{frame}.sd"] = tuple(verb["past"] for verb in verbs)
        words[f"Verb.{frame}.pd"] = tuple(verb["past"] for verb in verbs if verb["past"] != verb["base"])
        words[f"Verb.{frame}.ing"] = tuple(verb["ing"] for verb in verbs if "ing" in verb)
    gaps = frozenset(symbol for symbol, forms in words.items() if not forms)
    return {symbol: forms for symbol, forms in words.items() if forms}, gaps


_VERB_WORDS, GAPS = _verbs()
WORDS: dict[str, tuple[str, ...]] = {
    **_nouns(),
    **_VERB_WORDS,
    **{f"Adjective.{kind}": tuple(text.split()) for kind, text in ADJECTIVES.items()},
    **{symbol: tuple(text.split()) for symbol, text in SMALL_WORDS.items()},
}
"""The words of each symbol of the grammar that makes words."""

OTHER_NUMBER: dict[str, str] = {
    form: other
    for symbol, forms in WORDS.items()
    if symbol.endswith(".s") and symbol.startswith(("Verb.", "Is.", "Was.", "Does."))
    for one, many in zip(forms, WORDS[symbol.removesuffix("s") + "p"], strict=True)
    for form, other in ((one, many), (many, one))
}
"""The verb form of the other number: "sits" for "sit", "are" for "is"."""

PASTS = frozenset(form for symbol, forms in WORDS.items() if symbol.endswith(".sd") for form in forms)
"""Every past form."""

FIXED_CASE = frozenset((*NAMES.split(), "I"))
"""Words that keep their capital inside a sentence."""
