import { memoize } from "../../../lib/memo.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import { familiesOf } from "../../model/proxy/address-families.ts";
import { type FilterCapabilities, filterCapabilitiesOf } from "../../model/proxy/capabilities.ts";
import { isOn } from "../../model/proxy/metadata-flag.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { isHttp, type Protocol } from "../../model/service/service.ts";
import { type TracingIdentity, tracingIdentityOf } from "../telemetry/tracing-identity.ts";
import { type ListenerSettings, listenerSettingsOf } from "./listener-settings.ts";

/** The facts of an Envoy that all its listeners depend on, beside its scope. */
export interface ListenerClient {
  readonly interception: Proxy["interception"];
  /** The wildcard address of its family. */
  readonly wildcard: "0.0.0.0" | "::";
  readonly localhost: "127.0.0.1" | "::1";
  /** May not bind ports below 1024. */
  readonly unprivileged: boolean;
  /** Ports of built-in listeners, on every address. */
  readonly reservedPorts: readonly number[];
  /** Undefined without tracing, so that it does not prevent sharing of listeners. */
  readonly identity: TracingIdentity | undefined;
  readonly capabilities: FilterCapabilities;
  readonly settings: ListenerSettings;
}

export function listenerClientOf(proxy: Proxy, mesh: MeshSettings): ListenerClient {
  return describeClient([proxy, mesh]);
}

const describeClient = memoize(([proxy, mesh]: readonly [Proxy, MeshSettings]): ListenerClient => {
  const { interception, ipAddresses, metadata, extensions } = proxy;
  const v4 = familiesOf(ipAddresses) !== "v6";
  const own = [
    portIn(metadata, "ENVOY_STATUS_PORT"),
    portIn(metadata, "ENVOY_PROMETHEUS_PORT"),
    portIn(metadata, "ENVOY_SECURE_METRICS_PORT"),
    portIn(metadata, "ENVOY_SECURE_MERGED_METRICS_PORT"),
  ];
  return {
    interception,
    wildcard: v4 ? "0.0.0.0" : "::",
    localhost: v4 ? "127.0.0.1" : "::1",
    unprivileged: isOn(metadata, "UNPRIVILEGED_POD"),
    reservedPorts: [mesh.outboundPort, mesh.inboundPort, ...own].filter((port) => port > 0),
    identity: tracingIdentityOf(proxy, mesh),
    capabilities: filterCapabilitiesOf(extensions),
    settings: listenerSettingsOf(proxy, mesh),
  };
});

/** A port in node metadata, as a number or as a text; 0 for none. */
export function portIn(metadata: Proxy["metadata"], key: string): number {
  const port = Number(metadata[key] ?? 0);
  return Number.isInteger(port) ? port : 0;
}

/** Address and port of a listener; `bind` is "" if the protocol decides. */
interface ListenerBinding {
  readonly bind: string;
  readonly port: number;
  readonly protocol: Protocol;
  /** The proxy binds the port, instead of receiving redirected connections. */
  readonly bound: boolean;
}

/** False if the operating system forbids the port, or a built-in listener has it. */
export function mayListen(client: ListenerClient, { bind, port, protocol, bound }: ListenerBinding): boolean {
  if (bound && client.unprivileged && port > 0 && port < 1024) return false;
  const everywhere = bind === "" ? isHttp(protocol) : bind === client.wildcard;
  return !everywhere || !client.reservedPorts.includes(port);
}
