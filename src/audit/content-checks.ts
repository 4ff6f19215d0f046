import { badNumber } from './checks/bad-number.js';
import { crossed, locked } from './checks/crossed.js';
import { deleteAbsent } from './checks/delete-absent.js';
import { duplicateId } from './checks/duplicate-id.js';
import { duplicateRow } from './checks/duplicate-row.js';
import { exchangeOrder } from './checks/exchange-order.js';
import { futureTimestamp } from './checks/future-timestamp.js';
import { gap } from './checks/gap.js';
import { idGap } from './checks/id-gap.js';
import { levelOrder } from './checks/level-order.js';
import { localOrder } from './checks/local-order.js';
import { midSnapshot } from './checks/mid-snapshot.js';
import { missingValue } from './checks/missing-value.js';
import { noRows } from './checks/no-rows.js';
import { noStartSnapshot } from './checks/no-start-snapshot.js';
import { outsideDay } from './checks/outside-day.js';
import { priceJump } from './checks/price-jump.js';
import { unknownSide } from './checks/unknown-side.js';
import type { ContentCheck } from './content-check.js';

/** All content checks, in the order in which they are shown. */
export const CONTENT_CHECKS: readonly ContentCheck[] = [
  localOrder,
  outsideDay,
  exchangeOrder,
  futureTimestamp,
  gap,
  duplicateRow,
  duplicateId,
  idGap,
  missingValue,
  badNumber,
  unknownSide,
  priceJump,
  noStartSnapshot,
  midSnapshot,
  crossed,
  locked,
  deleteAbsent,
  noRows,
  levelOrder,
];
