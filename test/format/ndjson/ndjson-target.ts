import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import type { DayFileColumn } from '../../../src/day-files/data-types.js';
import type { BatchKernel } from '../../../src/format/output-format.js';
import { createBatchKernel } from '../../../src/format/output-formats.js';
import type { Random } from '../../../src/sandbox/simulation/seeded-random.js';
import { pick, randomRows, randomSchema, textOf } from '../fuzz/random-rows.js';
import type { FuzzTarget } from '../fuzz/target.js';
import { referenceLines } from '../reference/ndjson.js';
import { referenceError, referenceRows } from '../reference/rows.js';

const SOURCE = 'day.csv.gz';

/** Compares the lines of random rows, passed in pieces and cell by cell, with those of the reference. */
export const ndjsonTarget: FuzzTarget = {
  name: 'ndjson',
  async round(random, keep) {
    const schema = randomSchema(random);
    const options = {
      format: 'ndjson',
      times: pick(random, ['int', 'iso'] as const),
      numbers: pick(random, ['double', 'string'] as const),
      compression: random.chance(0.05) ? 'gzip' : 'none',
    } as const;
    const kernel = await createBatchKernel({ source: SOURCE, schema, options });
    kernel.line = 2 + random.int(1000);
    /** The previous batch, whose bytes must stay valid until this one ends. */
    let last: { readonly bytes: Uint8Array; readonly expected: string } | undefined;
    for (let batch = 1 + random.int(4); batch > 0; batch--) {
      let expected = '';
      for (let piece = random.int(4); piece > 0; piece--) {
        const given = randomPiece(random, schema, kernel.line);
        keep(given.input);
        if (given.error !== undefined) {
          const { error: message } = given;
          assert.throws(() => given.give(kernel), { name: 'TickhaulError', code: 'corrupt', message });
          return;
        }
        given.give(kernel);
        expected += referenceLines(given.rows, schema, options);
      }
      const encoded = kernel.finish();
      assert.equal(encoded === undefined, expected === '');
      if (last) assert.equal(Buffer.from(last.bytes).toString(), last.expected);
      last = undefined;
      if (!encoded) continue;
      const bytes = options.compression === 'gzip' ? gunzipSync(encoded.bytes) : encoded.bytes;
      assert.equal(Buffer.from(bytes).toString(), expected);
      last = { bytes, expected };
    }
  },
};

interface Given {
  readonly input: Uint8Array;
  readonly rows: readonly (readonly Buffer[])[];
  readonly error: string | undefined;
  give(kernel: BatchKernel): void;
}

function randomPiece(random: Random, schema: readonly DayFileColumn[], line: number): Given {
  if (random.chance(0.2)) {
    const [row = []] = randomRows(random, schema, 1);
    const cells = random.chance(0.1) ? row.slice(0, 1 + random.int(row.length)) : row;
    const text = schema.findIndex(({ kind }) => kind === 'text');
    if (text < cells.length && random.chance(0.5)) cells[text] = Buffer.from('a,"b"\r\nc');
    const error = referenceError(cells, schema, SOURCE, line);
    return { input: Buffer.concat(cells), rows: [cells], error, give: (kernel) => kernel.appendRow(cells) };
  }
  const most = random.chance(0.02) ? 2000 : 30;
  const rows = randomRows(random, schema, random.int(Math.max(2, (8 * most) / schema.length)));
  const whole = textOf(random, rows, true).subarray(0, 1 << 20);
  const text = random.chance(0.05) ? whole.subarray(0, whole.lastIndexOf(10)) : whole;
  // Bytes after the piece must not matter.
  const junk = Buffer.from(pick(random, ['0', ',', '\n', 'a', '9,\n', '.']).repeat(100));
  return {
    input: text,
    ...referenceRows(text, schema, SOURCE, line),
    give(kernel) {
      const piece = kernel.getPieceBuffer();
      piece.set(text);
      piece.set(junk, text.length);
      kernel.parse(text.length);
    },
  };
}
