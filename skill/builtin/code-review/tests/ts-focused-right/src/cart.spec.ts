import { describe, expect, it } from 'vitest';
import { Cart } from './cart';

describe('Cart', () => {
  it('is empty', () => {
    expect(new Cart().total()).toBe(0);
  });

  // it.only( was here while debugging
  it('adds only once', () => {
    const cart = new Cart();
    cart.add({ sku: 'a', price: 3 });
    cart.only('a');
    expect(cart.total()).toBe(3);
  });

  it.each([1, 2])('has %d', (n) => {
    expect(new Cart(n).count).toBe(n);
  });
});
