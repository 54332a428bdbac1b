import type { Endpoint } from "./service.ts";

/** One endpoint and the service it serves. A proxy finds its own services by it. */
export interface ServiceInstance {
  /** The key of the service, see `serviceKey`. */
  readonly service: string;
  readonly endpoint: Endpoint;
}
