import type { Mode } from "../../xds/mode.ts";
import type { ResourceType } from "../../xds/resource-type.ts";
import type { Resource } from "../../xds/resources/resource.ts";
import { type Answer, isComplete } from "../../xds/subscription/answer.ts";

/** The resources of a client by type URL and name. */
export type HeldByType = ReadonlyMap<string, ReadonlyMap<string, Resource>>;

/** The resources that a rehearsed client holds. */
export class HeldResources {
  readonly #mode: Mode;
  readonly #held = new Map<string, Map<string, Resource>>();

  constructor(mode: Mode) {
    this.#mode = mode;
  }

  of(typeUrl: string): ReadonlyMap<string, Resource> {
    return this.#of(typeUrl);
  }

  /** Applies a response. Returns the resources that it added or changed. */
  apply(type: ResourceType, answer: Answer): readonly Resource[] {
    const held = this.#of(type.typeUrl);
    const listed = listedIn(answer);
    const changed = listed.filter(({ name, version }) => held.get(name)?.version !== version);
    for (const resource of listed) held.set(resource.name, resource);
    if (this.#mode === "delta") for (const name of answer.removed) held.delete(name);
    else if (isComplete({ type, mode: this.#mode })) {
      const names = new Set(listed.map(({ name }) => name));
      this.keepOnly(type.typeUrl, (name) => names.has(name));
    }
    return changed;
  }

  /** Replaces the resources of a type. */
  set(typeUrl: string, resources: Iterable<Resource>): void {
    this.#held.set(typeUrl, new Map(Array.from(resources, (resource) => [resource.name, resource])));
  }

  /** Drops the resources that the client does not ask for any more. */
  keepOnly(typeUrl: string, isKept: (name: string) => boolean): void {
    const held = this.#of(typeUrl);
    for (const name of held.keys()) if (!isKept(name)) held.delete(name);
  }

  /** The state of this moment. */
  copy(): HeldByType {
    return new Map(Array.from(this.#held, ([typeUrl, held]) => [typeUrl, new Map(held)]));
  }

  #of(typeUrl: string): Map<string, Resource> {
    const held = this.#held.get(typeUrl) ?? new Map<string, Resource>();
    this.#held.set(typeUrl, held);
    return held;
  }
}

/** All resources in a response. */
function listedIn({ whole, resources, target }: Answer): readonly Resource[] {
  return whole ? [...target.flatMap((set) => [...set]), ...resources] : resources;
}
