import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { OWN_ERAS } from '../../src/dialects/own/normalizer-eras.js';
import { findUnsupportedError, UNSUPPORTED_MESSAGES } from '../../src/dialects/unsupported-messages.js';

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
    list.flatMap(({ from, to }) =>
      [from ?? 'ever', ...(to ? [to] : [])].map((time) => `${exchange} ${time.slice(0, 10)}`),
    ),
  );
  assert.deepEqual([...new Set(own)].sort(), [...new Set(eras)].sort());
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

test('refuses messages from a day on, with an alternative', () => {
  const rows = [
    { exchange: 'one', types: ['trade' as const], from: '2026-07-24', reason: 'have a new form' },
    { exchange: 'two', reason: 'have no normalizer' },
  ];
  const find = (exchange: string, type: 'trade' | 'liquidation', end: string, isLive = false) =>
    findUnsupportedError(exchange, type, Date.parse(end) * 1000, isLive, rows)?.message;
  assert.equal(find('one', 'trade', '2026-07-24'), undefined);
  assert.equal(find('one', 'liquidation', '2026-07-25'), undefined);
  assert.equal(
    find('one', 'trade', '2026-07-24T00:01Z'),
    'one: trade messages of feeds have a new form from 2026-07-24 on; ' +
      'use --source datasets, or a period that ends at 2026-07-24',
  );
  assert.equal(
    find('two', 'trade', '2020-01-01'),
    'two: trade messages of feeds have no normalizer; use --source datasets',
  );
  assert.equal(
    find('one', 'trade', '2026-08-01', true),
    'one: trade messages have a new form from 2026-07-24 on; ' +
      'day files have them from the next day on, for tickhaul replay',
  );
});
