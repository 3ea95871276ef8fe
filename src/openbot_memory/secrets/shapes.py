"""Keys of known services, tokens, headers and links, which show themselves by their shape."""

import re

from openbot_memory.secrets.values import PLACEHOLDER, REMARKS, STANDARD, has_both, is_random, mixed

_SHAPE = re.compile(
    r"""
    -----BEGIN\ [A-Z0-9\ ]{0,30}PRIVATE\ KEY | PuTTY-User-Key-File-\d | AGE-SECRET-KEY-1
    | (?<![\d-]) (?:\d{6}-){7} \d{6} (?![\d-])            # BitLocker
    | (?<![A-Za-z0-9]) (?:
        A(?:KI|SI|BI|CC)A[A-Z0-9]{16}                  # AWS
      | eyJ[\w-]{10,1000}+\.[\w-]{0,8000}+\.[\w-]{10}  # JWT
      | \d{8,10}:AA[\w-]{33}                           # Telegram
      | [srp]k_(?:live|test)_\w{10} | xapp-\d-\w{8}    # Stripe, Slack
      # GitHub, OpenAI, Stripe, Hugging Face, npm, DigitalOcean, Databricks, Grafana, Shopify, Linear, Notion, xAI, Groq
      | (?:gh[opsur]_|sk-|whsec_|hf_|npm_|do[oprt]_v1_|dapi|glsa_|shp(?:at|ca|pa|ss)_|lin_api_|ntn_|xai-|gsk_)
        [A-Za-z0-9]{20}
      # GitHub, GitLab, Slack, Anthropic and others, Google, PyPI, SendGrid, Docker, Vault, Figma, Atlassian, our own
      | (?:github_pat_|gl[a-z]{2,5}-|xox[a-z]-|sk-(?:ant|proj|svcacct|admin|or|lf)-|AIza|ya29\.|GOCSPX-|1//0|pypi-AgE
          |SG\.|dckr_pat_|hv[bsr]\.|figd_|ATATT3x|obm_)[\w-]{16}
    )
    """,
    re.VERBOSE | re.ASCII,
)
_LONG_TOKEN = re.compile(r"(?<![\w/+=])[A-Za-z0-9/+]{40}(?![\w/+=])")  # as an AWS secret access key


def has_shape(text: str) -> bool:
    return bool(_SHAPE.search(text)) or any(map(is_random, _LONG_TOKEN.findall(text)))


# ---- Links and headers ----

_LINKS = (
    "hooks.slack.com/services/",
    "hooks.slack.com/workflows/",
    "hooks.slack.com/triggers/",
    "discord.com/api/webhooks/",
    "webhook.office.com/webhook",
    "chat.whatsapp.com/",
    "//t.me/+",
    "//t.me/joinchat/",
    "calendar.google.com/calendar/ical/",
    "x-amz-signature=",
    "x-goog-signature=",
)
_ONE_TIME_LINK = re.compile(
    r"""
    \b(?:onetimesecret\.com/secret|pwpush\.com/(?:\w\w/)?p|1ty\.me|temp\.pm|cryptgeon\.org/note)/[\w?-]{6}
    | \b(?:privnote\.com|scrt\.link|yopass\.se|share\.1password\.com|(?:send|vault)\.bitwarden\.(?:com|eu)
      |transfer\.pw|password\.link)/[\w/?-]{0,60}\#[\w/-]{6}
    """,
    re.VERBOSE | re.IGNORECASE,
)
_COMMAND = re.compile(
    r"""
    \b(?:mysql|mariadb|7z)\w{0,10}\ (?:[^\n|;]{0,80}?\ )?-p(?P<glued>[^\s"'$-]\S{3,60})
    | \b(?:(?:docker|podman|oc|az|helm\ registry)\ login\b|sshpass|ldapsearch|zip|smbclient|net\ use|xfreerdp)
      [^\n|;]{0,80}?(?:\ -[pPw]\ |\ -U\ \w{1,30}%|/user:\S{1,40}\ |\ /p:)["']?(?P<spaced>[^\s"'$-][^\s"']{3,60})
    | \b(?:curl|https?|wget)\ (?:[^\n|;]{0,80}?\ )?(?:-u|-a|--user)[\ =][\w.@-]{1,60}:(?P<pair>[^\s$]{4,60})
    | \ -pass(?:in|out)?\ pass:(?P<openssl>[^\s$]{4,60})
    | (?i:password|passwd|_pass|_pwd|rediscli_auth)=["']?(?P<assigned>[^\s"'$<{&;%]{4,60})
    | \becho\ ["']?(?P<piped>[^\s"'$|]{4,60})["']?\ ?\|\ ?sudo\ -S
    """,
    re.VERBOSE,
)
_LINK_WITH_VALUE = re.compile(
    r"""
    ://[^\s/:@]{0,100}:(?P<user>[^\s/@]{1,100})@
    | [?&\#;](?!next|page)(?:\w{1,20}[_-])?(?:sig|signature|token|api_?key|password|passwd|pwd|secret|rlkey|jwt|hmac)
      =(?P<query>[^\s&\#]{6,100})
    | [?&\#](?:key|code|auth|sid|session|invite|ticket|resourcekey)=(?P<weak>[^\s&\#]{16,100})
    | /(?:reset|password|magic|invite|invitation|einladung|activate|aktivier|confirm|verify|bestätig)[\w-]{0,20}
      /(?P<path>[\w-]{16,100})
    | \b(?:bearer|basic|authorization:\ ?(?:\w{1,20}\ )?)\ ?(?P<header>[\w.~+/=-]{8,100})
    | \b(?:PGPASSWORD|MYSQL_PWD|SSHPASS|RESTIC_PASSWORD)=(?P<environment>[^\s"']{4,60})
    | \bcookie:\ ?[\w.-]{1,40}=(?P<cookie>[\w%.~+/-]{16,100})
    | \ (?:-u|--user)[\ =][^\s:]{1,60}:(?P<option>\S{4,60})
    | \b(?:sshpass\ -p|redis-cli\b[^\n|;]{0,80}?\ -a)\ ?["']?(?P<argument>[^\s"']{4,60})
    | [\w.+-]{1,60}@[\w-]{1,60}\.[\w.-]{2,60}:(?P<account>(?=[^\s/]{0,60}[!\#$%&*?])[^\s/]{6,60})
    | (?:^|[,;/(|\n]\ ?)pass\ ?[:=]\ ?(?P<field>\S{4,60})
    | (?:login|credentials|zugangsdaten|anmeldedaten)(?:(?:\ [\w-]{1,30}){0,3}\ ?:|\ (?:is|are|ist|sind|lauten))
      \ [^\s/|:]{1,60}\ ?[/|:]\ ?(?P<pair>[^\s/]{4,60})
    """,
    re.VERBOSE | re.IGNORECASE,
)
SHORTEST_PASSWORD = 6  # of a pair (`anna / hunter2`), where no noun says which is the password


_NAMES = frozenset({"password", "passwort", "passwd", "pass", "pwd"})  # where a form shows what to put there


def gives_access(text: str) -> bool:
    small = text.lower()
    if any(link in small for link in _LINKS) or _ONE_TIME_LINK.search(text):
        return True
    return any(map(_is_given, _COMMAND.finditer(text))) or any(map(_has_value, _LINK_WITH_VALUE.finditer(text)))


def _is_given(command: re.Match[str]) -> bool:
    """Whether the command line holds the password itself, and no place to take it from."""
    value = command[str(command.lastgroup)]
    return (
        not PLACEHOLDER.match(value)
        and not STANDARD.match(value)
        and value.lower() not in _NAMES
        and value.lower() not in REMARKS
    )


def _has_value(link: re.Match[str]) -> bool:
    value = link[str(link.lastgroup)]
    if PLACEHOLDER.match(value) or STANDARD.match(value) or value.lower() in _NAMES:
        return False
    if link.lastgroup == "pair" and has_both(value):
        return len(value) >= SHORTEST_PASSWORD
    return link.lastgroup in {"user", "query", "environment"} or is_random(value) or mixed(value)
