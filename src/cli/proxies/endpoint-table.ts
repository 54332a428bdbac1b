import type { Address } from "#gen/envoy/config/core/v3/address_pb.js";
import type { Locality } from "#gen/envoy/config/core/v3/base_pb.js";
import { HealthStatus } from "#gen/envoy/config/core/v3/health_check_pb.js";
import type { KnownConfig } from "../mesh/proxy-dump.ts";
import { textTable } from "../text/text-table.ts";
import { ownerObjects } from "./owner-places.ts";

const head = ["ENDPOINT", "STATUS", "CLUSTER"];
const wideHead = ["LOCALITY", "PRIORITY", "WEIGHT", "OBJECTS"];

/** As `istioctl proxy-config endpoint` has it, except that only the proxy knows which it has ejected. */
export function endpointTable(known: KnownConfig, form: "text" | "wide" = "text"): string {
  const isWide = form === "wide";
  const rows = known.config.endpoints.flatMap(({ clusterName, endpoints }) => {
    const objects = isWide ? ownerObjects(known, "endpoint", clusterName) : "";
    return endpoints.flatMap(({ lbEndpoints, locality, priority }) =>
      lbEndpoints.map(({ hostIdentifier, healthStatus, loadBalancingWeight = 1 }) => [
        hostIdentifier.case === "endpoint" ? addressText(hostIdentifier.value.address) : "-",
        healthStatus === HealthStatus.UNKNOWN ? "HEALTHY" : HealthStatus[healthStatus],
        clusterName,
        ...(isWide ? [localityText(locality), String(priority), String(loadBalancingWeight), objects] : []),
      ]),
    );
  });
  return textTable([...head, ...(isWide ? wideHead : [])], rows);
}

function localityText(locality: Locality | undefined): string {
  const { region = "", zone = "", subZone = "" } = locality ?? {};
  return [region, zone, subZone].filter((part) => part !== "").join("/") || "-";
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
