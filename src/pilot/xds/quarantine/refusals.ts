import type { Config, ConfigId } from "../../../config/config.ts";
import type { ProxyClass } from "../../model/proxy/proxy-class.ts";
import type { Replacement } from "../../registry/instead-of.ts";
import type { RejectedResources } from "./report.ts";

/** A version of an object that a class of proxies refuses. */
export interface Refusal {
  readonly id: ConfigId;
  /** The refused version; undefined if the proxies refuse the mesh without the object. */
  readonly version: string | undefined;
  /** The reason, in the proxy's words. */
  readonly reason: string;
  /** When it was found, in the clock's milliseconds. */
  readonly since: number;
  /** The node of the proxy that tried it. */
  readonly node: string;
  /** The node of a second proxy that refused it, too. */
  readonly confirmedBy: string | undefined;
  /** The resources that the proxy rejected before the search. */
  readonly rejected: readonly RejectedResources[];
  /** The probes of the search that found it. */
  readonly probes: number;
  readonly instead: Replacement;
}

/** A class with the objects that it refuses. */
export interface RefusingClass {
  readonly proxies: ProxyClass;
  readonly refusals: ReadonlyMap<ConfigId, Refusal>;
}

/** More classes are not remembered: the oldest class is forgotten, and its refusals are found anew. */
const maxClasses = 64;

/** The refused objects of every class of proxies. */
export class Refusals {
  readonly #classes = new Map<string, RefusingClass>();

  /** As they are now. */
  get classes(): readonly RefusingClass[] {
    return [...this.#classes.values()];
  }

  get isEmpty(): boolean {
    return this.#classes.size === 0;
  }

  of(classId: string): ReadonlyMap<ConfigId, Refusal> {
    return this.#classes.get(classId)?.refusals ?? new Map<ConfigId, Refusal>();
  }

  /** Everything that this class gets in place of its refused objects. */
  substitutesOf(classId: string): ReadonlyMap<ConfigId, Config | undefined> {
    return new Map(
      this.of(classId)
        .values()
        .flatMap(({ instead }) => instead.objects),
    );
  }

  add(proxies: ProxyClass, refusals: Iterable<Refusal>): void {
    const added = Array.from(refusals, (refusal) => [refusal.id, refusal] as const);
    if (added.length === 0) return;
    this.#set(proxies, new Map([...this.of(proxies.id), ...added]));
    for (const id of this.#classes.keys()) {
      if (this.#classes.size <= maxClasses) break;
      this.#classes.delete(id);
    }
  }

  release(classId: string, ids: Iterable<ConfigId>): void {
    const known = this.#classes.get(classId);
    if (known === undefined) return;
    const released = new Set(ids);
    this.#set(known.proxies, new Map([...known.refusals].filter(([id]) => !released.has(id))));
  }

  #set(proxies: ProxyClass, refusals: ReadonlyMap<ConfigId, Refusal>): void {
    if (refusals.size === 0) this.#classes.delete(proxies.id);
    else this.#classes.set(proxies.id, { proxies, refusals });
  }
}
