import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { csvOf, parquetRows, run, writeDayFile } from '../convert/day-files.js';
import { rounds } from '../helpers/services.js';
import { naiveRows } from './csv/naive.js';

const TYPES = ['trades', 'derivative_ticker', 'incremental_book_L2'] as const;
const ORIGINALS = new Map(TYPES.map((dataType) => [dataType, Buffer.from(csvOf(dataType, 25))]));

const byte = fc.oneof(fc.constantFrom(...Buffer.from('0123456789,,\n\r.-eE"tf')), fc.nat({ max: 255 }));
const change = fc.record({
  at: fc.nat(),
  remove: fc.nat({ max: 3 }),
  insert: fc.array(byte, { maxLength: 3 }),
});
const mutant = fc.record({
  dataType: fc.constantFrom(...TYPES),
  /** Whether the text is changed, or the gzip file. */
  inText: fc.boolean(),
  changes: fc.array(change, { minLength: 1, maxLength: 3 }),
  /** Share of the bytes that is kept. */
  cut: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { freq: 6 }),
});
type Mutant = typeof mutant extends fc.Arbitrary<infer T> ? T : never;

function createBytes({ dataType, inText, changes, cut }: Mutant): Buffer {
  const csv = ORIGINALS.get(dataType) ?? Buffer.alloc(0);
  let bytes = inText ? csv : gzipSync(csv);
  for (const { at, remove, insert } of changes) {
    const start = at % (bytes.length + 1);
    bytes = Buffer.concat([bytes.subarray(0, start), Buffer.from(insert), bytes.subarray(start + remove)]);
  }
  if (cut !== null) bytes = bytes.subarray(0, Math.floor(cut * bytes.length));
  return inText ? gzipSync(bytes) : bytes;
}

test('mutated day files give the right rows, or an error that names the file', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(mutant, { minLength: 30, maxLength: 30 }), async (mutants) => {
      const dir = await mkdtemp(join(tmpdir(), 'tickhaul-fuzz-'));
      try {
        const gzipped = new Map<string, { readonly dataType: string; readonly bytes: Buffer }>();
        for (const [i, one] of mutants.entries()) {
          const bytes = createBytes(one);
          gzipped.set(await writeDayFile(dir, one.dataType, bytes, `S${i}`), {
            dataType: one.dataType,
            bytes,
          });
        }
        const { files } = await run([dir], { chosen: { rowGroup: 10 } });
        assert.equal(files.length, mutants.length);
        for (const { source = '', path, status, error } of files) {
          const { dataType = '', bytes = Buffer.alloc(0) } = gzipped.get(source) ?? {};
          const csv = gunzipped(bytes);
          const expected = csv && !csv.includes('"') ? naiveRows(csv, dataType) : undefined;
          if (status === 'converted') {
            assert.ok(csv, `${source}: converted what gunzip refuses`);
            const names = csv.toString().split(/\r?\n/, 1)[0]?.split(',') ?? [];
            const rows = await parquetRows(await readFile(path));
            if (csv.includes('"')) continue;
            assert.deepEqual(
              rows.map((row) => names.map((name) => row[name])),
              expected,
            );
          } else {
            const message = error?.message ?? '';
            assert.deepEqual([status, error?.code], ['failed', 'corrupt'], message);
            assert.ok(message.startsWith(`${source}: `), message);
            assert.equal(existsSync(path), false);
            // Node's gunzip ignores bytes after the last member.
            if (!/after the last gzip member/.test(message)) assert.equal(expected, undefined, message);
          }
        }
        assert.deepEqual(
          (await readdir(dir)).filter((name) => name.endsWith('.part')),
          [],
        );
      } finally {
        await rm(dir, { recursive: true });
      }
    }),
    { numRuns: rounds(8) },
  );
});

function gunzipped(bytes: Buffer): Buffer | undefined {
  try {
    return gunzipSync(bytes);
  } catch {
    return undefined;
  }
}
