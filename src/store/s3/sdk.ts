import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { loadOptionalPackage } from '../../base/load-optional-package.js';

export type Sdk = typeof import('@aws-sdk/client-s3');

/** The release that is known to do what is asked of it; package.json has the same. */
const PACKAGE = '@aws-sdk/client-s3@3.1169.0';
/** Of the SDK: whether it says on stderr that its later releases won't run on Node 20. Ours is pinned. */
const WARNING_VARIABLE = 'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED';

/** Takes 0.15 s and 25 MB, so it is loaded only where an `s3://` is used. @throws usage error where it isn't there. */
export function loadSdk(): Sdk {
  return loadOptionalPackage('an object store', PACKAGE, (byName) => byName('@aws-sdk/client-s3') as Sdk);
}

/** Makes a client without the SDK's warning; nothing is asked yet. */
export function createSdkClient(sdk: Sdk, config: S3ClientConfig): S3Client {
  const { env } = process;
  const before = env[WARNING_VARIABLE];
  // It is read while a client is made, so nobody else sees it.
  env[WARNING_VARIABLE] = 'true';
  try {
    return new sdk.S3Client(config);
  } finally {
    if (before === undefined) delete env[WARNING_VARIABLE];
    else env[WARNING_VARIABLE] = before;
  }
}
