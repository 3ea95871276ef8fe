"""Permissions: every route with every kind of token, on the caller's own data and on another organization's."""

import json
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import httpx
import pytest
from local_stack import Api, Json, Stack, routes_of_the_template
from requests_by_route import UNKNOWN, Ids, Owned, requests_by_route, send

from openbot_memory.domain.session import Principal, PrincipalType
from openbot_memory.store import tokens
from openbot_memory_emulator.sample_tokens import local_table

CACHE = 1  # seconds: AuthorizerCacheSeconds of the local stack

EVERYONE = {"person", "agent", "host", "admin"}
PERSONS = {"person", "admin"}
MAY = {
    "DELETE /v1/sessions/{id}": {"admin", "host"},
    "PATCH /v1/organization": {"admin"},
    "POST /v1/sessions/{id}/promote": EVERYONE - {"host"},  # A10
    "POST /v1/agents/{id}/memory, Remember of a retracted key": PERSONS,  # A4
    "POST /v1/agents/{id}/memory, Restore": PERSONS,
}  # all else: everyone of the organization


@pytest.fixture(scope="module")
def owned(stack: Stack) -> Iterator[Owned]:
    """A session and an agent that no test may change."""
    with stack.api("admin") as client:
        yield Owned.made(client)


@pytest.fixture(scope="module")
def globex(stack: Stack) -> dict[str, str]:
    """Tokens of another organization."""
    gina = Principal(organization="globex", type=PrincipalType.PERSON, id="gina", admin=True)
    return {
        "person": stack.description["tokens"]["otherOrganization"],
        "admin": tokens.issue(local_table(stack.config), gina),
    }


def test_every_route_is_requested_here(owned: Owned) -> None:
    assert {request_name.partition(",")[0] for request_name in requests_by_route(owned)} == routes_of_the_template()


@pytest.mark.parametrize("caller", sorted(EVERYONE))
def test_each_caller_may_do_exactly_what_the_table_says(api: Api, caller: str) -> None:
    owned, client = Owned.made(api("admin")), api(caller)
    wrong = list[str]()
    for request_name, make_request in requests_by_route(owned).items():
        allowed, request = caller in MAY.get(request_name, EVERYONE), make_request()
        before = None if allowed else owned.everything()
        answer = send(client, request_name, Ids(owned.session.id, owned.agent), request)
        right = answer.is_success if allowed else refused(answer) and owned.everything() == before
        wrong += [] if right else [f"{request_name}: {answer.status_code} {answer.text}"]

    assert wrong == []


def refused(answer: httpx.Response) -> bool:
    return answer.status_code == 403 and answer.json()["_tag"] in {"Forbidden", "PersonRequired"}


@pytest.mark.parametrize("caller", ["person", "admin"])
def test_ids_of_another_organization_are_not_found(api: Api, globex: dict[str, str], owned: Owned, caller: str) -> None:
    """404 with the same body as for an id that never existed, also in one's own organization; nothing is changed."""
    before, wrong = owned.everything(), list[str]()
    other, own, there = api(globex[caller]), api(caller), Ids(owned.session.id, owned.agent)
    for request_name, make_request in requests_by_route(owned).items():
        if "{id}" in request_name:
            request = make_request()
            asked = [
                send(client, request_name, ids, request)
                for client, ids in ((other, there), (other, UNKNOWN), (own, UNKNOWN))
            ]
            answers = {(answer.status_code, answer.text) for answer in asked}
            wanted = 404 if caller in MAY.get(request_name, EVERYONE) else 403
            wrong += [] if len(answers) == 1 and asked[0].status_code == wanted else [f"{request_name}: {answers}"]

    assert wrong == []
    assert owned.everything() == before


def test_no_body_reaches_into_another_organization(api: Api, globex: dict[str, str], owned: Owned) -> None:
    """Neither by an agent's id nor by a version."""
    other = Owned.made(api(globex["admin"]))
    client, before = other.session.client, owned.everything()
    named = client.post("/v1/sessions", json={"model": "offline", "agent": owned.agent})

    promoted = client.post(f"{other.session.path}/promote", json={"agent": owned.agent})
    forked = client.post(f"{other.session.path}/fork", json={"at": owned.session.seen["expected"]})
    rewound = client.post(
        f"{other.session.path}/rewind", json=other.session.seen | {"to": owned.session.seen["expected"]}
    )

    assert (promoted.status_code, promoted.json()["_tag"]) == (404, "AgentNotFound")
    assert (forked.status_code, forked.json()["_tag"]) == (404, "VersionNotFound")
    assert (rewound.status_code, rewound.json()["_tag"]) == (404, "VersionNotFound")
    assert (named.status_code, named.json()["_tag"]) == (404, "AgentNotFound")
    assert owned.everything() == before


def test_the_lists_show_the_organizations_own_alone(api: Api, globex: dict[str, str], owned: Owned) -> None:
    other = Owned.made(api(globex["admin"]))
    for client, own, theirs in ((api("admin"), owned, other), (api(globex["person"]), other, owned)):
        sessions = {each["id"] for each in listed(client, "/v1/sessions")}
        agents = {each["id"] for each in listed(client, "/v1/agents")}
        assert own.session.id in sessions
        assert theirs.session.id not in sessions
        assert own.agent in agents
        assert theirs.agent not in agents
        assert [each["id"] for each in listed(client, f"/v1/sessions?agent={own.agent}")] == [own.session.id]
        assert client.get(f"/v1/sessions?agent={theirs.agent}").status_code == 404


def listed(client: httpx.Client, path: str) -> Iterator[Json]:
    name, pages = path.partition("?")[0].rpartition("/")[2], httpx.URL(path)
    while True:
        page = client.get(pages).raise_for_status().json()
        yield from page[name]
        if page["cursor"] is None:
            return
        pages = pages.copy_merge_params({"cursor": page["cursor"]})


def test_every_route_refuses_callers_without_a_valid_token(stack: Stack, owned: Owned) -> None:
    """401 without a token, 403 if the authorizer refuses it; the body is the gateway's."""
    wrong, before = list[str](), owned.everything()
    ids = Ids(owned.session.id, owned.agent)
    for name, header in invalid_headers(stack).items():
        headers = {} if header is None else {"Authorization": header}
        with httpx.Client(base_url=stack.description["url"], headers=headers, timeout=60, trust_env=False) as client:
            for request_name, make_request in requests_by_route(owned).items():
                answer = send(client, request_name, ids, make_request() if name == "expired" else {})
                if answer.status_code != (403 if header else 401) or "_tag" in answer.text:
                    wrong.append(f"{name}, {request_name}: {answer.status_code} {answer.text}")

    assert wrong == []
    assert owned.everything() == before


def invalid_headers(stack: Stack) -> dict[str, str | None]:
    """Authorization headers, by what is wrong with them."""
    table, token = local_table(stack.config), stack.description["tokens"]["admin"]
    ada = Principal(organization="acme", type=PrincipalType.PERSON, id="ada", admin=True)
    expired, revoked = tokens.issue(table, ada, expires=int(time.time()) - 1), tokens.issue(table, ada)
    tokens.revoke(table, revoked)
    return {
        "none": None,
        "empty": "",
        "unknown": f"Bearer obm_{'x' * 43}",
        "expired": f"Bearer {expired}",
        "revoked": f"Bearer {revoked}",
        "no scheme": token,
        "another scheme": f"Basic {token}",
    }


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ("bearer {}", 200),
        ("BEARER {}", 200),
        ("Bearer  {}", 200),  # RFC 9110: one or more blanks
        ("Bearer {},Bearer {}", 403),  # how HTTP APIs join two headers
        ("Bearer {} x", 403),
        ("Bearer\t{}", 403),
        ("Bearer\u00a0{}", 403),
        ('Bearer "{}"', 403),
        ("Bearer token={}", 403),
        ("Bearer", 403),
        ("Bearer: {}", 403),
        ("Bearer Bearer {}", 403),
        ("xBearer {}", 403),
    ],
)
def test_an_authorization_header_must_be_a_bearer_token(stack: Stack, header: str, status: int) -> None:
    token = stack.description["tokens"]["person"]
    given = [(b"Authorization", header.format(token, token).encode())]
    with httpx.Client(base_url=stack.description["url"], headers=given, timeout=60, trust_env=False) as client:
        assert client.get("/v1/organization").status_code == status


def test_a_request_with_two_tokens_never_mixes_them(
    stack: Stack, api: Api, globex: dict[str, str], owned: Owned
) -> None:
    """Nor does the gateway's cache: afterwards each token reaches only its own organization."""
    path, acme = f"/v1/sessions/{owned.session.id}", stack.description["tokens"]["admin"]
    for pair in ((acme, globex["admin"]), (globex["admin"], acme)):
        headers = [("Authorization", f"Bearer {token}") for token in pair]
        with httpx.Client(base_url=stack.description["url"], headers=headers, timeout=60, trust_env=False) as client:
            assert client.get(path).status_code in {200, 401, 403, 404}
        assert api(globex["admin"]).get(path).status_code == 404
        assert api(acme).get(path).status_code == 200


def test_a_revoked_token_stops_working_when_the_cache_expires(stack: Stack, api: Api) -> None:
    """Even if it is used all the time."""
    table = local_table(stack.config)
    token = tokens.issue(table, Principal(organization="acme", type=PrincipalType.PERSON, id="ben"))
    client = api(token)
    assert client.get("/v1/organization").status_code == 200
    tokens.revoke(table, token)

    end = time.monotonic() + CACHE
    while time.monotonic() < end:
        assert client.get("/v1/organization").status_code in {200, 403}

    assert client.get("/v1/organization").status_code == 403


def test_two_tokens_never_share_an_identity(stack: Stack, api: Api, globex: dict[str, str], owned: Owned) -> None:
    """Each requests the same path at the same time, repeatedly, as the cache fills and empties."""
    path, acme = f"/v1/sessions/{owned.session.id}", stack.description["tokens"]["person"]
    wanted = {acme: 200, globex["person"]: 404, acme.swapcase(): 403, acme[:-1]: 403, acme + "x": 403}

    def asked(token: str) -> set[int]:
        client = api(token)
        return {client.get(path).status_code for _ in range(6)}

    with ThreadPoolExecutor(len(wanted)) as pool:
        assert dict(zip(wanted, pool.map(asked, wanted), strict=True)) == {t: {s} for t, s in wanted.items()}


def odd_ids(foreign: str) -> list[str]:
    """Decoded path segments that are not valid ids."""
    return [
        *(
            "#",
            "/",
            "?",
            "\0",
            "..",
            "%2F",
            "%00",
            "a b",
            "-a",
            "a\n",
            "ä",
            "ａ",
            "🙂",
            "\u202ea",
            "a" * 65,
            "{id}",
            "a:b",
        ),
        *(f"ORG#globex#SESSION#{foreign}", f"../{foreign}", f"{foreign}#M", f"{foreign}/memory", f"{foreign}\0"),
        *(f"x#ORG#globex#SESSION#{foreign}", f"{foreign}?x", f"globex/{foreign}", "A" * 1000),
    ]


def requests_with_odd_ids(owned: Owned, foreign: str) -> Iterator[tuple[str, str, Json, set[int]]]:
    """Yield method, path, arguments and allowed statuses; 409 where the text is a valid but unknown key."""
    for odd in odd_ids(foreign):
        part = quote(odd, safe="")
        yield "GET", f"/v1/sessions/{part}/export", {}, {400, 404}
        yield "GET", f"/v1/agents/{part}/memory", {}, {400, 404}
        erase = {"_tag": "Erase", "key": odd}
        yield "POST", f"{owned.session.path}/memory", {"json": owned.session.seen | {"command": erase}}, {400, 409}
        yield "POST", f"/v1/agents/{owned.agent}/memory", {"json": owned.change_of_agent(erase)}, {400, 409}
        yield "DELETE", f"/v1/sessions/{part}", {}, {400, 403, 404}
        yield "POST", "/v1/sessions", {"json": {"model": "offline", "id": odd}}, {400}
        yield "POST", f"{owned.session.path}/fork", {"json": {"at": odd}}, {400, 404}


def test_an_invalid_id_is_refused_or_not_found_and_changes_nothing(
    api: Api, globex: dict[str, str], owned: Owned
) -> None:
    """Ids with delimiters of paths, URLs or the table's keys, and `..`, which makes a client request another route."""
    other = Owned.made(api(globex["admin"]))
    before, theirs, wrong = owned.everything(), other.everything(), list[str]()

    for method, path, request, allowed in requests_with_odd_ids(owned, other.session.id):
        answer = owned.session.client.request(method, path, **request)
        if answer.status_code not in allowed or re.search(r"Gus|Gina|Traceback|ORG#", answer.text):
            wrong.append(f"{method} {path} {json.dumps(request)}: {answer.status_code} {answer.text[:200]}")

    assert wrong == []
    assert owned.everything() == before
    assert other.everything() == theirs
