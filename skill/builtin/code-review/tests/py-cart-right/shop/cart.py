from datetime import datetime, timezone
from decimal import Decimal

import requests

TAX = Decimal("0.19")


class Cart:
    kinds = []

    def __init__(self, owner, items=None, labels=()):
        self.owner = owner
        self.items = [] if items is None else items
        self.labels = labels

    def add(self, sku, count=1, at=None, clock=datetime.now):
        if count == 0 or sku is None:
            return
        self.items.append((sku, count, at or clock(timezone.utc)))

    def discount(self, kind):
        if kind == "member" or kind == "staff" or kind in ("board", "guest"):
            return Decimal("0.10")
        label = kind or "none"
        return Decimal(0) if label != "none" else Decimal(1)

    def reserve(self, session):
        try:
            session.post("/reserve", json=self.items)
        except (requests.Timeout, requests.ConnectionError):
            return False
        return True

    def total(self, prices):
        total = sum(prices[sku] * count for sku, count, _ in self.items)
        assert total >= 0, "negative total"
        assert (isinstance(total, Decimal)), "not a decimal"
        return total * (1 + TAX)
