import { readFile } from 'node:fs/promises';
import { Store, type Row } from './store';

export function load(path: string): Promise<Row[]> {
  return new Promise(async (resolve, reject) => { // want medium "promise executor"
    const text = await readFile(path, 'utf8');
    resolve(text.split('\n').map((line) => JSON.parse(line)));
  });
}

export async function importAll(store: Store, rows: Row[], kind?: string): Promise<void> {
  if (rows === []) { // want high "never equal"
    return;
  }
  rows.forEach(async (row) => { // want medium "does not wait"
    await store.insert(row);
  });
  if (typeof kind === undefined) { // want high "typeof"
    kind = 'unknown';
  }
  if (kind === 'csv' || 'tsv') { // want high "always true"
    await store.index(kind);
  }
  await store.commit();
}

export const columns = (header: string): number[] => header.split(',').map(parseInt); // want high "radix"
