import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isSystemError, usageError } from './errors.js';

interface PackageJson {
  readonly version: string;
  readonly bugs?: { readonly url?: string };
}

/** By package name, since the files of a build and of the published package lie at different depths. */
const PACKAGE_JSON = 'tickhaul/package.json';
const packageRequire = createRequire(import.meta.url);
const PACKAGE = packageRequire(PACKAGE_JSON) as PackageJson;

export const VERSION: string = PACKAGE.version;

/** Where to report bugs, if package.json has an address. */
export const BUGS_URL: string | undefined = PACKAGE.bugs?.url;

/** Absolute path of a file of the package, such as `docs/README.md`. */
export function packagePath(path: string): string {
  return join(dirname(packageRequire.resolve(PACKAGE_JSON)), path);
}

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
    return load(packageRequire);
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'MODULE_NOT_FOUND') throw error;
    throw usageError(`${feature} needs packages that are not installed: npm install ${packages}`);
  }
}
