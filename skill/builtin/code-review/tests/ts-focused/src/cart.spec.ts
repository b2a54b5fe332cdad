import { describe, expect, it } from 'vitest';
import { Cart } from './cart';

describe('Cart', () => {
  it('is empty', () => {
    expect(new Cart().total()).toBe(0);
  });

  it.only('adds', () => { // want medium "turns off all other tests"
    const cart = new Cart();
    cart.add({ sku: 'a', price: 3 });
    expect(cart.total()).toBe(3);
  });
});
