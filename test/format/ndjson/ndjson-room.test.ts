import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataTypeColumns } from '../../../src/day-files/data-types.js';
import {
  LineMemory,
  loadNdjsonModule,
  NDJSON_STOP_REASON,
} from '../../../src/format/ndjson/ndjson-kernel.js';

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
