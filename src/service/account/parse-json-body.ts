/** Parses a body; undefined if it is not JSON. Errors of `JSON.parse` quote the text, which may contain a secret. */
export function parseJsonBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
