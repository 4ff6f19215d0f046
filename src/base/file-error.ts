import type { ErrorCode, TickhaulError } from './errors.js';

/** Why a file, or a whole run, failed. */
export interface FileError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly status?: number | undefined;
}

/** An error as events carry it: plain data. */
export function fileError({ code, message, status }: TickhaulError): FileError {
  return { code, message, ...(status !== undefined && { status }) };
}
