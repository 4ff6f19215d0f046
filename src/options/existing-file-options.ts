import { DEFAULT_OUTPUT_FORMAT, OUTPUT_FORMAT_CHOICES } from '../base/output-format-names.js';
import { ENCODING_OPTIONS, TRANSFER_OPTIONS } from './day-file-options.js';
import { groupOptions } from './option-definition.js';
import { CACHE_OPTIONS, LOCK_OPTIONS, READ_FOLDER_OPTIONS } from './service-options.js';

/** Days by the verdicts of the last audit. */
export const GOOD_OPTIONS = {
  good: {
    type: 'flag',
    description: 'only days that the last audit judged available for all selected series',
  },
} as const;

/** What `verify` checks and changes. */
export const VERIFY_OPTIONS = groupOptions('Check:', {
  path: {
    type: 'paths',
    description: 'files or folders to check',
    defaultText: 'the download folder',
    settingName: 'paths',
    positional: true,
  },
  ...READ_FOLDER_OPTIONS,
  quick: { type: 'flag', description: 'check presence and size only' },
  listed: {
    type: 'flag',
    description: 'compare a listing of the object store with the manifest; read no file',
  },
  repair: {
    type: 'flag',
    description: 'download corrupt and missing files again; keep the old file until the new one is complete',
  },
  adopt: { type: 'flag', description: 'record complete files that the manifest lacks' },
  forget: {
    type: 'flag',
    description: 'remove missing files from the manifest, such as days you deleted',
  },
  clean: { type: 'flag', description: 'remove temporary files of earlier runs' },
  strict: { type: 'flag', description: 'fail with exit code 7 if days are missing within a series' },
  jobs: {
    type: 'count',
    min: 1,
    max: 256,
    description: 'files to read at once',
    defaultText: 'the number of processors',
    alias: 'j',
  },
  cache: {
    type: 'flag',
    description: 'check the slices of raw data in the cache folder instead of day files',
  },
  ...CACHE_OPTIONS,
  ...LOCK_OPTIONS,
});

const { alias: _jobs, ...REPAIR_CONCURRENCY } = TRANSFER_OPTIONS.concurrency;
/** Transfer of repaired files, where `-j` is the number of jobs. */
export const REPAIR_OPTIONS = { ...TRANSFER_OPTIONS, concurrency: REPAIR_CONCURRENCY } as const;

/** Conversion of existing files. */
export const CONVERT_OPTIONS = groupOptions('Conversion:', {
  path: {
    type: 'paths',
    description: 'day files (.csv.gz), folders or globs, also s3://bucket/…',
    defaultText: 'the folder of --dir, which must be given then',
    settingName: 'paths',
    positional: true,
  },
  ...READ_FOLDER_OPTIONS,
  format: {
    type: 'choice',
    description: 'format of the output',
    choices: OUTPUT_FORMAT_CHOICES,
    default: DEFAULT_OUTPUT_FORMAT,
    alias: 'f',
  },
  out: {
    type: 'folder',
    remote: true,
    description:
      'folder or s3://bucket/prefix for the outputs; a name such as all.parquet for one file of all day files; or "-" for NDJSON (CSV, Arrow) on stdout',
    settingDescription:
      'folder or s3://bucket/prefix for the outputs; a name such as all.parquet for one file of all day files',
    defaultText: 'next to each source',
    alias: 'o',
  },
  layout: {
    type: 'layout',
    description: 'directory layout of the outputs: flat, hive, or a template',
    default: 'flat',
  },
  ...ENCODING_OPTIONS,
  jobs: {
    type: 'count',
    min: 1,
    max: 256,
    description: 'files to convert at once',
    defaultText: 'the number of processors',
    alias: 'j',
  },
  existing: {
    type: 'choice',
    description: 'what to do with existing outputs; skip applies only if the source is unchanged',
    choices: ['skip', 'overwrite'],
    default: 'skip',
  },
  ...GOOD_OPTIONS,
  'skip-degraded': {
    type: 'flag',
    description: 'leave out days that the last audit judged degraded',
  },
  'no-keep-source': { type: 'flag', description: 'delete each source after its complete conversion' },
});

/** A folder to read. */
const FOLDER_ARGUMENT = {
  type: 'folder',
  remote: true,
  description: 'download folder, or a folder inside it',
  defaultText: '--dir',
  positional: true,
  scopes: ['flag'],
} as const;

/** Folder and output of `views`. */
export const VIEWS_OPTIONS = groupOptions('Views:', {
  folder: FOLDER_ARGUMENT,
  ...READ_FOLDER_OPTIONS,
  out: { type: 'file', description: 'file to write', defaultText: 'stdout', alias: 'o' },
});

/** The page of `coverage` and `audit`. */
const PAGE_OPTIONS = {
  html: {
    type: 'file',
    description: 'write an offline HTML page to this file, or to stdout with "-"',
    settingDescription: 'also write an offline HTML page to this file',
  },
} as const;

/** Selection and form of the report of `coverage`. */
export const COVERAGE_OPTIONS = groupOptions('Coverage:', {
  folder: FOLDER_ARGUMENT,
  ...READ_FOLDER_OPTIONS,
  all: {
    type: 'flag',
    description: 'show every symbol and calendar, even thousands of lines',
    scopes: ['flag'],
  },
  ...PAGE_OPTIONS,
});

/** What `audit` reads, and what degrades a day. */
export const AUDIT_OPTIONS = groupOptions('Audit:', {
  path: {
    type: 'paths',
    description: 'day files (.csv.gz), folders or globs, also s3://bucket/…',
    defaultText: 'the download folder',
    settingName: 'paths',
    positional: true,
  },
  ...READ_FOLDER_OPTIONS,
  degrade: {
    type: 'list',
    description: 'checks that degrade a day, "incident", or "none"',
    defaultText: 'the degrading checks of tickhaul help audit-checks, and incident',
  },
  'fail-on': {
    type: 'list',
    description: 'conditions and checks that end the run with exit code 10, such as degraded,missing,gap',
  },
  gap: { type: 'duration', description: 'shortest period without rows that counts as a gap', default: '60s' },
  jump: {
    type: 'ratio',
    description: 'change of price between two trades that counts as a jump; 0.1 is 10 percent',
    default: '0.1',
  },
  good: {
    type: 'flag',
    description: 'print only the days that are available for all selected series, one per line',
    settingDescription: 'find the days that are available for all selected series, for the summary',
  },
  ...PAGE_OPTIONS,
  recheck: { type: 'flag', description: 'read files again that have not changed since their last audit' },
  offline: {
    type: 'flag',
    description: 'use only the stored copies of exchange records; without one, no missing days and incidents',
  },
  jobs: {
    type: 'count',
    min: 1,
    max: 256,
    description: 'files to read at once',
    defaultText: 'the number of processors',
    alias: 'j',
  },
});

/** Output of `lock`. */
export const LOCK_FILE_OPTIONS = groupOptions('Lock file:', {
  ...READ_FOLDER_OPTIONS,
  out: {
    type: 'file',
    description: 'file to write, or "-" for stdout',
    defaultText: 'tickhaul.lock; stdout for md5sum and sha256sum',
    alias: 'o',
  },
  format: {
    type: 'choice',
    description: 'output format: a lock file, or a checksum list for md5sum -c or sha256sum -c',
    choices: ['lock', 'md5sum', 'sha256sum'],
    default: 'lock',
  },
});
