import type { View } from "../../collection/collection.ts";
import type { Service, ServiceEndpoints } from "./service.ts";

/** The mesh at one moment, immutable: what every answer of one push is made from. */
export interface PushContext {
  /** Strictly increasing within the process; proxies only ever move forward. */
  readonly sequence: number;
  readonly services: View<Service>;
  readonly endpoints: View<ServiceEndpoints>;
}
