"""Decides whether a text holds a credential (S7): a password, a key, or a link that gives access.

Keys of known services, one-time links and command lines are recognized by their *shape* (`shapes`). Passwords, PINs and
other keys are *stated*, in whatever language (`statements`): a noun ("Passwort", "API key"), a link (":", "is",
"lautet") and a value that looks like one, not like a remark on it ("expired", "12 characters"). The words of each
language stand in `words.toml`.

No small library finds stated credentials in many languages; detect-secrets takes 128 ms and knows code only.
Every repetition in a pattern is bounded or starts at a token's first character, so the work grows with the text only.
"""

from openbot_memory.secrets.plain import plain
from openbot_memory.secrets.shapes import gives_access, has_shape
from openbot_memory.secrets.statements import states_one


def holds_secret(text: str) -> bool:
    text = plain(text)
    return has_shape(text) or gives_access(text) or states_one(text)
