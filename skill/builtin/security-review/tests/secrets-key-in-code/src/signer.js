import { createSign } from 'node:crypto';

// The key of the staging licenses.
const key = [
  '-----BEGIN PRIVATE KEY-----',
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg9BLCG/RfeT2a2VMA', // want high "private key"
  'IGKHf7ckB1xi5oGM1V2JrbSb94ehRANCAAQThSQfSLJpuzabbrhzyQj+zoT8KjH4',
  'QNb4NmS2/NSgUr+T7xQiz8abtGOmQoR6IWQ3UOFuryrOdv9XdDfQue7M',
  '-----END PRIVATE KEY-----',
].join('\n');

export function license(customer, seats) {
  const text = JSON.stringify({ customer, seats, issued: Date.now() });
  return { text, signature: createSign('SHA256').update(text).sign(key, 'base64') };
}

export const registry = { token: 'npm_CW09y4YHyUP89pddglF89xZwevlvfB000000' }; // want high "access token"
