"""The switches of S3 and A3: an organization's defaults and what a session overrides."""

from dataclasses import dataclass, field

SWITCHES = ("use", "generate")


@dataclass(frozen=True, slots=True, kw_only=True)
class Organization:
    """The organization's settings. `agent_memory_model` None: agents learn nothing (A3)."""

    use: bool = True
    generate: bool = True
    instructions: str = ""  # for the consolidating and the learning model (S7)
    agent_memory: bool = True
    agent_memory_model: str | None = None


type Overrides = dict[str, bool]  # only the switches that a session set itself


@dataclass(frozen=True, slots=True)
class Configure:
    """A change of overrides: True/False sets, None removes, absent leaves (S10)."""

    switches: dict[str, bool | None] = field(default_factory=dict[str, bool | None])

    def apply(self, overrides: Overrides) -> Overrides:
        merged = {**overrides, **self.switches}
        return {name: value for name, value in merged.items() if value is not None}


def effective(organization: Organization, overrides: Overrides) -> Overrides:
    """What applies for the session (S3)."""
    return {"use": organization.use, "generate": organization.generate} | overrides
