import { canonicalKey } from "../../lib/canonical-key.ts";
import type { ResourceType } from "../../xds/resource-type.ts";
import type { NameSet } from "../../xds/resources/name-set.ts";
import type { ResourceUpdate } from "../../xds/resources/resource-set.ts";
import type { Conflict } from "../model/conflict.ts";
import type { Proxy } from "../model/proxy/proxy.ts";
import type { PushContext, Since } from "../model/push-context.ts";
import type { Resource } from "../model/resource.ts";
import type { Scope } from "../model/scope/sidecar-scope.ts";

/**
 * The facts of a proxy that one part of one type's response depends on, and nothing else. They are plain values, and
 * the part id is derived from all of them. Proxies with equal inputs share the part, its bytes and its versions. A
 * builder never sees the proxy itself. So a forgotten input is a type error, not a leak between proxies.
 */
export interface PartInputs {
  /**
   * For parts that contain only resources requested by name: the names. They are not part of the id, so that proxies
   * with different names share one part, which holds all of them.
   */
  readonly names?: NameSet | "all";
}

/** Equal for equal inputs, and for no others; names count only as "all", "some" or none. */
export function partId({ names, ...facts }: PartInputs): string {
  return canonicalKey(names === undefined ? facts : { ...facts, names: names === "all" ? "all" : "some" });
}

/** The inputs of one run of a family. */
export interface GeneratorRun<Inputs extends PartInputs> {
  readonly inputs: Inputs;
  readonly push: PushContext;
  /** Absent when the part must speak for everything. */
  readonly since?: Since;
}

/** The result of a run. This one shape carries full, partial and deleting runs. */
export interface Generated extends ResourceUpdate {
  readonly resources: readonly Resource[];
}

/**
 * One way in which a type is made for some proxies: which parts make up their answers, and how a part is made. Routers,
 * the two sides of a sidecar, and proxyless clients are families of their own.
 */
export interface PartFamily<Inputs extends PartInputs = PartInputs> {
  /** Unique within its type. */
  readonly name: string;
  /**
   * The parts of this proxy's answer; none for proxies that are not of the family. `asked` are the names it wants to
   * know about. Called again with every push and whenever the names change.
   */
  parts(proxy: Proxy, push: PushContext, asked: NameSet | "all"): readonly Inputs[];
  /** The scope of the part; called before and after a change. */
  scope(inputs: Inputs, push: PushContext): Scope;
  /** The kind × type matrix: can a change of this kind alter such a part at all? */
  concerns(kind: string): boolean;
  generate(run: GeneratorRun<Inputs>): Generated;
  /** The conflicts between source objects of the part. Computed on demand. */
  conflicts?(inputs: Inputs, push: PushContext): readonly Conflict[];
}

/** One part among those of its type, for people and as a key. */
export function partName({ name }: PartFamily, inputs: PartInputs): string {
  return `${name} ${partId(inputs)}`;
}

/** The kinds in push requests: users' kinds, and the derived `Endpoints` and `Instance`. */
type ChangedKind =
  | "Service"
  | "Endpoints"
  | "Instance"
  | "VirtualService"
  | "DestinationRule"
  | "Gateway"
  | "Sidecar"
  | "PeerAuthentication";

/** For families that few kinds concern. */
export function only(...kinds: readonly ChangedKind[]): PartFamily["concerns"] {
  const concerned: ReadonlySet<string> = new Set(kinds);
  return (kind) => concerned.has(kind);
}

/** For families that nearly everything concerns. */
export function allBut(...kinds: readonly ChangedKind[]): PartFamily["concerns"] {
  const others: ReadonlySet<string> = new Set(kinds);
  return (kind) => !others.has(kind);
}

/** One xDS type. A proxy's answer is made of the parts of all families, in order; their names are disjoint. */
export interface Generator extends ResourceType {
  /** Parts that many proxies share come before a proxy's own parts. */
  readonly families: readonly PartFamily[];
}
