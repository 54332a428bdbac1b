import { isIpAddress } from "../../../config/address.ts";
import type { Service } from "../../model/service.ts";
import { spellingsOf } from "./spellings.ts";

/**
 * The authorities under which a port of a service is called, as clients of a DNS domain write them. Each stands with and
 * without the port: gRPC compares the whole target, and knows no `ignore_port_in_host_matching`.
 */
export function grpcDomainsOf(service: Service, port: number, dnsDomain: string): readonly string[] {
  const addresses = service.addresses.filter((address) => isIpAddress(address) && address !== "0.0.0.0");
  const names = [...spellingsOf(service.hostname, dnsDomain), ...addresses.map(bracketed)];
  return names.flatMap((name) => [name, `${name}:${port}`]);
}

function bracketed(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}
