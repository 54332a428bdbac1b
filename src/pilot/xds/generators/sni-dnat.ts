import { mergedGatewayFor } from "../../model/gateway/merged-gateway.ts";
import { noTranslation } from "../../model/gateway/port-translation.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import type { PushContext } from "../../model/push-context.ts";

/** True for routers between networks: they have a server that passes mesh mTLS through by SNI. */
export function isSniDnatRouter({ type, namespace, labels }: Proxy, push: PushContext): boolean {
  if (type !== "router") return false;
  // The listener ports have no effect on passthrough.
  const { ports } = mergedGatewayFor({ namespace, labels, translation: noTranslation }, push);
  return ports.some(({ servers }) => servers.some(({ server }) => server.tls?.mode === "auto-passthrough"));
}
