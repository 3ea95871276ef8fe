"""Bearer tokens in the table, and the authorizer that looks them up."""

import json
import logging
import time
from collections.abc import Callable
from typing import Any

import pytest
from load_function import load
from service import ROOT

from openbot_memory.domain.errors import InvalidRequest, Unavailable
from openbot_memory.domain.session import Principal, PrincipalType
from openbot_memory.store import tokens
from openbot_memory.store.table import Table

NOW = 1_796_126_400
ANA = Principal(organization="acme", type=PrincipalType.PERSON, id="ana", name="Ana Ünal", admin=True)

type Handler = Callable[[dict[str, Any], None], dict[str, Any]]


@pytest.fixture
def table(aws: Any) -> Table:  # noqa: ANN401
    return Table(aws, "memory")


@pytest.fixture
def authorize(table: Table) -> Handler:  # noqa: ARG001 - it reads this table
    return load("authorize").handler


def request(authorization: str | None) -> dict[str, Any]:
    event = json.loads((ROOT / "events/authorize.json").read_text())
    del event["headers"]["authorization"]
    return event if authorization is None else event | {"headers": {"authorization": authorization}}


def test_an_issued_token_is_found_with_its_whole_principal(table: Table) -> None:
    token = tokens.issue(table, ANA)

    assert tokens.find(table, token, NOW) == ANA


def test_two_tokens_of_one_principal_differ_and_both_work(table: Table) -> None:
    first, second = tokens.issue(table, ANA), tokens.issue(table, ANA)

    assert first != second
    assert tokens.find(table, first, NOW) == tokens.find(table, second, NOW) == ANA


def test_a_token_ends_at_its_second_though_its_row_is_still_there(table: Table) -> None:
    token = tokens.issue(table, ANA, expires=NOW)

    assert tokens.find(table, token, NOW - 1) == ANA
    assert tokens.find(table, token, NOW) is None


def test_a_revoked_token_is_unknown_at_once_and_the_others_stay(table: Table) -> None:
    token, other = tokens.issue(table, ANA), tokens.issue(table, ANA)

    assert tokens.revoke(table, token)
    assert tokens.find(table, token, NOW) is None
    assert tokens.find(table, other, NOW) == ANA


def test_revoking_an_unknown_token_is_told(table: Table) -> None:
    assert not tokens.revoke(table, "obm_unknown")


@pytest.mark.parametrize("token", ["", "obm_", "obm_" + "x" * 43, "obm_" + "x" * 44, "TOKEN", "x" * 10_000])
def test_an_unknown_token_is_nobody(table: Table, token: str) -> None:
    assert tokens.find(table, token, NOW) is None


def test_the_token_itself_is_nowhere_in_the_table(table: Table) -> None:
    token = tokens.issue(table, ANA)

    everything = json.dumps(table.client.scan(TableName="memory")["Items"])

    assert token not in everything
    assert token.removeprefix(tokens.PREFIX) not in everything


@pytest.mark.parametrize("bad", ["", "#", "a#b", "_a", "a b", "a" * 65, "ä", "a\n"])
@pytest.mark.parametrize("path", ["organization", "id"])
def test_ids_that_could_reach_into_other_keys_are_refused(table: Table, path: str, bad: str) -> None:
    given: dict[str, Any] = {"organization": "acme", "id": "ana", path: bad}

    with pytest.raises(InvalidRequest):
        tokens.issue(table, Principal(type=PrincipalType.PERSON, **given))

    assert table.client.scan(TableName="memory")["Count"] == 0


def test_a_name_of_control_characters_is_refused(table: Table) -> None:
    with pytest.raises(InvalidRequest):
        tokens.issue(table, Principal(organization="acme", type=PrincipalType.PERSON, id="ana", name="a\x1fb"))


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_a_valid_token_is_authorized_with_its_principal_as_strings(
    table: Table, authorize: Handler, scheme: str
) -> None:
    token = tokens.issue(table, ANA)

    answer = authorize(request(f"{scheme} {token}"), None)

    context = {"organization": "acme", "type": "person", "id": "ana", "name": "Ana Ünal", "admin": "true"}
    assert answer == {"isAuthorized": True, "context": context}


def test_who_is_no_administrator_is_told_apart(table: Table, authorize: Handler) -> None:
    token = tokens.issue(table, Principal(organization="acme", type=PrincipalType.HOST, id="runtime"))

    assert authorize(request(f"Bearer {token}"), None)["context"]["admin"] == "false"


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer ", "Basic YTpi", "Bearer obm_unknown", "obm_unknown"])
def test_anything_else_is_refused(authorize: Handler, header: str | None) -> None:
    assert authorize(request(header), None) == {"isAuthorized": False, "context": {}}


def test_an_expired_and_a_revoked_token_are_refused(table: Table, authorize: Handler) -> None:
    expired = tokens.issue(table, ANA, expires=int(time.time()) - 1)
    revoked = tokens.issue(table, ANA)
    tokens.revoke(table, revoked)

    assert not authorize(request(f"Bearer {expired}"), None)["isAuthorized"]
    assert not authorize(request(f"Bearer {revoked}"), None)["isAuthorized"]


def test_an_outage_raises_and_authorizes_nobody(
    table: Table, authorize: Handler, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = tokens.issue(table, ANA)

    def unavailable(*_: object) -> None:
        raise Unavailable

    monkeypatch.setattr(Table, "get", unavailable)

    with pytest.raises(Unavailable):
        authorize(request(f"Bearer {token}"), None)


def test_nothing_of_a_token_is_printed_or_logged(
    table: Table, authorize: Handler, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    token = tokens.issue(table, ANA)
    wrong = "obm_" + "x" * 43

    with caplog.at_level(logging.INFO):
        authorize(request(f"Bearer {token}"), None)
        authorize(request(f"Bearer {wrong}"), None)

    written = "".join(capfd.readouterr()) + caplog.text
    assert token not in written
    assert wrong not in written
