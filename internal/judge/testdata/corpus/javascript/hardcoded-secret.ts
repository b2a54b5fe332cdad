import AWS from 'aws-sdk';
import Stripe from 'stripe';
import session from 'express-session';
import mysql from 'mysql2';

// ruleid: hardcoded-secret
const stripe = new Stripe('sk_live_4eC7hQ9zLwT2vXpR8bKdYm3N');

// ok: hardcoded-secret
const checkout = new Stripe(process.env.STRIPE_SECRET_KEY!);

// ok: hardcoded-secret
export const PUBLISHABLE_KEY = 'pk_test_TYooMQauvdEDq54NiTphI7jx';

AWS.config.update({
  // ruleid: hardcoded-secret
  accessKeyId: 'AKIA4WQZ7RNTX2LKJ5VB',
  // ruleid: hardcoded-secret
  secretAccessKey: 'Tz5LmXq8Rb0Vw3HcKf7YdPj2NsGu9AoE1iQe6+tZ',
  region: 'eu-west-1',
});

export const exampleCredentials = {
  // ok: hardcoded-secret
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  // ok: hardcoded-secret
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};

export const sessions = session({
  // ruleid: hardcoded-secret
  secret: 'vN3$kq8Zt!w7Lx2Rp5Yd',
  resave: false,
  saveUninitialized: false,
});

export const sessionsFromEnvironment = session({
  // ok: hardcoded-secret
  secret: process.env.SESSION_SECRET ?? '',
  resave: false,
  saveUninitialized: false,
});

export const db = mysql.createConnection({
  host: 'db.internal',
  user: 'shop',
  // ruleid: hardcoded-secret
  password: 'Gq7-mLz4wTx9',
});

export const localDb = mysql.createConnection({
  host: 'localhost',
  user: 'shop',
  // ok: hardcoded-secret
  password: '<your-password>',
});

// ruleid: hardcoded-secret
const webhook = 'https://hooks.slack.com/services/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';

// ok: hardcoded-secret
export const TOKEN_STORAGE_KEY = 'shop.accessToken';

export const labels = {
  // ok: hardcoded-secret
  password: 'Your password',
  token: 'Access token',
};

export function notify(text: string): Promise<Response> {
  return fetch(webhook, { method: 'POST', body: JSON.stringify({ text }) });
}

export { stripe, checkout };
