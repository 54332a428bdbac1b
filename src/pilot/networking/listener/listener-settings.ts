import { parseDuration } from "../../../config/grammar/duration.ts";
import type { Duration } from "../../model/duration.ts";
import { durationOfMs } from "../../model/duration.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import { familiesOf } from "../../model/proxy/address-families.ts";
import { isOn } from "../../model/proxy/metadata-flag.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import type { ProxySettings } from "../../model/proxy/proxy-settings.ts";
import { defaultProxySettings } from "../../model/proxy/proxy-settings.ts";

/** How an Envoy treats connections and requests: the proxy settings, and its own node metadata. */
export interface ListenerSettings {
  readonly proxy: ProxySettings;
  /** Accepts HTTP/1.0 requests. */
  readonly http10: boolean;
  /** The idle timeout of connections; 0 uses Envoy's default. */
  readonly idleTimeoutMs: number;
  /** Balances connections exactly between worker threads. Useful for few, long connections. */
  readonly balances: { readonly inbound: boolean; readonly outbound: boolean };
  /** Binds both address families, if the proxy has both. */
  readonly dualStack: boolean;
}

export const defaultListenerSettings: ListenerSettings = {
  proxy: defaultProxySettings,
  http10: false,
  idleTimeoutMs: 0,
  balances: { inbound: false, outbound: false },
  dualStack: false,
};

export function listenerSettingsOf({ settings, metadata, ipAddresses }: Proxy, mesh: MeshSettings): ListenerSettings {
  return {
    proxy: settings ?? mesh.proxy,
    http10: isOn(metadata, "HTTP10"),
    idleTimeoutMs: milliseconds(metadata["IDLE_TIMEOUT"]),
    balances: {
      inbound: isOn(metadata, "INBOUND_LISTENER_EXACT_BALANCE"),
      outbound: isOn(metadata, "OUTBOUND_LISTENER_EXACT_BALANCE"),
    },
    dualStack: isOn(metadata, "ISTIO_DUAL_STACK") && familiesOf(ipAddresses) === "dual",
  };
}

/** Undefined where Envoy decides. */
export function idleTimeoutOf({ idleTimeoutMs }: Pick<ListenerSettings, "idleTimeoutMs">): Duration | undefined {
  return idleTimeoutMs === 0 ? undefined : durationOfMs(idleTimeoutMs);
}

/** A duration as agents write it, such as `1h30m`; 0 for anything else. */
function milliseconds(text: unknown): number {
  const nanos = typeof text === "string" ? (parseDuration(text) ?? 0n) : 0n;
  return nanos > 0n ? Number(nanos / 1_000_000n) : 0;
}
