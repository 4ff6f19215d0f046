import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { loadOptionalPackage } from '../../base/load-optional-package.js';

export type Sdk = typeof import('@aws-sdk/client-s3');

/** The tested release, as in package.json. */
const PACKAGE = '@aws-sdk/client-s3@3.1169.0';
/**
 * Disables the SDK's warning on stderr that later releases will not support Node 20. The release here is
 * pinned.
 */
const WARNING_VARIABLE = 'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED';

/**
 * Loading takes 0.15 s and 25 MB, so it happens only if `s3://` is used.
 * @throws usage error if it is not installed.
 */
export function loadSdk(): Sdk {
  return loadOptionalPackage('an object store', PACKAGE, (require) => require('@aws-sdk/client-s3') as Sdk);
}

/** Creates a client without the SDK's warning, and without sending a request. */
export function createSdkClient(sdk: Sdk, config: S3ClientConfig): S3Client {
  const { env } = process;
  const before = env[WARNING_VARIABLE];
  // Only the constructor reads the variable, so it is restored afterwards.
  env[WARNING_VARIABLE] = 'true';
  try {
    return new sdk.S3Client(config);
  } finally {
    if (before === undefined) delete env[WARNING_VARIABLE];
    else env[WARNING_VARIABLE] = before;
  }
}
