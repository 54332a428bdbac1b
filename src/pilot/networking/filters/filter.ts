import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { TrafficPolicies } from "../../model/policy/traffic-policies.ts";
import type { FilterCapabilities } from "../../model/proxy/capabilities.ts";
import type { Protocol } from "../../model/service/service.ts";

/**
 * One filter, of requests or of connections before the one that ends their chain. Its order is its order in a list of
 * `filters.ts`.
 */
export interface Filter<Context = FilterContext> {
  readonly name: string;
  appliesTo(context: Context): boolean;
  /** The configuration, as an encoded Any. */
  config(writer: ProtoWriter): Uint8Array;
}

/** Filters that policies add: none, one or several. */
export type FilterSource<Context = FilterContext> = (context: Context, writer: ProtoWriter) => readonly FilterMessage[];

/** An `HttpFilter` or a network `Filter` with its encoded configuration, or with the encoded source of it (ECDS). */
export interface FilterMessage {
  readonly name: string;
  readonly configType: { readonly case: "typedConfig" | "configDiscovery"; readonly value: Uint8Array };
}

/** A filter as a message: an `HttpFilter` or a network `Filter`, which are alike. */
export function filterMessage(filter: Pick<Filter, "name" | "config">, writer: ProtoWriter): FilterMessage {
  return { name: filter.name, configType: { case: "typedConfig", value: filter.config(writer) } };
}

/** Which way traffic flows: out of a workload, into it, or through a gateway. */
export type Direction = "outbound" | "inbound" | "gateway";

/** The facts of a listener that decide whether a filter applies, and its configuration. */
export interface FilterContext {
  readonly direction: Direction;
  /** Of the listener's port. */
  readonly protocol: Protocol;
  readonly capabilities: FilterCapabilities;
  /** Leaves out the headers that begin with `x-envoy-`. */
  readonly hidesDebug: boolean;
  /** Sends no proxy metadata to servers outside the mesh. */
  readonly hidesIdentityOutside: boolean;
  readonly mesh: MeshSettings;
  readonly policies: TrafficPolicies;
}

/** The facts that filters of connections depend on. */
export interface NetworkContext extends Pick<FilterContext, "direction" | "capabilities" | "mesh" | "policies"> {
  /** Requests, which pass HTTP filters later; bytes, which pass no other filters; or nothing, because all is refused. */
  readonly carries: "http" | "tcp" | "nothing";
}
