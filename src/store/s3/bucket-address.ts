import { usageError } from '../../base/errors.js';
import { STATE_FOLDER } from '../../dataset/file-naming.js';
import { isInside } from '../paths.js';

/** A place in a bucket that its user names. */
export interface BucketAddress {
  readonly bucket: string;
  /** What keys under it begin with: empty, or with a slash at its end. */
  readonly prefix: string;
  /** `s3://bucket/prefix`, without a slash at its end. */
  readonly name: string;
}

export interface ObjectLocation {
  readonly bucket: string;
  readonly key: string;
}

/** Wider than Amazon's rules for new buckets: older ones, and those of other stores, have capitals and underscores. */
const BUCKET_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$/;

/**
 * Reads `s3://bucket/prefix`; the prefix may be left out.
 * @throws usage error for anything else: no bucket, a name that no bucket can have, a prefix that leads elsewhere.
 */
export function parseBucketAddress(text: string): BucketAddress {
  const { bucket, key } = parseObjectLocation(text);
  const path = key.replace(/\/+$/, '');
  if (path === '') return { bucket, prefix: '', name: `s3://${bucket}` };
  if (!isInside(path))
    throw usageError(
      `s3://${bucket}/…: a prefix has names between single slashes, and no "." or ".." among them`,
    );
  if (path.split('/').includes(STATE_FOLDER))
    throw usageError(`s3://${bucket}/${path}: ${STATE_FOLDER} is tickhaul's own; name what is above it`);
  return { bucket, prefix: `${path}/`, name: `s3://${bucket}/${path}` };
}

/** Reads `s3://bucket/key`. @throws usage error for no bucket, or a name that no bucket can have. */
export function parseObjectLocation(location: string): ObjectLocation {
  const [, bucket = '', key = ''] = /^s3:\/\/([^/]*)\/?(.*)$/is.exec(location) ?? [];
  if (bucket === '') throw usageError('s3://… names no bucket; write it as s3://bucket/prefix');
  // It may be a password.
  if (/[@:]/.test(bucket))
    throw usageError(
      's3://… takes a bucket and a prefix only: credentials come from AWS_ACCESS_KEY_ID or AWS_PROFILE, the host from --s3-endpoint',
    );
  if (!BUCKET_NAME.test(bucket))
    throw usageError(
      `s3://${bucket}: this is no name of a bucket, which has 3 or more letters, digits, dots and hyphens`,
    );
  return { bucket, key };
}
