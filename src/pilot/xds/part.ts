import { type NameSet, noNames } from "../../xds/resources/name-set.ts";
import type { ResourceSet } from "../../xds/resources/resource-set.ts";
import type { PushContext } from "../model/push-context.ts";
import { type PartFamily, type PartInputs, partName } from "./generator.ts";

/**
 * One part of one type, shared by all proxies with these inputs. A part that is built by name holds only the names of
 * current leases. A new name is built alone, and a name without a lease is removed.
 */
export class Part {
  readonly key: string;
  readonly type: string;
  readonly name: string;
  readonly family: PartFamily;
  readonly #inputs: PartInputs;
  /** Absent until a run succeeds. Without it the type gets no response, instead of an empty one. */
  set: ResourceSet | undefined;
  /** The context of `set`. */
  push: PushContext;
  /** The build time of `set` in the last push, in milliseconds; 0 if unchanged. */
  madeMs = 0;
  leases = 0;
  /** Held names that could not be built. Leases with one of them get no response. */
  readonly unmade = new Set<string>();
  /** Equal sets of names are one object, so that a thousand clients with the same names count as one. */
  readonly #holders = new Map<NameSet, number>();
  /** The number of sets with a name. */
  readonly #counts = new Map<string, number>();
  #names: NameSet | undefined;

  constructor(type: string, family: PartFamily, inputs: PartInputs, push: PushContext) {
    this.type = type;
    this.family = family;
    this.name = partName(family, inputs);
    this.key = partKey(type, family, inputs);
    this.#inputs = inputs;
    this.push = push;
  }

  /** The names that are held now; one object as long as they stay the same. */
  get names(): NameSet {
    this.#names ??= new Set(this.#counts.keys());
    return this.#names;
  }

  /** False for a part that holds only requested names. */
  get isWhole(): boolean {
    return this.#inputs.names === undefined || this.#inputs.names === "all";
  }

  /** The inputs of a run: for the whole part, or for these names. */
  inputs(names: NameSet = this.names): PartInputs {
    const { names: asked } = this.#inputs;
    return asked === undefined || asked === "all" ? this.#inputs : { ...this.#inputs, names };
  }

  /** Adds a holder of these names; returns names without an earlier holder. */
  hold(names: NameSet): ReadonlySet<string> {
    const holders = this.#holders.get(names) ?? 0;
    this.#holders.set(names, holders + 1);
    const added = holders > 0 ? noNames : this.#count(names, 1);
    for (const name of added) this.unmade.add(name);
    return added;
  }

  /** Removes a holder, and the names without any holder. Returns whether there were such names. */
  release(names: NameSet): boolean {
    const holders = this.#holders.get(names) ?? 0;
    if (holders > 1) {
      this.#holders.set(names, holders - 1);
      return false;
    }
    this.#holders.delete(names);
    const gone = this.#count(names, -1);
    for (const name of gone) this.unmade.delete(name);
    this.set = this.set?.apply({ covers: gone, resources: [] });
    return gone.size > 0;
  }

  /** Returns the added or removed names. */
  #count(names: NameSet, change: 1 | -1): ReadonlySet<string> {
    const moved = new Set<string>();
    for (const name of names) {
      const count = (this.#counts.get(name) ?? 0) + change;
      if (count === 0) this.#counts.delete(name);
      else this.#counts.set(name, count);
      if (count === 0 || (count === 1 && change === 1)) moved.add(name);
    }
    if (moved.size > 0) this.#names = undefined;
    return moved;
  }
}

export function partKey(type: string, family: PartFamily, inputs: PartInputs): string {
  return `${type} ${partName(family, inputs)}`;
}
