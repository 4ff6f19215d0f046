import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { TickhaulError } from '../../src/base/errors.js';
import { linesOf } from './feed-lines-of.js';

/**
 * Messages of each exchange, in all forms that they had, with what the newest client of the vendor makes of them:
 * `{exchange, at, messages, expected}` a line. Message i is received at `at` + 1 s + i * 5 ms.
 */
const CASES = fileURLToPath(new URL('../../../../shared/mappers/cases.jsonl', import.meta.url));

interface Case {
  readonly exchange: string;
  readonly at: string;
  readonly messages: readonly unknown[];
  readonly expected: Readonly<Record<string, readonly object[]>>;
}

/** Answers that differ from that client's, as `exchange minute type`, each with its reason. */
const DIFFERENCES: Readonly<Record<string, string>> = {};

const cases: readonly Case[] = existsSync(CASES)
  ? readFileSync(CASES, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  : [];

for (const exchange of new Set(cases.map((each) => each.exchange))) {
  test(`messages of ${exchange} are normalized as by the vendor's newest client`, async () => {
    for (const each of cases.filter((other) => other.exchange === exchange)) {
      for (const [type, expected] of Object.entries(each.expected)) {
        const name = `${exchange} ${each.at} ${type}`;
        const lines = await answer(each, type);
        if (Object.hasOwn(DIFFERENCES, name)) assert.notDeepEqual(lines, expected, `${name} is equal now`);
        else assert.deepEqual(lines, expected, name);
      }
    }
  });
}

if (cases.length === 0) test('cases of the newest client', { skip: 'no cases of the vendor' }, () => {});

/** The lines with times cut to milliseconds, or the code of the error that refuses them. */
async function answer({ exchange, at, messages }: Case, types: string): Promise<unknown> {
  const start = Date.parse(`${at}Z`) + 1000;
  const events = messages.map(
    (message, index) => [`${new Date(start + index * 5).toISOString().slice(0, -1)}0000Z`, message] as const,
  );
  try {
    const lines = await linesOf({ exchange, types }, events);
    return lines.map((line) => JSON.parse(line, cutTime));
  } catch (error) {
    if (error instanceof TickhaulError) return error.message;
    throw error;
  }
}

const cutTime = (_: string, value: unknown) =>
  typeof value === 'string' ? value.replace(/^(\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3})\d*Z$/, '$1Z') : value;
