import { usageError } from '../../base/errors.js';

const SHOWN = 80;

/**
 * The query parameter `options`, which is JSON; `+` is a space, as `%20` is.
 * @throws usage error where it is missing, or no JSON.
 */
export function parseOptionsParameter(query: URLSearchParams): unknown {
  const text = query.get('options')?.trim();
  if (!text) {
    throw usageError(
      'the query parameter "options" is missing: it is JSON, as ?options={"exchange":"bitmex",…}',
    );
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/, ".*$/s, '') : '';
    throw usageError(`options: "${text.slice(0, SHOWN)}" is no JSON (${reason})`);
  }
}
