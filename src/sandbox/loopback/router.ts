import { parseTarget, type SandboxCall, type SandboxHandler } from './sandbox-call.js';

/** The names of the parameters in a path. */
type Names<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Names<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** Handles the calls of a route. The parameters are as in the URL, not decoded. */
export type RouteHandler<Name extends string = never> = (
  call: SandboxCall,
  params: Readonly<Record<Name, string>>,
) => Promise<void>;

/** An entry of a host's table. */
export interface Route {
  readonly method: string;
  readonly pattern: RegExp;
  readonly handle: RouteHandler<string>;
}

/**
 * An entry of a host's table, such as `route('GET', '/v1/exchanges/:id', handle)`.
 * @param method `*` for any method.
 * @param path its segments; `:name` is any segment, and `/*` at the end any further ones, or none.
 */
export function route<Path extends string>(
  method: string,
  path: Path,
  handle: RouteHandler<Names<Path>>,
): Route {
  const pattern = path
    .replace(/\/\*$/, '<rest>')
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:(\w+)/g, '(?<$1>[^/]+)')
    .replace('<rest>', '(?:/.*)?');
  return { method, pattern: new RegExp(`^${pattern}$`), handle };
}

/** Calls the first route with the method and path of a call, or else the fallback. */
export function createRouter(routes: readonly Route[], fallback: SandboxHandler): SandboxHandler {
  return (call) => {
    const { pathname } = parseTarget(call);
    for (const { method, pattern, handle } of routes) {
      const match = method === '*' || method === call.request.method ? pattern.exec(pathname) : null;
      if (match) return handle(call, { ...match.groups });
    }
    return fallback(call);
  };
}
