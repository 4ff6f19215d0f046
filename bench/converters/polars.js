// nodejs-polars with its streaming engine, the faster of its two engines here, with far less memory.
import pl from 'nodejs-polars';
import { task } from './columns.js';

const TYPES = { text: pl.String, time: pl.Int64, number: pl.Float64, boolean: pl.Bool };

const { columns, files } = task();
const schema = Object.fromEntries(columns.map(({ name, kind }) => [name, TYPES[kind]]));
const times = columns
  .filter(({ kind }) => kind === 'time')
  .map(({ name }) => pl.col(name).cast(pl.Datetime('us', 'UTC')));
for (const { source, target } of files) {
  const rows = pl.scanCSV(source, { schema }).withColumns(...times);
  await rows.sinkParquet(`${target}.parquet`, { compression: 'zstd' }).collect();
}
