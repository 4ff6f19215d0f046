import * as z from 'zod';

/** A text that is read later, by the readers of the flag of the same name. */
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

/** What may stand in a job, and at the top for all jobs: the flags of `downloadCommand`, in camelCase. */
const sharedSettings = {
  layout: text('where files go under the folder: flat, hive, or a template (default: flat)'),
  concurrency: numeric('files in flight, 1 to 100, or auto (default: auto)', 'a whole number or auto'),
  retries: numeric('how often a file is tried again (default: 8)', 'a whole number'),
  stallTimeout: duration('break off a transfer that brings no byte for this long (default: 60s)'),
  maxWait: duration('the longest wait a server may ask for (default: 15m)'),
  maxRate: numeric('bytes a second, as 20MB (default: no limit)', 'a size, as 20MB'),
  existing: choice('what to do with files that are there (default: skip)', ['skip', 'verify', 'overwrite']),
  failFast: toggle('stop the job at its first failed file'),
  strict: toggle('days that are pending or unavailable make the job fail (exit code 7)'),
  convert: choice('convert each file as it arrives', ['parquet', 'ndjson']),
  as: list(
    'with convert: make bars, book snapshots or quotes instead of the rows, as trade_bar_1m or quote_1s; add "rows" to have the rows too',
  ).optional(),
  compression: choice('of the output (default: zstd for Parquet, none for NDJSON)', [
    'zstd',
    'snappy',
    'gzip',
    'none',
  ]),
  rowGroup: numeric('rows of a Parquet row group, as 64k', 'a number of rows, as 64k'),
  times: choice('how times are written (default: timestamp in Parquet, int in NDJSON)', [
    'timestamp',
    'int',
    'iso',
  ]),
  numbers: choice('how numbers are written; "string" keeps the text of the CSV exactly (default: double)', [
    'double',
    'string',
  ]),
  noKeepCsv: toggle('with convert: delete each CSV once all that is made of it is whole'),
};

export const jobSchema = z.strictObject(
  {
    name: z
      .string({ error: 'expected a text' })
      .min(1, { error: 'expected a text that is not empty' })
      .meta({ description: 'the name of the job, for summaries and --job' }),
    exchange: z
      .string({ error: 'expected a text' })
      .min(1, { error: 'expected the id of an exchange' })
      .meta({ description: 'exchange id, as tickhaul exchanges lists them' }),
    types: list('data types, or "all"'),
    symbols: list('dataset symbols; globs as "BTC*", "@file" with one a line, or "all"'),
    symbolTypes: list('only symbols of these types: spot, future, perpetual, option, combo').optional(),
    from: day('first UTC day'),
    to: day('UTC day after the last one (default: the end of the export)'),
    date: day('a single UTC day'),
    last: numeric('the last exported days, as 7 or 7d', 'a number of days, as 7d'),
    weekdays: list('only these days of the week, as mon-fri').optional(),
    ...sharedSettings,
  },
  { error: 'expected a job: name, exchange, types, symbols and days' },
);

/** The whole file (contract, Sync): every setting is the flag of its name in camelCase. */
export const configSchema = z
  .strictObject(
    {
      $schema: text('address of this schema, for editors'),
      dir: text('download folder, or s3://bucket/prefix (default: ./datasets)'),
      s3Endpoint: text("address of the object store (default: AWS_ENDPOINT_URL_S3, else Amazon's)"),
      s3Region: text("region of the bucket (default: AWS_REGION, else the profile's)"),
      s3PathStyle: toggle('name the bucket in the path and not in the host, as many stores need it'),
      apiUrl: text('metadata host (default: https://api.tardis.dev)'),
      datasetsUrl: text('dataset host (default: https://datasets.tardis.dev)'),
      authUrl: text('identity issuer'),
      apiKeyFile: text('file that holds the API key; the key itself has no place here'),
      ...sharedSettings,
      wait: toggle('wait until the day before today (UTC) is exported'),
      timeout: duration('with wait: go on with what is there after this long, and end with exit code 7'),
      maxDuration: duration('begin no file after this long'),
      lockTimeout: duration('how long to wait for another run in the same folder'),
      onSuccess: text('shell command that gets the summary as JSON on stdin when all went well'),
      onFailure: text('the same for a run that failed'),
      ping: text('address that is asked at the start (/start), after success, and after failure (/fail)'),
      jobs: z
        .array(jobSchema, { error: 'expected a list of jobs' })
        .min(1, { error: 'expected at least one job' })
        .meta({ description: 'what to keep up to date' }),
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
