import { assert } from "../../lib/assert.ts";
import { errorFrom } from "../../lib/errors.ts";
import type { Lease, ResourceSource } from "../../xds/resource-source.ts";
import type { ResourceType } from "../../xds/resource-type.ts";
import type { NameSet } from "../../xds/resources/name-set.ts";
import { ResourceSet } from "../../xds/resources/resource-set.ts";
import type { Target } from "../../xds/resources/target.ts";
import { kindOf } from "../model/config-id.ts";
import type { Proxy } from "../model/proxy/proxy.ts";
import type { PushContext, Since } from "../model/push-context.ts";
import type { PushRequest } from "../model/push-request.ts";
import { type Generator, type PartFamily, type PartInputs, partName } from "./generator.ts";

/** One part of one type, shared by all proxies with these inputs. */
interface Part {
  readonly type: string;
  readonly family: PartFamily;
  readonly inputs: PartInputs;
  /** Absent until a run succeeds: a type that cannot be made is not answered, rather than answered with nothing. */
  set: ResourceSet | undefined;
  /** What `set` is true for. */
  push: PushContext;
  leases: number;
}

/** One part of a type, for those who look on. */
export interface PartFacts {
  /** CDS, EDS, … */
  readonly type: string;
  readonly name: string;
  /** How many share it. */
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
 * Every part that some stream uses, each generated once per push however many streams there are. `advance` prepares
 * all of them and then publishes them together, so that no stream ever sees two types of two different moments.
 */
export class Catalogue implements ResourceSource<Proxy> {
  readonly types: readonly Generator[];
  readonly #parts = new Map<string, Part>();
  readonly #problems = new Map<string, GeneratorProblem>();
  readonly #onProblem: (problem: GeneratorProblem) => void;
  #published: PushContext;

  constructor(generators: readonly Generator[], push: PushContext, onProblem: (problem: GeneratorProblem) => void) {
    this.types = generators;
    this.#published = push;
    this.#onProblem = onProblem;
  }

  /** The context all current sets are made from. */
  get published(): PushContext {
    return this.#published;
  }

  get size(): number {
    return this.#parts.size;
  }

  /** Everything that is kept, in no order. */
  get parts(): Iterable<PartFacts> {
    return this.#parts.values().map(({ type, family, inputs, set, leases }) => ({
      type,
      name: partName(family, inputs),
      proxies: leases,
      resources: set ?? ResourceSet.empty,
    }));
  }

  get problems(): Iterable<GeneratorProblem> {
    return this.#problems.values();
  }

  /** Takes part in the parts a proxy needs of this type. */
  lease({ typeUrl }: ResourceType, proxy: Proxy, asked: NameSet | "all"): Lease {
    const generator = this.types.find((each) => each.typeUrl === typeUrl);
    assert(generator !== undefined, `${typeUrl} is a type of this catalogue`);
    const parts = generator.families.flatMap((family) =>
      family.parts(proxy, this.#published, asked).map((inputs) => this.#part(generator, family, inputs)),
    );
    for (const part of parts) part.leases++;
    return new PartLease(parts);
  }

  /**
   * Brings every part in use to `push`. `turn` is awaited between parts so that streams are served meanwhile, from
   * what was published before; the new sets appear all at once.
   */
  async advance(push: PushContext, request: PushRequest, turn: () => Promise<void>): Promise<void> {
    const prepared = new Map<Part, ResourceSet | undefined>();
    // A part that a new stream adds meanwhile is at the end of the map, so this loop meets it too.
    for (const [key, part] of this.#parts) {
      if (part.leases === 0) this.#forget(key);
      else prepared.set(part, this.#prepare(part, push, request));
      await turn();
    }
    for (const [part, set] of prepared) {
      part.set = set;
      part.push = push;
    }
    this.#published = push;
  }

  #part({ shortName: type }: Generator, family: PartFamily, inputs: PartInputs): Part {
    const key = partKey({ type, family, inputs });
    const known = this.#parts.get(key);
    if (known !== undefined) return known;
    const part: Part = { type, family, inputs, set: undefined, push: this.#published, leases: 0 };
    part.set = this.#run(part, this.#published, undefined);
    this.#parts.set(key, part);
    return part;
  }

  #prepare(part: Part, push: PushContext, request: PushRequest): ResourceSet | undefined {
    // After a failure nobody knows which changes the part has missed: it must speak for everything.
    const failed = this.#problems.has(partKey(part));
    if (part.set === undefined || request.forced || failed) return this.#run(part, push, undefined);
    const { family, inputs } = part;
    const before = family.scope(inputs, part.push);
    const after = family.scope(inputs, push);
    const changed = new Set(
      [...request.changed].filter((id) => family.concerns(kindOf(id)) && (before.dependsOn(id) || after.dependsOn(id))),
    );
    return changed.size === 0 ? part.set : this.#run(part, push, { push: part.push, changed });
  }

  #run(part: Part, push: PushContext, since: Since | undefined) {
    const { type, family, inputs } = part;
    const key = partKey(part);
    try {
      const generated = family.generate({ inputs, push, ...(since && { since }) });
      this.#problems.delete(key);
      return (part.set ?? ResourceSet.empty).apply(generated);
    } catch (thrown) {
      const problem = { type, part: partName(family, inputs), cause: errorFrom(thrown) };
      this.#problems.set(key, problem);
      this.#onProblem(problem);
      return part.set;
    }
  }

  #forget(key: string): void {
    this.#parts.delete(key);
    this.#problems.delete(key);
  }
}

/** A proxy's hold on its parts of one type; parts nobody holds are dropped with the next push. */
class PartLease implements Lease {
  readonly #parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  /** The sets as they are now, or `undefined` when one of them cannot be made. */
  get target(): Target | undefined {
    const sets = this.#parts.map((part) => part.set).filter((set) => set !== undefined);
    return sets.length === this.#parts.length ? sets : undefined;
  }

  /** Names the class of proxies that share these parts: streams are served class by class. */
  get id(): string {
    return this.#parts.map(partKey).join("\n");
  }

  end(): void {
    for (const part of this.#parts) part.leases--;
  }
}

function partKey({ type, family, inputs }: Pick<Part, "type" | "family" | "inputs">): string {
  return `${type} ${partName(family, inputs)}`;
}
