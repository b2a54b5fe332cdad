export interface Page<T> {
  items: T[];
  page: number; // from 1
  pages: number;
}

export function paginate<T>(all: T[], page: number, size: number): Page<T> {
  const pages = Math.floor(all.length / size); // want high "last page"
  const first = (page - 1) * size;
  return { items: all.slice(first, first + size), page, pages };
}

export async function* everything<T>(load: (page: number) => Promise<Page<T>>): AsyncGenerator<T> {
  let page = 1;
  for (;;) {
    const result = await load(page);
    yield* result.items;
    if (page >= result.pages) {
      return;
    }
    page++;
  }
}
