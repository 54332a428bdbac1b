import type { ListenerClient } from "../../pilot/networking/listener/listener-client.ts";
import { defaultListenerSettings } from "../../pilot/networking/listener/listener-settings.ts";

/** A stock Envoy that all traffic of its workload is redirected to, with nothing in the way of its listeners. */
export const stockListenerClient: ListenerClient = {
  interception: "redirect",
  wildcard: "0.0.0.0",
  localhost: "127.0.0.1",
  unprivileged: false,
  reservedPorts: [],
  identity: undefined,
  capabilities: {
    alpn: false,
    httpPeerMetadata: false,
    tcpMetadataExchange: false,
    stats: false,
    httpWasm: true,
    networkWasm: true,
    lua: true,
    checksKeySets: true,
  },
  settings: defaultListenerSettings,
};
