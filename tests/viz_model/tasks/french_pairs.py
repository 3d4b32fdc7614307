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
    ("I see the owls", "je vois les hiboux"),
    ("she has a cat", "elle a un chat"),
    ("I have an umbrella", "j'ai un parapluie"),
    ("the men drink some water", "les hommes boivent de l'eau"),
    ("the girl drinks some water", "la fille boit de l'eau"),
    ("the boy eats some bread", "le garçon mange du pain"),
    ("she eats some good soup", "elle mange de la bonne soupe"),
    ("some small cats", "de petits chats"),
    ("some red flowers", "des fleurs rouges"),
    ("some old friends", "de vieux amis"),
    ("two old friends", "deux vieux amis"),
    ("these green keys", "ces clés vertes"),
    ("the queen goes to the market", "la reine va au marché"),
    ("they speak to the children", "ils parlent aux enfants"),
    ("I go to the school", "je vais à l'école"),
    ("the cat is not in the garden", "le chat n'est pas dans le jardin"),
    ("the houses are not famous", "les maisons ne sont pas célèbres"),
    ("the brother works with the teacher", "le frère travaille avec le professeur"),
    ("the dog sees him", "le chien le voit"),
    ("he watches them", "il les regarde"),
    ("they follow me", "ils me suivent"),
    ("my sister speaks to her friend", "ma sœur parle à son ami"),
    ("this tree is beautiful", "cet arbre est beau"),
    ("these keys are on the table", "ces clés sont sur la table"),
    ("the queens are happy", "les reines sont heureuses"),
    ("the girl sings and the king is happy", "la fille chante et le roi est heureux"),
    ("his school is old and I see two horses", "son école est vieille et je vois deux chevaux"),
    ("their bag is under the bed", "leur sac est sous le lit"),
    ("the strong women open the doors", "les femmes fortes ouvrent les portes"),
    ("I am sad", "je suis triste"),
    ("I drink the hot milk", "je bois le lait chaud"),
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
    "she does not sleep",
    "many cats",
    "he watches her",
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
