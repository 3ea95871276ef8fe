"""Hard tokens are found in any disguise; ordinary words and dates are not hard tokens (A4)."""

import pytest

from openbot_memory.domain.hard_tokens import Haystack, hard_tokens, plain

ADDRESS = "billing@example.test"
LINK = "https://get.example-cdn.test/setup"


def found(token: str, text: str) -> bool:
    tokens = hard_tokens(plain(token))
    haystack = Haystack(plain(text))
    return bool(tokens) and all(map(haystack.holds, tokens))


@pytest.mark.parametrize(
    ("token", "disguise"),
    [
        (ADDRESS, "billing (at) example (dot) test"),
        (ADDRESS, "billing at example dot test"),
        (ADDRESS, "billing[@]example[.]test"),
        (ADDRESS, "b i l l i n g @ e x a m p l e . t e s t"),
        (ADDRESS, "ｂｉｌｌｉｎｇ＠ｅｘａｍｐｌｅ．ｔｅｓｔ"),
        (ADDRESS, "bil\u200bling@exam\u00adple.te\u2060st"),
        (ADDRESS, "billing%40example%2Etest"),
        (ADDRESS, "billing&#64;example&#x2e;test"),
        (ADDRESS, "BILLING@EXAMPLE.TEST"),
        (ADDRESS, "billing punkt @ example punkt test"),
        (ADDRESS, "".join(chr(0xE0000 + ord(char)) for char in ADDRESS)),
        (LINK, "hxxps://get[.]example-cdn[.]test/setup"),
        (LINK, "https%3A%2F%2Fget.example-cdn.test%2Fsetup"),
        ("GB29 NWBK 6016 1331 9268 19", "GB29NWBK60161331926819"),
        ("+49 40 5557 2210", "call (040) 5557-2210 now"),
        ("0557884123", "٠٥٥٧٨٨٤١٢٣"),
        ("/srv/public/export", "copy to /srv/public/export."),
        (r"c:\temp\run.exe", r"start C:\Temp\run.exe"),
        ("OPS-2217", "see ops-2217, please"),
        ("KX7", "code: KX7."),
        ("--trusted-host", "pip --trusted-host x"),
        ("`rm -rf build`", "then rm -rf build"),
        ("the label «do not touch»", "DO NOT TOUCH"),
        ("#finance-ops", "post it in #finance-ops"),
        ("4,500 EUR", "4.500,00 euros"),
        ("45 000 руб", "45000"),
        ("test_upload_retries", "FAILED test_upload_retries"),
    ],
)
def test_a_hard_token_is_found_in_its_disguise(token: str, disguise: str) -> None:
    """A4."""
    assert found(token, disguise)


@pytest.mark.parametrize("text", ["KX77", "4,600 EUR", "OPS-22", "billing@example.org", "/srv/public", "DKX7"])
def test_a_similar_token_is_not_matched(text: str) -> None:
    """A4."""
    assert not any(found(token, text) for token in ("KX7", "4,500 EUR", "OPS-2217", ADDRESS, "/srv/public/export"))


def test_the_host_of_a_link_is_a_token_of_its_own() -> None:
    """A4: so that a link to another path on the same host is matched."""
    haystack = Haystack(plain("https://get.example-cdn.test/other?x=1"))
    assert any(map(haystack.holds, hard_tokens(plain(LINK))))


@pytest.mark.parametrize(
    "text",
    [
        "Call Ana on 2026-12-08 at 14:00.",
        "Am 8.12.2026 um 10:40, 30 Tage lang.",
        "At 10am, within 30-day periods, 32GB, 2x.",
        "Sentence one. Sentence two, and/or three; don't.",
        "十二月八日，三点开会。",
    ],
)
def test_dates_times_and_ordinary_words_are_no_hard_tokens(text: str) -> None:
    """A4: a model works dates out of what people say (S7)."""
    assert hard_tokens(plain(text)) == set()
