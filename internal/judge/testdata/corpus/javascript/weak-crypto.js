import crypto from 'node:crypto';
import fs from 'node:fs';
import https from 'node:https';
import bcrypt from 'bcrypt';
import CryptoJS from 'crypto-js';

export function hashPassword(password) {
  // ruleid: weak-crypto
  return crypto.createHash('md5').update(password).digest('hex');
}

export function hashPasswordNew(password) {
  // ok: weak-crypto
  return bcrypt.hash(password, 12);
}

export function checkPassword(user, password) {
  // ruleid: weak-crypto
  return user.passwordHash === crypto.createHash('sha1').update(user.salt + password).digest('base64');
}

export function checkPasswordNew(user, password) {
  // ok: weak-crypto
  return crypto.timingSafeEqual(user.hash, crypto.scryptSync(password, user.salt, 64));
}

export function etag(body) {
  // ok: weak-crypto
  return `"${crypto.createHash('md5').update(body).digest('hex')}"`;
}

export function cacheName(file) {
  // ok: weak-crypto
  const hash = crypto.createHash('sha1').update(fs.readFileSync(file)).digest('hex');
  return `bundle.${hash.slice(0, 8)}.js`;
}

export function seal(key, iv, text) {
  // ruleid: weak-crypto
  const cipher = crypto.createCipheriv('des-ede3-cbc', key, iv);
  return cipher.update(text, 'utf8', 'hex') + cipher.final('hex');
}

export function sealEcb(key, text) {
  // ruleid: weak-crypto
  const cipher = crypto.createCipheriv('aes-256-ecb', key, null);
  return cipher.update(text, 'utf8', 'hex') + cipher.final('hex');
}

export function sealGcm(key, text) {
  const iv = crypto.randomBytes(12);
  // ok: weak-crypto
  const cipher = crypto.createCipheriv('aes-256-gcm', key, iv);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]);
}

export function sealRc4(text, passphrase) {
  // ruleid: weak-crypto
  return CryptoJS.RC4.encrypt(text, passphrase).toString();
}

export function oldServer(handler) {
  // ruleid: weak-crypto
  return https.createServer({ minVersion: 'TLSv1', key: fs.readFileSync('key.pem'), cert: fs.readFileSync('cert.pem') }, handler);
}

export function server(handler) {
  // ok: weak-crypto
  return https.createServer({ minVersion: 'TLSv1.2', key: fs.readFileSync('key.pem'), cert: fs.readFileSync('cert.pem') }, handler);
}

export function agent() {
  // ruleid: weak-crypto
  return new https.Agent({
    secureProtocol: 'TLSv1_method',
  });
}

// createHash('md5') of a password was replaced by bcrypt.
// ok: weak-crypto
export const NOTICE = "Passwords are no longer kept as createHash('md5').";
