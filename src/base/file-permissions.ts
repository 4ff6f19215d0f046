import { readFileSync, type Stats } from 'node:fs';

/** The effective user of this process; systems without such numbers (Windows) have none. */
export interface ProcessUser {
  readonly uid: number;
  readonly gid: number;
}

/** The strangers of a file that is open to all. */
export const ALL_USERS = 'all users';

type Permissions = Pick<Stats, 'mode' | 'uid' | 'gid'>;
/** Permission bits: of the group, and of all. */
const BITS = { read: [0o040, 0o004], write: [0o020, 0o002] } as const;

/**
 * Describes the strangers that the mode lets read or write a file: all users, or a group that is not its owner's. On
 * many systems each user has a private group, and new files are open to it.
 * @param user undefined on systems without modes; then there is no answer.
 * @returns subject of a sentence; undefined if only the owner and its group may.
 */
export function findStrangers(
  { mode, uid, gid }: Permissions,
  right: keyof typeof BITS,
  user: ProcessUser | undefined,
): string | undefined {
  const [ofGroup, ofAll] = BITS[right];
  if (user === undefined) return undefined;
  if (mode & ofAll) return ALL_USERS;
  if (mode & ofGroup && gid !== primaryGroupOf(uid, user))
    return `a group other than its owner's (GID ${gid})`;
  return undefined;
}

/** Describes the owner of a file that is neither this user nor root; undefined if it is one of them. */
export function findForeignOwner({ uid }: Permissions, user: ProcessUser | undefined): string | undefined {
  return user === undefined || uid === user.uid || uid === 0 ? undefined : `another user (UID ${uid})`;
}

/** Users of a directory service are not in the file; a private group usually has the number of its user. */
function primaryGroupOf(uid: number, user: ProcessUser): number {
  const fallback = uid === user.uid ? user.gid : uid;
  try {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((entry) => entry.split(':')[2] === String(uid));
    return Number(line?.split(':')[3] ?? fallback);
  } catch {
    return fallback;
  }
}

/** Quotes a path for a POSIX shell, if needed. */
export function quoteForShell(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
