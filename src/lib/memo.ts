import { assert } from "./assert.ts";
import { canonicalKey, type Plain } from "./canonical-key.ts";

/** Objects that a memo compares by identity. */
type Held = readonly (object | undefined)[];

/**
 * The builder, run once per key. A key is a list of objects, compared by identity, and facts, compared by content. The
 * builder gets only the key, so an input that is missing in the key does not compile. For that reason, call `memoize`
 * at the top of a module, where the builder sees no variables of a caller (`test/key-law.ts`). No module changes its
 * constants (`test/constant-law.ts`).
 *
 * The memo holds the objects weakly: once one of them is gone, all values built for it are gone too. The caller must
 * not change an object or a fact after it was part of a key. If the builder throws, nothing is cached.
 */
export function memoize<const H extends Held, V, F = undefined>(
  build: (held: H, facts: F) => V,
): (held: H, ...facts: undefined extends F ? [] : [facts: F & Plain<F>]) => V {
  const root = new Branch<V>();
  return (held, ...rest) => {
    assert(held.length > 0, "a memo without objects would be kept for ever");
    let branch = root;
    for (const object of held) branch = branch.towards(object ?? absent);
    const [facts] = rest as [F & Plain<F>];
    const key = canonicalKey<F>(facts);
    const known = branch.values.get(key);
    if (known !== undefined) return known.value;
    const value = build(held, facts);
    branch.values.set(key, { value });
    return value;
  };
}

/** Placeholder for an absent object. */
const absent = {};

class Branch<V> {
  /** Boxed, so that a value may be undefined. */
  readonly values = new Map<string, { readonly value: V }>();
  readonly #next = new WeakMap<object, Branch<V>>();

  towards(object: object): Branch<V> {
    let next = this.#next.get(object);
    if (next === undefined) {
      next = new Branch();
      this.#next.set(object, next);
    }
    return next;
  }
}

/**
 * The function, run once per object. The memo holds the object weakly: the result goes when the object goes. The result
 * of `make` must depend on the object alone.
 */
export function oncePer<K extends object, V extends {}>(make: (object: K) => V): (object: K) => V {
  const known = new WeakMap<K, V>();
  return (object) => {
    const before = known.get(object);
    if (before !== undefined) return before;
    const made = make(object);
    known.set(object, made);
    return made;
  };
}
