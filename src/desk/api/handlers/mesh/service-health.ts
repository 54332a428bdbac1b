import { oncePer } from "../../../../lib/memo.ts";
import type { Endpoint, ServiceEndpoints } from "../../../../pilot/model/service/service.ts";
import type { ServiceHealth } from "../../model/mesh.ts";

export interface HealthCounts {
  readonly endpoints: number;
  readonly unhealthy: number;
  readonly health: ServiceHealth;
}

const noEndpoints: HealthCounts = { endpoints: 0, unhealthy: 0, health: "empty" };

/** The endpoints of a service, counted. */
export function healthOf(endpoints: ServiceEndpoints | undefined): HealthCounts {
  return endpoints === undefined ? noEndpoints : countHealth(endpoints);
}

const countHealth = oncePer(({ endpoints }: ServiceEndpoints): HealthCounts => {
  const unhealthy = endpoints.filter((endpoint) => !isHealthy(endpoint)).length;
  if (endpoints.length === 0) return noEndpoints;
  const health = unhealthy === 0 ? "healthy" : unhealthy === endpoints.length ? "unhealthy" : "partial";
  return { endpoints: endpoints.length, unhealthy, health };
});

/** Sources other than Kubernetes report no health. */
function isHealthy({ health = "healthy" }: Endpoint): boolean {
  return health === "healthy";
}
