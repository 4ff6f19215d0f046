import { parseLargeJson } from './parse-large-json.js';

/** Fields that only raw replay uses; a record may list 270,000 symbols twice, in tens of megabytes. */
const EXCLUDED_FIELDS = ['availableSymbols', 'availableChannels', 'channelDetails'];
const WITHOUT_INCIDENTS = new Set([...EXCLUDED_FIELDS, 'incidentReports']);

/**
 * Parses an exchange's record for a plan: leaves out the lists for raw replay, and shares equal texts among dataset
 * symbols to save memory.
 * @throws SyntaxError if the body is not JSON.
 */
export function parseDatasetRecord(body: Buffer): unknown {
  return parseWithout(body, WITHOUT_INCIDENTS);
}

/** Like `parseDatasetRecord`, with the incident reports. */
export function parseRecordWithIncidents(body: Buffer): unknown {
  return parseWithout(body, new Set(EXCLUDED_FIELDS));
}

function parseWithout(body: Buffer, excludedPaths: ReadonlySet<string>): unknown {
  const elementMappers = new Map([['datasets.symbols', createValueSharer()]]);
  try {
    return parseLargeJson(body, { excludedPaths, elementMappers });
  } catch {
    // JSON.parse gives an error with the position, or accepts a form that parseLargeJson does not support.
    return JSON.parse(body.toString());
  }
}

const REPEATED_FIELDS = ['type', 'availableSince', 'availableTo'];

/** Creates a function that replaces a symbol's texts and data types with equal ones of an earlier symbol. */
function createValueSharer(): (symbol: unknown) => unknown {
  const texts = new Map<string, string>();
  const lists = new Map<string, unknown>();
  let last: readonly unknown[] = [];
  const shareText = (text: string): string => {
    const known = texts.get(text);
    if (known === undefined) texts.set(text, text);
    return known ?? text;
  };
  const shareList = (list: readonly unknown[]): unknown => {
    // Neighbouring symbols mostly have the same data types.
    if (list.length === last.length && list.every((item, index) => item === last[index])) return last;
    if (!list.every((item) => typeof item === 'string')) return list;
    const key = list.join('\0');
    const known = lists.get(key) as readonly unknown[] | undefined;
    if (known === undefined) lists.set(key, list);
    last = known ?? list;
    return last;
  };
  return (symbol) => {
    if (typeof symbol !== 'object' || symbol === null) return symbol;
    const shared = symbol as Record<string, unknown>;
    for (const key of REPEATED_FIELDS) {
      const value = shared[key];
      if (typeof value === 'string') shared[key] = shareText(value);
    }
    const dataTypes = shared['dataTypes'];
    if (Array.isArray(dataTypes)) shared['dataTypes'] = shareList(dataTypes);
    return shared;
  };
}
