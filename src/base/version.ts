import { createRequire } from 'node:module';

interface PackageJson {
  readonly version: string;
  readonly bugs?: { readonly url?: string };
}

/**
 * Loaded by package name, since the files of a build and of the published package lie at different depths.
 */
const PACKAGE = createRequire(import.meta.url)('tickhaul/package.json') as PackageJson;

export const VERSION: string = PACKAGE.version;

/** Where to report bugs, if package.json has an address. */
export const BUGS_URL: string | undefined = PACKAGE.bugs?.url;
