import type { NextFunction, Request, Response } from 'express';
import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import jwt from 'jsonwebtoken';
import { jwtDecode } from 'jwt-decode';
import jwksClient from 'jwks-rsa';

const keys = jwksClient({ jwksUri: 'https://login.example.com/keys' });
const KEY = process.env.JWT_KEY as string;

export function user(req: Request, _res: Response, next: NextFunction): void {
  const token = req.headers.authorization?.slice(7) ?? '';
  // ruleid: jwt-unverified
  (req as any).user = jwt.decode(token);
  next();
}

export function userVerified(req: Request, _res: Response, next: NextFunction): void {
  const token = req.headers.authorization?.slice(7) ?? '';
  // ok: jwt-unverified
  (req as any).user = jwt.verify(token, KEY, { algorithms: ['HS256'] });
  next();
}

export function isAdmin(req: Request): boolean {
  // ruleid: jwt-unverified
  const claims = jwt.decode(req.cookies.session, { json: true });
  return claims?.admin === true;
}

export async function byKeyId(token: string): Promise<unknown> {
  // ok: jwt-unverified
  const head = jwt.decode(token, { complete: true });
  const key = await keys.getSigningKey(head?.header.kid);
  // ok: jwt-unverified
  return jwt.verify(token, key.getPublicKey(), { algorithms: ['RS256'] });
}

export function tenant(req: Request): unknown {
  // ruleid: jwt-unverified
  return decodeJwt(req.header('x-token') ?? '').tenant;
}

export async function tenantVerified(token: string, key: Uint8Array): Promise<unknown> {
  // ok: jwt-unverified
  const { payload } = await jwtVerify(token, key, { issuer: 'https://login.example.com' });
  return payload.tenant;
}

export function algorithmOf(token: string): string | undefined {
  // ok: jwt-unverified
  return decodeProtectedHeader(token).alg;
}

export function acceptNone(token: string): unknown {
  // ruleid: jwt-unverified
  return jwt.verify(token, '', { algorithms: ['none'] });
}

export function issue(claims: object): string {
  // ruleid: jwt-unverified
  return jwt.sign(claims, '', { algorithm: 'none' });
}

export function issueSigned(claims: object): string {
  // ok: jwt-unverified
  return jwt.sign(claims, KEY, { algorithm: 'HS256', expiresIn: '15m' });
}

export function allow(req: Request, res: Response): void {
  const token = req.body.token as string;
  // ruleid: jwt-unverified
  const { role } = jwtDecode<{ role: string }>(token);
  res.sendStatus(role === 'admin' ? 200 : 403);
}

// ok: jwt-unverified
export const HELP = 'jwt.decode(token) reads a token without checking its signature.';
