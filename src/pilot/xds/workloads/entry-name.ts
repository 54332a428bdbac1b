import type { Proxy } from "../../model/proxy/proxy.ts";

/** Names of Kubernetes' objects are no longer than this; the end of ours tells entries apart. */
const longest = 253;

/** The name of the WorkloadEntry of a machine: its group, its address and its network. */
export function entryName(group: string, { ipAddresses, network }: Pick<Proxy, "ipAddresses" | "network">): string {
  const address = ipAddresses.slice(0, 1).map((first) => first.replaceAll(":", "-"));
  const parts = [group, ...address, network].filter((part) => part !== "");
  return parts
    .join("-")
    .slice(-longest)
    .replace(/^[^a-z0-9]+/u, "");
}
