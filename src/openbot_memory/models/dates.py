"""Dates in place of relative times, English and German: `tomorrow` as `on 2026-12-06`, so that content stays true (S7).

Libraries were tried first. dateparser adds 220 ms and 11 MB to a cold start and takes the German article "Die" for
Tuesday; parsedatetime adds 60 ms and knows no German.

- Days, weeks, months and years are counted from the day of speaking: "in a month" is the same day of the next month.
- "next Friday" is the Friday of the next week, which begins on Monday; so it never is tomorrow. "this" and "coming
  Friday" are the first one from now on ("this Friday" may be today), "last Friday" is the one before today.
- A bare weekday stays as it is: whether "on Friday" is past or to come, only the rest of the sentence says.
- A capital letter inside a sentence is a name or a noun ("der Morgen", "Tomorrow Ltd"), and stays as it is.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from functools import cache, partial
from typing import NamedTuple

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def day_of(at: int) -> date:
    """The day in UTC of a time in ms since the epoch."""
    return datetime.fromtimestamp(at / 1000, UTC).date()


def with_weekday(day: date) -> str:
    """`2026-12-05, Saturday`: always in English, whatever the locale is."""
    return f"{day.isoformat()}, {WEEKDAYS[day.weekday()]}"


def resolved(sentence: str, day: date) -> str:
    """The sentence with dates in place of its relative times; `day` is the one on which it was said."""
    for time in _times():
        sentence = time.pattern.sub(partial(_replaced, time, day), sentence)
    return sentence


class _Language(NamedTuple):
    on: str  # before a day
    week: str
    bare: frozenset[str]  # words after which a date stands alone: "until 2026-12-06"
    days: dict[str, int]
    parts: dict[str, str]  # of a day
    weekdays: tuple[str, ...]
    numbers: dict[str, int]
    units: dict[str, str]
    which: dict[str, int]  # `this`, `next` and `last` as 0, 1 and -1; 2 for the first one to come


_ENGLISH = _Language(
    on="on",
    week="the week of",
    bare=frozenset("about after around as before by for from of over since than till to until".split()),
    days={
        "the day before yesterday": -2,
        "the day after tomorrow": 2,
        "yesterday": -1,
        "today": 0,
        "tonight": 0,
        "this": 0,
        "tomorrow": 1,
    },
    parts={
        "morning": "in the morning",
        "afternoon": "in the afternoon",
        "evening": "in the evening",
        "night": "at night",
    },
    weekdays=tuple(map(str.lower, WEEKDAYS)),
    numbers={"a": 1, "an": 1}
    | {word: n for n, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)},
    units={"day": "day", "week": "week", "month": "month", "year": "year"},
    which={"this coming": 2, "this": 0, "coming": 2, "next": 1, "last": -1},
)
_GERMAN = _Language(
    on="am",
    week="der Woche vom",
    bare=frozenset("ab als anfang auf bis ende etwa für gegen mitte nach seit um vom von vor zum".split()),
    days={"vorgestern": -2, "gestern": -1, "heute": 0, "morgen": 1, "übermorgen": 2},
    parts={
        "früh": "morgens",
        "morgen": "morgens",
        "vormittag": "vormittags",
        "mittag": "mittags",
        "nachmittag": "nachmittags",
        "abend": "abends",
        "nacht": "nachts",
    },
    weekdays=("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"),
    numbers={"einem": 1, "einer": 1}
    | {word: n for n, word in enumerate("zwei drei vier fünf sechs sieben acht neun zehn elf zwölf".split(), 2)},
    units={
        "tag": "day", "tagen": "day", "woche": "week", "wochen": "week",
        "monat": "month", "monaten": "month", "jahr": "year", "jahren": "year",
    },
    which={"diese": 0, "kommende": 2, "nächste": 1, "letzte": -1, "vergangene": -1, "vorige": -1},
)  # fmt: skip


type _Meaning = Callable[[re.Match[str], date, _Language], tuple[str, str]]


class _Time(NamedTuple):
    """One form of relative time in one language; `text` says what it means on a day: a preposition and a date."""

    language: _Language
    pattern: re.Pattern[str]
    text: _Meaning


def _replaced(time: _Time, day: date, found: re.Match[str]) -> str:
    """What stands in place of a match: with its preposition, but for one that stands there already."""
    start = found.start()
    if found[0][0].isupper() and start:
        return found[0]
    try:
        preposition, text = time.text(found, day, time.language)
    except (OverflowError, ValueError):  # beyond the calendar
        return found[0]
    before = re.search(r"(\w+) $", found.string[max(0, start - 20) : start])
    alone = (before and before[1].lower() in time.language.bare) or re.match(r"['’]s\b", found.string[found.end() :])
    whole = text if alone else f"{preposition} {text}"
    return whole[0].upper() + whole[1:] if found[0][0].isupper() else whole


def _day(day: date, found: re.Match[str], language: _Language) -> tuple[str, str]:
    part = language.parts.get((found["part"] or "").lower(), "")
    return language.on, f"{day.isoformat()} {part}".rstrip()


def _named_day(found: re.Match[str], day: date, language: _Language) -> tuple[str, str]:
    """`tomorrow`, `heute Abend`."""
    name = found["day"].lower()
    on, text = _day(day + timedelta(language.days[name]), found, language)
    return on, f"{text} in the evening" if name == "tonight" else text


def _weekday(found: re.Match[str], day: date, language: _Language) -> tuple[str, str]:
    """`next Friday`, `letzten Montag`."""
    ahead = (language.weekdays.index(found["weekday"].lower()) - day.weekday()) % 7
    which = language.which[found["which"].lower()]
    if which == 1:
        ahead += 0 if ahead + day.weekday() > len(WEEKDAYS) - 1 else 7  # already in the next week, or not yet
    elif which < 0 or (which > 1 and ahead == 0):
        ahead += 7 * (-1 if which < 0 else 1)
    return _day(day + timedelta(ahead), found, language)


def _counted(found: re.Match[str], day: date, language: _Language) -> tuple[str, str]:
    """`in two weeks`, `vor 3 Tagen`."""
    word = found["number"].lower()
    number = int(word) if word.isdigit() else language.numbers[word]
    number *= -1 if found.groupdict().get("past") else 1
    match language.units[found["unit"].lower()]:
        case "day":
            then = day + timedelta(number)
        case "week":
            then = day + timedelta(weeks=number)
        case "month":
            then = _months_later(day, number)
        case _:
            then = _months_later(day, 12 * number)
    return language.on, then.isoformat()


def _span(found: re.Match[str], day: date, language: _Language) -> tuple[str, str]:
    """`next week`, `letztes Jahr`."""
    number = min(1, language.which[found["which"].lower()])
    match language.units[found["unit"].lower()]:
        case "week":
            monday = day - timedelta(day.weekday()) + timedelta(weeks=number)
            return "in", f"{language.week} {monday.isoformat()}"
        case "month":
            return "in", _months_later(day, number).isoformat()[: len("2026-12")]
        case _:
            return "in", str(day.year + number)


def _months_later(day: date, months: int) -> date:
    """The same day of another month, or its last one."""
    years, month = divmod(day.month - 1 + months, 12)
    year = day.year + years
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _any(words: Iterable[str]) -> str:
    """A pattern of any of the words, the longest first."""
    return "|".join(sorted(words, key=len, reverse=True))


_OF_EACH = r"(?! (?:of|in|im|des|jedes)\b)"  # "the last Friday of each month" is no day

_FORMS: tuple[tuple[_Language, tuple[tuple[str, _Meaning], ...]], ...] = (
    (
        _ENGLISH,
        (
            (r"(?P<day>this) (?P<part>{parts})", _named_day),
            (r"(?P<day>(?!this\b)(?:{days}))(?: (?P<part>{parts}))?", _named_day),
            (
                r"(?<!the )(?:on )?(?P<which>{which}) (?P<weekday>{weekdays})(?: (?P<part>{parts}))?" + _OF_EACH,
                _weekday,
            ),
            (r"in (?P<number>\d{{1,3}}|{numbers}) (?P<unit>{units})s?(?:['’] time)?", _counted),
            (r"(?P<number>\d{{1,3}}|{numbers}) (?P<unit>{units})s? (?P<past>ago)", _counted),
            (r"(?<!the )(?P<which>{which}) (?P<unit>week|month|year)", _span),
        ),
    ),
    (
        _GERMAN,
        (
            (r"(?P<day>{days})(?: (?P<part>{parts}))?", _named_day),
            (
                r"(?<!den )(?<!jeden )(?:am )?(?P<which>{which})[nrm]? (?P<weekday>{weekdays})(?: (?P<part>{parts}))?"
                + _OF_EACH,
                _weekday,
            ),
            (r"(?:in|(?P<past>vor)) (?P<number>\d{{1,3}}|{numbers}) (?P<unit>{units})", _counted),
            (r"(?:in der |im |in )?(?P<which>{which})[rsnm]? (?P<unit>woche|monat|jahr)", _span),
        ),
    ),
)


@cache
def _times() -> list[_Time]:
    """Compiled when the first sentence is read: models that need only the weekdays start without it."""
    return [_time(language, form, text) for language, forms in _FORMS for form, text in forms]


def _time(language: _Language, form: str, text: _Meaning) -> _Time:
    names = {name: _any(getattr(language, name)) for name in ("days", "parts", "weekdays", "numbers", "units", "which")}
    return _Time(language, re.compile(rf"(?<![\w-]){form.format(**names)}(?![\w-])", re.IGNORECASE), text)
