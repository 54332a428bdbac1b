import type { Resource } from "./resources/resource.ts";
import { clusterType, endpointType, extensionType, listenerType, routeType, secretType } from "./type-urls.ts";

/** One xDS type, as far as the protocol cares. */
export interface ResourceType {
  readonly typeUrl: string;
  /** For logs and metrics: CDS, EDS, … */
  readonly shortName: string;
  /** `whole`: a SotW answer lists everything, absence deletes. `partial`: absence means unchanged. */
  readonly sotw: "whole" | "partial";
  /** Never named as removed: Envoy drops what nothing refers to by itself, and breaks filters that still do. */
  readonly neverRemoved?: true;
  /** Some clients take it without a word, so nothing waits for one. */
  readonly neverAcknowledged?: true;
  /** The answer for a name that is asked for but not there, where the protocol wants one (EDS, RDS). */
  absent?(name: string): Resource;
}

/** The types of Envoy, in the order in which they are sent: what is referred to before what refers to it. */
export const envoyResourceTypes: readonly ResourceType[] = [
  { typeUrl: clusterType, shortName: "CDS", sotw: "whole" },
  { typeUrl: endpointType, shortName: "EDS", sotw: "partial" },
  { typeUrl: listenerType, shortName: "LDS", sotw: "whole" },
  { typeUrl: routeType, shortName: "RDS", sotw: "partial" },
  { typeUrl: secretType, shortName: "SDS", sotw: "partial" },
  { typeUrl: extensionType, shortName: "ECDS", sotw: "partial", neverRemoved: true },
];
