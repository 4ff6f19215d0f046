import type { ErrorCode, TickhaulError } from './errors.js';

/** Why a file or a whole run failed, as plain data for events. */
export interface FileError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly status?: number | undefined;
  /** Milliseconds that the service asked to wait. */
  readonly retryAfterMs?: number | undefined;
}

export function toFileError({ code, message, status, retryAfterMs }: TickhaulError): FileError {
  return {
    code,
    message,
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}
