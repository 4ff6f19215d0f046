/** A body as JSON; undefined for what is none. Errors of `JSON.parse` quote the text, which may hold a secret. */
export function parseJsonBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
