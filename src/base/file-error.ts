import type { TickhaulError } from './errors.js';
import type { FileError } from './events.js';

/** An error as events carry it: plain data. */
export function fileError({ code, message, status }: TickhaulError): FileError {
  return { code, message, ...(status !== undefined && { status }) };
}
