"""The lists of an organization's sessions and agents: newest created first, in pages, its own only."""

from itertools import chain
from zlib import crc32

from service import Json, Service

from openbot_memory.store.directory import PARTITIONS


def listed(service: Service, path: str) -> list[list[str]]:
    """The ids in pages."""
    pages, cursor, name = list[list[str]](), "", path.partition("?")[0]
    while True:
        page = service.get(f"/v1/{path}{cursor}")
        pages.append([each["id"] for each in page[name]])
        if page["cursor"] is None:
            return pages
        cursor = f"{'&' if '?' in path else '?'}cursor={page['cursor']}"
        assert len(pages) < 100


def created(service: Service, count: int, agent: str | None = None) -> list[str]:
    """Sessions created one after another, the newest first."""
    return [service.session(agent=agent) for _ in range(count)][::-1]


def test_sessions_are_listed_newest_created_first_in_pages(service: Service) -> None:
    ids = created(service, 23)
    whole = service.get("/v1/sessions")["sessions"]
    order = [each["createdAt"] for each in whole]

    assert order == sorted(order, reverse=True)
    assert sorted(each["id"] for each in whole) == sorted(ids)
    assert whole[0] == service.get(f"/v1/sessions/{whole[0]['id']}")["session"]
    found = listed(service, "sessions?limit=5")
    assert [len(page) for page in found] == [5, 5, 5, 5, 3]
    assert [*chain(*found)] == [each["id"] for each in whole]


def test_a_page_goes_on_right_however_unevenly_ids_are_spread(service: Service) -> None:
    """Ids whose hashes meet in one partition, so that its first page of rows does not do."""
    ids = [each for each in (f"s-{number}" for number in range(600)) if crc32(each.encode()) % PARTITIONS == 3][:40]
    for each in ids:
        service.session(id=each)

    assert sorted([*chain(*listed(service, "sessions?limit=25"))]) == sorted(ids)


def test_an_agents_sessions_are_listed_by_it(service: Service) -> None:
    agent, other = (service.post("/v1/agents", {"name": "Helper", "id": each})["agent"]["id"] for each in ("a", "a-1"))
    own = [each for _ in range(6) for each in (*created(service, 1, agent=agent), *created(service, 1, agent=other))]
    created(service, 2)

    assert sorted([*chain(*listed(service, f"sessions?agent={agent}&limit=4"))]) == sorted(own[::2])
    assert sorted([*chain(*listed(service, f"sessions?agent={other}&limit=4"))]) == sorted(own[1::2])


def test_an_unknown_agents_list_is_404_and_a_bad_id_is_400(service: Service) -> None:
    unknown, bad = (service.call("GET", f"/v1/sessions?agent={agent}") for agent in ("a-9", "a%23"))

    assert (unknown.status, unknown.body["_tag"]) == (404, "AgentNotFound")
    assert (bad.status, bad.body["issues"][0]["path"]) == (400, "agent")


def test_a_fork_is_listed_and_a_deleted_session_leaves_the_list_at_once(service: Service) -> None:
    agent = service.post("/v1/agents", {"name": "Helper"})["agent"]["id"]
    session = service.session(agent=agent)
    fork = service.post(f"/v1/sessions/{session}/fork", {})["session"]["id"]
    assert {*chain(*listed(service, f"sessions?agent={agent}"))} == {session, fork}

    assert service.call("DELETE", f"/v1/sessions/{session}", {}, caller="admin").status == 200

    assert listed(service, "sessions") == listed(service, f"sessions?agent={agent}") == [[fork]]


def test_a_page_goes_on_behind_sessions_deleted_meanwhile(service: Service) -> None:
    created(service, 6)
    order = [*chain(*listed(service, "sessions"))]
    page = service.get("/v1/sessions?limit=2")
    for each in order[1:4]:  # the last one shown, and the next two
        service.call("DELETE", f"/v1/sessions/{each}", {}, caller="admin")

    rest = service.get(f"/v1/sessions?cursor={page['cursor']}")

    assert [each["id"] for each in rest["sessions"]] == order[4:]


def test_an_id_is_listed_once_after_it_was_deleted_and_created_again(service: Service) -> None:
    service.session(id="again")
    service.call("DELETE", "/v1/sessions/again", {}, caller="admin")
    service.deliver()
    service.session(id="again")

    assert listed(service, "sessions") == [["again"]]


def test_agents_are_listed_as_they_are_now(service: Service) -> None:
    for number in range(7):
        service.post("/v1/agents", {"name": f"Helper {number}", "id": f"a-{number}"})
    command = {"_tag": "Remember", "key": "tests-first", "content": "Tests come first.", "kind": "procedure"}
    service.post("/v1/agents/a-3/memory", {"expected": 0, "command": command})

    agents = {each["id"]: each for each in service.get("/v1/agents")["agents"]}

    assert agents["a-3"] == service.get("/v1/agents/a-3")["agent"]
    assert (len(agents), agents["a-3"]["version"]) == (7, 1)
    assert sorted([*chain(*listed(service, "agents?limit=3"))]) == sorted(agents)


def test_another_organizations_sessions_and_agents_are_not_listed(service: Service) -> None:
    service.session()
    service.post("/v1/agents", {"name": "Helper", "id": "a-1"})
    other: Json = {"organization": "acm", "caller": "admin"}

    assert service.get("/v1/sessions", **other)["sessions"] == service.get("/v1/agents", **other)["agents"] == []
    assert service.call("GET", "/v1/sessions?agent=a-1", **other).status == 404


def test_a_cursor_of_another_list_is_400(service: Service) -> None:
    service.post("/v1/agents", {"name": "Helper", "id": "a-1"})
    created(service, 3, agent="a-1")
    cursor = service.get("/v1/sessions?limit=1")["cursor"]

    for path in ("sessions?agent=a-1&", "agents?"):
        reply = service.call("GET", f"/v1/{path}cursor={cursor}")
        assert (reply.status, reply.body["issues"][0]["path"]) == (400, "cursor")
    assert service.call("GET", f"/v1/sessions?cursor={cursor}", organization="globex").status == 400


def test_a_refused_creation_lists_nothing(service: Service) -> None:
    service.session(id="one")
    assert service.call("POST", "/v1/sessions", {"model": "test", "id": "one"}).status == 409
    assert service.call("POST", "/v1/sessions", {"model": "test", "id": "two", "agent": "nobody"}).status == 404

    assert listed(service, "sessions") == [["one"]]


def test_creations_are_spread_over_partitions(service: Service) -> None:
    """No two rows of a list that every creation writes are one row, and the rows lie in several partitions."""
    created(service, 40)
    puts = [
        write["Put"]["Item"]
        for name, request in service.requests
        if name == "TransactWriteItems"
        for write in request["TransactItems"]
        if "Put" in write and "#SESSIONS#" in write["Put"]["Item"]["pk"]["S"]
    ]

    assert len({(row["pk"]["S"], row["sk"]["S"]) for row in puts}) == 40
    assert len({row["pk"]["S"] for row in puts}) >= 6
    assert not any(name == "Scan" for name, _ in service.requests)
