"""Classes of English words for the tests: open ones from the lexicon's lists, closed ones written out again."""

from viz_model.tasks.english_lexicon import ADJECTIVES, MASS_NOUNS, NAMES, NOUNS, VERBS

PAIRS = [[*noun.split("/"), noun + "s"][:2] for text in NOUNS.values() for noun in text.split()]
NUMBER = {one: "singular" for one, _ in PAIRS} | {many: "plural" for _, many in PAIRS}
NUMBER |= dict.fromkeys([*NAMES.split(), *" ".join(MASS_NOUNS.values()).split()], "singular")
PRONOUNS = dict.fromkeys(("he", "she", "it"), "singular") | dict.fromkeys(("they", "we", "you"), "plural")
VERB_FORMS = [verb.split("/") for text in VERBS.values() for verb in text.split()]
SINGULAR_FORMS = {forms[1] for forms in VERB_FORMS} | {"is", "was", "does"}
PLURAL_FORMS = {forms[0] for forms in VERB_FORMS} | {"are", "were", "do"}
VERB_WORDS = {form for forms in VERB_FORMS for form in forms} | {"is", "are", "am", "was", "were", "be"}
ADJECTIVE_WORDS = set(" ".join(ADJECTIVES.values()).split())
CLOSED = """
determiners: the a an this that these those some many two three every my your his her our their
auxiliaries: is are am was were do does did will can
prepositions: on in near under behind to from with about
adverbs: often always never quietly loudly happily today now yesterday tomorrow
pronouns: him her it them us me you
"""
DETERMINERS, AUXILIARIES, PREPOSITIONS, ADVERBS, OBJECT_PRONOUNS = (
    set(line.partition(":")[2].split()) for line in CLOSED.strip().splitlines()
)
OBJECTS = set(NUMBER) | OBJECT_PRONOUNS
