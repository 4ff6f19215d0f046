// hyparquet-writer, fed by csv-parse, with the zstd that Node has or else one in WebAssembly.
import zlib from 'node:zlib';
import { compress, init } from '@bokuweb/zstd-wasm';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import { rowsOf, task } from './columns.js';

const GROUP_ROWS = 100_000;
const TYPES = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MICROS' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
};
const VALUES = {
  text: (text) => text,
  time: BigInt,
  number: Number,
  boolean: (text) => text === 'true',
};

const { columns, files } = task();
const schema = [
  { name: 'root', num_children: columns.length },
  ...columns.map(({ name, kind }) => ({ name, repetition_type: 'REQUIRED', ...TYPES[kind] })),
];
if (!zlib.zstdCompressSync) await init();
const compressors = { ZSTD: zlib.zstdCompressSync ?? ((bytes) => compress(bytes, 3)) };
for (const { source, target } of files) {
  const writer = new ParquetWriter({
    writer: fileWriter(`${target}.parquet`),
    schema,
    codec: 'ZSTD',
    compressors,
  });
  let group = columns.map(() => []);
  const flush = () => {
    writer.write({
      columnData: columns.map(({ name }, i) => ({ name, data: group[i] })),
      rowGroupSize: GROUP_ROWS,
    });
    group = columns.map(() => []);
  };
  for await (const cells of rowsOf(source)) {
    for (let i = 0; i < columns.length; i++) group[i].push(VALUES[columns[i].kind](cells[i]));
    if (group[0].length === GROUP_ROWS) flush();
  }
  if (group[0].length > 0) flush();
  writer.finish();
}
