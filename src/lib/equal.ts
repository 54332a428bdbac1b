/**
 * Structural equality of immutable, acyclic data: primitives, arrays, plain objects, maps, sets and typed arrays. Other
 * values (functions, class instances) equal only themselves, because their state is not visible. In doubt the result is
 * "different": an absent property differs from an undefined one. Set members and map keys are compared by identity.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const prototype: unknown = Object.getPrototypeOf(a);
  if (prototype !== Object.getPrototypeOf(b)) return false;
  if (prototype === Object.prototype || prototype === null) return equalObjects(a, b);
  if (Array.isArray(a) && Array.isArray(b)) return equalArrays(a, b);
  if (a instanceof Map && b instanceof Map) return equalMaps(a, b);
  if (a instanceof Set && b instanceof Set) return a.size === b.size && a.isSubsetOf(b);
  if (ArrayBuffer.isView(a) && ArrayBuffer.isView(b)) return equalBytes(bytesOf(a), bytesOf(b));
  return false;
}

function equalObjects(a: object, b: object): boolean {
  const left = Object.entries(a);
  if (left.length !== Object.keys(b).length) return false;
  return left.every(([name, value]) => Object.hasOwn(b, name) && deepEqual(value, Reflect.get(b, name)));
}

function equalArrays(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, index) => deepEqual(value, b[index]));
}

function equalMaps(a: ReadonlyMap<unknown, unknown>, b: ReadonlyMap<unknown, unknown>): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) {
    if (!b.has(key) || !deepEqual(value, b.get(key))) return false;
  }
  return true;
}

function bytesOf(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
