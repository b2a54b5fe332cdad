import { report } from './report.js';

export class RetryError extends Error {}

export function handle(err, cache, key) {
  debugger; // want low "debugger"
  if (!err instanceof RetryError) { // want high "left operand"
    throw err;
  }
  if (!key in cache) { // want high "left operand"
    cache[key] = 0;
  }
  if (cache[key] = 5) { // want high "assigns a constant"
    report(err, key);
    delete cache[key];
    return false;
  }
  if (Number.isNaN(cache[key])); // want high "semicolon"
    cache[key] = 0;
  cache[key] += 1;
  return true;
}
