"""Everyday questions in other scripts, in our own words.

The order is part of the suite: an entry's place is its id. Half a dozen a script, about things
far from most collections.
"""

from typing import Final

FOREIGN: Final = {
    "CYRILLIC": (
        "как сварить борщ без мяса",
        "почему кот не ест сухой корм",
        "когда сажать чеснок под зиму",
        "сколько стоит билет до Самары",
        "как связать шарф спицами",
        "кто выиграл кубок в прошлом году",
    ),
    "GREEK": (
        "πώς φτιάχνω ψωμί χωρίς μαγιά",
        "πότε κλαδεύουμε τις ελιές",
        "γιατί η γάτα μου νιαουρίζει τη νύχτα",
        "πόσο κοστίζει το πλοίο για τη Νάξο",  # noqa: RUF001  (Greek is meant)
        "ποιος κέρδισε τον τελικό χθες",
        "πώς ράβω ένα κουμπί",
    ),
    "HEBREW": (
        "איך מכינים חלה לשבת",
        "מתי שותלים עגבניות בגינה",
        "למה הכלב שלי נובח בלילה",
        "כמה עולה כרטיס רכבת לחיפה",
        "מי ניצח במשחק אתמול",
        "איך סורגים כובע לתינוק",
    ),
    "ARABIC": (
        "كيف أطبخ العدس بدون بصل",
        "متى نزرع الثوم في الحديقة",
        "لماذا لا تأكل قطتي",
        "كم سعر تذكرة القطار إلى طنجة",
        "من فاز بالكأس أمس",
        "كيف أخيط زرا لقميص",
    ),
    "DEVANAGARI": (
        "बिना प्याज के दाल कैसे बनाएं",
        "टमाटर के पौधे कब लगाएं",
        "मेरा कुत्ता रात में क्यों भौंकता है",
        "जयपुर की बस का किराया कितना है",
        "कल का मैच किसने जीता",
        "ऊनी टोपी कैसे बुनें",
    ),
    "HANGUL": (
        "김치 담그는 방법 알려줘",
        "고양이가 밤에 우는 이유",
        "부산 가는 기차표 가격",
        "토마토 모종 심는 시기",
        "어제 축구 경기 누가 이겼어",
        "목도리 뜨는 법 초보",
    ),
    "LATIN": (
        "how to cook lentils without onions",
        "when to plant garlic in the garden",
        "why does my dog bark at night",
        "price of a train ticket to the coast",
        "who won the cup final last year",
        "how to knit a hat for a baby",
    ),
}
"""By script, in the name that Unicode's character names start with."""
