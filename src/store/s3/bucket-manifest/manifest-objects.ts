import { Semaphore } from '../../../base/semaphore.js';
import { type Day, formatDay } from '../../../day-files/day.js';
import { type DayFile, STATE_FOLDER } from '../../../day-files/day-file.js';
import type { ManifestScope, ManifestScopes } from '../../manifest/manifest.js';
import type { ObjectStore, StoredObject } from '../object-store.js';

/** Location of a manifest in a bucket. */
export interface ManifestLocation {
  readonly store: ObjectStore;
  /** Prefix of all its keys, with a slash at its end. */
  readonly root: string;
}

/** Prefix of all keys of a manifest. @param prefix of the destination: empty, or with a slash at its end. */
export function manifestRoot(prefix: string): string {
  return `${prefix}${STATE_FOLDER}/manifest/`;
}

/**
 * Prefix, under the manifest's root, of the month with the records of a day file
 * (docs/spec/s3-layout.md#keys).
 */
export function monthPrefix({ exchange, dataType, day }: DayFile): string {
  return `${seriesPrefix(exchange, dataType)}${formatMonth(day)}/`;
}

/** Name of a segment (docs/spec/s3-layout.md#segments). @param n number of the segment in its run. */
export function segmentName(time: number, run: string, n: number): string {
  return `${formatKeyTime(time)}-${run}-${n}.jsonl`;
}

/**
 * Name of a base (docs/spec/s3-layout.md#bases). In the order of keys, a base follows all objects that it
 * replaces, so a listing that misses removed objects finds the base, at the latest on a later page.
 * @param existing names in the same month, in order.
 */
export function baseName(time: number, run: string, existing: readonly string[]): string {
  const last = existing.findLast(isBase);
  const after = last === undefined ? time : Math.max(time, parseBaseTime(last) + 1);
  return `${BASE_PREFIX}${formatKeyTime(after)}-${run}.jsonl`;
}

export function isBase(name: string): boolean {
  return name.startsWith(BASE_PREFIX);
}

/** Splits the key of an object into month and name; undefined if it is not part of the manifest. */
function parseManifestKey(
  key: string,
  root: string,
): { readonly month: string; readonly name: string } | undefined {
  const match = KEY_PATTERN.exec(key.slice(root.length));
  return match ? { month: match[1] ?? '', name: match[2] ?? '' } : undefined;
}

/** Prefixes of all keys that a scope needs. */
function scopePrefixes({ exchanges, dataTypes, from, to }: ManifestScope): readonly string[] {
  if (exchanges === undefined) return [''];
  if (dataTypes === undefined) return exchanges.map((exchange) => `${encodeURIComponent(exchange)}/`);
  const months = from === undefined || to === undefined ? undefined : listMonths(from, to);
  const series = exchanges.flatMap((exchange) =>
    dataTypes.map((dataType) => seriesPrefix(exchange, dataType)),
  );
  if (months === undefined || months.length > MAX_LISTED_MONTHS) return series;
  return series.flatMap((prefix) => months.map((month) => `${prefix}${month}/`));
}

/** Whether a scope includes a month. */
function isInScope(month: string, { exchanges, dataTypes, from, to }: ManifestScope): boolean {
  const [exchange, dataType, name = ''] = month.split('/');
  if (exchanges && !exchanges.some((selected) => encodeURIComponent(selected) === exchange)) return false;
  if (dataTypes && !dataTypes.some((selected) => encodeURIComponent(selected) === dataType)) return false;
  if (from !== undefined && name < formatMonth(from as Day)) return false;
  return to === undefined || name <= formatMonth((to - 1) as Day);
}

/** Objects of a manifest by month, in the order of names. */
export type ObjectsByMonth = Map<string, NamedObject[]>;

export interface NamedObject extends StoredObject {
  readonly name: string;
}

const BASE_PREFIX = 'base-';
/** For more months, all months of a series are listed at once. */
const MAX_LISTED_MONTHS = 12;
const KEY_PATTERN = /^([^/]+\/[^/]+\/\d{4}-\d{2}\/)((?:base-)?\d{8}T\d{9}Z-[^/]+\.jsonl)$/;

function seriesPrefix(exchange: string, dataType: string): string {
  return `${encodeURIComponent(exchange)}/${encodeURIComponent(dataType)}/`;
}

function formatMonth(day: Day): string {
  return formatDay(day).slice(0, 'YYYY-MM'.length);
}

function listMonths(from: number, to: number): readonly string[] {
  const months = new Set<string>();
  for (let day = from; day < to && months.size <= MAX_LISTED_MONTHS; day++)
    months.add(formatMonth(day as Day));
  return [...months];
}

/**
 * Formats milliseconds since the epoch as `20240301T000000000Z`, without characters that file systems refuse.
 */
export function formatKeyTime(time: number): string {
  return new Date(time).toISOString().replaceAll(/[-:.]/g, '');
}

function parseBaseTime(name: string): number {
  const [, year, month, day, hour, minute, second, ms] =
    /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z/.exec(name) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
}

const CONCURRENT_LISTINGS = 8;

/** Lists the objects of a manifest that any of the scopes needs, by month, in the order of names. */
export async function listScopes(
  place: ManifestLocation,
  scope: ManifestScopes,
  signal: AbortSignal | undefined,
): Promise<ObjectsByMonth> {
  const scopes = [scope].flat();
  const months = await listPrefixes(place, removeCoveredPrefixes(scopes.flatMap(scopePrefixes)), signal);
  for (const month of months.keys())
    if (!scopes.some((scope) => isInScope(month, scope))) months.delete(month);
  return months;
}

/** Removes prefixes that another prefix covers, so that no object is listed twice. */
function removeCoveredPrefixes(prefixes: readonly string[]): readonly string[] {
  const result: string[] = [];
  // In sorted order, covered prefixes follow the prefix that covers them.
  for (const prefix of prefixes.toSorted()) {
    const last = result.at(-1);
    if (last === undefined || !prefix.startsWith(last)) result.push(prefix);
  }
  return result;
}

/** Lists the objects under some prefixes, by month. Months without objects are not included. */
export async function listPrefixes(
  { store, root }: ManifestLocation,
  prefixes: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ObjectsByMonth> {
  const listings = new Semaphore(CONCURRENT_LISTINGS);
  const months: ObjectsByMonth = new Map();
  const listOne = async (prefix: string): Promise<ObjectsByMonth> => {
    const listed: ObjectsByMonth = new Map();
    for await (const page of store.list(`${root}${prefix}`, signal)) {
      for (const object of page) {
        const parts = parseManifestKey(object.key, root);
        if (!parts) continue;
        const objects = listed.get(parts.month) ?? [];
        objects.push({ ...object, name: parts.name });
        listed.set(parts.month, objects);
      }
    }
    return listed;
  };
  for (const listed of await Promise.all(prefixes.map((prefix) => listings.run(() => listOne(prefix)))))
    for (const [month, objects] of listed) months.set(month, objects);
  return months;
}
