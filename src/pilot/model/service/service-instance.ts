import type { Endpoint } from "./service.ts";

/** One endpoint and the service it serves: how a proxy learns what its own workload is. */
export interface ServiceInstance {
  /** The key of the service, see `serviceKey`. */
  readonly service: string;
  readonly endpoint: Endpoint;
}
