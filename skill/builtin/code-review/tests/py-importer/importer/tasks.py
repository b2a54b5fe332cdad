import logging
import math

log = logging.getLogger(__name__)


class Importer:
    def parse(self, line):
        raise NotImplemented("subclasses parse lines")  # want medium "not an exception"

    def name(self, path):
        return path.rstrip(".csv")  # want medium "set of characters"

    def mean(self, values):
        total = sum(values) / max(len(values), 1)
        if total == float("nan"):  # want medium "nan"
            return None
        return total

    def run(self, lines):
        rows = []
        for line in lines:
            try:
                rows.append(self.parse(line))
            except Exception:  # want low "swallowed"
                pass
        breakpoint()  # want high "breakpoint"
        if len(rows) < 0:  # want medium "never below zero"
            log.warning("nothing to import")
        return rows
