/** Every number, text and boolean of a value, by its path. */
function leavesOf(value: unknown, path = "", leaves = new Map<string, unknown>()): ReadonlyMap<string, unknown> {
  const entries =
    value instanceof Map ? [...value] : typeof value === "object" && value !== null ? Object.entries(value) : undefined;
  if (entries === undefined) leaves.set(path, value);
  for (const [key, each] of entries ?? []) leavesOf(each, `${path}/${String(key)}`, leaves);
  return leaves;
}

/** The paths whose values differ, and how many paths there are. */
export function compareLeaves(ours: unknown, theirs: unknown): { readonly different: string[]; readonly all: number } {
  const [left, right] = [leavesOf(ours), leavesOf(theirs)];
  const paths = [...new Set([...left.keys(), ...right.keys()])];
  return { different: paths.filter((path) => left.get(path) !== right.get(path)), all: paths.length };
}
