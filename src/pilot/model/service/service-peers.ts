import { compareTexts } from "../../../lib/compare.ts";
import type { ServiceEndpoints } from "./service.ts";

/**
 * Identity facts of a service's endpoints, which its clusters depend on. They are separate from endpoints, which change
 * much more often.
 */
export interface ServicePeers {
  readonly hostname: string;
  readonly namespace: string;
  /** Of all endpoints, sorted. */
  readonly serviceAccounts: readonly string[];
  /** The names of ports that have endpoints, all of which speak mesh mTLS; sorted. */
  readonly mutualPorts: readonly string[];
}

export function servicePeersOf({ hostname, namespace, endpoints }: ServiceEndpoints): ServicePeers {
  const accounts = new Set(endpoints.map(({ serviceAccount }) => serviceAccount).filter((account) => account !== ""));
  const ports = new Set(endpoints.map(({ servicePortName }) => servicePortName));
  const plain = new Set(endpoints.filter(({ tlsMode }) => tlsMode !== "istio").map((each) => each.servicePortName));
  return {
    hostname,
    namespace,
    serviceAccounts: [...accounts].toSorted(compareTexts),
    mutualPorts: [...ports.difference(plain)].toSorted(compareTexts),
  };
}
