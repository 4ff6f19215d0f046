import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDay } from '../../../../src/day-files/day.js';
import { unpackStates } from '../../../../src/describe/coverage/coverage-facts.js';
import type { PageData } from '../../../../src/describe/coverage/page/page-data.js';
import { renderAuditPage } from '../../../../src/describe/coverage/page/render-audit-page.js';
import type { AuditedDay } from '../../../../src/events/audited-day.js';
import { createAuditedDays, FIRST_DAY } from './audited-days.js';

function readData(days: readonly AuditedDay[]): PageData {
  const html = renderAuditPage(days, { dir: 'd', now: 0 });
  const [, json = ''] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html) ?? [];
  return JSON.parse(json) as PageData;
}

test('the page has each day with its condition, and counts them', () => {
  const days = createAuditedDays();
  const { series } = readData(days);
  assert.deepEqual(
    series.map(([, , symbol, first, states]) => [symbol, first, unpackStates(states)]),
    [
      [
        'BTC-PERPETUAL',
        parseDay(FIRST_DAY),
        `${'p'.repeat(10)}d${'p'.repeat(9)}e${'p'.repeat(9)}mm${'p'.repeat(8)}d${'p'.repeat(9)}c${'p'.repeat(8)}n`,
      ],
      ['</SCRIPT><B>', parseDay(FIRST_DAY), 'ppp'],
    ],
  );
  const html = renderAuditPage(days, { dir: 'd', now: 0 });
  const tiles = [...html.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(
    ([, name, value]) => `${value} ${name}`,
  );
  assert.deepEqual(tiles, [
    '2 series',
    '57 days available',
    '2 days degraded',
    '2 days missing',
    '1 days pending',
    '1 days corrupt',
    '59.6M rows',
  ]);
});

test('the checks that occur are explained in a list', () => {
  const html = renderAuditPage(createAuditedDays(), { dir: 'd', now: 0 });
  const [, list = ''] = /<ul class="checks soft" aria-label="Checks">(.*?)<\/ul>/.exec(html) ?? [];
  assert.deepEqual(
    [...list.matchAll(/<li><b>(.*?)<\/b>: (.*?)<\/li>/g)].map(([, name, meaning]) => `${name}: ${meaning}`),
    [
      'exchange_order: rows whose exchange timestamp steps back, by symbol',
      'future_timestamp: rows with an exchange timestamp after their local one',
      'gap: periods without rows',
      'crossed: states with the best bid above the best ask',
      'incident: incidents of the exchange record that overlap the day',
    ],
  );
  const without = createAuditedDays().map((day) => ({ ...day, checks: {}, reasons: [] }));
  assert.equal(renderAuditPage(without, { dir: 'd', now: 0 }).includes('<ul class="checks'), false);
});

test('details of a day have times since its start, and only checks that counted something', () => {
  const [first] = readData(createAuditedDays()).series;
  const [, day] = first?.[8].find(([index]) => index === 10) ?? [];
  const hour = 3_600_000_000;
  const place = { row: 12_345, symbol: 'BTC-PERPETUAL' };
  assert.deepEqual(day, {
    reasons: ['gap', 'crossed', 'incident'],
    incidents: ['2024-01-25T05:00:00.000Z to 2024-01-25T09:00:00.000Z: connection <lost>: resolved'],
    content: {
      rows: 1_010_000,
      symbols: 1,
      period: { start: 120_000, end: 24 * hour - 340_000 },
      latency: { p50: 15_000, p99: 900_000, max: hour },
      findings: [
        {
          check: 'gap',
          count: 2,
          seconds: 12_600,
          longest: { start: 5 * hour, end: 8 * hour },
          ...place,
          time: 8 * hour,
        },
        { check: 'exchange_order', count: 1204, maxMicroseconds: 98_123, ...place, time: 9 * hour },
        {
          check: 'crossed',
          count: 31,
          seconds: 754,
          longest: { start: 14 * hour, end: 14 * hour + 700e6 },
          ...place,
          time: 14 * hour,
        },
      ],
      gaps: [
        { start: 5 * hour, end: 8 * hour },
        { start: 20 * hour, end: 20.5 * hour },
      ],
    },
  });
});

test('the page has no path of this machine, no external reference and no markup of the data', () => {
  const html = renderAuditPage(createAuditedDays(), { dir: '/home/jo/data', now: 0 });
  assert.equal(html.includes('/home'), false);
  assert.ok(html.includes('<h1>Audit of data</h1>'));
  assert.ok(html.includes('_2024-03-05_BTC-PERPETUAL.csv.gz: gzip data ends early'));
  assert.equal(/(?:src|href)="(?!data:)/.test(html), false);
  assert.equal(html.match(/<\/script>/gi)?.length, 3);
});

test('of two files of a day, the page shows the one with a finding; days between files can be outside of the audit', () => {
  const [day, , , ...others] = createAuditedDays().slice(0, 11);
  assert.ok(day);
  const degraded = { ...day, condition: 'degraded', reasons: ['gap'] } as const;
  for (const same of [
    [day, degraded],
    [degraded, day],
  ]) {
    const [series] = readData([...same, ...others]).series;
    assert.equal(unpackStates(series?.[4] ?? ''), `doo${'p'.repeat(7)}d`);
  }
});

test('a file of an unknown day is named above the calendars', () => {
  const [day] = createAuditedDays();
  assert.ok(day);
  const { checks, ...rest } = day;
  const path = '/home/jo/<b>.csv.gz';
  const error = { code: 'corrupt', message: `${path}: no header` } as const;
  const unknown: AuditedDay = { ...rest, date: '', path, condition: 'corrupt', error };
  const html = renderAuditPage([day, unknown], { dir: 'd', now: 0 });
  assert.ok(html.includes('<ul><li>corrupt: &#60;b&#62;.csv.gz: no header</li></ul>'));
  assert.equal(readData([day, unknown]).series.length, 1);
});

test('ten thousand days make a page below 4 MB', () => {
  const days = createAuditedDays().slice(0, 10);
  const many = Array.from({ length: 1000 }, (_, i) =>
    days.map((day) => ({ ...day, symbol: `COIN${i}` })),
  ).flat();
  assert.ok(renderAuditPage(many, { dir: 'd', now: 0 }).length < 4e6);
});
