import { isSystemError } from '../base/errors.js';
import { plural } from '../base/units.js';

/** Bytes at the start of a stream that `describeGzipError` needs. */
export const HEAD_BYTES = 16;

/**
 * Advice in errors about the content of a day file. Without the flag, a download trusts a file of the recorded size,
 * and a repair trusts recorded bytes, however bad they are.
 */
export const DOWNLOAD_AGAIN = 'download the file again with --existing overwrite';

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

const ZLIB_MESSAGES: Readonly<Record<string, string>> = {
  'incorrect data check': 'wrong gzip checksum',
  'incorrect length check': 'wrong length in the gzip trailer',
  // The header of the first member was valid: these bytes follow a complete member.
  'incorrect header check': 'bytes after the last gzip member',
};

/**
 * Describes zlib's error.
 * @param head the first bytes of the file. @param bytes number of bytes read so far.
 */
export function describeGzipError(error: Error, head: Buffer, bytes: number): string {
  if (!GZIP_MAGIC.subarray(0, head.length).equals(head.subarray(0, GZIP_MAGIC.length))) {
    return `not a gzip file: begins with ${JSON.stringify(describeHead(head))}`;
  }
  if (isSystemError(error) && error.code === 'Z_BUF_ERROR')
    return `the gzip stream ends early after ${plural(bytes, 'byte')}`;
  return ZLIB_MESSAGES[error.message] ?? `damaged gzip stream: ${error.message}`;
}

function describeHead(head: Buffer): string {
  return head
    .toString('latin1')
    .replace(/[^ -~]+/g, '.')
    .trim();
}
