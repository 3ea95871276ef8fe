"""Runs several callers at once: interleaved in one thread, which a seed repeats exactly, or each in its own thread."""

import threading
from random import Random

from audit import audit
from callers import AGENT, Caller
from records import Records
from setting import Setting, check

INTERLEAVED = 0.04  # chance that another caller takes a step between two requests of a function
DEEPEST = 4  # functions that may be interrupted at once, in one thread


class Play:
    def __init__(self, setting: Setting, workers: int) -> None:
        self.setting, self.records = setting, Records()
        randoms = (Random(setting.random.random()) for _ in range(workers))  # noqa: S311 - repeatable, nothing secret
        self.callers = [Caller(number, setting, self.records, random) for number, random in enumerate(randoms)]
        self._depth = 0

    @property
    def done(self) -> int:
        return sum(caller.done for caller in self.callers)

    def run(self, operations: int, *, threads: bool = False) -> None:
        """Carry out the operations under faults, then end the faults, deliver all events, and audit the result."""
        self._prepare()
        layer = self.setting.layer
        layer.on = True
        if threads:
            self._in_threads(operations)
        else:
            layer.meanwhile = self._meanwhile
            while self.done < operations:
                self._step()
        self._finish()
        layer.on = False
        self.setting.quiet()
        audit(self.setting, self.records)

    def _prepare(self) -> None:
        service = self.setting.service
        service.post("/v1/agents", {"id": AGENT, "name": "Shared", "shared": True})
        reply = service.call("PATCH", "/v1/organization", {"agentMemoryModel": "test"}, caller="admin")
        check(reply.status == 200, "an administrator can set the agents' model")
        for caller in self.callers:
            caller.begin()

    def _step(self) -> None:
        free = [caller for caller in self.callers if not caller.busy]
        if free:
            self.setting.random.choice(free).step()

    def _meanwhile(self) -> None:
        if self._depth == DEEPEST or self.setting.random.random() >= INTERLEAVED:
            return
        self._depth += 1
        try:
            self._step()
        finally:
            self._depth -= 1

    def _finish(self) -> None:
        """Complete the operations under way; begin no new ones."""
        for caller in self.callers:
            while not caller.idle:
                caller.step()

    def _in_threads(self, operations: int) -> None:
        failures = list[BaseException]()

        def work(caller: Caller) -> None:
            try:
                while self.done < operations and not failures:
                    caller.step()
            except BaseException as failure:  # noqa: BLE001 - raised again in the main thread
                failures.append(failure)

        threads = [threading.Thread(target=work, args=[caller]) for caller in self.callers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
