// parquetjs-lite, fed by csv-parse. It knows no zstd: SNAPPY is its fastest compression.
import parquet from 'parquetjs-lite';
import { rowsOf, task } from './columns.js';

const GROUP_ROWS = 100_000;
const TYPES = { text: 'UTF8', time: 'TIMESTAMP_MICROS', number: 'DOUBLE', boolean: 'BOOLEAN' };
const VALUES = {
  text: (text) => text,
  time: Number,
  number: Number,
  boolean: (text) => text === 'true',
};

const { columns, files } = task();
const fields = columns.map(({ name, kind }) => [name, { type: TYPES[kind], compression: 'SNAPPY' }]);
for (const { source, target } of files) {
  const schema = new parquet.ParquetSchema(Object.fromEntries(fields));
  const writer = await parquet.ParquetWriter.openFile(schema, `${target}.parquet`);
  writer.setRowGroupSize(GROUP_ROWS);
  for await (const cells of rowsOf(source)) {
    const row = {};
    for (let i = 0; i < columns.length; i++) row[columns[i].name] = VALUES[columns[i].kind](cells[i]);
    await writer.appendRow(row);
  }
  await writer.close();
}
