"""The metrics of work on memories: changes applied and dropped, calls of models, and how long items wait."""

from collections import Counter
from collections.abc import Iterable, Sequence

from openbot_memory.domain.errors import ModelFailed
from openbot_memory.domain.items import Item
from openbot_memory.domain.rules import Dropped
from openbot_memory.models.port import Answer, Question
from openbot_memory.use_cases.world import World


def ask(world: World, model: str, question: Question) -> Answer:
    """Ask the model once, and count the call and its tokens. Raises ModelFailed."""
    try:
        answer = world.model.propose(model, question)
    except ModelFailed:
        world.emit({"ModelCalls": 1, "ModelFailures": 1})
        raise
    tokens = answer.tokens
    world.emit({"ModelCalls": 1, "ModelFailures": 0, "InputTokens": tokens.input, "OutputTokens": tokens.output})
    return answer


def waiting(world: World, count: int, batch: Sequence[Item]) -> None:
    """How many items a session has waiting, and the age in seconds of the oldest one, the first of its batch."""
    age = max(0, world.now() - batch[0].at) // 1000
    world.emit({"WaitingItems": count, "OldestWaitingAge": age})


def applied(world: World, keys: int, trigger: str) -> None:
    if keys:
        world.emit({"ChangesApplied": keys}, trigger=trigger)


def dropped(world: World, proposals: Iterable[Dropped]) -> None:
    for reason, count in Counter(each.reason for each in proposals).items():
        world.emit({"ChangesDropped": count}, reason=str(reason))
