from dataclasses import dataclass
from functools import partial


@dataclass
class Rule:
    name: str
    limit: float


def exceeds(limit, value):
    return value > limit


class Alerts:
    """Calls a function for each rule whose limit a reading exceeds."""

    def __init__(self, notify):
        self.notify = notify
        self.checks = {}

    def install(self, rules):
        for rule in rules:
            self.checks[rule.name] = partial(exceeds, rule.limit)

    def read(self, readings):
        for name, value in readings.items():
            check = self.checks.get(name)
            if check is not None and check(value):
                self.notify(name, value)
