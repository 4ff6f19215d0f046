import { usageError } from '../../base/errors.js';
import { STATE_FOLDER } from '../../day-files/file-naming.js';
import { isInside } from '../paths.js';

/** A bucket and prefix that the user named (docs/spec/s3-layout.md#addresses). */
export interface BucketAddress {
  readonly bucket: string;
  /** Start of all keys: empty, or with a slash at its end. */
  readonly prefix: string;
  /** `s3://bucket/prefix`, without a slash at its end. */
  readonly name: string;
}

export interface ObjectLocation {
  readonly bucket: string;
  readonly key: string;
}

/**
 * Wider than Amazon's rules for new buckets: old buckets, and other stores, have capitals and underscores.
 */
const BUCKET_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$/;

/**
 * Parses `s3://bucket/prefix`; the prefix is optional.
 * @throws usage error for a missing or invalid bucket, or a prefix with empty, `.` or `..` names.
 */
export function parseBucketAddress(text: string): BucketAddress {
  const { bucket, key } = parseObjectLocation(text);
  const path = key.replace(/\/+$/, '');
  if (path === '') return { bucket, prefix: '', name: `s3://${bucket}` };
  if (!isInside(path))
    throw usageError(
      `s3://${bucket}/…: the prefix is not valid; use names between single slashes, none of them "." or ".."`,
    );
  if (path.split('/').includes(STATE_FOLDER))
    throw usageError(`s3://${bucket}/${path}: ${STATE_FOLDER} is reserved by tickhaul; use its parent`);
  return { bucket, prefix: `${path}/`, name: `s3://${bucket}/${path}` };
}

/** Parses `s3://bucket/key`. @throws usage error for a missing or invalid bucket. */
export function parseObjectLocation(location: string): ObjectLocation {
  const [, bucket = '', key = ''] = /^s3:\/\/([^/]*)\/?(.*)$/is.exec(location) ?? [];
  if (bucket === '') throw usageError('s3://… has no bucket; use s3://bucket/prefix');
  // Do not show it: this may be a password.
  if (/[@:]/.test(bucket))
    throw usageError(
      's3://… may contain only a bucket and a prefix; set credentials with AWS_ACCESS_KEY_ID or AWS_PROFILE, and the host with --s3-endpoint',
    );
  if (!BUCKET_NAME.test(bucket))
    throw usageError(
      `"${bucket}" is not a valid bucket name; it needs at least 3 characters: letters, digits, dots or hyphens`,
    );
  return { bucket, key };
}
