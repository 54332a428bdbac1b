/** Extensions that a stock Envoy lacks. A proxy receives such an extension only if it reports the extension. */
export interface Capabilities {
  /** The HTTP filter that sets the upstream ALPN to the HTTP version of the request. */
  readonly alpn: boolean;
  /** The HTTP filter that exchanges workload metadata by headers. */
  readonly httpPeerMetadata: boolean;
  /** The network filter that exchanges workload metadata in the first bytes of a connection. */
  readonly tcpMetadataExchange: boolean;
}

const alpn = "istio.envoy.config.filter.http.alpn.v2alpha1.FilterConfig";
const httpPeerMetadata = "io.istio.http.peer_metadata.Config";
const tcpMetadataExchange = "envoy.tcp.metadataexchange.config.MetadataExchange";

/** Capabilities of a proxy beyond a stock Envoy, by the type URLs that it lists (bare or with a prefix). */
export function capabilitiesOf(extensions: ReadonlySet<string>): Capabilities {
  const has = (name: string) => extensions.has(name) || extensions.has(`type.googleapis.com/${name}`);
  return {
    alpn: has(alpn),
    httpPeerMetadata: has(httpPeerMetadata),
    tcpMetadataExchange: has(tcpMetadataExchange),
  };
}

/** True for an Envoy that lists its extensions, none of them Istio's. A proxy that lists nothing may be any build. */
export function isStock(extensions: ReadonlySet<string>): boolean {
  return extensions.size > 0 && !Object.values(capabilitiesOf(extensions)).includes(true);
}
