"""Spanish."""

from typing import Final

from worker.adversarial.languages.language import Language

_GRAMMAR: Final = """
a al algo alguna algunas alguno algunos ante antes aquel aquella aquellas aquellos aquí así aun
aunque bajo bien cada como cómo con contra cual cuál cuáles cuando cuándo cuanto cuánto de del
desde donde dónde dos durante e el él ella ellas ellos en entre era eran eres es esa esas ese eso
esos esta está están estas este esto estos fue fueron ha había han hasta hay he la las le les lo
los más me mi mí mientras mis mucho muy nada ni ningún ninguna no nos nosotros nuestra nuestro o
os otra otras otro otros para pero poco por porque pues puede pueden puedo que qué quien quién
quienes se sea según ser si sí sido sin sino sobre solo son soy su sus tal también tan tanto te
tengo ti tiene tienen toda todas todo todos tras tu tú tus un una unas uno unos usted vosotros y
ya yo
"""
_NEUTRAL: Final = """
abeja abuelo aceite águila alfombra almendra ancla árbol arena arroyo atardecer azúcar balcón
barco bicicleta bosque botón brisa bufanda caballo cabaña cacerola cama camino campana cangrejo
castillo cebolla cereza césped chimenea cielo cigüeña ciruela cocina cojín colina conejo cortina
costa cuchara cueva desierto domingo duna erizo escalera espejo estanque estrella faro flor fuente
gallina gato gaviota granero guante hermana hierba higo hoja horizonte huerto invierno isla jardín
lago lámpara lana lavanda lechuga lechuza limón linterna lirio lluvia luna manta manzana mañana
mar mariposa melón mercado miel molino montaña musgo naranja niebla nieve nogal nube ola olivo
otoño oveja pan pañuelo pera pimienta pino playa pluma pradera primavera primo pueblo puente queso
río roble roca rosa sal sendero silla sol sombra sombrero sopa taza techo tejado tela tío tomillo
trigo trueno tulipán uva valle vecino vela ventana verano viento violín zorro
"""
_KEPT: Final = """
a al antes bajo contra de del desde entre hasta más menos nada ni ningún ninguna no nunca para por
sin sobre tras
"""
_OPENERS: Final = """
cómo cuál cuáles cuándo cuánta cuántas cuánto cuántos dónde es hay puede puedo qué quién quiénes
"""

SPANISH: Final = Language(
    code="es",
    script="latin",
    stemmer="spanish",
    layout="qwerty_es",
    wrong_layout="qwerty",
    function_words=frozenset(_GRAMMAR.split()),
    kept=frozenset(_KEPT.split()),
    openers=frozenset(_OPENERS.split()),
    questions=(
        "¿Qué es {query}?",
        "¿Qué se sabe sobre {query}?",
        "¿Dónde encuentro {query}?",
    ),
    polite="Buenos días, ¿podría ayudarme con esto, por favor? {query} ¡Muchas gracias!",
    negations=("{query} pero no sobre {word}", "{query} sin {word}"),
    asides=(
        "La primavera pasada me mudé a un piso pequeño junto al río.",
        "Mi hermana me visita un domingo de cada dos y trae un pastel.",
        "Aquí llueve desde hace tres días sin parar.",
        "Ayer mi vecino pintó su valla de verde claro.",
        "Suelo leer un poco antes del desayuno, cuando la casa está tranquila.",
        "Nuestro viejo perro duerme casi todo el día bajo la mesa de la cocina.",
        "El mes que viene nos gustaría volver a ver las montañas.",
        "Mi abuelo contaba largas historias sobre el mar.",
        "Los niños de al lado están aprendiendo a tocar el violín.",
        "Nunca se me ha dado bien recordar los cumpleaños.",
    ),
    neutral=tuple(_NEUTRAL.split()),
    sounds=(
        ("v", "b"),
        ("b", "v"),
        ("ll", "y"),
        ("y(?=[aeiou])", "ll"),
        ("(?<=[a-zñ])h", ""),
        ("qu(?=[ei])", "k"),
        ("c(?=[ei])", "s"),
        ("z", "s"),
        ("g(?=[ei])", "j"),
        ("j(?=[ei])", "g"),
        ("x", "s"),
        ("rr", "r"),
        ("mb", "nb"),
        ("mp", "np"),
        ("d$", ""),
        ("ó", "o"),
        ("á", "a"),
        ("é", "e"),
        ("í", "i"),
    ),
    inflections=(
        ("ciones$", "ción"),
        ("ción$", "ciones"),
        ("ces$", "z"),
        ("z$", "ces"),
        ("([rlndj])es$", r"\1"),
        ("([aeo])s$", r"\1"),
        ("([aeo])$", r"\1s"),
        ("([rlndj])$", r"\1es"),
    ),
    plurals=(("ción$", "ciones"), ("z$", "ces"), ("([aeo])$", r"\1s")),
    spellings=(
        ("solo", "sólo"),
        ("septiembre", "setiembre"),
        ("transporte", "trasporte"),
        ("psicología", "sicología"),
        ("whisky", "güisqui"),
        ("video", "vídeo"),
        ("fútbol", "futbol"),
        ("e-mail", "email"),
        ("&", "y"),
    ),
    months=(
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ),
    long_date="{day} de {month} de {year}",
    thousands=".",
    units=(
        ("km", "kilómetros"),
        ("kg", "kilogramos"),
        ("cm", "centímetros"),
        ("mm", "milímetros"),
        ("ml", "mililitros"),
        ("min", "minutos"),
        ("MB", "megabytes"),
        ("GB", "gigabytes"),
    ),
)
