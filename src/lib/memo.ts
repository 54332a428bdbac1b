import { assert } from "./assert.ts";

/**
 * Remembers what was built for a tuple of objects (by identity, in order) and a text. The objects are held weakly:
 * once one of them is gone, so is everything that was built for it.
 */
export class Memo<V> {
  readonly #root = new Branch<V>();

  /** `build` must depend on nothing but `objects` and `id`. If it throws, nothing is remembered. */
  get(objects: readonly object[], id: string, build: () => V): V {
    assert(objects.length > 0, "a memo without objects would be kept for ever");
    let branch = this.#root;
    for (const object of objects) branch = branch.towards(object);
    const known = branch.values.get(id);
    if (known !== undefined) return known.value;
    const value = build();
    branch.values.set(id, { value });
    return value;
  }
}

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
 * The function, run once per object. The object is held weakly: what was made for it goes when it goes. `make` must
 * depend on nothing that can be another for the same object; a context may be handed through where it cannot.
 */
export function oncePer<K extends object, V extends {}, C = void>(
  make: (object: K, context: C) => V,
): (object: K, context: C) => V {
  const known = new WeakMap<K, V>();
  return (object, context) => {
    const before = known.get(object);
    if (before !== undefined) return before;
    const made = make(object, context);
    known.set(object, made);
    return made;
  };
}
