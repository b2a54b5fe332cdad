from dataclasses import dataclass


@dataclass
class Rule:
    name: str
    limit: float


class Alerts:
    """Calls a function for each rule whose limit a reading exceeds."""

    def __init__(self, notify):
        self.notify = notify
        self.checks = {}

    def install(self, rules):
        for rule in rules:
            self.checks[rule.name] = lambda value: value > rule.limit  # want high "last rule"

    def read(self, readings):
        for name, value in readings.items():
            check = self.checks.get(name)
            if check is not None and check(value):
                self.notify(name, value)
