import { readSettings } from '../../operations/settings.js';
import { readOptions } from '../../options/read-options.js';
import { SETTING_OPTIONS } from '../../options/service-options.js';
import { listStoredExchanges, readStoredNames } from '../../service/records/stored-names.js';
import { COMMANDS } from '../commands/command-list.js';
import { findCandidates } from './find-candidates.js';
import { findCursor } from './find-cursor.js';
import { formatAnswer, SHELLS } from './shells.js';

/**
 * Completes a command line for a shell: `__complete <shell> …`. It runs at each press of the completion key, so it sends
 * no request, writes nothing and does not load yargs. After any error the result is empty.
 * @param shellArgs the arguments of the shell's script, after the shell's name. @param home returns the user's home folder.
 */
export async function complete(
  [name = '', ...shellArgs]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  home: () => string | undefined,
): Promise<string> {
  try {
    const shell = SHELLS[name];
    if (!shell) return '';
    const { words, kept: keptCharacters } = shell.read(shellArgs);
    const cursor = await findCursor(COMMANDS, words);
    const { apiUrl, cacheDir } = readSettings(
      env,
      readOptions(SETTING_OPTIONS, Object.fromEntries(cursor.given.flags)),
      home(),
    );
    const answer = await findCandidates(cursor, COMMANDS, {
      exchanges: async () => (cacheDir === undefined ? [] : listStoredExchanges(apiUrl, cacheDir)),
      names: async (exchange) =>
        cacheDir === undefined
          ? undefined
          : readStoredNames(apiUrl, cacheDir, exchange).catch(() => undefined),
    });
    return formatAnswer(shell, answer, keptCharacters);
  } catch {
    return '';
  }
}
