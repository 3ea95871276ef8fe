"""A warm container caches no memory and no settings: every change shows in the very next read."""

from collections.abc import Iterator

import pytest
from local_stack import Api, Session

WARM = 5  # reads before, one after another, so that one container answers them all


@pytest.fixture
def known(api: Api) -> Session:
    """A session whose only fact has been read several times."""
    session = Session.begin(api("person"), model="offline")
    session.remember("seat", "Ana sits at the window.")
    for _ in range(WARM):
        assert session.entries["seat"]["status"] == "active"
        assert "window" in session.get("/instructions")["text"]
    return session


@pytest.fixture
def organization(api: Api) -> Iterator[None]:
    """Restores the organization's settings after the test."""
    admin = api("admin")
    before = admin.get("/v1/organization").json()
    yield
    assert admin.patch("/v1/organization", json=before).json() == before


def test_a_forgotten_fact_is_gone_from_the_very_next_read(known: Session) -> None:
    """S4: retracted facts are never sent."""
    known.forget("seat")

    assert known.entries["seat"]["status"] == "retracted"
    assert known.get("/instructions")["text"] == ""


@pytest.mark.usefixtures("organization")
def test_the_organizations_switch_takes_effect_in_the_very_next_instructions(api: Api, known: Session) -> None:
    """S3: no cached setting."""
    settings = api("admin")

    assert settings.patch("/v1/organization", json={"memory": {"use": False}}).status_code == 200
    assert known.get("/instructions")["text"] == ""
    assert known.get("/memory")["settings"]["use"] is False

    assert settings.patch("/v1/organization", json={"memory": {"use": True}}).status_code == 200
    assert "window" in known.get("/instructions")["text"]


def test_a_sessions_own_switch_takes_effect_in_the_very_next_instructions(known: Session) -> None:
    """S3."""
    assert known.change("Configure", use=False).status_code == 200
    assert known.get("/instructions")["text"] == ""

    assert known.change("Configure", use=None).status_code == 200
    assert "window" in known.get("/instructions")["text"]
