import { parseTarget, type SandboxCall } from '../http/sandbox-call.js';
import { Refusal } from './issuer-steps.js';

const MAX_BYTES = 65_536;

/** Reads the fields of a JSON object. @throws Refusal for anything else. */
export async function readJsonBody(call: SandboxCall): Promise<Readonly<Record<string, unknown>>> {
  const text = await readText(call, 'application/json');
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // The refusal follows below.
  }
  throw new Refusal('invalid_request', 'The body must be a JSON object');
}

/** Reads the fields of a form. @throws Refusal for another content type or a repeated field. */
export async function readUrlEncodedForm(call: SandboxCall): Promise<Readonly<Record<string, string>>> {
  const fields = [...new URLSearchParams(await readText(call, 'application/x-www-form-urlencoded'))];
  const form = Object.fromEntries(fields);
  if (Object.keys(form).length === fields.length) return form;
  throw new Refusal('invalid_request', 'A field is given more than once');
}

async function readText(call: SandboxCall, contentType: string): Promise<string> {
  const { request } = call;
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== contentType) {
    throw new Refusal('invalid_request', `${parseTarget(call).pathname} takes ${contentType}`);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Refusal('invalid_request', `The body has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
