import type { Resource } from "../resources/resource.ts";

/** The API version of a type on the wire, as the client requested it. */
export interface Dialect {
  readonly typeUrl: string;
  /** Converts a resource into this dialect. Absent when the resource needs no conversion. */
  readonly translate?: (resource: Resource) => Resource;
}
