import type { Resource } from "./resources/resource.ts";
import {
  clusterType,
  endpointType,
  extensionType,
  listenerType,
  routeType,
  secretType,
  virtualHostType,
} from "./type-urls.ts";

/** The protocol rules of one xDS type. */
export interface ResourceType {
  readonly typeUrl: string;
  /** For logs and metrics: CDS, EDS, … */
  readonly shortName: string;
  /** `whole`: a SotW response lists everything, so absence deletes. `partial`: an absent resource is unchanged. */
  readonly sotw: "whole" | "partial";
  /**
   * The server never sends removals of this type. Envoy drops unreferenced resources by itself; a removal breaks
   * filters that still refer to one.
   */
  readonly neverRemoved?: true;
  /** Some clients never acknowledge this type, so the server does not wait for an acknowledgement. */
  readonly neverAcknowledged?: true;
  /** The resource that stands for a missing name, where the protocol requires one (EDS, RDS). */
  absent?(name: string): Resource;
}

/** Envoy's types in send order: a referenced type comes before the types that refer to it. */
export const envoyResourceTypes: readonly ResourceType[] = [
  { typeUrl: clusterType, shortName: "CDS", sotw: "whole" },
  { typeUrl: endpointType, shortName: "EDS", sotw: "partial" },
  { typeUrl: listenerType, shortName: "LDS", sotw: "whole" },
  { typeUrl: routeType, shortName: "RDS", sotw: "partial" },
  { typeUrl: virtualHostType, shortName: "VHDS", sotw: "whole" },
  { typeUrl: secretType, shortName: "SDS", sotw: "partial" },
  { typeUrl: extensionType, shortName: "ECDS", sotw: "partial", neverRemoved: true },
];
