import { execFileSync } from 'node:child_process';

/** Why a test that needs Python packages is skipped; false if they are installed. */
export function noPython(...packages: readonly string[]): string | false {
  try {
    execFileSync('python3', ['-c', `import ${packages.join(', ')}`], { stdio: 'ignore' });
    return false;
  } catch {
    return `needs python3 with ${packages.join(', ')}`;
  }
}

/** Compiles scripts, and leaves the results beside them. @throws with the message of Python. */
export function compilePython(...paths: readonly string[]): void {
  execFileSync('python3', ['-m', 'py_compile', ...paths], { encoding: 'utf8', stdio: 'pipe' });
}

/** A call of a stubbed interface: its name, arguments and named arguments, as Python prints them. */
export interface StubCall {
  readonly name: string;
  readonly args: readonly string[];
  readonly named: Readonly<Record<string, string>>;
}

const STUBS = `
import importlib.abc, importlib.util, json, runpy, sys

script, packages = sys.argv[1], sys.argv[2].split(",")
strategies = []

class Stub:
    def __init__(self, name):
        self.__dict__["name"] = name
    def __getattr__(self, name):
        return Stub(f"{self.name}.{name}")
    def __getitem__(self, key):
        return self
    def __iter__(self):
        return iter([])
    def __call__(self, *args, **named):
        strategies.extend(arg for arg in args if isinstance(arg, Strategy))
        texts = {key: str(value) for key, value in named.items()}
        print(json.dumps({"name": self.name, "args": [str(arg) for arg in args], "named": texts}))
        return Stub(f"{self.name}()")
    def __repr__(self):
        return self.name

class Strategy:
    def __getattr__(self, name):
        return Stub(f"self.{name}")

class Loader(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in packages:
            return importlib.util.spec_from_loader(name, self, is_package=True)
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        known = {"Strategy": Strategy, "njit": lambda function: function}
        module.__getattr__ = lambda name: known.get(name) or Stub(name)

sys.meta_path.insert(0, Loader())
runpy.run_path(script)
for strategy in strategies:
    handler = next(name for name in dir(strategy) if name.startswith("on_") and name not in ("on_start", "on_stop"))
    strategy.on_start()
    for _ in range(2):
        getattr(strategy, handler)(None)
    print(json.dumps({"name": handler, "args": [], "named": {}}))
    strategy.on_stop()
`;

/** Runs a script with stubs in place of packages, and calls the handlers of its strategy. @returns all calls. */
export function runWithStubs(script: string, packages: readonly string[]): readonly StubCall[] {
  const printed = execFileSync('python3', ['-c', STUBS, script, packages.join()], {
    encoding: 'utf8',
    stdio: 'pipe',
  });
  return printed
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as StubCall);
}
