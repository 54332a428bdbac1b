import type { Address } from "#gen/envoy/config/core/v3/address_pb.js";

/** The address and port of a socket; undefined for pipes and the like. */
export function socketOf(
  address: Address | undefined,
): { readonly address: string; readonly port: number } | undefined {
  if (address?.address.case !== "socketAddress") return undefined;
  const { address: host, portSpecifier } = address.address.value;
  return { address: host, port: portSpecifier.case === "portValue" ? portSpecifier.value : 0 };
}

/** Whether the address is the wildcard address of a machine. */
export function isAnyAddress(address: string): boolean {
  return address === "0.0.0.0" || address === "::" || address === "";
}
