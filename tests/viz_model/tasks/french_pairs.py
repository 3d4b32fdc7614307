"""What the French tests know on their own: translations made by hand, and nouns by gender."""

BY_HAND = [
    ("the black cat", "le chat noir"),
    ("The small black cat.", "le petit chat noir."),
    ("the old house", "la vieille maison"),
    ("a beautiful tree", "un bel arbre"),
    ("my new umbrella", "mon nouveau parapluie"),
    ("an old friend", "un vieil ami"),
    ("the new hospital", "le nouvel hôpital"),
    ("the friend sleeps", "l'ami dort"),
    ("the school is white", "l'école est blanche"),
    ("I like the dog", "j'aime le chien"),
    ("the owl", "le hibou"),
    ("I do not see the owls", "je ne vois pas les hiboux"),
    ("she does not have a cat", "elle n'a pas de chat"),
    ("he does not eat any apples", "il ne mange pas de pommes"),
    ("the men do not drink any water", "les hommes ne boivent pas d'eau"),
    ("the girl drinks some water", "la fille boit de l'eau"),
    ("the boy eats some bread", "le garçon mange du pain"),
    ("she eats some good soup", "elle mange de la bonne soupe"),
    ("some small cats", "de petits chats"),
    ("some red flowers", "des fleurs rouges"),
    ("some old friends", "de vieux amis"),
    ("many friends", "beaucoup d'amis"),
    ("many green keys", "beaucoup de clés vertes"),
    ("the queen goes to the market", "la reine va au marché"),
    ("they speak to the children", "ils parlent aux enfants"),
    ("I go to the school", "je vais à l'école"),
    ("the cat is near the garden", "le chat est près du jardin"),
    ("the houses near the churches are not famous", "les maisons près des églises ne sont pas célèbres"),
    ("the brother of the teacher works", "le frère du professeur travaille"),
    ("the dog sees him", "le chien le voit"),
    ("he does not know her", "il ne la connaît pas"),
    ("they like me", "ils m'aiment"),
    ("my sister gives this book to her friend", "ma sœur donne ce livre à son ami"),
    ("this tree is beautiful", "cet arbre est beau"),
    ("these keys are on the table", "ces clés sont sur la table"),
    ("the girl and the queen are happy", "la fille et la reine sont heureuses"),
    ("the girl and the king are happy", "la fille et le roi sont heureux"),
    ("his school is old and I see two horses", "son école est vieille et je vois deux chevaux"),
    ("their bag is under the bed", "leur sac est sous le lit"),
    ("the strong women open the doors", "les femmes fortes ouvrent les portes"),
    ("I am sad", "je suis triste"),
    ("the milk is not hot", "le lait n'est pas chaud"),
]
NOT_ENGLISH = [
    "",
    "cat the black",
    "the cat sleep",
    "he see the dog",
    "a old cat",
    "an cat",
    "the zebra sleeps",
    "the",
    "le chat",
    "these cat",
    "the black cat the black cat",
]

_MASCULINE = """
garçon homme enfant ami professeur étudiant médecin roi frère chat chien oiseau cheval renard lapin hibou éléphant
livre journal sac chapeau parapluie œuf gâteau jardin hôpital marché parc village lit arbre lait café pain fromage
garçons hommes enfants amis professeurs étudiants médecins rois frères chats chiens oiseaux chevaux renards lapins
hiboux éléphants livres journaux sacs chapeaux parapluies œufs gâteaux jardins hôpitaux marchés parcs villages lits
arbres
"""
MASCULINE = frozenset(_MASCULINE.split())
_FEMININE = """
fille femme infirmière reine sœur souris vache lettre histoire clé fleur robe pomme orange carotte maison école
église forêt table chaise porte fenêtre boîte eau soupe filles femmes infirmières reines sœurs vaches lettres
histoires clés fleurs robes pommes oranges carottes maisons écoles églises forêts tables chaises portes fenêtres
boîtes
"""
FEMININE = frozenset(_FEMININE.split())
