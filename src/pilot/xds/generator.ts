import type { ConfigId } from "../../config/config.ts";
import { canonicalKey } from "../../lib/canonical-key.ts";
import type { ResourceType } from "../../xds/resource-type.ts";
import type { NameSet } from "../../xds/resources/name-set.ts";
import type { ResourceUpdate } from "../../xds/resources/resource-set.ts";
import type { Conflict } from "../model/conflict.ts";
import type { EnvoyPatch } from "../model/policy/envoy-patch.ts";
import type { Proxy } from "../model/proxy/proxy.ts";
import type { PushContext, Since } from "../model/push-context.ts";
import type { Resource } from "../model/resource.ts";
import type { PatchProblem } from "../networking/patch/patch-run.ts";
import type { PatchedPart } from "../networking/patch/patch-trace.ts";

/**
 * The facts of a proxy that one part of one type's response depends on, and nothing else. They are plain values, and
 * the part id is derived from all of them, with one exception: `names`. Proxies with equal inputs share the part, its
 * bytes and its versions. A builder never sees the proxy itself. So a forgotten input is a type error, not a leak
 * between proxies. `test/keys.test.ts` changes every input of every family.
 */
export interface PartInputs {
  /**
   * For parts that contain only resources requested by name: the names. The id says only whether they are all names or
   * some. So proxies with different names share one part, which holds the names of all of them.
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
  /** Absent for a run of the whole part. */
  readonly since?: Since;
}

/** The result of a run. This one shape carries full, partial and deleting runs. */
export interface Generated extends ResourceUpdate {
  readonly resources: readonly Resource[];
}

/** Tells whether a change of this object can alter a part. False only when it surely cannot. */
export type Dependencies = (changed: ConfigId) => boolean;

/**
 * One way in which a type is made for some proxies: which parts make up their answers, and how a part is made. Routers,
 * the two sides of a sidecar, and proxyless clients are families of their own.
 *
 * The file of a family says what its parts depend on, in three steps. Each step drops only changes that surely have no
 * effect:
 *
 * 1. `concerns`: can a change of this kind alter any part of the family?
 * 2. `dependencies`: can a change of this object alter this part?
 * 3. `affected…`, called by `generate` with `since`: which resources of the part may differ? The others are kept.
 *
 * A step that drops too much leaves old resources at proxies. `test/scenarios/fresh-server.test.ts` finds this, and
 * `npm run planted` proves it: it plants such an omission in every family. The graph's tracked reads cannot replace the
 * steps at equal cost: every resource of every part would be a node of the graph (ADR 2).
 */
export interface PartFamily<Inputs extends PartInputs = PartInputs> {
  /** Unique within its type. */
  readonly name: string;
  /**
   * The parts of this proxy's answer; none for proxies that are not of the family. `asked` are the names it wants to
   * know about. Called again with every push and whenever the names change.
   */
  parts(proxy: Proxy, push: PushContext, asked: NameSet | "all"): readonly Inputs[];
  /** Step 1. All families together are the kind × type matrix. */
  concerns(kind: string): boolean;
  /** Step 2. Asked before and after a change, so that an object that leaves the scope counts too. */
  dependencies(inputs: Inputs, push: PushContext): Dependencies;
  /** Includes step 3 in families whose parts are large; the others always build the whole part. */
  generate(run: GeneratorRun<Inputs>): Generated;
  /** The conflicts between source objects of the part. Computed on demand. */
  conflicts?(inputs: Inputs, push: PushContext): readonly Conflict[];
  /** The effects of EnvoyFilters on the part. Computed on demand. */
  patches?(inputs: Inputs, push: PushContext): readonly PatchEffect[];
}

/** The effect of one patch of an EnvoyFilter on one resource. */
export interface PatchEffect {
  readonly patch: EnvoyPatch;
  /** The resource; empty for one that could not be added. */
  readonly resource: string;
  /** Absent if the patch was applied. */
  readonly problem?: PatchProblem;
  /** The parts of the resource that it made or changed. None if the resource is gone. */
  readonly parts: readonly PatchedPart[];
  /** Whether a patch removed the whole resource. */
  readonly removed: boolean;
}

/** The name of a part among those of its type, for people and as a key. */
export function partName({ name }: PartFamily, inputs: PartInputs): string {
  return `${name} ${partId(inputs)}`;
}

const trafficKinds = [
  "Service",
  "Endpoints",
  "Instance",
  "VirtualService",
  "DestinationRule",
  "Gateway",
  "Sidecar",
  "PeerAuthentication",
  "Secret",
  "ConfigMap",
  "TrustAnchor",
] as const;
type TrafficKind = (typeof trafficKinds)[number];

/** The kinds that apply to workloads, and the providers that they name. */
const policyKinds = [
  "RequestAuthentication",
  "AuthorizationPolicy",
  "Telemetry",
  "ProxyConfig",
  "EnvoyFilter",
  "Extension",
  "ExtensionProvider",
] as const;
type PolicyKind = (typeof policyKinds)[number];

type ChangedKind = TrafficKind | PolicyKind;

/**
 * The kinds in push requests: users' kinds, and the derived `Endpoints`, `Instance`, `Extension` (a WasmPlugin or
 * TrafficExtension), `ExtensionProvider` and `TrustAnchor`.
 */
export const changedKinds: readonly ChangedKind[] = [...trafficKinds, ...policyKinds];

const policies: ReadonlySet<string> = new Set(policyKinds);

/** For families that few kinds concern. */
export function only(...kinds: readonly ChangedKind[]): PartFamily["concerns"] {
  const concerned: ReadonlySet<string> = new Set(kinds);
  return (kind) => concerned.has(kind);
}

/**
 * For families that nearly everything about traffic concerns. Policies concern them where {@link orPolicies} lists them.
 * Certificates are only in SDS: other resources contain their names.
 */
export function allBut(...kinds: readonly TrafficKind[]): PartFamily["concerns"] {
  const others: ReadonlySet<string> = new Set([...kinds, ...policyKinds, "Secret", "ConfigMap", "TrustAnchor"]);
  return (kind) => !others.has(kind);
}

/** Adds policies to the kinds that concern a family. */
export function orPolicies(concerns: PartFamily["concerns"], ...kinds: readonly PolicyKind[]): PartFamily["concerns"] {
  const policies: ReadonlySet<string> = new Set(kinds);
  return (kind) => policies.has(kind) || concerns(kind);
}

/** Whether the kind is a policy of workloads, or a provider that policies name. */
export function isPolicyKind(kind: string): boolean {
  return policies.has(kind);
}

/** One xDS type. A proxy's answer is made of the parts of all families, in order; their names are disjoint. */
export interface Generator extends ResourceType {
  /** Parts that many proxies share come before a proxy's own parts. */
  readonly families: readonly PartFamily[];
}
