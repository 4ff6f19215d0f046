/** The JSON of one of the server's own answers. @throws Error with the sentence that says why there is none. */
export async function askJson<T>(path: string): Promise<T> {
  const answer = await askFor(path);
  return (await answer.json()) as T;
}

/** An answer of the server, its body still to be read. @throws Error with the sentence that says why there is none. */
export async function askFor(path: string, signal?: AbortSignal): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, { signal: signal ?? null });
  } catch {
    throw new Error('The server doesn’t answer: does it still run?');
  }
  if (answer.ok) return answer;
  throw new Error(await sentenceOf(answer));
}

/** What went wrong, as the server says it. */
async function sentenceOf(answer: Response): Promise<string> {
  const text = await answer.text().catch(() => '');
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    if (typeof message === 'string') return `${answer.status}: ${message}`;
  } catch {
    // Not every status comes with a sentence.
  }
  return `The server answered with status ${answer.status}.`;
}

/** Why something failed, as a sentence. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
