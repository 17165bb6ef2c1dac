"""French."""

from typing import Final

from worker.adversarial.languages.language import Language

_GRAMMAR: Final = """
afin ai ainsi alors après as au aucun aucune aussi autre autres aux avait avant avec avez avoir
avons car ce ceci cela celle celles celui ces cet cette chaque chez ci comme comment contre d dans
de depuis des dessous dessus deux donc dont du elle elles en encore entre es est et étaient était
été être eu eux faire fait fait faut il ils j je jusque l la là laquelle le lequel les lesquelles
lesquels leur leurs lors lui m ma mais me même mes mien moi moins mon n ne ni non nos notre nous
on ont ou où par parce pas pendant peu peut peuvent plus pour pourquoi puis puisque qu quand que
quel quelle quelles quels qui quoi s sa sans se sera ses si sien soi soit son sont sous suis sur t
ta te tes toi ton toujours tous tout toute toutes très tu un une vers voici voilà vos votre vous y
"""
_NEUTRAL: Final = """
abeille abricot aigle amande ancre arbre assiette automne balcon bateau beurre bougie bouton
branche brise brume cabane cerise chaise chapeau chat cheminée chêne cheval ciel citron clairière
colline corbeille coussin cousin cuisine cygne dimanche dune échelle écharpe étang étoile falaise
fenêtre feuille fleur fontaine forêt fraise fromage galet gant gâteau genou grange grenier
hérisson herbe hibou hiver île jardin laine lampe lanterne lapin lavande lilas lune maison marché
matin mer miel miroir montagne mouette moulin mousse mur neige noisette nuage olive oncle orage
orange oreiller panier pêche pelouse persil phare pierre plage plume pluie poire poivre pomme pont
poule prairie printemps renard rideau rivière robe rocher rose ruban sable saule savon seau sel
soeur soir soleil soupe sucre table tapis tasse thé toit tulipe vague vallée vélo velours village
violon voile
"""
_KEPT: Final = """
après avant contre de depuis des dessous dessus entre jamais jusque moins ne ni non pas plus pour
sans sous sur vers aucun aucune à au aux du d n
"""
_OPENERS: Final = """
combien comment est où peut pourquoi puis quand que quel quelle quelles quels qui quoi
"""

FRENCH: Final = Language(
    code="fr",
    script="latin",
    stemmer="french",
    layout="azerty",
    wrong_layout="qwerty",
    function_words=frozenset((*_GRAMMAR.split(), "à")),
    kept=frozenset(_KEPT.split()),
    openers=frozenset(_OPENERS.split()),
    questions=(
        "Qu'est-ce que {query} ?",
        "Que sait-on sur {query} ?",
        "Où trouver {query} ?",
    ),
    polite="Bonjour, pourriez-vous m'aider s'il vous plaît : {query} Merci beaucoup d'avance !",
    negations=("{query} mais pas sur {word}", "{query} sans {word}"),
    asides=(
        "Au printemps dernier, j'ai emménagé dans un petit appartement au bord de la rivière.",
        "Ma sœur me rend visite un dimanche sur deux et apporte un gâteau.",
        "Il pleut ici depuis trois jours sans interruption.",
        "Hier, mon voisin a peint sa clôture en vert vif.",
        "Je lis souvent un peu avant le petit déjeuner, quand la maison est calme.",
        "Notre vieux chien dort presque toute la journée sous la table de la cuisine.",
        "Le mois prochain, nous aimerions revoir les montagnes.",
        "Mon grand-père racontait de longues histoires sur la mer.",
        "Les enfants d'à côté apprennent à jouer du violon.",
        "Je n'ai jamais su retenir les anniversaires.",
    ),
    neutral=tuple(_NEUTRAL.split()),
    sounds=(
        ("ph", "f"),
        ("eau", "o"),
        ("au", "o"),
        ("ai", "é"),
        ("qu", "k"),
        ("tion", "sion"),
        ("ss", "s"),
        ("ç", "ss"),
        ("c(?=[eéi])", "s"),
        ("(?<=[a-z])h", ""),
        ("en(?=[dt])", "an"),
        ("an(?=[dt])", "en"),
        ("er$", "é"),
        ("é$", "er"),
        ("[dst]$", ""),
        (r"([bcdflmnprt])\1", r"\1"),
        (r"(?<=[aeiou])([lmnpt])(?=[aeiou])", r"\1\1"),
        ("[èê]", "é"),
        ("y", "i"),
    ),
    inflections=(
        ("eaux$", "eau"),
        ("aux$", "al"),
        ("[sx]$", ""),
        ("eau$", "eaux"),
        ("al$", "aux"),
        ("$", "s"),
    ),
    spellings=(
        ("clé", "clef"),
        ("oignon", "ognon"),
        ("nénuphar", "nénufar"),
        ("événement", "évènement"),
        ("réglementaire", "règlementaire"),
        ("paiement", "payement"),
        ("week-end", "weekend"),
        ("e-mail", "email"),
        ("&", "et"),
    ),
    respellings=(("œ", "oe"), ("æ", "ae"), ("î", "i"), ("û", "u")),
    months=(
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ),
    long_date="{day} {month} {year}",
    thousands="\u202f",
    units=(
        ("km", "kilomètres"),
        ("kg", "kilogrammes"),
        ("cm", "centimètres"),
        ("mm", "millimètres"),
        ("ml", "millilitres"),
        ("min", "minutes"),
        ("Mo", "mégaoctets"),
        ("Go", "gigaoctets"),
    ),
)
