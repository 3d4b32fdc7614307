"""Relations and agreement in number, against plain rules of English that know nothing of the grammar."""

import math

import pytest

from tests.viz_model.tasks.english_words import (
    ADJECTIVE_WORDS,
    ADVERBS,
    AUXILIARIES,
    DETERMINERS,
    NUMBER,
    OBJECTS,
    PLURAL_FORMS,
    PREPOSITIONS,
    PRONOUNS,
    SINGULAR_FORMS,
    VERB_WORDS,
)
from viz_model.tasks import english


def parse(text: str) -> english.Sentence:
    sentence = english.parse(text.split())
    assert sentence is not None, text
    return sentence


@pytest.fixture(scope="module")
def sentences() -> list[english.Sentence]:
    return english.corpus(20_000, seed=7)


def subject_number(words: list[str], agreement: english.Agreement) -> str:
    """Number by the nouns alone: two of them joined by "and" just before the verb phrase are plural."""
    subject = words[agreement.subject]
    if subject in PRONOUNS and subject not in NUMBER:
        return PRONOUNS[subject]
    after = words[agreement.subject + 1 : agreement.verb]
    if after[:1] == ["and"]:
        return "plural"
    return NUMBER[subject]


def test_verbs_agree_with_their_subjects(sentences: list[english.Sentence]) -> None:
    for sentence in sentences:
        words = [word if word in NUMBER else word.lower() for word in sentence.words]
        for one in sentence.agreement:
            assert one.number == subject_number(words, one), sentence
            assert words[one.verb] == one.right
            right, wrong = (
                (SINGULAR_FORMS, PLURAL_FORMS) if one.number == "singular" else (PLURAL_FORMS, SINGULAR_FORMS)
            )
            assert one.right in right
            assert one.wrong in wrong
            between = words[one.subject + 1 : one.verb]
            assert one.attractors == sum(NUMBER.get(word, one.number) != one.number for word in between), sentence


def test_every_form_that_shows_number_is_listed(sentences: list[english.Sentence]) -> None:
    for sentence in sentences:
        listed = {one.verb for one in sentence.agreement}
        for place, word in enumerate(sentence.words):
            shows = word in (SINGULAR_FORMS | {"are", "were"}) - {"reads"}
            if shows and sentence.words[place - 1] != "I":
                assert place in listed, (sentence, word)


def test_the_wrong_form_is_no_sentence() -> None:
    for sentence in english.corpus(1500, seed=11):
        for one in sentence.agreement:
            words = [*sentence.words[: one.verb], one.wrong, *sentence.words[one.verb + 1 :]]
            assert english.log_probability(words) == -math.inf, words


def test_a_known_share_has_misleading_nouns(sentences: list[english.Sentence]) -> None:
    across = [s for s in sentences if any(one.attractors for one in s.agreement)]
    assert 0.08 < len(across) / len(sentences) < 0.3
    assert any(one.attractors == 2 for s in across for one in s.agreement)
    numbers = [one.number for s in across for one in s.agreement if one.attractors]
    assert 0.4 < numbers.count("singular") / len(numbers) < 0.6


def test_relations_of_the_government_sentence() -> None:
    sentence = parse("The government is considering closing schools")
    assert sentence.relations == (
        english.Relation("determiner-noun", 1, 0),
        english.Relation("subject-verb", 3, 1),
        english.Relation("auxiliary-verb", 3, 2),
        english.Relation("verb-complement", 4, 3),
        english.Relation("verb-object", 5, 4),
    )
    assert sentence.agreement == (english.Agreement(1, 2, "singular", 0, "is", "are"),)


def test_relations_across_a_relative_clause_and_a_pair() -> None:
    sentence = parse("The dogs that the girl feeds chase the cat and a horse")
    links = {(r.kind, sentence.words[r.query], sentence.words[r.key]) for r in sentence.relations}
    assert {
        ("subject-verb", "feeds", "girl"),
        ("verb-object", "feeds", "dogs"),
        ("subject-verb", "chase", "dogs"),
    } < links
    assert {("verb-object", "cat", "chase"), ("verb-object", "horse", "chase")} < links
    assert [(one.right, one.wrong, one.attractors) for one in sentence.agreement] == [
        ("feeds", "feed", 0),
        ("chase", "chases", 1),
    ]


def test_relations_join_the_right_classes_of_words(sentences: list[english.Sentence]) -> None:
    nouns = set(NUMBER)
    classes = {
        "determiner-noun": (nouns, DETERMINERS),
        "adjective-noun": (nouns, ADJECTIVE_WORDS),
        "subject-verb": (VERB_WORDS, nouns | set(PRONOUNS) | {"i"}),
        "auxiliary-verb": (VERB_WORDS, AUXILIARIES),
        "verb-recipient": (OBJECTS, VERB_WORDS),
        "verb-complement": (VERB_WORDS, VERB_WORDS),
        "verb-predicate": (ADJECTIVE_WORDS, VERB_WORDS),
        "preposition-noun": (OBJECTS, PREPOSITIONS),
        "head-preposition": (PREPOSITIONS, nouns | VERB_WORDS),
        "verb-object": (OBJECTS | VERB_WORDS, nouns | VERB_WORDS),
        "adverb-verb": (VERB_WORDS | ADVERBS, VERB_WORDS | ADVERBS),
    }
    seen = set()
    for sentence in sentences:
        words = [word if word in NUMBER else word.lower() for word in sentence.words]
        for relation in sentence.relations:
            later, earlier = classes[relation.kind]
            seen.add(relation.kind)
            assert relation.query > relation.key
            assert words[relation.query] in later, (sentence, relation)
            assert words[relation.key] in earlier, (sentence, relation)
    assert seen == set(classes) == set(english.RELATIONS.values())


@pytest.mark.parametrize(("attractors", "n"), [(None, 100), (0, 100), (1, 100), (2, 5)])
def test_agreement_items(attractors: int | None, n: int) -> None:
    items = english.agreement_items(n, 5, attractors)
    assert len(set(items)) == n
    for item in items:
        assert attractors in (None, item.attractors)
        assert {item.right in SINGULAR_FORMS, item.wrong in SINGULAR_FORMS} == {True, False}
        misleading = "plural" if item.right in SINGULAR_FORMS else "singular"
        numbers = [NUMBER[word] for word in item.prefix if word in NUMBER]
        assert numbers.count(misleading) >= item.attractors


def test_agreement_items_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="0, 1 or 2"):
        english.agreement_items(1, 0, attractors=3)
