import { usageError } from '../../base/errors.js';
import { parseShallowJson } from '../../base/json-depth.js';

const MAX_SHOWN_LENGTH = 80;

/**
 * Parses the query parameter `options` as JSON. `+` and `%20` are spaces.
 * @throws usage error if it is missing or not JSON.
 */
export function parseOptionsParameter(query: URLSearchParams): unknown {
  const text = query.get('options')?.trim();
  if (!text) {
    throw usageError(
      'the query parameter "options" is missing; add JSON, as in ?options={"exchange":"bitmex",…}',
    );
  }
  try {
    return parseShallowJson(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/, ".*$/s, '') : '';
    throw usageError(`options: "${text.slice(0, MAX_SHOWN_LENGTH)}" is not JSON (${reason})`);
  }
}
