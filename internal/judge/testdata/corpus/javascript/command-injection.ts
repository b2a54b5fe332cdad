import { exec, execFile, execSync, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import type { Request, Response } from 'express';
import type { Collection, Db } from 'mongodb';
import type { Database } from 'better-sqlite3';

const run = promisify(exec);
const HEAD = 'git rev-parse --short HEAD';

export function ping(req: Request, res: Response): void {
  // ruleid: command-injection
  exec(`ping -c 1 ${req.query.host}`, (err, stdout) => {
    res.send(err ? 'down' : stdout);
  });
}

export function pingSafe(req: Request, res: Response): void {
  // ok: command-injection
  execFile('ping', ['-c', '1', String(req.query.host)], (err, stdout) => {
    res.send(err ? 'down' : stdout);
  });
}

export function head(): string {
  // ok: command-injection
  return execSync(HEAD, { encoding: 'utf8' }).trim();
}

export async function clone(req: Request, res: Response): Promise<void> {
  const url = req.body.url as string;
  // ruleid: command-injection
  await run('git clone ' + url + ' /srv/repos/new');
  res.sendStatus(201);
}

export function cloneSafe(req: Request, res: Response): void {
  // ok: command-injection
  const child = spawn('git', ['clone', '--', req.body.url, '/srv/repos/new'], {
    stdio: 'inherit',
  });
  child.on('exit', (code) => res.sendStatus(code === 0 ? 201 : 500));
}

export function resize(file: string, width: number): Buffer {
  // ruleid: command-injection
  return execSync(
    `convert ${file} -resize ${width} -`,
    { maxBuffer: 64 << 20 },
  );
}

const VERSION = /^v(\d+)\.(\d+)\.(\d+)$/;

export function major(req: Request): number {
  const tag = String(req.query.tag);
  // ok: command-injection
  const match = VERSION.exec(tag);
  return match ? Number(match[1]) : 0;
}

export function words(req: Request): string[] {
  const found: string[] = [];
  const re = /\w+/g;
  let m: RegExpExecArray | null;
  // ok: command-injection
  while ((m = re.exec(req.body.text)) !== null) {
    found.push(m[0]);
  }
  return found;
}

export function migrate(db: Database): void {
  // ok: command-injection
  db.exec('CREATE TABLE IF NOT EXISTS jobs (id INTEGER PRIMARY KEY, name TEXT)');
}

export async function find(users: { find(q: object): { exec(): Promise<unknown> } }, req: Request) {
  // ok: command-injection
  return users.find({ name: req.query.name }).exec();
}

export function shell(req: Request, res: Response): void {
  const command = req.body.command;
  // ruleid: command-injection
  const child = spawn(command, { shell: true });
  child.stdout.pipe(res);
}

export function archive(dir: string): void {
  // ruleid: command-injection
  spawn('sh', ['-c', 'tar czf /tmp/site.tgz ' + dir]);
}

export function convert(req: Request, res: Response): void {
  // ruleid: command-injection
  execSync('pandoc ' + req.params.name + ' -o /srv/out.pdf');
  // ok: command-injection
  console.log('execSync("pandoc " + name) took %d ms', 12);
  res.sendStatus(204);
}

export function grep(req: Request, res: Response): void {
  const pattern = req.query.pattern as string;
  const limit = Math.min(Number(req.query.limit) || 100, 100);
  const line = `grep -rn -m ${limit} ${pattern} /srv/docs`;
  // ruleid: command-injection
  exec(line, { timeout: 5000 }, (_err, stdout) => res.send(stdout));
}

export function tail(req: Request, res: Response): void {
  const limit = Number.parseInt(String(req.query.limit), 10) || 100;
  // ok: command-injection
  exec('tail -n ' + limit + ' /var/log/app.log', (_err, stdout) => res.send(stdout));
}
