import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { dataTypeColumns } from '../../../src/day-files/data-types.js';
import type { Compression } from '../../../src/format/compressor.js';
import {
  formatIsoTime,
  LineMemory,
  loadNdjsonModule,
  NDJSON_STOP_REASON,
} from '../../../src/format/ndjson/ndjson-kernel.js';
import { createNdjsonWriter } from '../../../src/format/ndjson/ndjson-writer.js';
import { createMemorySink } from '../../helpers/memory-sink.js';
import { between } from './lines-of.js';

async function writeNothing(compression: Compression): Promise<Uint8Array> {
  const sink = createMemorySink();
  await (await createNdjsonWriter(sink, compression)).finish({});
  return sink.bytes();
}

test('without rows, writes an empty file, or one empty member or frame', async () => {
  assert.equal((await writeNothing('none')).length, 0);
  assert.equal(gunzipSync(await writeNothing('gzip')).length, 0);
  const zstd = await writeNothing('zstd');
  // The magic number of a frame (RFC 8878, section 3.1.1).
  assert.equal(Buffer.from(zstd).readUInt32LE(), 0xfd2fb528);
});

const time = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer({ min: 1.5e15, max: 1.9e15 }),
  fc
    .tuple(fc.integer({ min: -20_000, max: 20_000 }), fc.constantFrom(-1, 0, 1))
    .map(([day, around]) => day * 86.4e9 + around),
);

test('formats ISO times with exact microseconds', () => {
  assert.equal(formatIsoTime(1709251200123456), '2024-03-01T00:00:00.123456Z');
  assert.equal(formatIsoTime(-1), '1969-12-31T23:59:59.999999Z');
  assert.equal(formatIsoTime(2 ** 53 - 1), '2255-06-05T23:47:34.740991Z');
  assert.equal(formatIsoTime(1 - 2 ** 53), '1684-07-28T00:12:25.259009Z');
});

test('ISO times parse to the original microseconds', () => {
  fc.assert(
    fc.property(time, (value) => {
      const text = formatIsoTime(value);
      assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      const micros = BigInt(Date.parse(`${text.slice(0, 23)}Z`)) * 1000n + BigInt(text.slice(23, 26));
      assert.equal(micros, BigInt(value));
    }),
    { numRuns: 5000 },
  );
});

/** More bytes than the lines need. */
const SIZE = 8192;
const untouched = Buffer.alloc(SIZE, 0xa5);

test('writes nothing at or after the limit, wherever it is', async () => {
  const cell = { text: 'some text, of more bytes than one', time: '1585699200245000', boolean: 'false' };
  for (const times of ['int', 'iso'] as const) {
    for (const numbers of ['double', 'string'] as const) {
      const schema = dataTypeColumns('options_chain') ?? [];
      const memory = new LineMemory(schema, { times, numbers });
      const module = await loadNdjsonModule(memory);
      const row = schema.map(({ kind }, i) => {
        if (kind === 'number') return i % 2 ? '0.0000123456789012345678901' : '-123.5';
        return cell[kind].replace(',', '');
      });
      const text = Buffer.from(`${row.join(',')}\n`.repeat(3));
      const { bytes, piece, start } = memory;
      bytes.set(text, piece);
      const to = piece + text.length;
      const format = (limit: number) => {
        bytes.set(untouched, start);
        return module.format(piece, to, 0, start, limit);
      };
      assert.equal(format(start + SIZE), NDJSON_STOP_REASON.done);
      const lines = Buffer.from(bytes.subarray(start, module.written.value));
      const enough = text.length + memory.fixedRoom;
      for (let room = 0; room < enough + 2000; room++) {
        const stop = format(start + room);
        const end = module.written.value;
        assert.equal(stop === NDJSON_STOP_REASON.done, module.rows.value === 3);
        assert.ok(stop === NDJSON_STOP_REASON.done || stop === NDJSON_STOP_REASON.noRoom);
        assert.ok(bytes.subarray(start, end).equals(lines.subarray(0, end - start)));
        const after = bytes.subarray(start + room, start + SIZE);
        assert.ok(after.equals(untouched.subarray(room)), `room for ${room} bytes`);
        if (room >= enough) assert.ok(module.rows.value > 0);
      }
    }
  }
});

test('enlarges the region of a batch, and keeps the lines of the previous batch', () => {
  const memory = new LineMemory(dataTypeColumns('trades') ?? [], { times: 'int', numbers: 'double' });
  const first = memory.start;
  memory.bytes.write('first', first);
  memory.swapRegions();
  const { start, limit } = memory;
  memory.bytes.write('second', start);
  assert.equal(memory.reserve(start + 6, limit - start - 6), start + 6);
  const end = memory.reserve(start + 6, limit - start);
  assert.notEqual(memory.start, start);
  assert.equal(memory.bytes.toString('latin1', memory.start, end), 'second');
  assert.ok(memory.limit - end >= limit - start);
  assert.ok(memory.bytes.length >= memory.limit);
  assert.equal(memory.bytes.toString('latin1', first, first + 5), 'first');
  memory.swapRegions();
  assert.equal(memory.start, first);
});

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
