import { createRequire } from 'node:module';
import { isSystemError, usageError } from './errors.js';

const require = createRequire(import.meta.url);

/**
 * Loads packages that an installation may lack (`--omit=optional`). They are loaded as CommonJS, which takes
 * half the time: Node then does not search their files for the names of exports.
 * @param feature the option or feature that needs the packages; the error begins with it.
 * @param packages names and versions as arguments for npm.
 * @param load receives a `require` function.
 * @throws usage error with the command that installs the packages.
 */
export function loadOptionalPackage<T>(
  feature: string,
  packages: string,
  load: (require: (name: string) => unknown) => T,
): T {
  try {
    return load(require);
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'MODULE_NOT_FOUND') throw error;
    throw usageError(`${feature} needs packages that are not installed: npm install ${packages}`);
  }
}
