import type { ConfigId } from "../../config/config.ts";
import { assert } from "../../lib/assert.ts";
import { errorFrom } from "../../lib/errors.ts";
import type { Lease, ResourceSource } from "../../xds/resource-source.ts";
import type { ResourceType } from "../../xds/resource-type.ts";
import { type NameSet, noNames } from "../../xds/resources/name-set.ts";
import { ResourceSet } from "../../xds/resources/resource-set.ts";
import { kindNameOf } from "../model/config-id.ts";
import type { Proxy } from "../model/proxy/proxy.ts";
import type { PushContext, Since } from "../model/push-context.ts";
import type { PushRequest } from "../model/push-request.ts";
import type { Generator, PartFamily } from "./generator.ts";
import { Part, partKey } from "./part.ts";
import { type FamilyInputs, TypeInputs } from "./part-inputs.ts";
import { type Hold, PartLease } from "./part-lease.ts";

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
  /** By type URL. */
  readonly #inputs: ReadonlyMap<string, TypeInputs>;
  readonly #parts = new Map<string, Part>();
  readonly #problems = new Map<string, GeneratorProblem>();
  readonly #revision = { count: 0 };
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
    this.#inputs = new Map(generators.map(({ typeUrl, families }) => [typeUrl, new TypeInputs(families)]));
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

  /**
   * Leases the parts that a proxy needs of this type. Returns its lease from before if the parts are still the same, and
   * does not count it again.
   */
  lease({ typeUrl }: ResourceType, proxy: Proxy, asked: NameSet | "all", before?: Lease): Lease {
    const generator = this.types.find((each) => each.typeUrl === typeUrl);
    const inputs = this.#inputs.get(typeUrl)?.of(proxy, this.#published, asked);
    assert(generator !== undefined && inputs !== undefined, `${typeUrl} is a type of this catalogue`);
    if (before instanceof PartLease && before.inputs === inputs) return before;
    const holds = inputs.map((part) => this.#hold(generator, part));
    return new PartLease(inputs, holds, { revision: this.#revision, release: (hold) => this.#release(hold) });
  }

  /**
   * Updates every part in use to `push`. It awaits `turn` between parts, so that streams are served meanwhile from the
   * published sets. The new sets are published all at once.
   */
  async advance(push: PushContext, request: PushRequest, turn: () => Promise<void>): Promise<void> {
    const prepared = new Map<Part, Prepared>();
    const changes = new ChangesByKind(request.changed);
    // A part that a new stream adds meanwhile is at the end of the map, so this loop meets it too.
    for (const part of this.#parts.values()) {
      const { names } = part;
      const startedAt = this.#now();
      const set = this.#prepare(part, push, { forced: request.forced, changes });
      prepared.set(part, { set, names, ms: set === part.set ? 0 : this.#now() - startedAt });
      await turn();
    }
    for (const [part, made] of prepared) this.#publish(part, push, made);
    this.#published = push;
    this.#revision.count++;
  }

  /** The parts in use that a change to `push` may alter, by their keys. */
  partsChangedBy(request: PushRequest, push: PushContext): ReadonlySet<string> {
    const changes = new ChangesByKind(request.changed);
    const changed = [...this.#parts.values()].filter(
      (part) => request.forced || changesOf(part, push, changes).size > 0,
    );
    return new Set(changed.map(({ key }) => key));
  }

  #hold({ shortName: type }: Generator, { family, inputs }: FamilyInputs): Hold {
    const names = inputs.names === "all" ? undefined : inputs.names;
    const known = this.#parts.get(partKey(type, family, inputs));
    const part = known ?? new Part(type, family, inputs, this.#published);
    part.leases++;
    const added = names === undefined ? noNames : part.hold(names);
    if (known === undefined) {
      part.set = this.#run(part, this.#published);
      this.#parts.set(part.key, part);
    } else if (added.size > 0) part.set = this.#run(part, this.#published, { names: added });
    if (added.size > 0) this.#revision.count++;
    return { part, names };
  }

  /** A part without a lease is removed at once. */
  #release({ part, names }: Hold): void {
    part.leases--;
    if (names !== undefined && part.release(names)) this.#revision.count++;
    if (part.leases > 0) return;
    this.#parts.delete(part.key);
    this.#problems.delete(part.key);
  }

  #prepare(part: Part, push: PushContext, { forced, changes }: Preparation): ResourceSet | undefined {
    // After a failure the missed changes are unknown, so the next run must rebuild the whole part.
    const failed = this.#problems.has(part.key);
    if (part.set === undefined || forced || failed) return this.#run(part, push);
    const changed = changesOf(part, push, changes);
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

/** The changed objects that a part depends on, before or after the change. */
function changesOf(part: Part, push: PushContext, changes: ChangesByKind): ReadonlySet<ConfigId> {
  const { family } = part;
  const concerned = changes.concerning(family);
  // Most edits concern few families, and there may be a part per proxy.
  if (concerned.length === 0) return none;
  const inputs = part.inputs();
  const dependedOn = family.dependencies(inputs, part.push);
  const dependsOn = family.dependencies(inputs, push);
  return new Set(concerned.filter((id) => dependedOn(id) || dependsOn(id)));
}

const none: ReadonlySet<ConfigId> = new Set();

/** The extent of a run: everything, the changes, or new names. */
interface Extent {
  readonly since?: Since;
  readonly names?: NameSet;
}

/** The changed objects of a push. Each family picks those that concern it, once for all of its parts. */
class ChangesByKind {
  readonly #changed: ReadonlySet<ConfigId>;
  readonly #byFamily = new Map<PartFamily, readonly ConfigId[]>();

  constructor(changed: ReadonlySet<ConfigId>) {
    this.#changed = changed;
  }

  concerning(family: PartFamily): readonly ConfigId[] {
    const known = this.#byFamily.get(family);
    if (known !== undefined) return known;
    const found = [...this.#changed].filter((id) => family.concerns(kindNameOf(id)));
    this.#byFamily.set(family, found);
    return found;
  }
}

/** A push, as the preparation of one part needs it. */
interface Preparation {
  readonly forced: boolean;
  readonly changes: ChangesByKind;
}

interface Prepared {
  readonly set: ResourceSet | undefined;
  /** The held names at the time of the run. */
  readonly names: NameSet;
  /** How long the run took; 0 if the set is unchanged. */
  readonly ms: number;
}
