import logging
import math

log = logging.getLogger(__name__)


class Importer:
    def parse(self, line):
        raise NotImplementedError("subclasses parse lines")

    def __eq__(self, other):
        return NotImplemented

    def name(self, path):
        return path.removesuffix(".csv").rstrip("\r\n")

    def mean(self, values):
        total = sum(values) / max(len(values), 1)
        if math.isnan(total):
            return None
        return total

    def run(self, lines):
        rows = []
        for line in lines:
            try:
                rows.append(self.parse(line))
            except ValueError:
                pass  # a header
            except Exception as err:
                log.warning("line is left out: %s", err)
        if len(rows) == 0:
            log.warning("nothing to import; call breakpoint() to see why")
        return rows
