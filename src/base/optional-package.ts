import { isSystemError, usageError } from './errors.js';

/**
 * Loads packages that an installation may have been made without (`--omit=optional`).
 * @param what asks for them, as an error begins.
 * @param packages with their releases, as npm takes them.
 * @throws usage error with the command that installs them.
 */
export async function loadOptional<T>(what: string, packages: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw usageError(`${what} needs packages that are not installed: npm install ${packages}`);
  }
}
