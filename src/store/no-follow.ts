import { constants } from 'node:fs';

/** Flag of `openKernel` that refuses a symbolic link (ELOOP): it would lead reading or writing out of the folder. Windows has none. */
export const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
