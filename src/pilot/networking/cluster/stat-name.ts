import type { Port, Service } from "../../model/service/service.ts";
import { serviceName } from "./cluster-metadata.ts";

interface StatNameInputs {
  readonly service: Service;
  readonly port: Pick<Port, "number" | "name">;
  readonly subset: string;
  /** The workload's port; 0 for outbound clusters. */
  readonly targetPort: number;
}

/** A pattern of the mesh's settings, such as `%SERVICE%_%SERVICE_PORT%`, filled in. */
export function statName(pattern: string, { service, port, subset, targetPort }: StatNameInputs): string {
  const name = serviceName(service);
  const values: Readonly<Record<string, string>> = {
    SERVICE: service.registry === "Kubernetes" ? `${name}.${service.namespace}` : service.hostname,
    SERVICE_NAME: name,
    SERVICE_FQDN: service.hostname,
    SUBSET_NAME: subset,
    TARGET_PORT: `${targetPort}`,
    SERVICE_PORT: `${port.number}`,
    SERVICE_PORT_NAME: port.name,
  };
  return pattern.replace(/%([A-Z_]+)%/gu, (text, key: string) => values[key] ?? text);
}
