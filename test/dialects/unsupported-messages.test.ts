import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { OWN_ERAS } from '../../src/dialects/own/normalizer-eras.js';
import { UNSUPPORTED_MESSAGES } from '../../src/dialects/unsupported-messages.js';

/** Exchanges and days in the rows of a table, by the table's position in the page. */
async function tablesOf(page: string): Promise<readonly (readonly string[])[]> {
  const text = await readFile(new URL(`../../../${page}`, import.meta.url), 'utf8');
  const tables = text.split(/\n\n/).filter((part) => part.startsWith('|'));
  return tables.map((table) =>
    table.split('\n').flatMap((row) => {
      const [, exchanges = '', , days = ''] = row.split('|');
      const found = days.match(/\d{4}-\d\d-\d\d/g) ?? ['ever'];
      return [...exchanges.matchAll(/`([^`]+)`/g)].flatMap(([, name]) =>
        found.map((day) => `${name} ${day}`),
      );
    }),
  );
}

test('docs/how-to/normalizers.md lists the exchanges and days of the code', async () => {
  const [own, refused] = await tablesOf('docs/how-to/normalizers.md');
  const eras = Object.entries(OWN_ERAS).flatMap(([exchange, list]) =>
    list.flatMap(({ from = 'ever', to }) => [from, ...(to ? [to] : [])].map((day) => `${exchange} ${day}`)),
  );
  assert.deepEqual([...(own ?? [])].sort(), eras.sort());
  const dated = UNSUPPORTED_MESSAGES.filter(({ from }) => from !== undefined).map(
    (row) => `${row.exchange} ${row.from}`,
  );
  const ever = UNSUPPORTED_MESSAGES.filter(
    ({ exchange }) => !dated.some((row) => row.startsWith(`${exchange} `)),
  );
  assert.deepEqual(
    [...(refused ?? [])].sort(),
    [...dated, ...ever.map(({ exchange }) => `${exchange} ever`)].sort(),
  );
});
