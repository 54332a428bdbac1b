import { deepEqual } from "../../lib/equal.ts";
import type { NameSet } from "../../xds/resources/name-set.ts";
import type { Proxy } from "../model/proxy/proxy.ts";
import type { PushContext } from "../model/push-context.ts";
import type { PartFamily, PartInputs } from "./generator.ts";

/** One part of a proxy's answer. */
export interface FamilyInputs {
  readonly family: PartFamily;
  readonly inputs: PartInputs;
}

/** The inputs that were last made for a proxy, and from what. */
interface Made {
  readonly asked: NameSet | "all";
  /** The newest context from which they would be the same. */
  push: PushContext;
  readonly parts: readonly FamilyInputs[];
}

/**
 * Two contexts, and whether all that inputs are made from is the same in both. The contexts are held weakly: after the
 * last proxy has gone, nothing else would ever release them and their objects.
 */
interface Compared {
  readonly from: WeakRef<PushContext>;
  readonly to: WeakRef<PushContext>;
  /** The number of fields that were compared. */
  readonly fields: number;
  readonly same: boolean;
}

/**
 * The inputs of one type's parts, for each proxy. Most pushes change none of them, so they are kept: `parts` of the
 * families runs again only if a field of the context has changed that `parts` has ever read, for any proxy. The reads are
 * recorded, so no list of them can be wrong. Of the service instances only those at the proxy's own addresses count.
 */
export class TypeInputs {
  readonly #families: readonly PartFamily[];
  readonly #made = new WeakMap<Proxy, Made>();
  /** The fields that inputs are made from. It only grows: a memo may hide a second read. */
  readonly #reads = new Set<string>();
  #compared: Compared | undefined;

  constructor(families: readonly PartFamily[]) {
    this.#families = families;
  }

  /** The parts of this proxy's answer. Equal parts are the same object as before. */
  of(proxy: Proxy, push: PushContext, asked: NameSet | "all"): readonly FamilyInputs[] {
    const before = this.#made.get(proxy);
    if (before?.push === push && before.asked === asked) return before.parts;
    if (before?.asked === asked && this.#isSame(before.push, push, proxy)) {
      before.push = push;
      return before.parts;
    }
    const parts = sharing(before?.parts, this.#make(proxy, push, asked));
    this.#made.set(proxy, { asked, push, parts });
    return parts;
  }

  #make(proxy: Proxy, push: PushContext, asked: NameSet | "all"): readonly FamilyInputs[] {
    const recorded = this.#recording(push, proxy);
    return this.#families.flatMap((family) =>
      family.parts(proxy, recorded, asked).map((inputs) => ({ family, inputs })),
    );
  }

  #isSame(from: PushContext, to: PushContext, proxy: Proxy): boolean {
    return this.#areFieldsSame(from, to) && (!this.#reads.has(ownInstances) || areOwnInstancesSame(from, to, proxy));
  }

  /** Nearly all proxies come from the same context, so the last result is kept. */
  #areFieldsSame(from: PushContext, to: PushContext): boolean {
    const { size: fields } = this.#reads;
    const known = this.#compared;
    if (known?.from.deref() === from && known.to.deref() === to && known.fields === fields) return known.same;
    const same = this.#reads.values().every((name) => Reflect.get(from, name) === Reflect.get(to, name));
    this.#compared = { from: new WeakRef(from), to: new WeakRef(to), fields, same };
    return same;
  }

  /** The context, with a record of the fields that are read. */
  #recording(push: PushContext, proxy: Proxy): PushContext {
    const reads = this.#reads;
    return new Proxied(push, {
      get(context, name) {
        if (name === "instances") return recordedInstances(context.instances, proxy, reads);
        if (typeof name === "string") reads.add(name);
        return Reflect.get(context, name) as unknown;
      },
    });
  }
}

/** `Proxy` of the language. Here a proxy is an Envoy. */
const Proxied = globalThis.Proxy;

/** The record of a read of instances at the proxy's own addresses: no field of this name exists. */
const ownInstances = "instances at own addresses";

function recordedInstances(
  instances: PushContext["instances"],
  { ipAddresses }: Proxy,
  reads: Set<string>,
): PushContext["instances"] {
  const all = () => {
    reads.add("instances");
    return instances;
  };
  return {
    name: instances.name,
    get size() {
      return all().size;
    },
    get(address) {
      reads.add(ipAddresses.includes(address) ? ownInstances : "instances");
      return instances.get(address);
    },
    entries: () => all().entries(),
    values: () => all().values(),
  };
}

function areOwnInstancesSame(from: PushContext, to: PushContext, { ipAddresses }: Proxy): boolean {
  if (from.instances === to.instances) return true;
  return ipAddresses.every((address) => from.instances.get(address) === to.instances.get(address));
}

/** The list from before, if it is equal. */
function sharing(before: readonly FamilyInputs[] | undefined, after: readonly FamilyInputs[]): readonly FamilyInputs[] {
  if (before?.length !== after.length) return after;
  const isSame = after.every(({ family, inputs }, index) => {
    const old = before[index];
    return old?.family === family && deepEqual(old.inputs, inputs);
  });
  return isSame ? before : after;
}
