import { parseLargeJson } from './parse-large-json.js';

/** What a plan has no use for; a record may list 270,000 symbols twice, in tens of megabytes. */
const EXCLUDED_FIELDS = new Set([
  'availableSymbols',
  'availableChannels',
  'channelDetails',
  'incidentReports',
]);

/**
 * Parses an exchange's record for a plan: without the lists of raw replay, and with equal texts of its dataset
 * symbols held once.
 * @throws SyntaxError for what is no JSON.
 */
export function parseDatasetRecord(body: Buffer): unknown {
  const inPieces = new Map([['datasets.symbols', createValueSharer()]]);
  try {
    return parseLargeJson(body, { without: EXCLUDED_FIELDS, inPieces });
  } catch {
    // For the error that names the place, or a record in a form that was not thought of.
    return JSON.parse(body.toString());
  }
}

const REPEATED_FIELDS = ['type', 'availableSince', 'availableTo'];

/** Replaces a symbol's texts and list of data types by those of an earlier one, where they are equal. */
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
    // Neighbours mostly have the same ones.
    if (list.length === last.length && list.every((item, index) => item === last[index])) return last;
    // A list of anything but texts is left as it is.
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
