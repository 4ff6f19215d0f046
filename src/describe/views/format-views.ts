import { usageError } from '../../base/errors.js';
import { OUTPUT_FORMAT_TABLE } from '../../base/output-format-names.js';
import { plural } from '../../base/units.js';
import type { Column, ColumnKind } from '../../day-files/data-types.js';
import { formatDay } from '../../day-files/day.js';
import type { StoreSettings } from '../../store/files.js';
import type { ViewFiles } from './find-view-files.js';
import {
  createFilePatterns,
  escapeGlob,
  type FileColumn,
  findViewColumns,
  quoteName,
  quoteText,
  toNameKey,
  type ViewFile,
} from './view-file.js';

/** DuckDB's type of each kind of column, and of each type in a CSV. */
const VIEW_TYPES: Readonly<Record<ColumnKind, string>> = {
  text: 'VARCHAR',
  time: 'TIMESTAMPTZ',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  integer: 'BIGINT',
};
/** The type in a file that needs no cast. */
const NATURAL_TYPES: Readonly<Record<ColumnKind, string>> = {
  text: 'string',
  time: 'timestamp',
  number: 'double',
  boolean: 'boolean',
  integer: 'int64',
};
const CSV_TYPES: Readonly<Record<string, string>> = {
  string: 'VARCHAR',
  int64: 'BIGINT',
  double: 'DOUBLE',
  boolean: 'BOOLEAN',
};

/** A day in the last part of a path, as RE2 and JavaScript read it. */
const NAMED_DAY = '_(\\d{4}-\\d{2}-\\d{2})_[^/]*$';

/**
 * Formats a statement for each data type, in the order of their names.
 * @param root absolute location of the folder.
 * @throws usage error for two data types whose views would have one name.
 */
export function formatViews({ files, paths }: ViewFiles, root: string): readonly string[] {
  const filesByType = groupBy(files, ({ type }) => type);
  const typesByKey = groupBy([...filesByType.keys()], toNameKey);
  for (const [type, other] of typesByKey.values())
    if (other !== undefined)
      throw usageError(
        `${type} and ${other}: DuckDB ignores the case of names, so both would be one view; move the files of one of them to another folder`,
      );
  return [...filesByType]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([type, members]) => formatView(type, members, paths, root));
}

function formatView(
  type: string,
  files: readonly ViewFile[],
  paths: readonly string[],
  root: string,
): string {
  // Each group has one schema, so DuckDB reads none but the first file's.
  const groups = [...groupBy(files, formatSchema).values()];
  const columns = listColumns(type, groups);
  const selects = groups.map((group) => formatSelect(type, columns, group, paths, root));
  return `CREATE OR REPLACE VIEW ${quoteName(type)} AS -- ${plural(files.length, 'file')}\n${selects.join('UNION ALL\n').trimEnd()};\n`;
}

function formatSchema({ path, columns }: ViewFile): string {
  return JSON.stringify([isParquet(path), columns.map(({ name, type }) => [name, type])]);
}

/** The columns of the data type, and after them those that only files have. */
function listColumns(type: string, groups: readonly (readonly ViewFile[])[]): readonly Column[] {
  const columns = new Map(findViewColumns(type).map((column) => [toNameKey(column.name), column]));
  for (const { name } of groups.flatMap(([first]) => first?.columns ?? []))
    if (name !== '' && !columns.has(toNameKey(name))) columns.set(toNameKey(name), { name, kind: 'text' });
  return [...columns.values()];
}

function formatSelect(
  type: string,
  columns: readonly Column[],
  group: readonly ViewFile[],
  paths: readonly string[],
  root: string,
): string {
  const [first] = group;
  const inFile = new Map(first?.columns.map((column) => [toNameKey(column.name), column.type]));
  const isNew = ([name]: readonly [string, string]): boolean =>
    !columns.some((column) => toNameKey(column.name) === name);
  // A column of this name hides the path of the file.
  const hasFilename = !inFile.has('filename');
  const expressions = [
    ...columns.map(
      (column) => [column.name, formatValue(column, inFile.get(toNameKey(column.name)))] as const,
    ),
    ...[
      ['date', formatDate(hasFilename ? group : [], inFile)] as const,
      ['type', quoteText(type)] as const,
    ].filter(isNew),
  ];
  const list = expressions.map(([name, value]) =>
    value === quoteName(name) ? `  ${value}` : `  ${value} AS ${quoteName(name)}`,
  );
  const base = `${escapeGlob(root.replace(/\/+$/, ''))}/`;
  const locations = createFilePatterns(group, paths, root).map((pattern) => `  ${quoteText(base + pattern)}`);
  const isCsv = first !== undefined && !isParquet(first.path);
  const read = isCsv ? 'read_csv' : 'read_parquet';
  const options = isCsv ? formatCsvOptions(first.columns) : '';
  return `SELECT\n${list.join(',\n')}\nFROM ${read}([\n${locations.join(',\n')}\n], filename = ${hasFilename}, hive_partitioning = false${options})\n`;
}

/** A value of a column in the type of the view. @param type type in the file; undefined if it has no such column. */
function formatValue({ name, kind }: Column, type: string | undefined): string {
  const quoted = quoteName(name);
  if (type === NATURAL_TYPES[kind]) return quoted;
  if (type === 'int64' && kind === 'time') return `make_timestamptz(${quoted})`;
  return `CAST(${type === undefined ? 'NULL' : quoted} AS ${VIEW_TYPES[kind]})`;
}

/**
 * The UTC day of a row: that of the file's name if all files of the group state it, for DuckDB then opens only the files of the days in a condition; else that of
 * the local time, by which files are split into days.
 */
function formatDate(group: readonly ViewFile[], inFile: ReadonlyMap<string, string>): string {
  const pattern = new RegExp(NAMED_DAY);
  const isNamed =
    group.length > 0 &&
    group.every(({ path, file }) => file && pattern.exec(path)?.[1] === formatDay(file.day));
  if (isNamed) return `CAST(regexp_extract(filename, '${NAMED_DAY}', 1) AS DATE)`;
  const time = formatValue({ name: 'local_timestamp', kind: 'time' }, inFile.get('local_timestamp'));
  return `CAST(${time} AT TIME ZONE 'UTC' AS DATE)`;
}

function formatCsvOptions(columns: readonly FileColumn[]): string {
  const taken = new Set(columns.map(({ name }) => toNameKey(name)));
  const nameUnread = (i: number): string => {
    let name = `column${i}`;
    while (taken.has(name)) name += '_';
    taken.add(name);
    return name;
  };
  const types = columns
    .map(
      ({ name, type }, i) => `${quoteText(name || nameUnread(i))}: '${name ? CSV_TYPES[type] : 'VARCHAR'}'`,
    )
    .join(', ');
  return `,\n  columns = {${types}},\n  auto_detect = false, header = true, compression = 'gzip', delim = ',', quote = '"', escape = '"', nullstr = ''`;
}

function isParquet(path: string): boolean {
  return path.endsWith(OUTPUT_FORMAT_TABLE.parquet.extensions[0]);
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/**
 * A comment with the statements that give DuckDB access to an object store. They are no part of the SQL, since they
 * load extensions from the network and change the session.
 * @param root location of the folder.
 */
export function formatSecretComment(
  root: string,
  { endpoint, region, pathStyle }: Pick<StoreSettings, 'endpoint' | 'region' | 'pathStyle'>,
): string {
  const url = endpoint === undefined ? undefined : new URL(endpoint);
  const settings = [
    'TYPE s3',
    'PROVIDER credential_chain',
    `SCOPE ${quoteText(root)}`,
    ...(region === undefined ? [] : [`REGION ${quoteText(region)}`]),
    ...(url ? [`ENDPOINT ${quoteText(url.host)}`] : []),
    ...(url?.protocol === 'http:' ? ['USE_SSL false'] : []),
    // Stores other than Amazon's have path-style addresses, even if some have the others too.
    ...(pathStyle || url ? ["URL_STYLE 'path'"] : []),
  ];
  return [
    '-- DuckDB needs access to the object store before it can create the views:',
    '-- INSTALL httpfs; LOAD httpfs; INSTALL aws; LOAD aws;',
    `-- CREATE OR REPLACE SECRET tickhaul (${settings.join(', ')});`,
    '',
  ].join('\n');
}
