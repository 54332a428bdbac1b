import type { Address } from "#gen/envoy/config/core/v3/address_pb.js";
import { HealthStatus } from "#gen/envoy/config/core/v3/health_check_pb.js";
import type { KnownConfig } from "../mesh/proxy-dump.ts";
import { textTable } from "../text/text-table.ts";

/** As `istioctl proxy-config endpoint` has it, except that only the proxy knows which it has ejected. */
export function endpointTable({ config }: KnownConfig): string {
  const rows = config.endpoints.flatMap(({ clusterName, endpoints }) =>
    endpoints.flatMap(({ lbEndpoints }) =>
      lbEndpoints.map(({ hostIdentifier, healthStatus }) => [
        hostIdentifier.case === "endpoint" ? addressText(hostIdentifier.value.address) : "-",
        healthStatus === HealthStatus.UNKNOWN ? "HEALTHY" : HealthStatus[healthStatus],
        clusterName,
      ]),
    ),
  );
  return textTable(["ENDPOINT", "STATUS", "CLUSTER"], rows);
}

export function addressText(address: Address | undefined): string {
  const value = address?.address;
  if (value?.case === "socketAddress") {
    const { address: host, portSpecifier } = value.value;
    return `${host}:${portSpecifier.value ?? ""}`;
  }
  if (value?.case === "pipe") return `unix://${value.value.path}`;
  return value?.case === "envoyInternalAddress" ? `internal:${value.value.addressNameSpecifier.value ?? ""}` : "-";
}
