import { isAtLeast } from "./istio-version.ts";
import { isProxyless, type Proxy } from "./proxy.ts";

/** Extensions that a stock Envoy lacks. A proxy receives such an extension only if it reports the extension. */
export interface Capabilities {
  /** The HTTP filter that sets the upstream ALPN to the HTTP version of the request. */
  readonly alpn: boolean;
  /** The HTTP filter that exchanges workload metadata by headers. */
  readonly httpPeerMetadata: boolean;
  /** The network filter that exchanges workload metadata in the first bytes of a connection. */
  readonly tcpMetadataExchange: boolean;
  /** The HTTP and network filters that count requests and connections by workloads. */
  readonly stats: boolean;
}

/** Extensions that listeners depend on. */
export interface FilterCapabilities extends Capabilities {
  /** The HTTP filter that runs Wasm modules. Some builds lack it. A proxy that lists no extensions has it. */
  readonly httpWasm: boolean;
  /** The network filter that runs Wasm modules. */
  readonly networkWasm: boolean;
  /** The HTTP filter that runs Lua scripts. */
  readonly lua: boolean;
  /**
   * Refuses a listener whose inline key set has no usable key. Every Envoy does, and lists extensions. A client that
   * lists none gets the set as the user wrote it, as from istiod.
   */
  readonly checksKeySets: boolean;
}

const alpn = "istio.envoy.config.filter.http.alpn.v2alpha1.FilterConfig";
const httpPeerMetadata = "io.istio.http.peer_metadata.Config";
const stats = "stats.PluginConfig";
const tcpMetadataExchange = "envoy.tcp.metadataexchange.config.MetadataExchange";

const httpWasm = "envoy.extensions.filters.http.wasm.v3.Wasm";
const networkWasm = "envoy.extensions.filters.network.wasm.v3.Wasm";
const lua = "envoy.extensions.filters.http.lua.v3.Lua";

/** Capabilities of a proxy beyond a stock Envoy, by the type URLs that it lists (bare or with a prefix). */
export function capabilitiesOf(extensions: ReadonlySet<string>): Capabilities {
  return {
    alpn: isListed(alpn, extensions),
    httpPeerMetadata: isListed(httpPeerMetadata, extensions),
    tcpMetadataExchange: isListed(tcpMetadataExchange, extensions),
    stats: isListed(stats, extensions),
  };
}

/** The same, with the extensions that listeners depend on. */
export function filterCapabilitiesOf(extensions: ReadonlySet<string>): FilterCapabilities {
  const has = (name: string) => extensions.size === 0 || isListed(name, extensions);
  return {
    ...capabilitiesOf(extensions),
    httpWasm: has(httpWasm),
    networkWasm: has(networkWasm),
    lua: has(lua),
    checksKeySets: extensions.size > 0,
  };
}

/**
 * The first minor release of Envoy that takes virtual hosts (VHDS) over ADS and is proved to do so without a gap. 1.36
 * refuses such routes. Releases in between were not tried.
 */
const firstWithVirtualHosts = [1, 40] as const;

/**
 * Whether the proxy takes the virtual hosts of a route configuration as resources, on a delta stream. Only for an Envoy
 * that tells its version: proxyless clients, and proxies of unknown build, get whole route configurations.
 */
export function takesVirtualHosts({ build, generator }: Pick<Proxy, "build" | "generator">): boolean {
  return build !== "" && !isProxyless({ generator }) && isAtLeast(build, firstWithVirtualHosts);
}

function isListed(name: string, extensions: ReadonlySet<string>): boolean {
  return extensions.has(name) || extensions.has(`type.googleapis.com/${name}`);
}

/** True for an Envoy that lists its extensions, none of them Istio's. A proxy that lists nothing may be any build. */
export function isStock(extensions: ReadonlySet<string>): boolean {
  return extensions.size > 0 && !Object.values(capabilitiesOf(extensions)).includes(true);
}
