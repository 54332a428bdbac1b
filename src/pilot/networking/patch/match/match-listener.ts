import type { FilterChain } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import type { Listener } from "#gen/envoy/config/listener/v3/listener_pb.js";
import type { EnvoyPatch, FilterChainMatch } from "../../../model/policy/envoy-patch.ts";

/** Listeners for all ports. A port in a patch means the port of a filter chain there. */
const virtualListeners: ReadonlySet<string> = new Set(["virtualOutbound", "virtualInbound"]);

export function matchesListener({ listener: match, target }: EnvoyPatch, listener: Listener): boolean {
  return matchesName({ listener: match, target }, listener.name, () => portOf(listener));
}

/** The same, by the name of a listener alone where the port need not be looked up. */
export function matchesName(
  { listener: match, target }: Pick<EnvoyPatch, "listener" | "target">,
  name: string,
  port: () => number | undefined,
): boolean {
  if (match === undefined) return true;
  if (match.name !== "" && match.name !== name) return false;
  if (target !== "LISTENER" && virtualListeners.has(name)) return true;
  return match.port === 0 || match.port === port();
}

function portOf({ address }: Listener): number | undefined {
  if (address?.address.case !== "socketAddress") return undefined;
  const { portSpecifier } = address.address.value;
  return portSpecifier.case === "portValue" ? portSpecifier.value : 0;
}

export function matchesChain({ listener: match }: EnvoyPatch, listener: Listener, chain: FilterChain): boolean {
  if (match === undefined) return true;
  const port = chain.filterChainMatch?.destinationPort;
  if (virtualListeners.has(listener.name) && match.port !== 0 && match.port !== (port ?? 0)) return false;
  return match.chain === undefined || isChain(match.chain, chain);
}

function isChain(match: FilterChainMatch, { name, filterChainMatch: criteria }: FilterChain): boolean {
  return (
    (match.name === "" || match.name === name) &&
    (match.sni === "" || (criteria?.serverNames ?? []).includes(match.sni)) &&
    (match.transportProtocol === "" || match.transportProtocol === criteria?.transportProtocol) &&
    match.applicationProtocols.every((protocol) => (criteria?.applicationProtocols ?? []).includes(protocol)) &&
    (match.destinationPort === 0 || match.destinationPort === criteria?.destinationPort)
  );
}

/** Undefined if the patch names no listener filter. */
export function listenerFilterMatch({ listener }: EnvoyPatch): string | undefined {
  return listener === undefined || listener.listenerFilter === "" ? undefined : listener.listenerFilter;
}

/** Undefined if the patch names no network filter. */
export function networkFilterMatch({ listener }: EnvoyPatch): string | undefined {
  return listener?.chain?.filter?.name;
}

/** Undefined if the patch names no HTTP filter. */
export function httpFilterMatch({ listener }: EnvoyPatch): string | undefined {
  return listener?.chain?.filter?.subFilter;
}

/** A test for items with this name; undefined without a name. */
export function named(name: string | undefined): ((item: { readonly name: string }) => boolean) | undefined {
  return name === undefined ? undefined : (item) => item.name === name;
}
