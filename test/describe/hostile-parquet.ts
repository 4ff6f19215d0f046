import { ByteWriter } from '../../src/format/byte-writer.js';
import { Encoding, PageType, PhysicalType } from '../../src/format/parquet/parquet-schema.js';
import { ThriftWriter } from '../../src/format/parquet/thrift.js';

type Write = (thrift: ThriftWriter) => void;

/** What a hostile file states, which may differ from what it has. */
export interface HostileFile {
  readonly rows?: number;
  readonly rowGroups?: number;
  /** Pages of the column `local_timestamp`. */
  readonly pages?: readonly Buffer[];
  readonly physical?: number;
  readonly codec?: number;
  readonly createdBy?: string;
  readonly keyValueBytes?: number;
}

export function struct(write: Write): Buffer {
  const out = new ByteWriter();
  const thrift = new ThriftWriter(out);
  write(thrift);
  thrift.end();
  return Buffer.from(out.written());
}

/** A Parquet file with any bytes as its footer. */
export function withFooter(data: Buffer, footer: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([Buffer.from('PAR1'), data, footer, length, Buffer.from('PAR1')]);
}

/** A Parquet file of one required column; each row group has the same pages. */
export function hostileParquet({
  rows = 1,
  rowGroups = 1,
  pages = [],
  physical = PhysicalType.int64,
  codec = 0,
  createdBy = 'another writer',
  keyValueBytes = 0,
}: HostileFile): Buffer {
  const data = Buffer.concat(pages);
  const footer = struct((thrift) => {
    thrift.i32(1, 2);
    thrift.structs(2, ['schema', 'local_timestamp'], (name) => {
      if (name !== 'schema') thrift.i32(1, physical);
      if (name !== 'schema') thrift.i32(3, 0);
      thrift.string(4, name);
      if (name === 'schema') thrift.i32(5, 1);
    });
    thrift.i64(3, rows * rowGroups);
    thrift.structs(4, Array.from({ length: rowGroups }), () => {
      thrift.structs(1, [0], () =>
        thrift.struct(3, () => {
          thrift.i32(1, physical);
          thrift.i32(4, codec);
          thrift.i64(5, rows);
          thrift.i64(7, data.length);
          thrift.i64(9, 4);
        }),
      );
      thrift.i64(2, data.length);
      thrift.i64(3, rows);
    });
    thrift.structs(5, keyValueBytes > 0 ? [0] : [], () => thrift.string(1, 'k'.repeat(keyValueBytes)));
    thrift.string(6, createdBy);
  });
  return withFooter(data, footer);
}

/** A data page. @param size its stated size before compression. */
export function dataPage(values: number, encoding: number, body: Buffer, size = body.length): Buffer {
  return page(PageType.data, body, size, (thrift) =>
    thrift.struct(5, () => {
      thrift.i32(1, values);
      thrift.i32(2, encoding);
      thrift.i32(3, Encoding.rle);
      thrift.i32(4, Encoding.rle);
    }),
  );
}

export function dictionaryPage(values: number, body: Buffer): Buffer {
  return page(PageType.dictionary, body, body.length, (thrift) =>
    thrift.struct(7, () => {
      thrift.i32(1, values);
      thrift.i32(2, Encoding.plain);
    }),
  );
}

function page(type: number, body: Buffer, size: number, writeDetails: Write): Buffer {
  const header = struct((thrift) => {
    thrift.i32(1, type);
    thrift.i32(2, size);
    thrift.i32(3, body.length);
    writeDetails(thrift);
  });
  return Buffer.concat([header, body]);
}

export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

/** Page of 2^30 rows in eleven bytes: one run of the only value of a dictionary. */
export function endlessRun(): readonly Buffer[] {
  const run = Buffer.concat([Buffer.of(1), varint(2 ** 31 - 2), Buffer.of(0)]);
  return [dictionaryPage(1, Buffer.alloc(8)), dataPage(2 ** 30, Encoding.rleDictionary, run)];
}
