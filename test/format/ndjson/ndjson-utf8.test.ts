import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { test } from 'node:test';
import {
  LineMemory,
  loadNdjsonModule,
  NDJSON_STOP_REASON,
} from '../../../src/format/ndjson/ndjson-kernel.js';
import { between } from './lines-of.js';

/** Bytes on both sides of each bound in Unicode's table 3-7. */
const BOUNDS = [0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0];
const TAILS = [0x7f, 0x80, 0xbf, 0xc0];

test('the kernel accepts text that is not ASCII only if it is valid UTF-8', async () => {
  const memory = new LineMemory(between('text'), { times: 'int', numbers: 'double' });
  const module = await loadNdjsonModule(memory);
  const { bytes, piece, start, limit } = memory;
  const counts = { accepted: 0, rejected: 0 };
  for (let lead = 0x80; lead <= 0xff; lead++) {
    const sequences = [[lead], ...BOUNDS.map((second) => [lead, second])];
    for (const second of BOUNDS) {
      for (const third of TAILS) {
        sequences.push([lead, second, third], ...TAILS.map((fourth) => [lead, second, third, fourth]));
      }
    }
    for (const sequence of sequences) {
      const cell = Buffer.from(sequence);
      const row = Buffer.concat([Buffer.from('p,'), cell, Buffer.from(',q\n')]);
      bytes.set(row, piece);
      const stop = module.format(piece, piece + row.length, 0, start, limit);
      assert.equal(
        stop,
        isUtf8(cell) ? NDJSON_STOP_REASON.done : NDJSON_STOP_REASON.unusual,
        cell.toString('hex'),
      );
      counts[stop === NDJSON_STOP_REASON.done ? 'accepted' : 'rejected']++;
      if (stop !== NDJSON_STOP_REASON.done) continue;
      const line = bytes.subarray(start, module.written.value);
      assert.equal(line.toString(), `{"a":"p","x":"${cell}","b":"q"}\n`);
    }
  }
  assert.ok(counts.accepted > 400 && counts.rejected > 10_000, JSON.stringify(counts));
});
