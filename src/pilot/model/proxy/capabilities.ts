/** Extensions that a stock Envoy lacks. A proxy is sent one only if it says that it was built with it. */
export interface Capabilities {
  /** The HTTP filter that tells the upstream's TLS which HTTP version is inside. */
  readonly alpn: boolean;
  /** The HTTP filter that exchanges workload metadata by headers. */
  readonly httpPeerMetadata: boolean;
  /** The network filter that exchanges workload metadata in the first bytes of a connection. */
  readonly tcpMetadataExchange: boolean;
}

const alpn = "istio.envoy.config.filter.http.alpn.v2alpha1.FilterConfig";
const httpPeerMetadata = "io.istio.http.peer_metadata.Config";
const tcpMetadataExchange = "envoy.tcp.metadataexchange.config.MetadataExchange";

/** What a proxy can do beyond a stock Envoy, by the type URLs it lists (bare or with a prefix). */
export function capabilitiesOf(extensions: ReadonlySet<string>): Capabilities {
  const has = (name: string) => extensions.has(name) || extensions.has(`type.googleapis.com/${name}`);
  return {
    alpn: has(alpn),
    httpPeerMetadata: has(httpPeerMetadata),
    tcpMetadataExchange: has(tcpMetadataExchange),
  };
}

/** An Envoy that lists its extensions, none of them Istio's. Who lists nothing may be anything. */
export function isStock(extensions: ReadonlySet<string>): boolean {
  return extensions.size > 0 && capabilitiesId(capabilitiesOf(extensions)) === "";
}

/** Equal ids mean equal capabilities: part of the id of every part that uses them. */
export function capabilitiesId(capabilities: Capabilities): string {
  return Object.entries(capabilities)
    .filter(([, able]) => able)
    .map(([name]) => name)
    .join("+");
}
