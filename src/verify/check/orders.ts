import type { Destination } from '../../store/destination.js';
import type { FileFacts } from '../../store/files.js';
import type { Check, Order } from '../types.js';

/** What threads are asked for checks. @param listed what a listing told of each file, where there is one. */
export function createOrders(
  destination: Destination,
  listed?: ReadonlyMap<string, FileFacts>,
): (check: Check) => Order {
  return ({ kind, path, file, expected }) => ({
    kind,
    location: destination.locate(path),
    bytes: expected?.bytes,
    hash: expected !== undefined,
    dataType: kind === 'day' && !expected ? file?.dataType : undefined,
    listed: listed?.get(path),
  });
}
