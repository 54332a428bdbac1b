import { hash64 } from "../../../lib/hash.ts";
import { compareServiceAge } from "../../model/compare-age.ts";
import { type Service, serviceKey } from "../../model/service/service.ts";

/** The addresses of a service that has none of its own. */
export interface Allocation {
  readonly hostname: string;
  readonly namespace: string;
  readonly addresses: readonly string[];
}

/** Label of a ServiceEntry with which its author declines. Istio's name. */
const allocateLabel = "networking.istio.io/enable-autoallocate-ip";

/** The last part of an address is 1 to 254. */
const hostsPerSubnet = 254;
const slots = 256 * hostsPerSubnet;

/**
 * Whether an address can stand for the hostname. It cannot if callers choose the address themselves, or if the hostname
 * stands for many names that DNS knows.
 */
export function isAllocatable({ registry, addresses, resolution, hostname, labels }: Service): boolean {
  if (registry !== "External" || addresses.length > 0 || resolution === "passthrough") return false;
  if (hostname.startsWith("*") && resolution !== "dynamic-dns") return false;
  return labels[allocateLabel]?.toLowerCase() !== "false";
}

/**
 * Gives each service an address of 240.240.0.0/16 and one of 2001:2::/48, as istiod does. The hash of its name chooses
 * them, so all replicas choose the same without a store. Of several services with the same hash the oldest has that
 * address, and the others the next free ones: a new service never changes the address of an older one. Services beyond
 * the range get none.
 */
export function allocateAddresses(services: readonly Service[]): readonly Allocation[] {
  const taken = new Set<number>();
  return services
    .toSorted(compareServiceAge)
    .slice(0, slots)
    .map((service) => {
      let slot = Number(hash64(serviceKey(service)) % BigInt(slots));
      while (taken.has(slot)) slot = (slot + 1) % slots;
      taken.add(slot);
      const { hostname, namespace } = service;
      return { hostname, namespace, addresses: addressesOf(slot) };
    });
}

function addressesOf(slot: number): readonly string[] {
  const [third, fourth] = [Math.floor(slot / hostsPerSubnet), (slot % hostsPerSubnet) + 1];
  return [`240.240.${third}.${fourth}`, `2001:2::f0f0:${(third * 256 + fourth).toString(16)}`];
}
