import { report } from './report.js';

export class RetryError extends Error {}

export function handle(err, cache, key) {
  // debugger; shows what !key in cache means
  if (!(err instanceof RetryError)) {
    throw err;
  }
  if (!(key in cache)) {
    cache[key] = 0;
  }
  let last;
  while ((last = cache.log?.pop()) !== undefined) {
    report(last, key);
  }
  if (cache[key] === 5) {
    report(err, key);
    delete cache[key];
    return false;
  }
  if (Number.isNaN(cache[key])) {
    cache[key] = 0;
  }
  cache[key] += 1;
  return true;
}
