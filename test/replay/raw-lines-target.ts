import assert from 'node:assert/strict';
import { TickhaulError } from '../../src/base/errors.js';
import { MS_PER_MINUTE } from '../../src/day-files/day.js';
import { LineIndexer, RawBatch, type SlicePart } from '../../src/raw-feeds/raw-batch.js';
import { WholeLineSplitter } from '../../src/raw-feeds/read-feed-part.js';
import { RawLineWriter } from '../../src/replay/raw-line-writer.js';
import type { Random } from '../../src/sandbox/simulation/seeded-random.js';
import { pick } from '../format/fuzz/random-rows.js';
import type { FuzzTarget } from '../format/fuzz/target.js';

const START = Date.parse('2024-02-28T23:58:00Z') / MS_PER_MINUTE;

/** A slice whose lines are in some minutes from the start on, and the selected part; undefined for all. */
interface Slice {
  readonly text: Buffer;
  readonly part: SlicePart | undefined;
}

/**
 * Sends slices in arbitrary chunks through the raw replay, and compares its lines with those of a simple
 * split.
 */
export const rawLinesTarget: FuzzTarget = {
  name: 'raw-lines',
  async round(random, keep) {
    const slices = Array.from({ length: 1 + random.int(3) }, (_, nth) => randomSlice(random, nth));
    keep(Buffer.concat(slices.map(({ text }) => text)));
    const { text, error } = await made(random, slices);
    const expected = splitSimply(slices);
    assert.equal(error, expected.error);
    assert.ok(text.equals(expected.text), `${text}\n${expected.text}`);
  },
};

interface ReplayOutput {
  readonly text: Buffer;
  /** Whether a line was rejected. */
  readonly error: boolean;
}

async function made(random: Random, slices: readonly Slice[]): Promise<ReplayOutput> {
  const chunks: Buffer[] = [];
  const written = { messages: 0, bytes: 0 };
  const lines = new RawLineWriter({ write: async (bytes) => void chunks.push(Buffer.from(bytes)) }, written);
  const whole = new WholeLineSplitter(256 * 1024);
  const cutter = new LineIndexer(START);
  const batch = new RawBatch();
  const most = pick(random, [5, 100, 1 << 20]);
  const takeOut = async (): Promise<void> => {
    for (let at = 0; at < batch.count; ) {
      let until = at + 1;
      while (until < batch.count && !batch.isDisconnect(until) && !batch.isDisconnect(at)) until++;
      if (batch.isDisconnect(at)) await lines.addDisconnect();
      else await lines.add(batch, at, until);
      at = until;
    }
    batch.clear();
    if (random.chance(0.1)) await lines.flush();
  };
  let error = false;
  try {
    for (const { text, part } of slices) {
      cutter.startSlice(part);
      for (let at = 0; at < text.length; ) {
        const chunk = Buffer.from(text.subarray(at, at + 1 + random.int(most)));
        at += chunk.length;
        for (const piece of whole.split(chunk)) {
          try {
            cutter.splitLines(piece, batch);
          } finally {
            await takeOut();
          }
        }
      }
      cutter.endSlice();
    }
    cutter.end(batch);
    await takeOut();
  } catch (thrown) {
    assert.ok(thrown instanceof TickhaulError && thrown.code === 'corrupt', String(thrown));
    error = true;
  }
  await lines.flush();
  return { text: Buffer.concat(chunks), error };
}

/** A disconnect precedes the next selected line, or the end; consecutive ones are one. */
function splitSimply(slices: readonly Slice[]): ReplayOutput {
  const out: string[] = [];
  const made = (error: boolean): ReplayOutput => ({ text: Buffer.from(out.join(''), 'latin1'), error });
  /** Disconnects at the end of earlier slices, and in this one since its last line. */
  let hadBreak = false;
  for (const { text, part } of slices) {
    const { start, end } = part?.minutes ?? {
      start: Number.NEGATIVE_INFINITY,
      end: Number.POSITIVE_INFINITY,
    };
    const isBeforeOurs = part?.startsEarly ?? false;
    let isOurs = !isBeforeOurs;
    let hasBreak = false;
    for (const line of text.toString('latin1').split('\n').slice(0, -1)) {
      if (line === '') {
        hasBreak ||= isOurs;
        continue;
      }
      const minute = parseMinute(line);
      if (minute === undefined) return made(true);
      isOurs = minute < start ? !isBeforeOurs : minute < end;
      if (minute < start) hasBreak = false;
      if (minute < start || minute >= end) continue;
      if (hadBreak || hasBreak) out.push('\n');
      hadBreak = false;
      hasBreak = false;
      out.push(`{"localTimestamp":"${line.slice(0, 28)}","message":${line.slice(29)}}\n`);
    }
    hadBreak ||= hasBreak;
  }
  if (hadBreak) out.push('\n');
  return made(false);
}

/** Undefined if the line does not begin with a time. */
function parseMinute(line: string): number | undefined {
  const [, second = ''] = /^(.{19})\.\d{7}Z /.exec(line) ?? [];
  const ms = Date.parse(`${second}Z`);
  const isTime = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(`${second}.`);
  return isTime ? Math.floor(ms / MS_PER_MINUTE) : undefined;
}

function randomSlice(random: Random, nth: number): Slice {
  const first = START + 2 * nth;
  let ms = first * MS_PER_MINUTE;
  const count = random.int(random.chance(0.1) ? 300 : 20);
  const lines = Array.from({ length: count }, () => {
    if (random.chance(0.15)) return '\n';
    ms += random.int(10_000);
    const message = random.chance(0.02) ? 'é'.repeat(random.int(2000)) : randomMessage(random);
    const second = new Date(ms).toISOString().slice(0, 19);
    return `${second}.${String(random.int(1e7)).padStart(7, '0')}Z ${message}\n`;
  });
  const text = Buffer.from(lines.join(''));
  const minutes = { start: first + random.int(2), end: first + 1 + random.int(2) };
  const part = random.chance(0.5) ? undefined : { minutes, text: undefined, startsEarly: random.chance(0.5) };
  return { text: random.chance(0.05) ? damaged(random, text) : text, part };
}

function randomMessage(random: Random): string {
  const parts = [
    '{}',
    '{"a":"\\n\\"é😀"}',
    '\r',
    ' ',
    '"\\u2028"',
    '[1,2]',
    '\u0001',
    'x'.repeat(random.int(100)),
  ];
  return Array.from({ length: random.int(6) }, () => pick(random, parts)).join('');
}

/** Changes one byte at the start of a line. */
function damaged(random: Random, text: Buffer): Buffer {
  const starts = [0, ...Array.from(text.entries(), ([at, byte]) => (byte === 10 ? at + 1 : 0))];
  const at = pick(random, starts) + random.int(30);
  if (at >= text.length || text[at] === 10) return text;
  const copy = Buffer.from(text);
  copy[at] = pick(random, [...Buffer.from('x "9:-')]);
  return copy;
}
