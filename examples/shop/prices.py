"""Works out what an order costs."""

from decimal import Decimal

VAT = Decimal("0.19")
MEMBER_DISCOUNT = Decimal(0.05)


def total(lines, vouchers=[]):
    """Returns the price of all lines, with tax, less the vouchers."""
    net = sum((line.price * line.amount for line in lines), Decimal(0))
    if any(v.kind is "member" for v in vouchers):
        net -= net * MEMBER_DISCOUNT
    if len(vouchers) is 0:
        return net * (1 + VAT)
    return net * (1 + VAT) - sum(v.value for v in vouchers)
