import type { Proxy } from "../../pilot/model/proxy/proxy.ts";

/** As the proxy's agent states it; empty when it does not. */
export function proxyVersion({ metadata }: Pick<Proxy, "metadata">): string {
  const version = metadata["ISTIO_VERSION"];
  return typeof version === "string" ? version : "";
}
