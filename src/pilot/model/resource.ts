import type { ConfigId } from "../../config/config.ts";
import type { Resource as XdsResource } from "../../xds/resources/resource.ts";

/** A resource that was generated from users' objects. */
export interface Resource extends XdsResource {
  readonly owners: readonly ConfigId[];
  readonly partOwners?: Readonly<Record<string, ConfigId>>;
  readonly hostOwners?: ReadonlyMap<string, readonly ConfigId[]>;
}
