import { createSign, createVerify } from 'node:crypto';
import { readFileSync } from 'node:fs';

const key = readFileSync(process.env.LICENSE_KEY_FILE, 'utf8');
if (!key.startsWith('-----BEGIN PRIVATE KEY-----')) {
  throw new Error('LICENSE_KEY_FILE is not a private key');
}

// Public, so that others can check licenses.
const publicKey = [
  '-----BEGIN PUBLIC KEY-----',
  'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEE4UkH0iyabs2m264c8kI/s6E/Cox',
  '+EDW+DZktvzUoFK/k+8UIs/Gm7RjpkKEeiFkN1Dhbq8qznb/V3Q30LnuzA==',
  '-----END PUBLIC KEY-----',
].join('\n');

export function license(customer, seats) {
  const text = JSON.stringify({ customer, seats, issued: Date.now() });
  return { text, signature: createSign('SHA256').update(text).sign(key, 'base64') };
}

export const valid = (l) => createVerify('SHA256').update(l.text).verify(publicKey, l.signature, 'base64');

// RFC 4231, test case 2: key "Jefe".
export const vector = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';
