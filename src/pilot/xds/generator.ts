import type { ConfigId } from "../../config/config.ts";
import type { Proxy } from "../model/proxy.ts";
import type { PushContext } from "../model/push-context.ts";
import type { Resource } from "../model/resource.ts";
import type { Scope } from "../model/sidecar-scope.ts";
import type { NameSet } from "./name-set.ts";

/**
 * The facts of a proxy that one part of one type's answer depends on, and nothing else: proxies whose inputs have the
 * same `id` share the part, its bytes and its versions. A builder never sees the proxy itself, so an input that was
 * forgotten here is a type error, not a leak between proxies.
 */
export interface PartInputs {
  readonly id: string;
}

export interface GeneratorRun<Inputs extends PartInputs> {
  readonly inputs: Inputs;
  readonly push: PushContext;
  /** What the part was last generated from; absent when it must speak for everything. */
  readonly since?: { readonly push: PushContext; readonly changed: ReadonlySet<ConfigId> };
}

/**
 * What a run says. A covered name without a resource is gone; names that are not covered stay as they were.
 * This one shape carries full, partial and deleting runs.
 */
export interface Generated {
  readonly covers: "all" | ReadonlySet<string>;
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
  /** What of the mesh the part can see; asked before and after a change. */
  scope(inputs: Inputs, push: PushContext): Scope;
  /** The kind × type matrix: can a change of this kind alter such a part at all? */
  concerns(kind: string): boolean;
  generate(run: GeneratorRun<Inputs>): Generated;
}

/** One xDS type. A proxy's answer is made of the parts of all families, in order; their names are disjoint. */
export interface Generator {
  readonly typeUrl: string;
  /** For logs and metrics: CDS, EDS, … */
  readonly shortName: string;
  /** `whole`: a SotW answer lists everything, absence deletes. `partial`: absence means unchanged. */
  readonly sotw: "whole" | "partial";
  /** What many proxies share before what is a proxy's own. */
  readonly families: readonly PartFamily[];
  /** The answer for a name that is asked for but not there, where the protocol wants one (EDS, RDS). */
  absent?(name: string): Resource;
}
