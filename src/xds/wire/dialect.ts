import type { Resource } from "../resources/resource.ts";

/** How a type is spoken of on the wire: the version of the API that the client asked in. */
export interface Dialect {
  readonly typeUrl: string;
  /** The form of a resource in this dialect; absent when it is the resource as it stands. */
  readonly translate?: (resource: Resource) => Resource;
}
