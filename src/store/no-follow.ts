import { constants } from 'node:fs';

/**
 * Flag of `open` that refuses symbolic links (ELOOP), since they could lead out of the folder. Windows lacks
 * it.
 */
export const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
