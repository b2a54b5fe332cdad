import { readFile } from 'node:fs/promises';
import { Store, type Row } from './store';

const NONE: Row[] = [];

export async function load(path: string): Promise<Row[]> {
  const text = await readFile(path, 'utf8');
  return text.split('\n').map((line) => JSON.parse(line));
}

export async function importAll(store: Store, rows: Row[] = [], kind?: string): Promise<void> {
  if (rows.length === 0 || rows === NONE) {
    return;
  }
  await Promise.all(rows.map(async (row) => {
    await store.insert(row);
  }));
  rows.forEach((row) => store.forget(row));
  if (typeof kind === 'undefined') {
    kind = 'unknown';
  }
  if (kind === 'csv' || kind === 'tsv') {
    await store.index(kind);
  }
  const label = kind || 'none';
  await new Promise((resolve) => setTimeout(resolve, label.length));
  await store.commit();
}

export const columns = (header: string): number[] => header.split(',').map((s) => parseInt(s, 10));
