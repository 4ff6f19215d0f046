import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLMap } from 'yaml';
import { usageError } from '../base/errors.js';

/** Where a setting stands: keys, and numbers of list elements from 0. */
export type ConfigPath = readonly (string | number)[];

/** A YAML document as plain data that knows its lines. */
export interface ConfigDocument {
  readonly value: unknown;
  /** The line, from 1, of the setting, or of what it would stand in. */
  lineAt(at: ConfigPath): number;
}

/** Uses of one anchor: more than any list of jobs has, and too few for aliases of aliases that fill the memory. */
const MAX_ALIASES = 10_000;

/** @throws usage error with file and line for what is no YAML (1.2, core schema; `<<` merges). */
export function parseConfigDocument(source: string, path: string): ConfigDocument {
  const lines = new LineCounter();
  const document = parseDocument(source, {
    lineCounter: lines,
    merge: true,
    prettyErrors: false,
    // Its warnings are errors here, and it would print the rest.
    logLevel: 'error',
  });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) {
    const message =
      problem.code === 'MULTIPLE_DOCS'
        ? 'a second document begins here; a config file is one document'
        : problem.message.replace(/\s+/g, ' ').trim();
    throw usageError(`${path}:${lines.linePos(problem.pos[0]).line}: ${message}`);
  }
  return {
    value: toData(document, path),
    lineAt: (at) => lines.linePos(findOffset(document.contents, at)).line,
  };
}

/** @throws usage error for aliases that grow without bounds, or name nothing. */
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
    const found = isMap(node) ? findPair(node, key) : isSeq(node) ? findItem(node.items, key) : undefined;
    if (found === undefined) return offset;
    offset = found.offset ?? offset;
    node = found.value;
  }
  return offset;
}

interface FoundNode {
  readonly offset: number | undefined;
  readonly value: unknown;
}

function findPair(map: YAMLMap, key: string | number): FoundNode | undefined {
  const pair = map.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
  return pair && { offset: (pair.key as Node).range?.[0], value: pair.value };
}

function findItem(items: readonly unknown[], index: string | number): FoundNode | undefined {
  const value = items[Number(index)];
  return value === undefined ? undefined : { offset: (value as Node).range?.[0], value };
}
