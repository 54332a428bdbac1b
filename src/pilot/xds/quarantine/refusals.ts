import type { Config, ConfigId } from "../../../config/config.ts";
import type { Replacement } from "../../registry/instead-of.ts";
import type { RejectedResources } from "./report.ts";
import type { Scope } from "./scope.ts";

/** A version of an object that proxies refuse. */
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
  /** If set, one proxy tries this version again from then on, although nothing has changed. */
  readonly retryAt?: number;
  /** Set if another replica found it before its version arrived here. See {@link isAwaited}. */
  readonly awaited?: { readonly versionHere: string | undefined; readonly until: number };
}

/** A refusal from a store. */
export interface AdoptedRefusal extends Omit<Refusal, "instead" | "retryAt" | "awaited"> {
  readonly scope: Scope;
  /** The version that the proxies accepted before. */
  readonly accepted: Config | undefined;
}

/** A class or a proxy, with the objects that it refuses. */
export interface RefusingScope {
  readonly scope: Scope;
  readonly refusals: ReadonlyMap<ConfigId, Refusal>;
}

/** More scopes are not remembered: the oldest is forgotten, first of single proxies, and its refusals are found anew. */
const maxScopes = 64;

const none: ReadonlyMap<ConfigId, Refusal> = new Map();

/** The refused objects of every class of proxies, and of single proxies. */
export class Refusals {
  readonly #scopes = new Map<string, RefusingScope>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** As they are now. */
  get scopes(): readonly RefusingScope[] {
    return [...this.#scopes.values()];
  }

  get isEmpty(): boolean {
    return this.#scopes.size === 0;
  }

  of(scopeId: string): ReadonlyMap<ConfigId, Refusal> {
    return this.#scopes.get(scopeId)?.refusals ?? none;
  }

  /** Everything that the proxies of a scope get in place of refused objects. A proxy gets those of its class, too. */
  substitutesOf({ id, classId }: Pick<Scope, "id" | "classId">): ReadonlyMap<ConfigId, Config | undefined> {
    const all = [...this.of(classId).values(), ...(id === classId ? [] : this.of(id).values())];
    return new Map(all.flatMap(({ instead }) => [...instead.objects]));
  }

  add(scope: Scope, refusals: Iterable<Refusal>): void {
    const added = Array.from(refusals, (refusal) => [refusal.id, refusal] as const);
    if (added.length === 0) return;
    this.#set(scope, new Map([...this.of(scope.id), ...added]));
    if (this.#scopes.size > maxScopes) this.#forgetOldest();
  }

  remove(scopeId: string, ids: Iterable<ConfigId>): void {
    const known = this.#scopes.get(scopeId);
    if (known === undefined) return;
    const removed = new Set(ids);
    if (known.refusals.keys().every((id) => !removed.has(id))) return;
    this.#set(known.scope, new Map([...known.refusals].filter(([id]) => !removed.has(id))));
  }

  #set(scope: Scope, refusals: ReadonlyMap<ConfigId, Refusal>): void {
    if (refusals.size === 0) this.#scopes.delete(scope.id);
    else this.#scopes.set(scope.id, { scope, refusals });
    this.#onChange();
  }

  #forgetOldest(): void {
    const { scopes } = this;
    const oldest = scopes.find(({ scope }) => scope.node !== undefined) ?? scopes[0];
    if (oldest !== undefined) this.#scopes.delete(oldest.scope.id);
  }
}
