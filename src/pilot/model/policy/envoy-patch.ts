import type { JsonObject } from "@bufbuild/protobuf";
import type { ConfigId } from "../../../config/config.ts";

/** The part of Envoy's configuration that a patch changes. */
export type PatchTarget =
  | "CLUSTER"
  | "LISTENER"
  | "LISTENER_FILTER"
  | "FILTER_CHAIN"
  | "NETWORK_FILTER"
  | "HTTP_FILTER"
  | "ROUTE_CONFIGURATION"
  | "VIRTUAL_HOST"
  | "HTTP_ROUTE"
  | "EXTENSION_CONFIG"
  | "BOOTSTRAP";

export type PatchOperation =
  | "MERGE"
  | "MERGE_AND_REPLACE_LIST"
  | "ADD"
  | "REMOVE"
  | "INSERT_FIRST"
  | "INSERT_BEFORE"
  | "INSERT_AFTER"
  | "REPLACE";

/** Where a resource is used. A patch may also ask for any place. */
export type PatchContext = "SIDECAR_INBOUND" | "SIDECAR_OUTBOUND" | "GATEWAY";

/** Proxies that a patch is for. */
export interface ProxyMatch {
  /** A regular expression; empty for every version. */
  readonly version: string;
  /** Node metadata that must be equal. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** An empty text or 0 matches everything. */
export interface ClusterMatch {
  readonly name: string;
  readonly service: string;
  readonly subset: string;
  readonly port: number;
}

export interface ListenerMatch {
  readonly name: string;
  readonly port: number;
  readonly listenerFilter: string;
  readonly chain: FilterChainMatch | undefined;
}

export interface FilterChainMatch {
  readonly name: string;
  readonly sni: string;
  readonly transportProtocol: string;
  /** All of them must be among those of the chain. */
  readonly applicationProtocols: readonly string[];
  readonly destinationPort: number;
  readonly filter: { readonly name: string; readonly subFilter: string | undefined } | undefined;
}

export interface RouteMatch {
  readonly name: string;
  readonly port: number;
  readonly portName: string;
  readonly gateway: string;
  readonly virtualHost: VirtualHostMatch | undefined;
}

export interface VirtualHostMatch {
  readonly name: string;
  readonly domain: string;
  readonly route:
    | { readonly name: string; readonly action: "ANY" | "ROUTE" | "REDIRECT" | "DIRECT_RESPONSE" }
    | undefined;
}

/** One patch of an EnvoyFilter. Its value stays opaque in the model: only the networking folders know Envoy's messages. */
export interface EnvoyPatch {
  readonly owner: ConfigId;
  /** The position among the patches of its object. */
  readonly index: number;
  readonly target: PatchTarget;
  readonly operation: PatchOperation;
  /** "WAYPOINT" never matches, because there are no waypoints here. */
  readonly context: PatchContext | "ANY" | "WAYPOINT";
  readonly proxy: ProxyMatch | undefined;
  /** Undefined: everything matches. */
  readonly cluster: ClusterMatch | undefined;
  readonly listener: ListenerMatch | undefined;
  readonly route: RouteMatch | undefined;
  /** Undefined for REMOVE. */
  readonly value: JsonObject | undefined;
}
