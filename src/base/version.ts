import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

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
