import { withoutKeys } from '../operations/settings.js';
import type { Sandbox } from '../sandbox/sandbox-options.js';
import type { CliHost } from './arguments/command.js';

/** Variables that make commands use the embedded service. */
export function sandboxVariables(service: Sandbox): Readonly<Record<string, string>> {
  return {
    TICKHAUL_API_URL: service.apiUrl,
    TICKHAUL_DATASETS_URL: service.datasetsUrl,
    TICKHAUL_AUTH_URL: service.issuerUrl,
    TICKHAUL_API_KEY: service.apiKey,
  };
}

/**
 * An environment for commands that use the embedded service, without the user's keys and without a proxy for
 * it.
 */
export function sandboxEnvironment(service: Sandbox, env: CliHost['env']): CliHost['env'] {
  const noProxy = [env['no_proxy'] || env['NO_PROXY'], '127.0.0.1'].filter(Boolean).join(',');
  return { ...withoutKeys(env), no_proxy: noProxy, NO_PROXY: noProxy, ...sandboxVariables(service) };
}
