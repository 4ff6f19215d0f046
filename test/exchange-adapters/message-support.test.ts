import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { describeMessageSupport } from '../../src/exchange-adapters/message-support.js';
import { OWN_ERAS } from '../../src/exchange-adapters/own/normalizer-eras.js';

const BOTH = { feeds: true, live: true };

/** Without absent fields. */
async function supportOf(exchange: string): Promise<unknown> {
  return JSON.parse(JSON.stringify(await describeMessageSupport(exchange)));
}

test('tells by type what feeds and live streams can do', async () => {
  assert.deepEqual(await supportOf('mexc'), { trade: BOTH, book_change: BOTH, book_ticker: BOTH });
  assert.deepEqual(await supportOf('mexc-futures'), {
    trade: BOTH,
    book_change: BOTH,
    derivative_ticker: BOTH,
  });
  assert.deepEqual(await supportOf('aster'), { trade: BOTH, book_change: BOTH, book_ticker: BOTH });
  assert.deepEqual(Object.keys(await describeMessageSupport('aster-futures')), [
    'trade',
    'book_change',
    'derivative_ticker',
    'liquidation',
    'book_ticker',
  ]);
  assert.deepEqual(await supportOf('kraken'), { trade: BOTH, book_change: BOTH, book_ticker: BOTH });
  const { trade } = await describeMessageSupport('coinbase-international');
  assert.deepEqual([trade?.feeds, trade?.live], [true, false]);
  for (const exchange of ['nowhere', 'constructor', '__proto__']) {
    assert.deepEqual(await supportOf(exchange), {}, exchange);
  }
});

test('a type that only tickhaul reads is supported', async () => {
  for (const [exchange, eras] of Object.entries(OWN_ERAS)) {
    const support = await describeMessageSupport(exchange);
    for (const type of eras.flatMap(({ normalizers }) => Object.keys(normalizers))) {
      assert.equal(support[type as keyof typeof support]?.feeds, true, `${exchange} ${type}`);
    }
  }
});

test('a type that was not collected at first begins with its channel', async () => {
  assert.deepEqual(await supportOf('gemini'), {
    trade: BOTH,
    book_change: BOTH,
    book_ticker: { ...BOTH, since: '2026-07-24' },
  });
  const { liquidation } = (await supportOf('bitget-futures')) as { liquidation?: object };
  assert.deepEqual(liquidation, { ...BOTH, since: '2026-04-28' });
});

/** The channels and messages that the vendor's newest client knows. */
const FACTS = fileURLToPath(new URL('../../../../shared/mappers', import.meta.url));
const skip = existsSync(FACTS) ? false : "no facts of the vendor's newest client";

test("each type of the vendor's newest client has a normalizer, or a documented row refuses it", {
  skip,
}, async () => {
  const cases = readFileSync(`${FACTS}/cases.jsonl`, 'utf8').trim().split('\n');
  const known = new Set(
    cases.flatMap((line) => {
      const { exchange, expected } = JSON.parse(line);
      return Object.keys(expected).map((type) => `${exchange} ${type}`);
    }),
  );
  const exchanges = Object.keys(JSON.parse(readFileSync(`${FACTS}/channels.json`, 'utf8')));
  for (const exchange of exchanges) {
    const support = await describeMessageSupport(exchange);
    assert.ok(Object.keys(support).length > 0, exchange);
    const types = [...known].filter((name) => name.startsWith(`${exchange} `));
    for (const type of types.map((name) => name.slice(exchange.length + 1))) {
      assert.ok(Object.hasOwn(support, type), `${exchange} ${type}`);
    }
  }
});

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
  const [own] = await tablesOf('docs/how-to/normalizers.md');
  const eras = Object.entries(OWN_ERAS).flatMap(([exchange, list]) =>
    list.flatMap(({ from, to }) =>
      [from ?? 'ever', ...(to ? [to] : [])].map((time) => `${exchange} ${time.slice(0, 10)}`),
    ),
  );
  assert.deepEqual([...new Set(own)].sort(), [...new Set(eras)].sort());
});
