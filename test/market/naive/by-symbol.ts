/** Creates a value for each symbol. */
export function bySymbol<T>(make: () => T): (key: { readonly symbol: string }) => T {
  const all = new Map<string, T>();
  return ({ symbol }) => {
    const one = all.get(symbol) ?? make();
    all.set(symbol, one);
    return one;
  };
}
