import { readSettings } from '../../commands/settings.js';
import { listStoredExchanges, readStoredNames } from '../../service/records/stored-names.js';
import { COMMANDS } from '../commands/command-list.js';
import { findCandidates } from './find-candidates.js';
import { findCursor } from './find-cursor.js';
import { formatAnswer, SHELLS } from './shells.js';

/**
 * Answers a shell that asks what may stand at the cursor: `__complete <shell> …`. Nothing is asked for, nothing is
 * written, and yargs stays unloaded: it is waited for at each press of a key. Whatever is wrong, the answer is empty.
 * @param asked the shell's name and what its script passes. @param home the user's home folder.
 */
export async function complete(
  [name = '', ...asked]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  home: () => string,
): Promise<string> {
  try {
    const shell = SHELLS[name];
    if (!shell) return '';
    const { words, kept } = shell.read(asked);
    const cursor = await findCursor(COMMANDS, words);
    const { apiUrl, cacheDir } = readSettings(env, Object.fromEntries(cursor.given.flags), home());
    const answer = await findCandidates(cursor, COMMANDS, {
      exchanges: () => listStoredExchanges(apiUrl, cacheDir),
      names: (exchange) => readStoredNames(apiUrl, cacheDir, exchange).catch(() => undefined),
    });
    return formatAnswer(shell, answer, kept);
  } catch {
    return '';
  }
}
