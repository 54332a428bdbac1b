/**
 * The object's keys in code-unit order. Checks the order before it sorts: literals mostly have one key, or sorted keys.
 */
export function sortedKeys(object: object): readonly string[] {
  const keys = Object.keys(object);
  let last = "";
  for (const key of keys) {
    if (key < last) return keys.toSorted();
    last = key;
  }
  return keys;
}
