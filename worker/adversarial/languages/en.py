"""English."""

from typing import Final

from worker.adversarial.languages.language import Language

_GRAMMAR: Final = """
a about above after again against all along also although am among an and any are aren around as
at be because been before behind being below between both but by can could couldn did didn do does
doesn doing don done during each either else ever every few for from further had hadn has hasn
have haven having he hence her here hers herself him himself his how however i if in into is isn
it its itself just let maybe me might more most much must my myself neither no nor not now of off
often on once only onto or other others ought our ours ourselves out over per perhaps please
rather same shall she should shouldn since so some such than that the their theirs them themselves
then there these they this those though through thus till to too toward towards under unless until
up upon us very via was wasn we were weren what whatever when whenever where wherever whether
which while who whom whose why will with within without would wouldn yes yet you your yours
yourself yourselves
"""
_NEUTRAL: Final = """
afternoon amber anchor attic autumn balcony barn basket beach bench bicycle blanket bread breeze
bridge bucket butterfly button cabin candle carpet castle ceiling cherry chimney cloud coast
corridor cottage cousin curtain daisy dawn desert dolphin drawer drum dusk eagle elbow evening
feather fence fiddle fireplace forest fountain fox garden garlic ginger grandfather grass gravel
hammock harbour harvest hedge hill honey horizon island ivory jacket kettle kitchen ladder lake
lamp lantern lawn lemon lighthouse lily meadow mirror moon morning moss mountain mustard neighbour
oak ocean olive orchard owl paddle parsley pasture peach pebble pepper picnic pillow pine pond
porch puddle quilt rabbit rain ribbon river robin roof sailor sand saucer scarf shadow shell shore
silver sister sofa spoon spring squirrel stairs stream sugar summer sunset supper swan teapot
thunder trail tulip tunnel umbrella uncle valley velvet village violin walnut waterfall wheat
willow winter
"""
_KEPT: Final = """
after against before below above between from into no nor not neither off onto out over since to
towards under until without
"""
_OPENERS: Final = """
are can could did do does has have how is should was were what when where which who whom whose why
will would
"""

ENGLISH: Final = Language(
    code="en",
    script="latin",
    stemmer="english",
    wrong_layout="jcuken",
    function_words=frozenset(_GRAMMAR.split()),
    kept=frozenset(_KEPT.split()),
    openers=frozenset(_OPENERS.split()),
    questions=("What is {query}?", "What is known about {query}?", "Where do I find {query}?"),
    polite="Hello, could you please help me with this: {query} Thank you very much in advance!",
    negations=("{query} but not about {word}", "{query} without {word}"),
    asides=(
        "I moved into a small flat by the river last spring.",
        "My sister visits me every other Sunday and brings cake.",
        "It has been raining here for three days without a break.",
        "Yesterday my neighbour painted his fence bright green.",
        "I usually read a little before breakfast when the house is quiet.",
        "Our old dog sleeps under the kitchen table most of the day.",
        "Next month we would like to see the mountains again.",
        "My grandfather used to tell long stories about the sea.",
        "The children next door are learning to play the violin.",
        "I have never been very good at remembering birthdays.",
    ),
    neutral=tuple(_NEUTRAL.split()),
    sounds=(
        ("ph", "f"),
        ("tion", "shun"),
        ("sion", "shun"),
        ("ie", "ei"),
        ("ei", "ie"),
        ("ck", "k"),
        ("gh(?=t)", ""),
        ("qu", "kw"),
        ("x", "ks"),
        ("c(?=[eiy])", "s"),
        ("wh", "w"),
        ("mb$", "m"),
        (r"([bcdfglmnprst])\1", r"\1"),
        (r"(?<=[aeiou])([bdglmnprt])(?=[aeiou])", r"\1\1"),
        ("ance$", "ence"),
        ("ence$", "ance"),
        ("ant$", "ent"),
        ("ent$", "ant"),
        ("able$", "ible"),
        ("ible$", "able"),
        ("er$", "or"),
        ("or$", "er"),
        ("ou", "u"),
        ("ea", "ee"),
        ("(?<=[a-z])y(?=[a-z])", "i"),
        ("e(?=[lnr][a-z])", "a"),
    ),
    inflections=(
        ("ies$", "y"),
        ("(ch|sh|ss|x|z)es$", r"\1"),
        ("(?<![siu])s$", ""),
        ("(?<=[^aeiou])y$", "ies"),
        ("(ch|sh|s|x|z)$", r"\1es"),
        ("$", "s"),
    ),
    spellings=(
        ("colour", "color"),
        ("favourite", "favorite"),
        ("behaviour", "behavior"),
        ("honour", "honor"),
        ("labour", "labor"),
        ("neighbour", "neighbor"),
        ("harbour", "harbor"),
        ("flavour", "flavor"),
        ("centre", "center"),
        ("litre", "liter"),
        ("theatre", "theater"),
        ("fibre", "fiber"),
        ("defence", "defense"),
        ("licence", "license"),
        ("offence", "offense"),
        ("catalogue", "catalog"),
        ("dialogue", "dialog"),
        ("grey", "gray"),
        ("aluminium", "aluminum"),
        ("jewellery", "jewelry"),
        ("travelling", "traveling"),
        ("cancelled", "canceled"),
        ("cancelling", "canceling"),
        ("modelling", "modeling"),
        ("labelled", "labeled"),
        ("organise", "organize"),
        ("organisation", "organization"),
        ("authorise", "authorize"),
        ("authorisation", "authorization"),
        ("customise", "customize"),
        ("optimise", "optimize"),
        ("synchronise", "synchronize"),
        ("analyse", "analyze"),
        ("don't", "do not"),
        ("doesn't", "does not"),
        ("didn't", "did not"),
        ("can't", "cannot"),
        ("won't", "will not"),
        ("isn't", "is not"),
        ("aren't", "are not"),
        ("what's", "what is"),
        ("where's", "where is"),
        ("it's", "it is"),
        ("i'm", "i am"),
        ("e-mail", "email"),
        ("&", "and"),
    ),
    months=(
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ),
    long_date="{day} {month} {year}",
    thousands=",",
    units=(
        ("km", "kilometres"),
        ("kg", "kilograms"),
        ("cm", "centimetres"),
        ("mm", "millimetres"),
        ("ml", "millilitres"),
        ("min", "minutes"),
        ("hrs", "hours"),
        ("MB", "megabytes"),
        ("GB", "gigabytes"),
    ),
)
