"""English -> French against plain rules of French, an own table of genders, and translations made by hand."""

import re
from collections import Counter

import pytest
import torch

import viz_model as vm
from tests.viz_model.tasks.french_pairs import BY_HAND, FEMININE, MASCULINE, NOT_ENGLISH
from viz_model.config import EncoderDecoderConfig, TransformerConfig
from viz_model.models import EncoderDecoder
from viz_model.tasks.english_french import GRAMMAR, LONGEST_TRAINED, EnglishFrench, Pair, clean, pairs, spell, translate
from viz_model.tasks.english_french_transfer import transfer

VOWEL = "[aeiouâàéèêîôœh]"
DETERMINERS = {"le": "m", "un": "m", "ce": "m", "cet": "m", "la": "f", "une": "f", "cette": "f", "ma": "f", "sa": "f"}


@pytest.fixture(scope="module")
def made() -> list[Pair]:
    return list(pairs(6000, seed=11))


@pytest.fixture(scope="module")
def task() -> EnglishFrench:
    return EnglishFrench(n_training=2000)


@pytest.mark.parametrize(("english", "french"), BY_HAND)
def test_translations_made_by_hand(english: str, french: str) -> None:
    pair = translate(clean(english))
    assert pair is not None
    assert spell(pair.french) == french


@pytest.mark.parametrize("words", NOT_ENGLISH)
def test_other_words_have_no_translation(words: str) -> None:
    assert translate(words.split()) is None


FORBIDDEN = {
    "a vowel that should fall": rf"\b(le|la|je|ne|de|me) (?!hibou){VOWEL}",
    "a vowel that should stay": r"\b[ljndm] ' (?![aeiouâàéèêîôœh])|[ljndm] ' hibou",
    "a contraction that is missing": r"\b(de|à) les?\b",
    "a contraction too many": rf"\b(du|au) (?!hibou){VOWEL}",
    "an apostrophe alone": r"(?<![ljndm]) '",
    "a form for vowels elsewhere": rf"\b(bel|nouvel|vieil|cet) (?!{VOWEL})",
    "a form for consonants before a vowel": r"\b(ce|ma|sa|beau|nouveau|vieux) (arbre|ami|homme|enfant|œuf|éléphant|"
    r"hôpital|étudiant|oiseau|école|église|histoire|infirmière|orange|eau)\b",
    "an adjective on the wrong side": r"\b(noir|blanc|blanche|rouge|vert|verte)s? (chat|chien|clé|fleur|sac)s?\b"
    r"|\b(chat|chien|clé|fleur|sac)s? (grande?s?|petite?s?|vieux|vieille|nouveau|nouvelle|beau|belle|bon|bonne)\b",
    "half a denial": r"^(?!.*\b(ne|n)\b).*\bpas\b|\b(ne|n)\b(?!.*\bpas\b)",
}


@pytest.mark.parametrize("fault", FORBIDDEN)
def test_french_is_never_written_so(made: list[Pair], fault: str) -> None:
    found = [text for pair in made if re.search(FORBIDDEN[fault], text := " ".join(pair.french))]
    assert not found, found[:5]


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        ("a vowel that should fall", "le ami dort"),
        ("a vowel that should fall", "la homme"),
        ("a vowel that should stay", "l ' hibou"),
        ("a contraction that is missing", "près de le jardin"),
        ("a contraction too many", "au école"),
        ("a form for vowels elsewhere", "un bel chat"),
        ("a form for consonants before a vowel", "ma école"),
        ("an adjective on the wrong side", "le noir chat"),
        ("half a denial", "il ne dort"),
        ("half a denial", "il dort pas"),
    ],
)
def test_the_patterns_find_what_they_should(fault: str, text: str) -> None:
    assert re.search(FORBIDDEN[fault], text)


def test_some_is_de_before_an_adjective_and_des_before_a_noun(made: list[Pair]) -> None:
    before = re.compile("grand|petit|vie|nouve|bea|bel|jeune|bon")
    seen = Counter[str]()
    for pair in made:
        for at, (word, sources) in enumerate(zip(pair.french, pair.alignment, strict=True)):
            next_one = pair.french[(at + 1) % len(pair.french)]
            of_some = [pair.english[source] for source in sources] == ["some"]
            if of_some and word in ("de", "des") and next_one not in ("la", "l"):  # "de la soupe", "de l'eau"
                assert (word == "de") == bool(before.match(next_one)), pair
                seen[word] += 1
    assert set(seen) == {"de", "des"}


def test_determiners_have_the_gender_of_their_noun(made: list[Pair]) -> None:
    """The first noun after a determiner is its own: no phrase of this grammar puts another between."""
    seen = Counter[str]()
    for pair in made:
        for at, word in enumerate(pair.french):
            if word in DETERMINERS and word not in ("le", "la"):  # these may be pronouns
                noun = next(w for w in pair.french[at + 1 :] if w in MASCULINE | FEMININE)
                assert noun in (MASCULINE if DETERMINERS[word] == "m" else FEMININE), " ".join(pair.french)
                seen[word] += 1
            if word in ("le", "la") and pair.french[at + 1] in MASCULINE | FEMININE:
                assert pair.french[at + 1] in (MASCULINE if word == "le" else FEMININE), " ".join(pair.french)
                seen[word] += 1
    assert set(seen) == set(DETERMINERS)


def test_every_noun_has_a_gender_in_the_table_of_the_tests(task: EnglishFrench) -> None:
    assert not MASCULINE & FEMININE
    assert set(task.target_tokenizer.tokens) >= MASCULINE | FEMININE


COLOURS = {"noir": ("noir", "noire", "noirs", "noires"), "blanc": ("blanc", "blanche", "blancs", "blanches"),
           "vert": ("vert", "verte", "verts", "vertes")}  # fmt: skip


def test_adjectives_after_a_noun_agree_with_it(made: list[Pair]) -> None:
    forms = {form: forms for forms in COLOURS.values() for form in forms}
    n = 0
    for pair in made:
        for noun, adjective in zip(pair.french, pair.french[1:], strict=False):
            if adjective in forms and noun in MASCULINE | FEMININE and noun != "souris":
                plural = noun[-1] in "sx"
                assert adjective == forms[adjective][2 * plural + (noun in FEMININE)], (noun, adjective)
                n += 1
    assert n > 100


def test_english_agrees_and_writes_an_before_vowels(made: list[Pair]) -> None:
    wrong = re.compile(
        r"\b(a [aeiou]|an [^aeiou]|I (is|are|has|goes|does)|(he|she) (are|am|have|go|do)|they (is|am|has|goes|does))\b"
        r"|\b(this|a|an) (\w+ ){0,2}(boys|men|cats|birds|keys)\b|\b(these|two|many) (\w+ )?(boy|man|cat|bird|key)\b"
    )
    assert not [text for pair in made if wrong.search(text := " ".join(pair.english))]


def test_singular_subjects_take_singular_verbs_on_both_sides(made: list[Pair]) -> None:
    """Short sentences alone, whose subject is the only noun before the verb."""
    both = {"sleeps": "dort", "sleep": "dorment", "sees": "voit", "see": "voient", "is": "est", "are": "sont"}
    n = 0
    for pair in made:
        if pair.english[0] not in ("the", "he", "she", "they"):
            continue
        verb = next((word for word in pair.english if word in both), None)
        if verb and len(pair.english) <= 6 and not {"and", "do", "I", "to", "not"} & {*pair.english}:
            assert both[verb] in pair.french, pair
            n += 1
    assert n > 100


def test_every_word_is_aligned_and_nothing_beyond(made: list[Pair]) -> None:
    for pair in made:
        assert len(pair.alignment) == len(pair.french)
        assert all(pair.alignment)
        assert frozenset().union(*pair.alignment) == set(range(len(pair.english))), pair


def test_a_word_is_aligned_with_its_own_translation(made: list[Pair]) -> None:
    """An own short dictionary, in both directions."""
    own = {"cat": "chat", "cats": "chats", "key": "clé", "water": "eau", "red": "rouge", "they": "ils", "two": "deux",
           "and": "et", "under": "sous", "bread": "pain", "school": "école", "men": "hommes"}  # fmt: skip
    back = {french: english for english, french in own.items()}
    for pair in made:
        for word, sources in zip(pair.french, pair.alignment, strict=True):
            english = [pair.english[at] for at in sorted(sources)]
            if word in back:
                assert english == [back[word]], pair
            if word == "du":
                assert english in (["some"], ["near", "the"], ["of", "the"]), pair
            if word in ("au", "aux"):
                assert english == ["to", "the"], pair
            if word == "pas":
                assert english in (["not"], ["do", "not"], ["does", "not"]), pair


def test_the_black_cat_crosses() -> None:
    pair = translate(["the", "black", "cat"])
    assert pair is not None
    assert pair.french == ("le", "chat", "noir")
    assert pair.alignment == ({0}, {2}, {1})


def test_held_out_texts_are_never_trained_on(task: EnglishFrench) -> None:
    def core(pair: Pair) -> tuple[str, ...]:
        return pair.english[:-1] if pair.english[-1] == "." else pair.english

    trained = {core(pair) for pair in pairs(6000, seed=1)} | {core(pair) for pair in pairs(2000, seed=99)}
    held_out = [core(pair) for pair in pairs(500, seed=2, held_out=True)]
    assert not trained.intersection(held_out)
    assert not {("the", "black", "cat"), tuple(task.probe()[0].text.split())} & trained
    assert max(map(len, trained)) <= LONGEST_TRAINED


def test_by_length_has_lengths_never_trained(task: EnglishFrench) -> None:
    found = task.by_length()
    assert {3, 6, 9, LONGEST_TRAINED, LONGEST_TRAINED + 1, LONGEST_TRAINED + 4} <= set(found)
    for length, batch in found.items():
        assert set(batch.present.sum(1).tolist()) == {length + 1}  # [EOS]


def test_batches_depend_on_the_generator_alone(task: EnglishFrench) -> None:
    again = EnglishFrench(n_training=2000)
    torch.manual_seed(5)
    one = task.batch(16, torch.Generator().manual_seed(3))
    torch.manual_seed(6)
    two = again.batch(16, torch.Generator().manual_seed(3))
    other = task.batch(16, torch.Generator().manual_seed(4))
    assert torch.equal(one.ids, two.ids)
    assert torch.equal(one.answers, two.answers)
    assert one.ids.shape != other.ids.shape or not torch.equal(one.ids, other.ids)


def test_a_batch_asks_for_the_token_after_the_one_that_is_read(task: EnglishFrench) -> None:
    batch = task.batch(32, torch.Generator().manual_seed(0))
    assert batch.target_ids is not None
    french = task.target_tokenizer
    answers = iter(batch.answers.split(batch.asked.sum(1).tolist()))
    for ids, present, read, asked in zip(batch.ids, batch.present, batch.target_ids, batch.asked, strict=True):
        written = [french.token(i) for i in next(answers).tolist()]
        assert [french.token(i) for i in read[asked].tolist()] == ["[BOS]", *written[:-1]]
        assert written[-1] == "[EOS]"
        words = [task.tokenizer.token(i) for i in ids[present].tolist()]
        pair = translate(words[:-1])
        assert pair is not None
        assert words[-1] == "[EOS]"
        assert tuple(written[:-1]) == pair.french
        assert set(read[~asked].tolist()) <= {french.special_ids.pad}


def test_expected_attention_is_that_of_the_token_about_to_be_written(task: EnglishFrench) -> None:
    pair = translate(["the", "black", "cat"])
    assert pair is not None
    (expected,) = task.expected(task.encode([pair]))
    # reads [BOS] le chat noir, writes le chat noir [EOS]; the source is the black cat [EOS]
    assert (expected.attention, expected.stack) == ("cross", "decoder")
    assert expected.keys.int().tolist() == [[[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]]


def test_a_wrong_translation_has_no_expected_attention(task: EnglishFrench) -> None:
    pair = translate(["the", "black", "cat"])
    assert pair is not None
    wrong = Pair(pair.english, ("le", "chat", "rouge"), pair.alignment)
    both = task.expected(task.encode([wrong, pair]))[0].keys
    assert both.any(-1).any(-1).tolist() == [False, True]


def test_typed_text_reads_as_the_task_writes_it(task: EnglishFrench) -> None:
    for pair in pairs(300, seed=8):
        target = task.target_tokenizer.encode(spell(pair.french))
        assert target.tokens == ("[BOS]", *pair.french)
        assert task.tokenizer.encode(spell(pair.english)).tokens == (*pair.english, "[EOS]")
        assert clean(spell(pair.english).capitalize().replace(" i ", " I ")) == pair.english


def test_the_probe_runs_as_text(task: EnglishFrench) -> None:
    probe, batch = task.probe()
    sizes = (task.tokenizer.vocab_size, task.target_tokenizer.vocab_size)
    stacks = [TransformerConfig(vocab_size=n, d_model=16, n_layers=1, n_heads=2) for n in sizes]
    model = EncoderDecoder(EncoderDecoderConfig(encoder=stacks[0], decoder=stacks[1]),
                           tokenizer=task.tokenizer, target_tokenizer=task.target_tokenizer)  # fmt: skip
    assert probe.target is not None
    assert batch.target_ids is not None
    trace = vm.run(model, probe.text, target=probe.target)
    assert (trace.encoder.tokens, trace.decoder.tokens) == (probe.tokens, probe.target_tokens)
    assert torch.equal(trace.decoder.ids, batch.target_ids)
    assert torch.allclose(trace.logits, task.logits(model, batch), atol=1e-5)


def test_accuracy_counts_whole_sentences(task: EnglishFrench) -> None:
    class Oracle:
        """Answers right but for one token of the first sentence."""

        def logits(self, ids, target_ids, present, target_present):  # type: ignore[no-untyped-def]
            batch = task.held_out()
            found = torch.zeros(*target_ids.shape, task.target_tokenizer.vocab_size)
            answers = torch.zeros_like(target_ids)
            answers[batch.asked] = batch.answers
            answers[0, 1] += 1
            return found.scatter_(-1, answers[..., None], 1.0)

    n = len(task.held_out().ids)
    assert n >= 300
    assert task.accuracy(Oracle()) == pytest.approx(1 - 1 / n)


def test_the_lexicon_is_large_enough(task: EnglishFrench, made: list[Pair]) -> None:
    assert len({word for pair in made for word in pair.english if word.isalpha()}) >= 150
    assert len({word for pair in made for word in pair.french if word.isalpha()}) >= 150
    assert {word for pair in made for word in pair.english} <= set(task.tokenizer.tokens)
    assert {word for pair in made for word in pair.french} <= set(task.target_tokenizer.tokens)


def test_two_derivations_of_a_text_have_one_translation(made: list[Pair]) -> None:
    for pair in made[:400]:
        words = ["a" if word == "an" else word for word in pair.english]
        assert {tuple(p.word for p in transfer(tree)) for tree in GRAMMAR.derivations(words)} == {pair.french}
