import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLMap } from 'yaml';
import type * as z from 'zod';
import { type TickhaulError, usageError } from '../base/errors.js';
import { describeKind, didYouMean } from '../base/text.js';
import { type Config, configSchema, jobSchema } from './config-schema.js';
import { type ConfigOrigin, findNamedSettings } from './found-settings.js';

/** A config file with a valid structure. Its values are parsed later, like flags. */
export interface ConfigFile {
  /** As the user wrote it. */
  readonly path: string;
  readonly config: Config;
  /** File and line of a setting, for messages. */
  place(at: ConfigPath): string;
}

/**
 * Parses a config file: YAML 1.2, which includes JSON.
 * @throws usage error with file, line and the nearest known key: broken YAML, unknown keys, wrong types, two
 * jobs with the same name, settings that a file of this origin may not have.
 */
export function parseConfig(source: string, path: string, origin: ConfigOrigin = 'named'): ConfigFile {
  const document = parseConfigDocument(source, path);
  const place = (at: ConfigPath): string => `${path}:${document.lineAt(at)}`;
  const error = (at: ConfigPath, message: string): TickhaulError => usageError(`${place(at)}: ${message}`);
  const parsed = configSchema.safeParse(document.value);
  if (!parsed.success) {
    const [first] = parsed.error.issues
      .slice(0, MAX_ISSUES)
      .flatMap((issue) => toConfigIssues(issue, document.value))
      // Report unknown keys first: a missing key may be misspelled.
      .sort(
        (a, b) => Number(b.isUnknown) - Number(a.isUnknown) || document.lineAt(a.at) - document.lineAt(b.at),
      );
    throw error(first?.at ?? [], first?.message ?? 'not a config file');
  }
  const untrusted = origin === 'found' ? findNamedSettings(parsed.data) : [];
  if (untrusted[0] !== undefined) {
    const settings = untrusted.join(', ');
    throw error(
      [untrusted[0]],
      `${settings}: not accepted from a config file that is only found in the working folder; if you trust the file, name it with --config or TICKHAUL_CONFIG, or move it to your config folder`,
    );
  }
  const names = new Map<string, number>();
  for (const [index, { name }] of (parsed.data.jobs ?? []).entries()) {
    const other = names.get(name);
    if (other !== undefined) {
      const line = document.lineAt(['jobs', other, 'name']);
      throw error(['jobs', index, 'name'], `two jobs are named "${name}"; the other is in line ${line}`);
    }
    names.set(name, index);
  }
  return { path, config: parsed.data, place };
}

/** The first of these is reported; a hostile file may have any number of them. */
const MAX_ISSUES = 100;

interface ConfigIssue {
  readonly at: ConfigPath;
  readonly message: string;
  readonly isUnknown: boolean;
}

function toConfigIssues(issue: z.core.$ZodIssue, value: unknown): readonly ConfigIssue[] {
  const at = issue.path as ConfigPath;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, MAX_ISSUES).map((key) => unknownKey([...at, key]));
  const found = at.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | null)?.[key], value);
  if (found === undefined && at.length > 0) {
    const message = `${formatConfigPath(at)} is missing: ${issue.message}`;
    return [{ at: at.slice(0, -1), message, isUnknown: false }];
  }
  const shown = issue.code === 'invalid_value' ? JSON.stringify(found) : describeKind(found);
  const near = issue.code === 'invalid_value' ? didYouMean(String(found), issue.values.map(String)) : '';
  const message = `${issue.message}, found ${shown}${near}`;
  return [
    { at, message: at.length === 0 ? message : `${formatConfigPath(at)}: ${message}`, isUnknown: false },
  ];
}

/** Common names of secrets. */
const SECRET_NAMES = /^(api[-_]?key|key|api[-_]?token|token|secret|password)$/i;

function unknownKey(at: ConfigPath): ConfigIssue {
  const key = String(at.at(-1));
  if (SECRET_NAMES.test(key)) {
    const message = `${key}: a config file is no place for a key; set TICKHAUL_API_KEY, or name a file in apiKeyFile`;
    return { at, message, isUnknown: true };
  }
  const [here, there] = at[0] === 'jobs' ? [jobSchema, configSchema] : [configSchema, jobSchema];
  const elsewhere = Object.hasOwn(there.shape, key)
    ? `; it belongs ${at[0] === 'jobs' ? 'to the top' : 'into a job'}`
    : '';
  const known = Object.keys(here.shape);
  const hint = elsewhere || didYouMean(key, known) || `; valid keys: ${known.join(', ')}`;
  return { at, message: `unknown key "${key}"${hint}`, isUnknown: true };
}

/** `jobs[1].from`. */
function formatConfigPath(at: ConfigPath): string {
  return at
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .replace(/^\./, '');
}

/** Path of a setting: keys, and indexes of list elements from 0. */
export type ConfigPath = readonly (string | number)[];

/** A YAML document as plain data with line numbers. */
interface ConfigDocument {
  readonly value: unknown;
  /** Line number, from 1, of the setting; if it is missing, of its closest existing parent. */
  lineAt(at: ConfigPath): number;
}

/** Enough for any list of jobs, but too few for nested aliases to fill the memory. */
const MAX_ALIASES = 10_000;

/** Limits that keep the time for a hostile file short: the parser compares each key of a map with all others. */
const MAX_KEY_COMPARISONS = 5_000_000;
const MAX_DEPTH = 100;

/** Parses YAML 1.2 (core schema, with `<<` merges). @throws usage error with file and line. */
function parseConfigDocument(source: string, path: string): ConfigDocument {
  const lines = new LineCounter();
  if (isNestedTooDeep(source)) throw usageError(`${path}:1: values are nested more than ${MAX_DEPTH} deep`);
  let comparisons = 0;
  const isSameKey = (a: unknown, b: unknown): boolean => {
    // Beyond the limit, the next key ends the comparison.
    if (++comparisons > MAX_KEY_COMPARISONS) return true;
    return a === b || (isScalar(a) && isScalar(b) && a.value === b.value);
  };
  const document = parseDocument(source, {
    lineCounter: lines,
    merge: true,
    uniqueKeys: isSameKey,
    prettyErrors: false,
    // Warnings are thrown as errors below; without this, the parser would print them.
    logLevel: 'error',
  });
  if (comparisons > MAX_KEY_COMPARISONS) throw usageError(`${path}:1: a map has too many keys`);
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) {
    const message =
      problem.code === 'MULTIPLE_DOCS'
        ? 'a second document begins here; a config file must be a single document'
        : problem.message.replace(/\s+/g, ' ').trim();
    throw usageError(`${path}:${lines.linePos(problem.pos[0]).line}: ${message}`);
  }
  return {
    value: toData(document, path),
    lineAt: (at) => lines.linePos(findOffset(document.contents, at)).line,
  };
}

/** Counts brackets, also those in texts, where they are closed as well; and the marks that nest within a line. */
function isNestedTooDeep(source: string): boolean {
  let depth = 0;
  for (const [bracket] of source.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    if (depth > MAX_DEPTH) return true;
  }
  return NESTING_MARKS.test(source);
}

const NESTING_MARKS = new RegExp(`(?:[-?:][ \\t]+){${MAX_DEPTH}}`);

/** @throws usage error for unresolved aliases, or too many of them. */
function toData(document: ReturnType<typeof parseDocument>, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    throw usageError(`${path}:1: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function findOffset(root: Node | null, at: ConfigPath): number {
  let node: unknown = root;
  let offset = root?.range?.[0] ?? 0;
  for (const key of at) {
    const child = isMap(node) ? findPair(node, key) : isSeq(node) ? findItem(node.items, key) : undefined;
    if (child === undefined) return offset;
    offset = child.offset ?? offset;
    node = child.value;
  }
  return offset;
}

interface ChildNode {
  readonly offset: number | undefined;
  readonly value: unknown;
}

function findPair(map: YAMLMap, key: string | number): ChildNode | undefined {
  const pair = map.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
  return pair && { offset: (pair.key as Node).range?.[0], value: pair.value };
}

function findItem(items: readonly unknown[], index: string | number): ChildNode | undefined {
  const value = items[Number(index)];
  return value === undefined ? undefined : { offset: (value as Node).range?.[0], value };
}
