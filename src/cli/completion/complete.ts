import { readSettings } from '../../commands/environment.js';
import { storedExchanges, storedNames } from '../../service/records/stored.js';
import { COMMANDS } from '../commands/index.js';
import { candidatesAt } from './candidates.js';
import { findCursor } from './position.js';
import { answerText, SHELLS } from './shells.js';

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
    const answer = await candidatesAt(cursor, COMMANDS, {
      exchanges: () => storedExchanges(apiUrl, cacheDir),
      names: (exchange) => storedNames(apiUrl, cacheDir, exchange).catch(() => undefined),
    });
    return answerText(shell, answer, kept);
  } catch {
    return '';
  }
}
