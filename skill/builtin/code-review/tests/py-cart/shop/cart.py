from datetime import datetime
from decimal import Decimal

import requests

TAX = Decimal(0.19)  # want medium "binary float"


class Cart:
    def __init__(self, owner, items=[]):  # want medium "shared between calls"
        self.owner = owner
        self.items = items

    def add(self, sku, count=1, at=datetime.now()):  # want medium "evaluated only once"
        if count is 0:  # want medium "identity comparison"
            return
        self.items.append((sku, count, at))

    def discount(self, kind):
        if kind == "member" or "staff":  # want high "always true"
            return Decimal("0.10")
        return Decimal(0)

    def reserve(self, session):
        try:
            session.post("/reserve", json=self.items)
        except requests.Timeout or requests.ConnectionError:  # want medium "only the first exception"
            return False
        return True

    def total(self, prices):
        total = sum(prices[sku] * count for sku, count, _ in self.items)
        assert (total >= 0, "negative total")  # want medium "always true"
        return total * (1 + TAX)
