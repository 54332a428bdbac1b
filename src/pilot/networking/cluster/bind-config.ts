import type { ClusterClient } from "../../model/proxy/cluster-client.ts";

const sources = { v4: "127.0.0.6", v6: "::6" } as const;

/**
 * Connections of these address families to the workload itself start here: the kernel's rules let them through, where
 * others would be redirected to the proxy again.
 */
export function bindConfigOf(families: ClusterClient["families"]) {
  return {
    sourceAddress: anyPortOf(sources[families === "v6" ? "v6" : "v4"]),
    extraSourceAddresses: families === "dual" ? [{ address: anyPortOf(sources.v6) }] : [],
  };
}

function anyPortOf(address: string) {
  return { address, portSpecifier: { case: "portValue", value: 0 } } as const;
}
