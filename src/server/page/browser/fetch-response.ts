/** Fetches JSON from the server. @throws Error with a message for the user. */
export async function fetchJson<T>(path: string): Promise<T> {
  const response = await fetchOrThrow(path);
  return (await response.json()) as T;
}

/** Fetches a response of the server with an unread body. @throws Error with a message for the user. */
export async function fetchOrThrow(path: string, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { signal: signal ?? null });
  } catch {
    throw new Error('The server does not respond; check that it is running.');
  }
  if (response.ok) return response;
  throw new Error(await readErrorMessage(response));
}

/** Reads the error message of the server. */
async function readErrorMessage(response: Response): Promise<string> {
  const text = await response.text().catch(() => '');
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    if (typeof message === 'string') return `${response.status}: ${message}`;
  } catch {
    // Some responses have no JSON body.
  }
  return `The server responded with status ${response.status}.`;
}

/** Message of an error. */
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
