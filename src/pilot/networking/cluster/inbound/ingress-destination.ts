import type { AddressFamilies } from "../../../model/proxy/address-families.ts";
import { unixPath } from "../../../model/service/service.ts";
import type { Workload } from "../../../model/service/service-target.ts";
import type { InboundDestination } from "./build-inbound-cluster.ts";

interface Host {
  readonly workload: Pick<Workload, "addresses">;
  readonly families: AddressFamilies;
}

/** `address:port`, or `[address]:port` for IPv6. */
const socket = /^(?:\[(?<v6>[^\]]*)\]|(?<v4>[^:]*)):(?<port>\d+)$/u;

/**
 * Where the `defaultEndpoint` of a Sidecar's ingress listener is: a Unix socket, loopback, or the workload's own
 * address (`0.0.0.0`, `[::]`). A family that the workload lacks is replaced by the one it has. Anything else, such as
 * "", means the original destination.
 */
export function ingressDestination(defaultEndpoint: string, host: Host): InboundDestination {
  const path = unixPath(defaultEndpoint);
  if (path !== undefined) return { type: "pipe", path };
  const { v4, v6, port } = socket.exec(defaultEndpoint)?.groups ?? {};
  const address = addressOf(v4 ?? v6 ?? "", host);
  return address === undefined ? { type: "original" } : { type: "address", address, port: Number(port) };
}

function addressOf(said: string, { workload: { addresses }, families }: Host): string | undefined {
  switch (said) {
    case "127.0.0.1":
      return families === "v6" ? "::1" : "127.0.0.1";
    case "::1":
      return families === "v4" ? "127.0.0.1" : "::1";
    case "0.0.0.0":
      return addresses.find((address) => !address.includes(":")) ?? "127.0.0.1";
    case "::":
      return addresses.find((address) => address.includes(":")) ?? "::1";
    default:
      return undefined;
  }
}
