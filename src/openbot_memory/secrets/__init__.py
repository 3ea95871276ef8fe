"""Whether a text holds a credential (S7): a password, a key, or a link that gives access.

Two ways to find one. Keys of known services, tokens and links show themselves by their *shape*. Passwords, PINs and
other keys are *stated*: a noun ("Passwort", "API key"), a link (":", "is", "lautet") and a value that looks like one,
and not like a remark on it ("expired", "12 characters"). In doubt, what directly follows a colon is a secret.

The patterns are our own, because detect-secrets takes over 300 ms to import and knows only code, no German, no PINs.
Every repetition is bounded or starts at a token's first character, so the work grows with the text's length only.
"""

from openbot_memory.secrets.plain import plain
from openbot_memory.secrets.shapes import gives_access, has_shape
from openbot_memory.secrets.statements import states_one


def holds_secret(text: str) -> bool:
    text = plain(text)
    return has_shape(text) or gives_access(text) or states_one(text)
