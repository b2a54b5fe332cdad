import crypto from 'node:crypto';

const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

export function sessionToken() {
  // ruleid: predictable-random
  const token = Math.random().toString(36).slice(2);
  return token;
}

export function sessionTokenStrong() {
  // ok: predictable-random
  const token = crypto.randomBytes(32).toString('base64url');
  return token;
}

export function resetCode(user) {
  // ruleid: predictable-random
  user.resetCode = Math.floor(100000 + Math.random() * 900000);
}

export function resetCodeStrong(user) {
  // ok: predictable-random
  user.resetCode = crypto.randomInt(100000, 1000000);
}

export function temporaryPassword(length) {
  let password = '';
  for (let i = 0; i < length; i += 1) {
    // ruleid: predictable-random
    password += ALPHABET[Math.floor(Math.random() * ALPHABET.length)];
  }
  return password;
}

export function apiKey(user) {
  return {
    owner: user.id,
    // ruleid: predictable-random
    apiKey: `${Date.now()}-${Math.random()}`,
  };
}

export function csrf(req) {
  // ruleid: predictable-random
  req.session.csrfToken = String(Math.random()).slice(2);
}

export function snow(flakes, width) {
  for (const flake of flakes) {
    // ok: predictable-random
    flake.x += (Math.random() - 0.5) * 4;
    // ok: predictable-random
    flake.color = `hsl(${Math.random() * 360}, 50%, 80%)`;
    flake.x %= width;
  }
}

export function backoff(attempt) {
  // ok: predictable-random
  return 2 ** attempt * 100 + Math.random() * 100;
}

export function tip(tips) {
  // ok: predictable-random
  return tips[Math.floor(Math.random() * tips.length)];
}

export function inviteSecret() {
  // ruleid: predictable-random
  const inviteSecret = Array.from({ length: 16 }, () => Math.floor(Math.random() * 16).toString(16)).join('');
  return inviteSecret;
}
