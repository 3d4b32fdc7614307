"""The rules of the small English grammar, as a table that reads like a grammar.

`viz_model.tasks.grammar` says how such a table is read. Every sentence has one derivation, because each kind of phrase
has one place to attach: a place ("in the garden") belongs to the verb when it follows an object and to the noun when it
comes before the verb; relative clauses carry no adverb of time; only plain noun phrases are joined by "and".
"""

VARIABLES = {
    "n": "s p",  # number of a subject and its verb
    "m": "s p",  # another number
    "t": "present past future",
    "w": "present past",
    "f": "s p sd pd base ing",  # verb forms: present, past (each after singular and plural), base, -ing
    "be": "Is Was",
    "being": "person animal",
    "agent": "person animal institution",
    "item": "thing key text food vehicle facility structure place",
    "large": "vehicle facility structure place",
    "mass": "bread drink",
    "plain": "facility place institution nature structure",  # a noun that takes "the", "a", "some" ...
    "own": "thing key text food vehicle surface opening idea",  # ... and one that takes "my" too
    "count": "person animal thing key text food vehicle surface opening idea facility place nature structure",
}

RULES = """
# A sentence is a clause, perhaps with its time, or two plain clauses.
Sentence -> 66 Clause.present | 30 Clause.past | 6 Clause.future
    | 8 Clause.present^ Time.present:adverb | 4 Clause.past^ Time.past:adverb | 1 Clause.future^ Time.future:adverb
    | 2 Time.present:adverb Clause.present^ | 1 Time.past:adverb Clause.past^
    | 5 Plain.<w> and Plain.<w> | 2 Plain.<w> but Plain.<w> | 3 Plain.<w> because Plain.<w>

# Who does something: people, animals, institutions, things. Subject and verb share their number <n>.
Clause.<t> -> 25 Clause.person.s.<t> | 23 Clause.person.p.<t> | 14 Clause.animal.s.<t> | 13 Clause.animal.p.<t>
    | 6 Clause.institution.s.<t> | 5 Clause.institution.p.<t> | 4 Clause.first.<t> | 10 Clause.item.<t>
Clause.<being>.<n>.<t> -> 72 Subject.<being>.<n>:subject Predicate.<being>.<n>.<t>^
    | 28 Short.<being>.<n>:subject Longer.<being>.<n>.<t>^
Clause.institution.<n>.<t> -> 1 Subject.institution.<n>:subject Longer.institution.<n>.<t>^
Clause.item.<t> -> 1 Subject.<item>.<n>:subject Predicate.<item>.<n>.<t>^
Clause.first.present -> 60 First:subject Full.person.p^ | 28 First:subject am:auxiliary VP.person.ing^
    | 12 First:subject am^ Adjective.person:predicate
Clause.first.past -> 75 First:subject Full.person.sd^ | 25 First:subject was:auxiliary VP.person.ing^
Clause.first.future -> 1 First:subject Modal:auxiliary VP.person.base^
Plain.<w> -> 55 Simple.<being>.<n>:subject Brief.<being>.<n>.<w>^ | 45 Short.<being>.<n>:subject Brief.<being>.<n>.<w>^

# Subjects. What stands between a noun and its verb may have the other number: "the keys to the cabinet are".
Subject.<being>.s -> 50 Simple.<being>.s | 50 Modified.<being>.s
Subject.<being>.p -> 44 Simple.<being>.p | 45 Modified.<being>.p | 11 Pair.<being>
Subject.institution.<n> -> 55 Determined.institution.<n>
    | 45 Determined.institution.<n>^ Beside.institution:preposition
Subject.<item>.<n> -> 35 Determined.<item>.<n> | 50 Determined.<item>.<n>^ Beside.<item>:preposition
    | 15 Determined.<item>.<n>^ ObjectRelative.<item>:object
Modified.<being>.<n> -> 60 Simple.<being>.<n>^ Beside.<being>:preposition
    | 20 Simple.<being>.<n>^ SubjectRelative.<being>.<n>:subject | 20 Simple.<being>.<n>^ ObjectRelative.<being>:object
Simple.person.<n> -> 72 Determined.person.<n> | 28 Determined.relative.<n>
Simple.animal.<n> -> 1 Determined.animal.<n>
Short.person.s -> 4 Name | 5 Pronoun.s
Short.person.p -> 6 Pronoun.p | 3 Noun.person.p
Short.animal.s -> 1 it
Short.animal.p -> 1 Noun.animal.p
Pair.<being> -> 1 Determined.<being>.a.<n>^ and Determined.<being>.b.<m>^
    | 1 Determined.<being>.b.<n>^ and Determined.<being>.a.<m>^

# Noun phrases.
Determined.<being>.<n> -> 1 Determined.<being>.a.<n> | 1 Determined.<being>.b.<n>
Determined.person.a.<n> -> 75 Article.<n>:determiner Noun.person.a.<n>^
    | 25 Article.<n>:determiner Adjective.person:adjective Noun.person.a.<n>^
Determined.person.b.<n> -> 75 Article.<n>:determiner Noun.person.b.<n>^
    | 25 Article.<n>:determiner Adjective.person:adjective Noun.person.b.<n>^
Determined.animal.a.<n> -> 70 Determiner.<n>:determiner Noun.animal.a.<n>^
    | 30 Determiner.<n>:determiner Adjective.animal:adjective Noun.animal.a.<n>^
Determined.animal.b.<n> -> 70 Determiner.<n>:determiner Noun.animal.b.<n>^
    | 30 Determiner.<n>:determiner Adjective.animal:adjective Noun.animal.b.<n>^
Determined.<plain>.<n> -> 70 Article.<n>:determiner Noun.<plain>.<n>^
    | 30 Article.<n>:determiner Adjective.<plain>:adjective Noun.<plain>.<n>^
Determined.<own>.<n> -> 70 Determiner.<n>:determiner Noun.<own>.<n>^
    | 30 Determiner.<n>:determiner Adjective.<own>:adjective Noun.<own>.<n>^
Determined.relative.s -> 58 Possessive:determiner Noun.relative.s^ | 30 Possessive:determiner Noun.parent.s^
    | 12 the:determiner Noun.relative.s^
Determined.relative.p -> 85 Possessive:determiner Noun.relative.p^ | 15 the:determiner Noun.relative.p^
Noun.<being>.<n> -> 1 Noun.<being>.a.<n> | 1 Noun.<being>.b.<n>
Determiner.<n> -> 75 Article.<n> | 25 Possessive
Article.s -> 12 the | 7 a | 1 this | 1 that | 0.5 every
Article.p -> 12 the | 2 these | 1 those | 2 some | 1 many | 1 two | 0.5 three
Some.<count> -> 58 Determined.<count>.s | 28 Determined.<count>.p | 10 Noun.<count>.p
    | 4 Adjective.<count>:adjective Noun.<count>.p^
Some.<mass> -> 5 Noun.<mass>.m | 4 the:determiner Noun.<mass>.m^ | 3 some:determiner Noun.<mass>.m^
    | 2 the:determiner Adjective.<mass>:adjective Noun.<mass>.m^
Spot.<count> -> 80 Determined.<count>.s | 20 Determined.<count>.p
Amid.<count> -> 1 Determined.<count>.<m>

# Predicates.
Predicate.<being>.<n>.present -> 28 Bare.<being>.<n> | 72 Longer.<being>.<n>.present
Predicate.<being>.<n>.past -> 30 Bare.<being>.<n>d | 70 Longer.<being>.<n>.past
Predicate.<being>.<n>.future -> 1 Longer.<being>.<n>.future
Brief.<being>.<n>.present -> 20 Bare.<being>.<n> | 50 Act.<being>.<n> | 18 Is.<n>:auxiliary Bare.<being>.ing^
    | 12 State.<being>.Is.<n>
Brief.<being>.<n>.past -> 25 Bare.<being>.<n>d | 60 Act.<being>.<n>d | 15 State.<being>.Was.<n>
Longer.<agent>.<n>.present -> 46 Full.<agent>.<n> | 6 Often:adverb VP.<agent>.<n>^
    | 25 Is.<n>:auxiliary VP.<agent>.ing^
    | 4 Is.<n>:auxiliary not VP.<agent>.ing^ | 13 State.<agent>.Is.<n> | 6 Does.<n>:auxiliary not VP.<agent>.base^
Longer.<agent>.<n>.past -> 66 Full.<agent>.<n>d | 14 Was.<n>:auxiliary VP.<agent>.ing^ | 9 State.<agent>.Was.<n>
    | 7 did:auxiliary not VP.<agent>.base^ | 4 Often:adverb VP.<agent>.<n>d^
Longer.<agent>.<n>.future -> 80 Modal:auxiliary VP.<agent>.base^ | 20 will:auxiliary not VP.<agent>.base^
State.<being>.<be>.<n> -> 70 <be>.<n>^ Adjective.<being>:predicate | 30 <be>.<n>^ Where:preposition
State.institution.<be>.<n> -> 1 <be>.<n>^ Adjective.institution:predicate
Predicate.<item>.<n>.present -> 50 Is.<n>^ Adjective.<item>:predicate | 10 Is.<n>^ not Adjective.<item>:predicate
    | 20 Is.<n>^ At.<item>:preposition | 12 Verb.look.<n>^ Adjective.<item>:predicate
    | 8 Verb.belong.<n>^ To:preposition
Predicate.<item>.<n>.past -> 50 Was.<n>^ Adjective.<item>:predicate | 10 Was.<n>^ not Adjective.<item>:predicate
    | 20 Was.<n>^ At.<item>:preposition | 12 Verb.look.<n>d^ Adjective.<item>:predicate
    | 8 Verb.belong.<n>d^ To:preposition
Predicate.<item>.<n>.future -> 1 will:auxiliary be^ Adjective.<item>:predicate

# What people, animals and institutions do, in each form <f> of the verb. Bare: one word. Act, Full: with its parts.
VP.<being>.<f> -> 3 Bare.<being>.<f> | 7 Full.<being>.<f>
VP.institution.<f> -> 1 Full.institution.<f>
Bare.person.<f> -> 5 Verb.rest.<f> | 2 Verb.move.<f> | 3 Verb.voice.<f> | 1 Verb.read.<f> | 1 Verb.eat.<f>
Bare.animal.<f> -> 6 Verb.rest.<f> | 2 Verb.move.<f> | 1 Verb.eat.<f>
Full.person.<f> -> 84 Act.person.<f> | 4 Verb.enjoy.<f>^ Doing.person:complement
    | 2 Verb.like.<f>^ Doing.person:complement
    | 2 Verb.begin.<f>^ Doing.person:complement | 3 Verb.consider.<f>^ Doing.person:complement
    | 3 Verb.see.<f>^ Followed:object | 2 Verb.like.<f>^ Followed:object
Full.animal.<f> -> 1 Act.animal.<f>
Full.institution.<f> -> 68 Act.institution.<f> | 24 Verb.consider.<f>^ Act.institution.ing:complement
    | 8 Verb.begin.<f>^ Act.institution.ing:complement
Doing.person -> 4 Bare.person.ing | 6 Act.person.ing
Followed -> 1 Simple.<being>.<n>^ SubjectRelative.<being>.<n>:subject
Act.person.<f> -> 11 Verb.rest.<f>^ Where:preposition | 2 Verb.rest.<f>^ Manner:adverb
    | 5 Verb.move.<f>^ To.place:preposition | 1 Verb.move.<f>^ Manner:adverb
    | 2 Verb.voice.<f>^ Inside:preposition | 2 Verb.voice.<f>^ Manner:adverb
    | 6 Verb.like.<f>^ Liked:object | 6 Verb.see.<f>^ Seen:object | 2 Verb.see.<f>^ Seen:object Inside:preposition
    | 4 Verb.meet.<f>^ Person:object | 2 Verb.meet.<f>^ Person:object Inside:preposition
    | 4 Verb.tend.<f>^ Animal:object | 2 Verb.chase.<f>^ Animal:object
    | 4 Verb.eat.<f>^ Edible:object | 2 Verb.eat.<f>^ Edible:object Inside:preposition
    | 3 Verb.drink.<f>^ Some.drink:object
    | 5 Verb.read.<f>^ Some.text:object | 3 Verb.read.<f>^ Some.text:object Inside:preposition
    | 3 Verb.write.<f>^ Some.text:object | 5 Verb.carry.<f>^ Portable:object | 5 Verb.want.<f>^ Goods:object
    | 3 Verb.open.<f>^ Closable:object | 2 Verb.build.<f>^ Built:object | 3 Verb.drive.<f>^ Some.vehicle:object
    | 2 Verb.discuss.<f>^ Some.idea:object
    | 6 Verb.give.<f>^ Person:recipient Gift:object | 3 Verb.give.<f>^ Gift:object To:preposition
Act.animal.<f> -> 14 Verb.rest.<f>^ Where:preposition | 2 Verb.rest.<f>^ Manner:adverb
    | 5 Verb.move.<f>^ To.place:preposition | 1 Verb.move.<f>^ Manner:adverb
    | 8 Verb.chase.<f>^ Animal:object | 2 Verb.chase.<f>^ Some.person:object | 4 Verb.see.<f>^ Noticed:object
    | 3 Verb.like.<f>^ Noticed:object | 4 Verb.like.<f>^ Treat:object | 5 Verb.eat.<f>^ Edible:object
    | 2 Verb.drink.<f>^ Some.drink:object | 2 Verb.want.<f>^ Treat:object
Act.institution.<f> -> 7 Verb.open.<f>^ Some.facility:object | 4 Verb.build.<f>^ Built:object
    | 6 Verb.discuss.<f>^ Some.idea:object | 3 Verb.meet.<f>^ Some.person:object | 3 Verb.want.<f>^ Some.idea:object
    | 2 Verb.give.<f>^ Some.text:object To:preposition

# What things are done to.
Person -> 46 Some.person | 20 Determined.relative.<n> | 15 Object.pronoun | 14 Name | 5 Pair.person
Animal -> 84 Some.animal | 9 it | 7 Pair.animal
Noticed -> 5 Some.animal | 4 Some.person | 1 it
Seen -> 24 Person | 22 Some.animal | 4 Pair.animal | 16 Some.place | 10 Some.facility | 6 Some.structure
    | 4 Some.nature
    | 8 Some.text | 5 Some.vehicle | 6 it
Liked -> 78 Seen | 10 Some.food | 12 Some.<mass>
Edible -> 6 Some.food | 4 Some.bread
Treat -> 5 Some.food | 2 Some.bread | 4 Some.drink
Portable -> 7 Some.thing | 2 Some.key | 1 it
Goods -> 5 Some.thing | 2 Some.text | 2 Some.vehicle | 3 Some.food | 2 Some.<mass> | 1 Some.key
Closable -> 8 Some.opening | 2 Some.facility
Built -> 4 Some.facility | 5 Some.structure
Gift -> 5 Some.thing | 5 Some.text | 3 Some.food | 1 Some.key | 2 Some.<mass>

# Where: after a verb (mostly one place) and beside a subject (either number alike).
Where -> 42 on^ Spot.surface:noun | 6 under^ Spot.surface:noun | 30 in^ Spot.place:noun | 6 in^ Spot.facility:noun
    | 6 near^ Spot.nature:noun | 4 near^ Spot.structure:noun | 6 behind^ Spot.opening:noun
Inside -> 7 in^ Spot.place:noun | 3 in^ Spot.facility:noun
To.place -> 6 to^ Spot.place:noun | 3 to^ Spot.facility:noun | 1 to^ Spot.nature:noun
To -> 1 to^ Person:noun
At.thing -> 4 on^ Spot.surface:noun | 1 under^ Spot.surface:noun
At.key -> 4 on^ Spot.surface:noun | 1 under^ Spot.surface:noun
At.food -> 1 on^ Spot.surface:noun
At.text -> 3 on^ Spot.surface:noun | 2 about^ Some.animal:noun
At.<large> -> 1 Beside.<large>
Beside.person -> 5 near^ Amid.nature:noun | 4 in^ Amid.place:noun | 4 with^ Amid.animal:noun | 2 in^ Amid.vehicle:noun
    | 2 from^ Amid.place:noun | 2 behind^ Amid.opening:noun
Beside.animal -> 6 near^ Amid.nature:noun | 4 under^ Amid.surface:noun | 4 in^ Amid.place:noun
    | 2 behind^ Amid.facility:noun
Beside.institution -> 6 with^ Amid.idea:noun | 4 near^ Amid.facility:noun
Beside.thing -> 5 on^ Amid.surface:noun | 2 near^ Amid.opening:noun
Beside.key -> 7 to^ Amid.opening:noun | 3 on^ Amid.surface:noun
Beside.text -> 4 about^ Amid.animal:noun | 3 about^ Amid.person:noun | 3 from^ Determined.relative.<n>:noun
Beside.food -> 1 on^ Amid.surface:noun
Beside.vehicle -> 2 near^ Amid.structure:noun | 2 near^ Amid.nature:noun | 2 behind^ Amid.facility:noun
Beside.facility -> 3 near^ Amid.nature:noun | 3 near^ Amid.structure:noun | 2 behind^ Amid.place:noun
Beside.structure -> 3 near^ Amid.place:noun | 2 near^ Amid.facility:noun
Beside.place -> 3 near^ Amid.structure:noun | 2 near^ Amid.nature:noun | 2 behind^ Amid.facility:noun

# Relative clauses: "the boy who sleeps" (the noun is its subject), "the boy that the teachers like" (its object).
SubjectRelative.<being>.<n> -> 36 Who.<being> Act.<being>.<n>^ | 26 Who.<being> Act.<being>.<n>d^
    | 18 Who.<being> Is.<n>:auxiliary VP.<being>.ing^ | 12 Who.<being> Is.<n>^ Adjective.<being>:predicate
    | 8 Who.<being> Bare.<being>.<n>d^
ObjectRelative.person -> 2 Who.person Agent.<n>:subject Use.person.<n>^
    | 1 Who.person Agent.<n>:subject Use.person.<n>d^
ObjectRelative.animal -> 4 that Agent.<n>:subject Use.animal.<n>^ | 2 that Agent.<n>:subject Use.animal.<n>d^
    | 2 that Simple.animal.<n>:subject Verb.chase.<n>^ | 1 that Simple.animal.<n>:subject Verb.chase.<n>d^
ObjectRelative.<item> -> 3 that Agent.<n>:subject Use.<item>.<n>^ | 2 that Agent.<n>:subject Use.<item>.<n>d^
Who.person -> 3 who | 2 that
Who.animal -> 1 that
Agent.<n> -> 8 Simple.person.<n> | 2 Pronoun.<n>
Use.person.<f> -> 4 Verb.like.<f> | 2 Verb.meet.<f> | 2 Verb.see.<f>
Use.animal.<f> -> 3 Verb.like.<f> | 2 Verb.see.<f> | 3 Verb.tend.<f>
Use.thing.<f> -> 2 Verb.carry.<f> | 3 Verb.want.<f>
Use.key.<f> -> 2 Verb.carry.<f> | 3 Verb.want.<f>
Use.text.<f> -> 3 Verb.read.<f> | 2 Verb.write.<f> | 2 Verb.like.<f>
Use.food.<f> -> 1 Verb.like.<f> | 1 Verb.want.<f>
Use.vehicle.<f> -> 2 Verb.drive.<f> | 1 Verb.like.<f> | 1 Verb.want.<f>
Use.facility.<f> -> 1 Verb.like.<f> | 1 Verb.build.<f> | 1 Verb.see.<f>
Use.structure.<f> -> 1 Verb.like.<f> | 1 Verb.build.<f> | 1 Verb.see.<f>
Use.place.<f> -> 1 Verb.like.<f> | 1 Verb.see.<f>
"""
"""The table. Symbols end in what they agree in: number (s, p), tense, verb form; `m` marks a noun without a plural."""
