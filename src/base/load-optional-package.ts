import { createRequire } from 'node:module';
import { isSystemError, usageError } from './errors.js';

const require = createRequire(import.meta.url);

/**
 * Loads packages that an installation may have been made without (`--omit=optional`). As CommonJS, they are there in half
 * the time: nobody has to search their files for the names that each exports.
 * @param what asks for them, as an error begins.
 * @param packages with their releases, as npm takes them.
 * @param load told how to load one by its name.
 * @throws usage error with the command that installs them.
 */
export function loadOptionalPackage<T>(
  what: string,
  packages: string,
  load: (byName: (name: string) => unknown) => T,
): T {
  try {
    return load(require);
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'MODULE_NOT_FOUND') throw error;
    throw usageError(`${what} needs packages that are not installed: npm install ${packages}`);
  }
}
