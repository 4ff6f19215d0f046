import { joinWithOr } from './units.js';

/**
 * Output formats: name in messages, and extensions of files without the leading dot. `format/output-formats.ts` has the
 * implementation of each. Flags, settings, layouts and stores need the names in lower layers.
 */
export const OUTPUT_FORMAT_TABLE = {
  parquet: { label: 'Parquet', extensions: ['parquet'] },
  ndjson: { label: 'NDJSON', extensions: ['ndjson', 'ndjson.gz', 'ndjson.zst'] },
  arrow: { label: 'Arrow', extensions: ['arrow'] },
  csv: { label: 'CSV', extensions: ['csv', 'csv.gz', 'csv.zst'] },
} as const;

export type OutputFormatName = keyof typeof OUTPUT_FORMAT_TABLE;

export type OutputExtension = (typeof OUTPUT_FORMAT_TABLE)[OutputFormatName]['extensions'][number];

export const DEFAULT_OUTPUT_FORMAT = 'parquet' satisfies OutputFormatName;

/** Compressions, and encodings of times and numbers, of which each format supports some. */
export const COMPRESSIONS = ['zstd', 'snappy', 'gzip', 'lz4', 'none'] as const;
export const TIME_ENCODINGS = ['timestamp', 'int', 'iso'] as const;
export const NUMBER_ENCODINGS = ['double', 'string'] as const;
/** Encodings of Parquet's values: the smallest for each column, or only those that every reader has. */
export const VALUE_ENCODINGS = ['auto', 'plain'] as const;

/** Choices of options, in the order of help texts. */
export const OUTPUT_FORMAT_CHOICES = Object.keys(OUTPUT_FORMAT_TABLE) as [
  OutputFormatName,
  ...OutputFormatName[],
];

/** Lists all formats, for help texts. */
export const OUTPUT_FORMAT_LIST = joinWithOr(Object.values(OUTPUT_FORMAT_TABLE).map(({ label }) => label));

/** Extensions of the files of all formats. */
export const OUTPUT_EXTENSIONS: readonly string[] = Object.values(OUTPUT_FORMAT_TABLE).flatMap(
  ({ extensions }) => extensions,
);

/** The format of an output, by the extension of its path. */
export function findOutputFormat(path: string): OutputFormatName | undefined {
  return OUTPUT_FORMAT_CHOICES.find((name) =>
    OUTPUT_FORMAT_TABLE[name].extensions.some((extension) => path.endsWith(`.${extension}`)),
  );
}

/** The extension of an output's path, without the leading dot. */
export function findOutputExtension(path: string): string | undefined {
  return OUTPUT_EXTENSIONS.find((known) => path.endsWith(`.${known}`));
}

/** Removes the extension of an output from a path. */
export function withoutOutputExtension(path: string): string {
  const extension = findOutputExtension(path);
  return extension === undefined ? path : path.slice(0, -extension.length - 1);
}
