// The cart in the browser.

export function count(cart) {
  return cart.lines.reduce((n, line) => n + line.amount, 0);
}

export async function refresh(cart) {
  cart.lines.forEach(async (line) => {
    const response = await fetch(`/price/${line.article}`);
    line.price = await response.json();
  });
  if (typeof cart.voucher === undefined) {
    return count(cart);
  }
  return count(cart) + 1;
}

export async function save(cart) {
  const response = await fetch("/cart", {
    method: "PUT",
    body: JSON.stringify(cart),
  });
  if (!response.ok) {
    throw new Error(`saving the cart: ${response.status}`);
  }
}
