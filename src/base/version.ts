import { createRequire } from 'node:module';

interface PackageJson {
  readonly version: string;
  readonly bugs?: { readonly url?: string };
}

/** Found by the package's own name: the files of a build and those that are published stand at other depths. */
const PACKAGE = createRequire(import.meta.url)('tickhaul/package.json') as PackageJson;

/** The package's version, as the package.json that it was shipped with has it. */
export const VERSION: string = PACKAGE.version;

/** Where bugs are reported, if package.json names a place. */
export const BUGS_URL: string | undefined = PACKAGE.bugs?.url;
