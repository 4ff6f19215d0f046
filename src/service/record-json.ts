import { parseLargeJson } from './large-json.js';

/** What a plan has no use for; a record may list 270,000 symbols twice, in tens of megabytes. */
const WITHOUT = new Set(['availableSymbols', 'availableChannels', 'channelDetails', 'incidentReports']);

/**
 * Parses an exchange's record for a plan: without the lists of raw replay, and with equal texts of its dataset
 * symbols held once.
 * @throws SyntaxError for what is no JSON.
 */
export function parseDatasetRecord(body: Buffer): unknown {
  const inPieces = new Map([['datasets.symbols', sharer()]]);
  try {
    return parseLargeJson(body, { without: WITHOUT, inPieces });
  } catch {
    // For the error that names the place, or a record in a form that was not thought of.
    return JSON.parse(body.toString());
  }
}

/** Replaces texts and lists that were seen before by those that were. */
function sharer(): (symbol: unknown) => unknown {
  const texts = new Map<string, string>();
  const lists = new Map<string, unknown>();
  const shareText = (text: string): string => {
    const known = texts.get(text);
    if (known === undefined) texts.set(text, text);
    return known ?? text;
  };
  const shareList = (list: readonly unknown[]): unknown => {
    // A list of anything but texts is left as it is.
    if (!list.every((item) => typeof item === 'string')) return list;
    const key = list.join('\0');
    const known = lists.get(key);
    if (known === undefined) lists.set(key, list);
    return known ?? list;
  };
  return (symbol) => {
    if (typeof symbol !== 'object' || symbol === null) return symbol;
    const shared = symbol as Record<string, unknown>;
    for (const [key, value] of Object.entries(shared)) {
      if (Array.isArray(value)) shared[key] = shareList(value);
      else if (key !== 'id' && typeof value === 'string') shared[key] = shareText(value);
    }
    return shared;
  };
}
