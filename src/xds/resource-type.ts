import type { Resource } from "./resources/resource.ts";

/** One xDS type, as far as the protocol cares. */
export interface ResourceType {
  readonly typeUrl: string;
  /** For logs and metrics: CDS, EDS, … */
  readonly shortName: string;
  /** `whole`: a SotW answer lists everything, absence deletes. `partial`: absence means unchanged. */
  readonly sotw: "whole" | "partial";
  /** The answer for a name that is asked for but not there, where the protocol wants one (EDS, RDS). */
  absent?(name: string): Resource;
}
