import { assert } from "../../lib/assert.ts";
import { errorFrom } from "../../lib/errors.ts";
import type { Lease, ResourceSource } from "../../xds/resource-source.ts";
import type { ResourceType } from "../../xds/resource-type.ts";
import { type NameSet, noNames } from "../../xds/resources/name-set.ts";
import { ResourceSet } from "../../xds/resources/resource-set.ts";
import type { Target } from "../../xds/resources/target.ts";
import { kindNameOf } from "../model/config-id.ts";
import type { Proxy } from "../model/proxy/proxy.ts";
import type { PushContext, Since } from "../model/push-context.ts";
import type { PushRequest } from "../model/push-request.ts";
import type { Generator, PartFamily, PartInputs } from "./generator.ts";
import { Part, partKey } from "./part.ts";

/** One part of a type, for debug pages. */
export interface PartFacts {
  /** CDS, EDS, … */
  readonly type: string;
  readonly name: string;
  /** The number of proxies that share it. */
  readonly proxies: number;
  readonly resources: ResourceSet;
}

/** A generator that threw: its part keeps the last good set. */
export interface GeneratorProblem {
  readonly type: string;
  readonly part: string;
  readonly cause: Error;
}

/**
 * Every part that some stream uses. Each part is generated once per push, however many streams share it. `advance`
 * prepares all parts and then publishes them together. So a stream never sees two types of different moments.
 */
export class Catalogue implements ResourceSource<Proxy> {
  readonly types: readonly Generator[];
  readonly #parts = new Map<string, Part>();
  readonly #problems = new Map<string, GeneratorProblem>();
  readonly #onProblem: (problem: GeneratorProblem) => void;
  readonly #now: () => number;
  readonly #seedOf: (key: string) => ResourceSet | undefined;
  #published: PushContext;

  /**
   * `now` is in milliseconds; without it build times are not measured. `seedOf` finds the set of a part in another
   * catalogue: resources with equal bytes become the same objects.
   */
  constructor(
    generators: readonly Generator[],
    push: PushContext,
    onProblem: (problem: GeneratorProblem) => void,
    now = () => 0,
    seedOf: (key: string) => ResourceSet | undefined = () => undefined,
  ) {
    this.types = generators;
    this.#published = push;
    this.#onProblem = onProblem;
    this.#now = now;
    this.#seedOf = seedOf;
  }

  /** The context of all current sets. */
  get published(): PushContext {
    return this.#published;
  }

  get size(): number {
    return this.#parts.size;
  }

  /** Everything that is kept, in no order. */
  get parts(): Iterable<PartFacts> {
    return this.#parts.values().map(({ type, name, set, leases }) => ({
      type,
      name,
      proxies: leases,
      resources: set ?? ResourceSet.empty,
    }));
  }

  /** The set of the part with this key, unless the part holds only requested names. */
  wholeSetOf(key: string): ResourceSet | undefined {
    const part = this.#parts.get(key);
    return part?.isWhole === true ? part.set : undefined;
  }

  get problems(): Iterable<GeneratorProblem> {
    return this.#problems.values();
  }

  /** Leases the parts that a proxy needs of this type. */
  lease({ typeUrl }: ResourceType, proxy: Proxy, asked: NameSet | "all"): Lease {
    const generator = this.types.find((each) => each.typeUrl === typeUrl);
    assert(generator !== undefined, `${typeUrl} is a type of this catalogue`);
    const holds = generator.families.flatMap((family) =>
      family.parts(proxy, this.#published, asked).map((inputs) => this.#hold(generator, family, inputs)),
    );
    return new PartLease(holds, (hold) => this.#release(hold));
  }

  /**
   * Updates every part in use to `push`. It awaits `turn` between parts, so that streams are served meanwhile from the
   * published sets. The new sets are published all at once.
   */
  async advance(push: PushContext, request: PushRequest, turn: () => Promise<void>): Promise<void> {
    const prepared = new Map<Part, Prepared>();
    // A part that a new stream adds meanwhile is at the end of the map, so this loop meets it too.
    for (const part of this.#parts.values()) {
      const { names } = part;
      const startedAt = this.#now();
      const set = this.#prepare(part, push, request);
      prepared.set(part, { set, names, ms: set === part.set ? 0 : this.#now() - startedAt });
      await turn();
    }
    for (const [part, made] of prepared) this.#publish(part, push, made);
    this.#published = push;
  }

  #hold({ shortName: type }: Generator, family: PartFamily, inputs: PartInputs): Hold {
    const names = inputs.names === "all" ? undefined : inputs.names;
    const known = this.#parts.get(partKey(type, family, inputs));
    const part = known ?? new Part(type, family, inputs, this.#published);
    part.leases++;
    const added = names === undefined ? noNames : part.hold(names);
    if (known === undefined) {
      part.set = this.#run(part, this.#published);
      this.#parts.set(part.key, part);
    } else if (added.size > 0) part.set = this.#run(part, this.#published, { names: added });
    return { part, names };
  }

  /** A part without a lease is removed at once. */
  #release({ part, names }: Hold): void {
    part.leases--;
    if (names !== undefined) part.release(names);
    if (part.leases > 0) return;
    this.#parts.delete(part.key);
    this.#problems.delete(part.key);
  }

  #prepare(part: Part, push: PushContext, request: PushRequest): ResourceSet | undefined {
    // After a failure the missed changes are unknown, so the next run must rebuild the whole part.
    const failed = this.#problems.has(part.key);
    if (part.set === undefined || request.forced || failed) return this.#run(part, push);
    const { family } = part;
    const inputs = part.inputs();
    const dependedOn = family.dependencies(inputs, part.push);
    const dependsOn = family.dependencies(inputs, push);
    const changed = new Set(
      [...request.changed].filter((id) => family.concerns(kindNameOf(id)) && (dependedOn(id) || dependsOn(id))),
    );
    return changed.size === 0 ? part.set : this.#run(part, push, { since: { push: part.push, changed } });
  }

  /** Names that came or went while the set was prepared are not in it, or still are. */
  #publish(part: Part, push: PushContext, { set, names, ms }: Prepared): void {
    part.set = set;
    part.madeMs = ms;
    part.push = push;
    if (part.names === names) return;
    const [gone, missing] = [names.difference(part.names), part.names.difference(names)];
    part.set = part.set?.apply({ covers: gone, resources: [] });
    if (missing.size > 0) part.set = this.#run(part, push, { names: missing });
  }

  #run(part: Part, push: PushContext, { since, names }: Extent = {}): ResourceSet | undefined {
    const { key, type, name, family } = part;
    const set = part.set ?? (part.isWhole ? this.#seedOf(key) : undefined) ?? ResourceSet.empty;
    try {
      const next = set.apply(family.generate({ inputs: part.inputs(names), push, ...(since && { since }) }));
      for (const made of names ?? part.names) part.unmade.delete(made);
      // A run for some names does not clear failures of other names.
      if (names === undefined) this.#problems.delete(key);
      return next;
    } catch (thrown) {
      const problem = { type, part: name, cause: errorFrom(thrown) };
      for (const unmade of names ?? []) part.unmade.add(unmade);
      this.#problems.set(key, problem);
      this.#onProblem(problem);
      return part.set;
    }
  }
}

/** The extent of a run: everything, the changes, or new names. */
interface Extent {
  readonly since?: Since;
  readonly names?: NameSet;
}

interface Prepared {
  readonly set: ResourceSet | undefined;
  /** The held names at the time of the run. */
  readonly names: NameSet;
  /** How long the run took; 0 if the set is unchanged. */
  readonly ms: number;
}

interface Hold {
  readonly part: Part;
  /** Undefined for parts that are not made by name. */
  readonly names: NameSet | undefined;
}

/** A proxy's hold on its parts of one type. */
class PartLease implements Lease {
  readonly #holds: readonly Hold[];
  readonly #release: (hold: Hold) => void;

  constructor(holds: readonly Hold[], release: (hold: Hold) => void) {
    this.#holds = holds;
    this.#release = release;
  }

  /** The sets as they are now, or `undefined` when something in them cannot be made. */
  get target(): Target | undefined {
    const sets = this.#holds.flatMap(({ part: { set, unmade }, names = noNames }) =>
      set !== undefined && names.isDisjointFrom(unmade) ? set : [],
    );
    return sets.length === this.#holds.length ? sets : undefined;
  }

  get madeMs(): number {
    return this.#holds.reduce((sum, { part }) => sum + part.madeMs, 0);
  }

  /** Names the class of proxies that share these parts: streams are served class by class. */
  get id(): string {
    return this.#holds.map(({ part }) => part.key).join("\n");
  }

  end(): void {
    for (const hold of this.#holds) this.#release(hold);
  }
}
