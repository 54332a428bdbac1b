import type { Proxy } from "../../pilot/model/proxy/proxy.ts";

/** The version from the proxy's agent. Empty when the agent sends none. */
export function proxyVersion({ metadata }: Pick<Proxy, "metadata">): string {
  const version = metadata["ISTIO_VERSION"];
  return typeof version === "string" ? version : "";
}
