"""A client of the API that times every response and repeats a change until the service says what became of it."""

import random
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx

type Json = dict[str, Any]
type Report = Callable[[str, float, int, str | None], None]  # route, milliseconds, bytes, error or None

PATIENCE = httpx.Timeout(60)
IMPATIENCE = (0.01, 0.1)  # seconds after which an impatient caller disconnects and sends the request again
GIVES_UP_EARLY, ASKS_AGAIN = 0.03, 0.03  # shares of the changes
TRIES = 10
OK, CONFLICT, BUSY = 200, 409, 500


class UnexpectedAnswer(Exception):
    """A response that the service must not give."""


class NoAnswer(Exception):
    """No attempt was answered, so it is unknown whether the change was made."""


@dataclass(frozen=True, slots=True)
class Caller:
    url: str
    token: str
    report: Report
    chance: random.Random
    client: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        headers = {"Authorization": f"Bearer {self.token}"}
        client = httpx.Client(base_url=self.url, headers=headers, timeout=PATIENCE, trust_env=False)
        object.__setattr__(self, "client", client)

    def get(self, route: str, *ids: str, **query: str | int) -> Json:
        """Raises UnexpectedAnswer, NoAnswer."""
        for _ in range(TRIES):
            answer = self._timed(f"GET {route}", "GET", route.format(*ids), params=query)
            if answer and answer.status_code == OK:
                return answer.json()
            if answer and answer.status_code < BUSY:
                raise UnexpectedAnswer(f"GET {route}: {answer.status_code} {answer.text}")
            self._wait()
        raise NoAnswer(route)

    def post(self, route: str, *ids: str, body: Json, refusals: tuple[str, ...] = ()) -> Json | None:
        """Send a change with one Idempotency-Key until it is answered; None for one of the allowed refusals.

        Raises UnexpectedAnswer, NoAnswer.
        """
        path, headers = route.format(*ids), {"Idempotency-Key": uuid.UUID(int=self.chance.getrandbits(128)).hex}
        if self.chance.random() < GIVES_UP_EARLY:
            patience = self.chance.uniform(*IMPATIENCE)
            self._timed(f"POST {route}, impatient", "POST", path, json=body, headers=headers, timeout=patience)
        for _ in range(TRIES):
            answer = self._timed(f"POST {route}", "POST", path, json=body, headers=headers)
            if answer and answer.is_success:
                self._ask_again(route, path, body, headers, answer)
                return answer.json()
            if answer and answer.status_code == CONFLICT and answer.json()["_tag"] in refusals:
                return None
            if answer and answer.status_code < BUSY:
                raise UnexpectedAnswer(f"POST {route}: {answer.status_code} {answer.text}")
            self._wait()
        raise NoAnswer(route)

    def _ask_again(self, route: str, path: str, body: Json, headers: Json, first: httpx.Response) -> None:
        """Sometimes repeat an acknowledged request. The response must be the same."""
        if self.chance.random() < ASKS_AGAIN:
            again = self._timed(f"POST {route}, repeated", "POST", path, json=body, headers=headers)
            if again and again.status_code < BUSY and again.json() != first.json():
                raise UnexpectedAnswer(f"POST {route}: a repeated request was answered differently")

    def _timed(self, name: str, method: str, path: str, **how: Any) -> httpx.Response | None:  # noqa: ANN401 - httpx's own
        """Send a request and report its time; None without a response. Conflicts are reported as another route."""
        begun = time.perf_counter()
        try:
            answer, error = self.client.request(method, path, **how), None
        except httpx.HTTPError as failed:
            answer, error = None, type(failed).__name__
        took = (time.perf_counter() - begun) * 1000
        if answer is not None and answer.status_code == CONFLICT:
            name += f" → {answer.json()['_tag']}"
        elif error == "ReadTimeout" and "timeout" in how:
            name, error = f"{name}, gone before the answer", None
        elif answer is not None and not answer.is_success:
            error = f"{answer.status_code} {answer.json().get('_tag', answer.text)}"
        self.report(name, took, len(answer.content) if answer is not None else 0, error)
        return answer

    def _wait(self) -> None:
        time.sleep(self.chance.uniform(0.2, 1.5))
