import { localOrder } from './checks/local-order.js';
import type { ContentCheck } from './content-check.js';

/** All content checks, in the order in which they are shown. */
export const CONTENT_CHECKS: readonly ContentCheck[] = [localOrder];
