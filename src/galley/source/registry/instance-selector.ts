import type { Labels } from "../../../config/config.ts";
import { isCidr, isIpAddress, isSubnet } from "../../../config/grammar/address.ts";
import { isLabelKey, isLabelValue } from "../../../config/grammar/names.ts";
import { BlockList, isIpv6 } from "../../../lib/ip-address.ts";

/** Whether requests for a service may go to an instance with these labels and this address. */
export type InstanceSelector = (
  hostname: string,
  instance: { readonly address: string; readonly labels: Labels },
) => boolean;

type Term = (address: string, labels: Labels) => boolean;

export const selectsAll: InstanceSelector = () => true;

/**
 * Reads `env=prod,-10.9.0.0/16|tier=edge;cart.shop:version!=v0`. `|` separates alternatives, and all terms of an
 * alternative must hold. The first selector is for all services. A selector after `;` replaces it for one hostname. A
 * term is `key`, `!key`, `key=value`, `key!=value`, or a dash with an excluded address or subnet. Undefined if the text
 * is invalid.
 */
export function parseInstanceSelector(text: string): InstanceSelector | undefined {
  const selectors = new Map<string, readonly (readonly Term[])[]>();
  for (const rule of text.split(";")) {
    const { hostname = "", alternatives = "" } =
      /^(?:(?<hostname>[a-z0-9][-a-z0-9.]*):)?(?<alternatives>.*)$/u.exec(rule)?.groups ?? {};
    const terms = alternatives.split("|").map((alternative) => alternative.split(",").map(parseTerm));
    if (!terms.every((alternative) => alternative.every((term) => term !== undefined))) return undefined;
    selectors.set(hostname, terms);
  }
  return (hostname, { address, labels }) => {
    const alternatives = selectors.get(hostname) ?? selectors.get("") ?? [[]];
    return alternatives.some((terms) => terms.every((term) => term(address, labels)));
  };
}

function parseTerm(text: string): Term | undefined {
  if (text.startsWith("-")) return outside(text.slice(1));
  const {
    absent,
    key = "",
    sign,
    value = "",
  } = /^(?<absent>!)?(?<key>[^=!]+)(?:(?<sign>!?=)(?<value>.*))?$/u.exec(text)?.groups ?? {};
  if (!isLabelKey(key) || !isLabelValue(value) || (absent !== undefined && sign !== undefined)) return undefined;
  if (absent !== undefined) return (_address, labels) => !Object.hasOwn(labels, key);
  if (sign === undefined) return (_address, labels) => Object.hasOwn(labels, key);
  const equal: Term = (_address, labels) => Object.hasOwn(labels, key) && labels[key] === value;
  return sign === "=" ? equal : (address, labels) => !equal(address, labels);
}

/** DNS names are outside of every subnet. */
function outside(subnet: string): Term | undefined {
  if (!isSubnet(subnet)) return undefined;
  const [network = "", bits = ""] = subnet.split("/");
  const list = new BlockList();
  if (isCidr(subnet)) list.addSubnet(network, Number(bits), familyOf(network));
  else list.addAddress(network, familyOf(network));
  return (address) => !isIpAddress(address) || !list.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIpv6(address) ? "ipv6" : "ipv4";
}
