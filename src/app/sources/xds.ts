import { createXdsSource } from "../../galley/source/xds/xds-source.ts";
import { ownMetadata } from "../../mcp/xds/config-client.ts";
import { onOff, periodMs, singleText } from "../options/option-values.ts";
import { lineSettings, lineTo } from "./grpc-line.ts";
import type { MakeSource } from "./make-source.ts";
import { requestedCollections } from "./requested-collections.ts";
import { readQuery } from "./source-url.ts";

const service = "/envoy.service.discovery.v3.AggregatedDiscoveryService";

const settings = {
  ...lineSettings,
  /** The server sends only changes. A real istiod still sends everything, and accepts no second request. */
  delta: onOff,
  synthetic: onOff,
  resync: periodMs,
  namespace: singleText("NAMESPACE"),
  revision: singleText("REVISION"),
};

/** `xds://HOST[:PORT]`: the configuration of a remote control plane, istiod or Binnacle; with TLS, `xdss:`. */
export const xdsSource: MakeSource = (url, tools) => {
  const { clock, galleys, options } = tools;
  const {
    delta = false,
    synthetic = false,
    resync = 30_000,
    namespace = "istio-system",
    revision,
    ...query
  } = readQuery(url, settings);
  const path = `${service}/${delta ? "DeltaAggregatedResources" : "StreamAggregatedResources"}`;
  return createXdsSource({
    name: url.name,
    mode: delta ? "delta" : "sotw",
    connection: lineTo(url, query, {
      ...galleys,
      plainScheme: "xds",
      defaultPort: 15_010,
      path,
      clock,
      settings: options,
    }),
    // Servers expect a proxy, and we are none. Use a name and an address that no proxy has.
    node: {
      id: `sidecar~127.0.0.1~binnacle.${namespace}~${namespace}.svc.${options.domain}`,
      metadata: { ...ownMetadata, NAMESPACE: namespace, ...(revision !== undefined && { ISTIO_REVISION: revision }) },
    },
    collections: requestedCollections(tools),
    takesSynthetic: synthetic,
    revision,
    resyncMs: resync,
    clock,
    random: Math.random,
    observer: galleys.observer,
  });
};
