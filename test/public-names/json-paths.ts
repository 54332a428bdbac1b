/**
 * The names in a JSON value, as paths: `a.b` for a field, `[]` for the items of a list. A name that is data, such as a
 * collection or a node, counts as `*`. Below the names in `foreign` is JSON of Envoy or of users, which is not ours.
 */
export function jsonPaths(value: unknown, foreign: ReadonlySet<string>): readonly string[] {
  return [...new Set(pathsIn(value, "", foreign))].toSorted();
}

function* pathsIn(value: unknown, path: string, foreign: ReadonlySet<string>): Iterable<string> {
  if (Array.isArray(value)) for (const item of value) yield* pathsIn(item, `${path}[]`, foreign);
  else if (typeof value === "object" && value !== null) {
    for (const [name, field] of Object.entries(value)) {
      const shown = isName(name) ? name : "*";
      const at = path === "" ? shown : `${path}.${shown}`;
      yield at;
      if (!foreign.has(name)) yield* pathsIn(field, at, foreign);
    }
  }
}

function isName(text: string): boolean {
  return /^[a-z]\w*$/iu.test(text);
}
