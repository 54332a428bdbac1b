import type { ConfigId } from "../../config/config.ts";
import type { Proxy } from "../model/proxy.ts";
import type { PushContext } from "../model/push-context.ts";
import type { Resource } from "../model/resource.ts";
import type { SidecarScope } from "../model/sidecar-scope.ts";

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

/** One xDS type: which parts make up a proxy's answer, and how a part is made. */
export interface Generator<Inputs extends PartInputs = PartInputs> {
  readonly typeUrl: string;
  /** For logs and metrics: CDS, EDS, … */
  readonly shortName: string;
  /** `whole`: a SotW answer lists everything, absence deletes. `partial`: absence means unchanged. */
  readonly sotw: "whole" | "partial";
  /**
   * The parts of this proxy's answer: shared ones first, its own tail last; their names are disjoint. Empty when the
   * proxy gets nothing of this type.
   */
  parts(proxy: Proxy, push: PushContext): readonly Inputs[];
  /** What of the mesh the part can see; asked before and after a change. */
  scope(inputs: Inputs, push: PushContext): SidecarScope;
  /** The kind × type matrix: can a change of this kind alter this type at all? */
  concerns(kind: string): boolean;
  generate(run: GeneratorRun<Inputs>): Generated;
  /** The answer for a name that is asked for but not there, where the protocol wants one (EDS, RDS). */
  absent?(name: string): Resource;
}
