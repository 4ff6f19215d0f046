import { type ErrorCode, TickhaulError } from '../../src/base/errors.js';

/** For `assert.rejects`: an error of this code. */
export function isTickhaulError(code: ErrorCode): (error: unknown) => boolean {
  return (error) => error instanceof TickhaulError && error.code === code;
}
