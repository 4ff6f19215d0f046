import * as z from 'zod';
import { OUTPUT_FORMAT_CHOICES } from '../base/output-format-names.js';

/** A text that is parsed later, like the flag of the same name. */
const text = (description: string, expected = 'a text') =>
  z
    .string({ error: `expected ${expected}` })
    .meta({ description })
    .optional();

const duration = (description: string) => text(description, 'a duration, as 90s or 4h');
const day = (description: string) => text(description, 'a UTC day, as "2024-03-01"');

const numeric = (description: string, expected: string) =>
  z
    .union([z.number(), z.string()], { error: `expected ${expected}` })
    .meta({ description })
    .optional();

const toggle = (description: string) =>
  z.boolean({ error: 'expected true or false' }).meta({ description }).optional();

const choice = (description: string, choices: readonly [string, ...string[]]) =>
  z
    .enum(choices, { error: `expected one of ${choices.join(', ')}` })
    .meta({ description })
    .optional();

const list = (description: string) =>
  z
    .union([z.string(), z.array(z.string()).min(1, { error: 'expected at least one' })], {
      error: 'expected a text or a list of texts',
    })
    .meta({ description });

/** Settings of a job, or of all jobs at the top level: the flags of `tickhaul download`, in camelCase. */
const sharedSettings = {
  layout: text('paths under the folder: flat, hive, or a template (default: flat)'),
  concurrency: numeric('files in flight, 1 to 100, or auto (default: auto)', 'a whole number or auto'),
  retries: numeric('retries per file; progress resets the count (default: 8)', 'a whole number'),
  stallTimeout: duration('abort and retry a transfer after this long without a byte (default: 60s)'),
  maxWait: duration('longest delay that the service may request (default: 15m)'),
  maxRate: numeric('limit in bytes per second, such as 20MB (default: no limit)', 'a size, as 20MB'),
  existing: choice('what to do with existing files (default: skip)', ['skip', 'verify', 'overwrite']),
  failFast: toggle('stop the job at its first failed file'),
  strict: toggle('fail if days are pending or unavailable (exit code 7)'),
  convert: choice('convert each file during its download', OUTPUT_FORMAT_CHOICES),
  as: list(
    'with convert: compute bars, book snapshots or quotes instead of the rows, such as trade_bar_1m or quote_1s; add "rows" for the rows as well',
  ).optional(),
  compression: choice('compression of the output (default: zstd for Parquet, none for NDJSON)', [
    'zstd',
    'snappy',
    'gzip',
    'none',
  ]),
  rowGroup: numeric('rows per Parquet row group, such as 64k', 'a number of rows, such as 64k'),
  times: choice('form of times (default: timestamp in Parquet, int in NDJSON)', ['timestamp', 'int', 'iso']),
  numbers: choice('form of numbers; "string" keeps the exact text of the CSV (default: double)', [
    'double',
    'string',
  ]),
  noKeepCsv: toggle('with convert: delete each CSV once all of its outputs are complete'),
};

export const jobSchema = z.strictObject(
  {
    name: z
      .string({ error: 'expected a text' })
      .min(1, { error: 'expected a text that is not empty' })
      .meta({ description: 'name of the job, for summaries and --job' }),
    exchange: z
      .string({ error: 'expected a text' })
      .min(1, { error: 'expected the id of an exchange' })
      .meta({ description: 'exchange id, as tickhaul exchanges lists them' }),
    types: list('data types, or "all"'),
    symbols: list('dataset symbols, globs such as "BTC*", "@file" with a symbol per line, or "all"'),
    symbolTypes: list('only symbols of these types: spot, future, perpetual, option, combo').optional(),
    from: day('first UTC day'),
    to: day('UTC day after the last day (default: the end of the export)'),
    date: day('a single UTC day'),
    last: numeric('number of last exported days, such as 7 or 7d', 'a number of days, such as 7d'),
    weekdays: list('only these weekdays, such as mon-fri').optional(),
    ...sharedSettings,
  },
  { error: 'expected a job: name, exchange, types, symbols and days' },
);

/** The config file. Each setting corresponds to the flag of the same name, in camelCase. */
export const configSchema = z
  .strictObject(
    {
      $schema: text('URL of this schema, for editors'),
      dir: text('download folder, or s3://bucket/prefix (default: ./datasets)'),
      s3Endpoint: text("URL of the object store (default: AWS_ENDPOINT_URL_S3, else Amazon's)"),
      s3Region: text("region of the bucket (default: AWS_REGION, else the profile's)"),
      s3PathStyle: toggle('put the bucket in the path instead of the host, as many stores require'),
      apiUrl: text('metadata host (default: https://api.tardis.dev)'),
      datasetsUrl: text('dataset host (default: https://datasets.tardis.dev)'),
      authUrl: text('identity issuer'),
      apiKeyFile: text('file that contains the API key; never put the key itself here'),
      ...sharedSettings,
      wait: toggle('wait until the day before today (UTC) is exported'),
      timeout: duration(
        'with wait: after this long, continue with the exported days and end with exit code 7',
      ),
      maxDuration: duration('start no file after this long'),
      lockTimeout: duration('how long to wait for another run in the same folder'),
      onSuccess: text('shell command to run after success; its stdin is the summary as JSON'),
      onFailure: text('shell command to run after a failure; its stdin is the summary as JSON'),
      ping: text('URL to request at the start (/start), after success, and after failure (/fail)'),
      jobs: z
        .array(jobSchema, { error: 'expected a list of jobs' })
        .min(1, { error: 'expected at least one job' })
        .meta({ description: 'jobs to keep up to date' }),
    },
    { error: 'expected settings and jobs' },
  )
  .meta({ title: 'tickhaul.yaml', description: 'Jobs for tickhaul sync' });

export type Config = Readonly<z.infer<typeof configSchema>>;
export type ConfigJob = Readonly<z.infer<typeof jobSchema>>;

/** The JSON Schema of the config file, for editors. */
export function configJsonSchema(): object {
  return z.toJSONSchema(configSchema);
}
