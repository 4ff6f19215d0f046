import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PIECE_BYTES, type Piece, PieceMemory } from '../../../src/format/csv/piece-memory.js';
import {
  type BatchSize,
  type PieceRows,
  type RowConsumer,
  RowSplitter,
} from '../../../src/format/csv/row-splitter.js';
import { HEADER } from '../trades.js';

interface Taken extends PieceRows {
  readonly text: string;
}

interface CutOptions {
  /** Sizes of the chunks, repeated; by default one chunk. */
  readonly chunks?: readonly number[];
  readonly size?: Partial<BatchSize>;
}

const memory = await PieceMemory.create(4);

/** Records the rows that it receives. */
class Collector implements RowConsumer {
  readonly taken: Taken[] = [];
  rows = 0;
  schema: readonly string[] = [];
  readonly #size: BatchSize;
  readonly #out = new Set<Piece>();

  constructor({ size }: CutOptions) {
    this.#size = { rows: 3, textBytes: 1e9, ...size };
  }

  open({ schema }: { schema: readonly { name: string }[] }): BatchSize {
    this.schema = schema.map(({ name }) => name);
    return this.#size;
  }

  async acquirePiece(): Promise<Piece> {
    const piece = memory.acquire();
    assert.ok(piece);
    this.#out.add(piece);
    return piece;
  }

  async consume(piece: Piece, rows: PieceRows): Promise<void> {
    this.taken.push({ ...rows, text: piece.bytes.toString('utf8', 0, rows.length) });
    // The next user of the piece overwrites it.
    piece.bytes.fill(34);
    this.#out.delete(piece);
    memory.free(piece);
  }

  /** The splitter may hold a piece at the end. */
  close(): void {
    for (const piece of this.#out) memory.free(piece);
    assert.ok(this.#out.size <= 1);
  }

  /** The text of each batch, and its first line. */
  batches(): { readonly text: string; readonly line: number }[] {
    const batches: { text: string; line: number }[] = [];
    let open = false;
    for (const { text, line, endsBatch } of this.taken) {
      if (!open) batches.push({ text: '', line });
      const batch = batches.at(-1);
      if (batch) batch.text += text;
      open = !endsBatch;
    }
    assert.ok(!open, 'a batch has no end');
    return batches;
  }
}

async function cut(csv: string | Buffer, options: CutOptions = {}): Promise<Collector> {
  const bytes = Buffer.from(csv);
  const collector = new Collector(options);
  const cutter = new RowSplitter('day.csv.gz', 'trades', collector);
  const { chunks = [bytes.length] } = options;
  try {
    for (let at = 0, i = 0; at < bytes.length; i++) {
      const chunk = Buffer.from(bytes.subarray(at, at + Math.max(1, chunks[i % chunks.length] ?? 1)));
      await cutter.push(chunk);
      chunk.fill(0x2c);
      at += chunk.length;
    }
    await cutter.end();
  } finally {
    collector.close();
  }
  collector.rows = cutter.rows;
  return collector;
}

const rowsOf = (count: number): string[] => Array.from({ length: count }, (_, i) => `row ${i},${i * 7}`);
const file = (rows: readonly string[]): string => `${[HEADER, ...rows].join('\n')}\n`;

test('passes rows on in batches with their first line; the last batch has the rest', async () => {
  const collector = await cut(file(rowsOf(8)));
  assert.equal(collector.rows, 8);
  assert.deepEqual(collector.schema.join(), HEADER);
  assert.deepEqual(collector.batches(), [
    { text: 'row 0,0\nrow 1,7\nrow 2,14\n', line: 2 },
    { text: 'row 3,21\nrow 4,28\nrow 5,35\n', line: 5 },
    { text: 'row 6,42\nrow 7,49\n', line: 8 },
  ]);
});

test('passes on the same batches wherever the text is split', async () => {
  for (const csv of [
    file(rowsOf(7)),
    file(rowsOf(7)).slice(0, -1),
    file(['a', '"b\n""c"', 'd', 'e,"f"', 'g']),
  ]) {
    const whole = (await cut(csv)).batches();
    for (let at = 1; at < csv.length; at++) {
      assert.deepEqual((await cut(csv, { chunks: [at, csv.length] })).batches(), whole, `cut at ${at}`);
    }
    assert.deepEqual((await cut(csv, { chunks: [1] })).batches(), whole);
  }
});

test('passes on any rows in any chunks unchanged', async () => {
  const row = fc.oneof(
    fc.string({ minLength: 1, maxLength: 90, unit: 'grapheme' }).map((text) => text.replace(/["\n]/g, '.')),
    fc.string({ maxLength: 40 }).map((text) => `x,"${text.replaceAll('"', '""')}"`),
  );
  const property = fc.asyncProperty(
    fc.array(row, { maxLength: 60 }),
    fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 5 }),
    fc.integer({ min: 1, max: 9 }),
    fc.constantFrom(1, 30, 70, 200, 1e9),
    async (rows, chunks, batch, textBytes) => {
      const collector = await cut(file(rows), { chunks, size: { rows: batch, textBytes } });
      assert.equal(collector.rows, rows.length);
      const batches = collector.batches().map(({ text }) => text);
      const expected = [];
      for (let at = 0; at < rows.length; ) {
        const end = Math.min(rows.length, at + batch);
        let text = '';
        while (at < end && Buffer.byteLength(text) < textBytes) text += `${rows[at++]}\n`;
        expected.push(text);
      }
      assert.deepEqual(batches, expected);
    },
  );
  await fc.assert(property, { numRuns: 200 });
});

test('interprets quotes from the first row with one on', async () => {
  const { taken } = await cut(file(['a', 'b', 'c "', '" d', 'e']), {
    size: { rows: 100 },
  });
  assert.deepEqual(
    taken.map(({ text, quoted, line }) => ({ text, quoted, line })),
    [
      { text: 'a\nb\n', quoted: false, line: 2 },
      { text: 'c "\n" d\ne\n', quoted: true, line: 4 },
    ],
  );
});

test('a header may be quoted, end in CRLF, and lack its line end', async () => {
  const quoted = HEADER.replace('exchange', '"exchange"');
  for (const csv of [`${HEADER}\r\na\r\n`, `${quoted}\na\n`, `${quoted}\r\na`, HEADER, `${quoted}\n`]) {
    const { schema, rows } = await cut(csv, { chunks: [5] });
    assert.equal(schema.join(), HEADER);
    assert.equal(rows, csv.includes('\na') ? 1 : 0);
  }
});

test('accepts rows of up to a piece; refuses a longer one with the line at which it begins', async () => {
  const longest = 'x'.repeat(PIECE_BYTES - 1);
  const { taken } = await cut(file(['a', longest, 'b']), { chunks: [70_000] });
  assert.ok(taken.every(({ length }) => length <= PIECE_BYTES));
  assert.equal(taken.map(({ text }) => text).join(''), `a\n${longest}\nb\n`);
  await assert.rejects(cut(file(['a', `${longest}x`, 'b']), { chunks: [70_000] }), {
    code: 'corrupt',
    message: /^day\.csv\.gz: line 3, the line is longer than 1048576 bytes/,
  });
  await assert.rejects(cut(file(['a', `"${longest}`]), { chunks: [70_000] }), {
    message: /line 3, a quote is opened that is not closed within/,
  });
});

test('a batch ends with the row with which its text reaches the limit, wherever the text is split', async () => {
  for (const [rows, expected] of [
    [
      ['aaaa', 'bbbb', 'c', 'd', 'eeeeeeeeeeee', 'f'],
      ['aaaa\nbbbb\n', 'c\nd\neeeeeeeeeeee\n', 'f\n'],
    ],
    [
      ['"a"', '"b\n\n\n"', 'c', 'd,d,d,dd', 'e'],
      ['"a"\n"b\n\n\n"\n', 'c\nd,d,d,dd\n', 'e\n'],
    ],
    [
      ['aaaa', 'bb"\nb"', 'cccccccccc', 'd'],
      ['aaaa\nbb"\nb"\n', 'cccccccccc\n', 'd\n'],
    ],
  ] as const) {
    const csv = file(rows);
    const size = { rows: 10, textBytes: 10 };
    for (let at = 1; at < csv.length; at++) {
      const found = (await cut(csv, { chunks: [at, csv.length], size })).batches();
      assert.deepEqual(
        found.map(({ text }) => text),
        expected,
        `cut at ${at}`,
      );
    }
    const found = (await cut(csv, { chunks: [1], size })).batches();
    assert.deepEqual(
      found.map(({ text }) => text),
      expected,
    );
  }
});
