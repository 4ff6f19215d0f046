import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLMap } from 'yaml';
import { usageError } from '../base/errors.js';

/** Path of a setting: keys, and indexes of list elements from 0. */
export type ConfigPath = readonly (string | number)[];

/** A YAML document as plain data with line numbers. */
export interface ConfigDocument {
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
export function parseConfigDocument(source: string, path: string): ConfigDocument {
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
