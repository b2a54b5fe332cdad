import fs from 'node:fs';
import https from 'node:https';
import tls from 'node:tls';
import axios from 'axios';
import { Pool } from 'pg';
import nodemailer from 'nodemailer';

// ruleid: tls-verification
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';

// ok: tls-verification
delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;

// ruleid: tls-verification
const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false });

// ok: tls-verification
const strictAgent = new https.Agent({ keepAlive: true, rejectUnauthorized: true });

export function status(): Promise<unknown> {
  // ok: tls-verification
  return axios.get('https://status.internal/health', { httpsAgent: strictAgent });
}

export function rates(): Promise<unknown> {
  return axios.get('https://rates.internal/today', {
    httpsAgent: agent,
    timeout: 5000,
  });
}

export const pool = new Pool({
  host: 'db.internal',
  // ruleid: tls-verification
  ssl: { rejectUnauthorized: false },
});

export const replica = new Pool({
  host: 'replica.internal',
  // ok: tls-verification
  ssl: { ca: fs.readFileSync('/etc/ssl/db.pem', 'utf8') },
});

export function mailer() {
  return nodemailer.createTransport({
    host: 'mail.internal',
    secure: true,
    tls: {
      // ruleid: tls-verification
      rejectUnauthorized: false,
    },
  });
}

export function connect(host: string): tls.TLSSocket {
  // ruleid: tls-verification
  return tls.connect({
    host,
    port: 8443,
    checkServerIdentity: () => undefined,
  });
}

export function connectStrict(host: string): tls.TLSSocket {
  // ok: tls-verification
  return tls.connect({ host, port: 8443, servername: host });
}

export function explain(code: string): string {
  // Setting rejectUnauthorized: false hides the fault.
  if (code === 'SELF_SIGNED_CERT_IN_CHAIN') {
    // ok: tls-verification
    return 'Pass the CA file; rejectUnauthorized: false and NODE_TLS_REJECT_UNAUTHORIZED=0 are refused.';
  }
  return code;
}

export function request(path: string, done: (body: string) => void): void {
  // ruleid: tls-verification
  https.get({ host: 'api.internal', path, rejectUnauthorized: false }, (res) => {
    res.on('data', (chunk) => done(String(chunk)));
  });
}
