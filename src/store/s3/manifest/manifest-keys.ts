import { type Day, formatDay } from '../../../dataset/day.js';
import type { DayFile } from '../../../dataset/day-file.js';
import { STATE_FOLDER } from '../../../dataset/file-naming.js';
import type { ManifestScope } from '../../manifest/manifest-scope.js';
import type { ObjectStore, StoredObject } from '../object-store.js';

/** A manifest in a bucket. */
export interface ManifestLocation {
  readonly store: ObjectStore;
  /** What all its keys begin with, with a slash at the end. */
  readonly root: string;
}

/** What all of a manifest's keys begin with. @param prefix of the destination: empty, or with a slash at its end. */
export function manifestRoot(prefix: string): string {
  return `${prefix}${STATE_FOLDER}/manifest/`;
}

/** Which month has the records of a day file: what their keys begin with, under the manifest's root. */
export function monthPrefix({ exchange, dataType, day }: DayFile): string {
  return `${seriesPrefix(exchange, dataType)}${formatMonth(day)}/`;
}

/** Records that were written together, and stay as they are. @param n counts those of a run. */
export function segmentName(time: number, run: string, n: number): string {
  return `${formatKeyTime(time)}-${run}-${n}.jsonl`;
}

/**
 * What stands for other objects of its month. A base comes after all that it stands for in the order of keys, so that
 * a listing that missed something because it was removed finds what stands for it, on a later page if need be.
 * @param standing names in the same month, in order.
 */
export function baseName(time: number, run: string, standing: readonly string[]): string {
  const last = standing.findLast(isBase);
  const after = last === undefined ? time : Math.max(time, parseBaseTime(last) + 1);
  return `${BASE_PREFIX}${formatKeyTime(after)}-${run}.jsonl`;
}

export function isBase(name: string): boolean {
  return name.startsWith(BASE_PREFIX);
}

/** The month and the name of an object under a manifest's root; undefined for one that isn't of the manifest. */
export function parseManifestKey(
  key: string,
  root: string,
): { readonly month: string; readonly name: string } | undefined {
  const match = KEY_PATTERN.exec(key.slice(root.length));
  return match ? { month: match[1] ?? '', name: match[2] ?? '' } : undefined;
}

/** What the keys begin with that a scope needs. */
export function scopePrefixes({ exchanges, dataTypes, from, to }: ManifestScope): readonly string[] {
  if (exchanges === undefined) return [''];
  if (dataTypes === undefined) return exchanges.map((exchange) => `${encodeURIComponent(exchange)}/`);
  const months = from === undefined || to === undefined ? undefined : listMonths(from, to);
  const series = exchanges.flatMap((exchange) =>
    dataTypes.map((dataType) => seriesPrefix(exchange, dataType)),
  );
  if (months === undefined || months.length > MAX_LISTED_MONTHS) return series;
  return series.flatMap((one) => months.map((month) => `${one}${month}/`));
}

/** Whether a scope needs a month, of those that its prefixes or another scope's find. */
export function isInScope(month: string, { exchanges, dataTypes, from, to }: ManifestScope): boolean {
  const [its, dataType, name = ''] = month.split('/');
  if (exchanges && !exchanges.some((wanted) => encodeURIComponent(wanted) === its)) return false;
  if (dataTypes && !dataTypes.some((wanted) => encodeURIComponent(wanted) === dataType)) return false;
  if (from !== undefined && name < formatMonth(from as Day)) return false;
  return to === undefined || name <= formatMonth((to - 1) as Day);
}

/** Objects of a manifest by their months, each in the order of names. */
export type ObjectsByMonth = Map<string, NamedObject[]>;

export interface NamedObject extends StoredObject {
  readonly name: string;
}

const BASE_PREFIX = 'base-';
/** Above that, all months of a series are listed at once. */
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

/** Milliseconds since the epoch as `20240301T000000000Z`: no character that a file system refuses. */
export function formatKeyTime(time: number): string {
  return new Date(time).toISOString().replaceAll(/[-:.]/g, '');
}

/** Of a base. */
function parseBaseTime(name: string): number {
  const [, year, month, day, hour, minute, second, ms] =
    /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z/.exec(name) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
}
