"""The operations to measure. Each prepares, counts exactly one request or event, and checks its result."""

from collections.abc import Callable, Mapping
from typing import Any

from bench import Bench, check
from meter import Cost
from seeds import BATCH, FACT, Json, Subject, numbers, said, turn_of, walk

type Operation = Callable[[Bench, Subject], Cost | None]  # None: not applicable to this session

PAGE = 100
MEGABYTE = 1_000_000


def _read(bench: Bench, path: str) -> tuple[Cost, Json]:
    with bench.measured() as cost:
        answer = bench.service.get(path)
    return cost, answer


def _post(bench: Bench, path: str, body: Json, **how: Any) -> tuple[Cost, Json]:  # noqa: ANN401
    with bench.measured() as cost:
        answer = bench.service.post(path, body, **how)
    return cost, answer


def session(bench: Bench, subject: Subject) -> Cost:
    cost, view = _read(bench, subject.path)
    check(view["session"]["head"] == subject.head, "the session is at its head")
    return cost


def memory(bench: Bench, subject: Subject) -> Cost:
    cost, answer = _read(bench, f"{subject.path}/memory")
    active = {key: each["content"] for key, each in answer["entries"].items() if each["status"] == "active"}
    check(active == subject.entries, "the memory holds the latest content of every fact")
    return cost


def memory_page(bench: Bench, subject: Subject) -> Cost:
    cost, page = _read(bench, f"{subject.path}/memory?limit={PAGE}")
    check(len(page["entries"]) == min(PAGE, len(subject.entries)), "a page of the memory is full")
    return cost


def memory_next_page(bench: Bench, subject: Subject) -> Cost | None:
    first = subject.get(f"/memory?limit={PAGE}")
    if "cursor" not in first:
        return None
    cost, page = _read(bench, f"{subject.path}/memory?limit={PAGE}&cursor={first['cursor']}")
    check(page["entries"] and not page["entries"].keys() & first["entries"].keys(), "pages share no fact")
    return cost


def items_page(bench: Bench, subject: Subject) -> Cost:
    cost, page = _read(bench, f"{subject.path}/items?limit={PAGE}")
    check(len(page["items"]) == min(PAGE, subject.items), "a page of the items is full")
    return cost


def items_page_between(bench: Bench, subject: Subject) -> Cost | None:
    if not subject.cursors:
        return None
    before = sorted(subject.cursors)[len(subject.cursors) // 2]
    cost, page = _read(bench, f"{subject.path}/items?limit={PAGE}&cursor={subject.cursors[before]}")
    check(page["items"][0]["id"] == f"i-{before + 1:02d}", "a page begins where the one before ended")
    return cost


def log_page(bench: Bench, subject: Subject) -> Cost:
    cost, page = _read(bench, f"{subject.path}/memory/log?limit={PAGE}")
    check(page["log"], "there is a log")
    return cost


def instructions(bench: Bench, subject: Subject) -> Cost:
    cost, answer = _read(bench, f"{subject.path}/instructions")
    counts = answer["session"]
    check(counts["shown"] + counts["omitted"] == len(subject.entries), "every active fact is shown or counted")
    return cost


def search(bench: Bench, subject: Subject) -> Cost:
    wanted = next(iter(subject.entries))
    cost, page = _read(bench, f"{subject.path}/memory?q={wanted}&limit=25")
    check(page["found"][0] == wanted, "what has the very words is found first")
    return cost


def instructions_near(bench: Bench, subject: Subject) -> Cost:
    oldest = next(iter(subject.entries))
    cost, answer = _read(bench, f"{subject.path}/instructions?q={oldest}")
    check(f"«{oldest}»" in answer["text"], "an old fact that is near to the query is told")
    return cost


def sessions_page(bench: Bench, _subject: Subject) -> Cost:
    return _list(bench, "sessions", {"model": "offline"})


def agents_page(bench: Bench, _subject: Subject) -> Cost:
    return _list(bench, "agents", {"name": "Helper"})


def _list(bench: Bench, name: str, new: Json) -> Cost:
    while len(bench.service.get(f"/v1/{name}?limit={PAGE}")[name]) < PAGE:
        bench.service.post(f"/v1/{name}", new)
    cost, page = _read(bench, f"/v1/{name}?limit={PAGE}")
    times = [each["createdAt"] for each in page[name]]
    check(times == sorted(times, reverse=True), "a list begins with what was created last")
    return cost


def agent_page(bench: Bench, subject: Subject) -> Cost:
    cost, page = _read(bench, f"/v1/agents/agent-{subject.name}/memory?limit={PAGE}")
    check(page["entries"], "an agent has entries")
    return cost


def agent_remember(bench: Bench, subject: Subject) -> Cost:
    path = f"/v1/agents/agent-{subject.name}/memory"
    version = bench.service.get(f"/v1/agents/agent-{subject.name}")["agent"]["version"]
    command = {"_tag": "Remember", "key": "point-00000", "content": FACT.format(next(numbers)), "kind": "procedure"}
    cost, answer = _post(bench, path, {"expected": version, "command": command})
    check(answer["version"] == version + 1, "an agent's memory comes to its next version")
    return cost


def remember(bench: Bench, subject: Subject) -> Cost:
    return _remember(bench, subject, next(iter(subject.entries)))


def remember_new(bench: Bench, subject: Subject) -> Cost:
    return _remember(bench, subject, "something-new")


def remember_once(bench: Bench, subject: Subject) -> Cost:
    return _remember(bench, subject, next(iter(subject.entries)), headers={"idempotency-key": f"k-{next(numbers)}"})


def _remember(bench: Bench, subject: Subject, key: str, **how: Any) -> Cost:  # noqa: ANN401
    with bench.measured() as cost:
        subject.remember(key, **how)
    return cost


def forget(bench: Bench, subject: Subject) -> Cost:
    body = subject.seen(command={"_tag": "Forget", "key": "something-new"})
    cost, view = _post(bench, f"{subject.path}/memory", body)
    subject.saw(view)
    del subject.entries["something-new"]
    subject.items += 1
    return cost


def configure(bench: Bench, subject: Subject) -> Cost:
    body = subject.seen(command={"_tag": "Configure", "use": True})
    cost, view = _post(bench, f"{subject.path}/memory", body)
    subject.saw(view)
    check(view["memory"]["overrides"]["use"] is True, "the override is set")
    return cost


def refresh(bench: Bench, subject: Subject) -> Cost:
    """One batch, in which `offline` finds four facts."""
    _told(subject, BATCH, ("My rent is", "My salary is", "My train is", "My hotel is"), model=None)
    cost, view = _post(bench, f"{subject.path}/memory", subject.seen(command={"_tag": "Refresh"}))
    check(subject.saw(view)["memory"]["consolidation"]["waiting"] == 0, "one batch was all")
    return cost


def consolidation(bench: Bench, subject: Subject) -> Cost:
    """The event of a turn of four items, in which `offline` finds a fact."""
    _told(subject, 4, ("My rent is",), model="offline")
    event = bench.service.events[-1]
    with bench.measured() as cost:
        bench.start("consolidate", event)
    subject.refresh()
    return cost


def _told(subject: Subject, items: int, statements: tuple[str, ...], model: str | None) -> None:
    body = turn_of(items, model)
    for item, statement in zip(body["items"][::2], statements, strict=False):
        item["text"] = f"{statement} {next(numbers)} EUR."
        subject.entries[statement.split()[1]] = item["text"]
    subject.saw(subject.bench.service.post(f"{subject.path}/turns", body))
    subject.items += items


def learning(bench: Bench, subject: Subject) -> Cost:
    """One batch of what an agent has not learned from yet."""
    detail = {"organization": "acme", "session": subject.name}
    with bench.measured() as cost:
        bench.start("learn", {"detail-type": "Learning Requested", "detail": detail}, batches=1)
    return cost


def turn(items: int, length: int = 200) -> Operation:
    def operation(bench: Bench, subject: Subject) -> Cost:
        body = {"turn": f"t-{next(numbers)}", "model": None, "items": said(items, length)}
        cost, view = _post(bench, f"{subject.path}/turns", body)
        subject.saw(view)
        subject.items += items
        return cost

    return operation


def turn_again(bench: Bench, subject: Subject) -> Cost:
    body = turn_of(200, None)
    view = subject.saw(bench.service.post(f"{subject.path}/turns", body))
    subject.items += 200
    cost, again = _post(bench, f"{subject.path}/turns", body)
    check(again == view, "the same turn again changes nothing")
    return cost


def large_items(bench: Bench, subject: Subject) -> Cost:
    """The first page of the last turn, which is larger than an answer may be; all its pages are compared as well."""
    known = max(subject.cursors, default=0)
    rest = list(walk(subject, known))
    check(len(rest) == subject.items - known, "every item of every turn is found")
    check(all(len(each["text"]) == MEGABYTE // 4 for each in rest[-20:]), "long items come back whole")
    at = max(at for at in subject.cursors if at <= subject.items - 20)
    cost, _ = _read(bench, f"{subject.path}/items?limit=500&cursor={subject.cursors[at]}")
    return cost


def fork(bench: Bench, subject: Subject) -> Cost:
    cost, view = _post(bench, f"{subject.path}/fork", {})
    _check_fork(bench, view, subject.entries)
    return cost


def fork_old(bench: Bench, subject: Subject) -> Cost:
    cost, view = _post(bench, f"{subject.path}/fork", {"at": subject.old.version})
    _check_fork(bench, view, subject.old.entries)
    return cost


def _check_fork(bench: Bench, view: Json, entries: dict[str, str]) -> None:
    found = Subject(bench, view["session"]["id"]).remembered()
    check(found == entries, "a fork has the memory of the version it was made at")


def rewind(bench: Bench, subject: Subject) -> Cost:
    head, entries = subject.head, subject.entries
    cost, view = _post(bench, f"{subject.path}/rewind", subject.seen(to=subject.old.version))
    subject.saw(view)
    check(subject.remembered() == subject.old.entries, "a rewind restores the memory of its version")
    subject.rewind(head)
    check(subject.remembered() == entries, "going forward again restores the memory")
    return cost


def cleaning(bench: Bench, subject: Subject) -> Cost:
    """Remove the rows that two rewinds left."""
    event = next(each for each in bench.service.events if each["detail-type"] == "Cleaning Requested")
    bench.service.events.clear()
    with bench.measured() as cost:
        bench.start("consolidate", event)
    check(subject.remembered() == subject.entries, "cleaning removes no row that is needed")
    return cost


def organization(bench: Bench, _subject: Subject) -> Cost:
    with bench.measured() as cost:
        reply = bench.service.call("PATCH", "/v1/organization", {"agentMemory": True}, caller="admin")
    check(reply.status == 200, "an administrator changes the settings")
    return cost


ROUTES: Mapping[str, Operation] = {
    "GET session": session,
    "GET memory, whole": memory,
    "GET memory, a page of 100": memory_page,
    "GET memory, the page after it": memory_next_page,
    "GET items, a page of 100": items_page,
    "GET items, a page from the middle": items_page_between,
    "GET log, a page of 100": log_page,
    "GET instructions": instructions,
    "GET instructions, near to a query": instructions_near,
    "GET memory, a search": search,
    "GET sessions, a page of 100": sessions_page,
    "GET agents, a page of 100": agents_page,
    "Remember, a known key": remember,
    "Remember, a new key": remember_new,
    "Remember, with an Idempotency-Key": remember_once,
    "Forget": forget,
    "Configure": configure,
    "Refresh, a batch of 50 items": refresh,
    "Consolidation of a turn of 4 items": consolidation,
    "GET agent memory, a page of 100": agent_page,
    "Agent memory, Remember": agent_remember,
    "Learning of a batch of 50 items": learning,
    "POST turn, 1 item": turn(1),
    "POST turn, 20 items": turn(20),
    "POST turn, 200 items": turn(200),
    "POST turn, 200 items, sent again": turn_again,
    "POST turn, 1,000 items": turn(1000),
    "POST turn, 20 items of 5 MB": turn(20, MEGABYTE // 4),
    "GET items, a page of long ones": large_items,
    "Fork at the head": fork,
    "Fork at an early version": fork_old,
    "Rewind to an early version": rewind,
    "Cleaning after two rewinds": cleaning,
    "PATCH organization": organization,
}

ON_TOP: tuple[str, ...] = (
    "GET memory, whole",
    "GET items, a page of 100",
    "GET log, a page of 100",
    "GET instructions",
    "Remember, a known key",
    "POST turn, 200 items",
    "Fork at the head",
    "Fork at an early version",
    "Rewind to an early version",
    "Cleaning after two rewinds",
)
