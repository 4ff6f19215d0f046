import type { Destination } from '../../store/destination.js';
import type { StoredFileInfo } from '../../store/files.js';
import type { CheckRequest, FileCheck } from '../file-check.js';

/** Creates the requests to check threads. @param listed the store's listing by path, if there is one. */
export function createRequestFactory(
  destination: Destination,
  listed?: ReadonlyMap<string, StoredFileInfo>,
): (check: FileCheck) => CheckRequest {
  return ({ kind, path, file, expected }) => ({
    kind,
    location: destination.locate(path),
    bytes: expected?.bytes,
    hash: expected !== undefined,
    dataType: kind === 'day' && !expected ? file?.dataType : undefined,
    listed: listed?.get(path),
  });
}
