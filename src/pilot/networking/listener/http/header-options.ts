import {
  HttpConnectionManager_ForwardClientCertDetails as ForwardClientCertDetails,
  HttpConnectionManager_ServerHeaderTransformation as ServerHeader,
} from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import type { ForwardedClientCert, HeaderSettings, ProxySettings } from "../../../model/proxy/proxy-settings.ts";
import type { Direction } from "../../filters/filter.ts";

const certificates: Readonly<Record<ForwardedClientCert, ForwardClientCertDetails>> = {
  sanitize: ForwardClientCertDetails.SANITIZE,
  "forward-only": ForwardClientCertDetails.FORWARD_ONLY,
  "append-forward": ForwardClientCertDetails.APPEND_FORWARD,
  "sanitize-set": ForwardClientCertDetails.SANITIZE_SET,
  "always-forward-only": ForwardClientCertDetails.ALWAYS_FORWARD_ONLY,
};

/**
 * Header settings by fields of a connection manager: which client headers are trusted, and which headers servers
 * receive. Only a gateway faces untrusted clients.
 */
export function headerOptions(direction: Direction, { headers, topology }: ProxySettings) {
  const gateway = direction === "gateway";
  const forwarded = forwardedCert(direction, headers, gateway ? topology.forwardedClientCert : undefined);
  return {
    serverName: serverNameOf(direction, headers),
    serverHeaderTransformation: headers.passesServer ? ServerHeader.PASS_THROUGH : ServerHeader.OVERWRITE,
    useRemoteAddress: gateway,
    xffNumTrustedHops: gateway ? topology.trustedProxies : 0,
    generateRequestId: headers.generatesRequestId ? undefined : false,
    forwardClientCertDetails: forwarded === undefined ? ForwardClientCertDetails.SANITIZE : certificates[forwarded],
    setCurrentClientCertDetails: certDetails(direction, headers, forwarded),
    appendXForwardedPort: headers.appendsForwardedPort,
  };
}

/** Outbound responses keep Envoy's default server name, unless the settings choose another. */
function serverNameOf(direction: Direction, { serverName, passesServer }: HeaderSettings): string {
  if (passesServer || serverName !== "") return serverName;
  return direction === "outbound" ? "" : "istio-envoy";
}

/** Undefined for outbound: only the TLS of the proxy presents the workload's certificate. */
function forwardedCert(
  direction: Direction,
  { forwardedClientCert }: HeaderSettings,
  inFront: ForwardedClientCert | undefined,
): ForwardedClientCert | undefined {
  if (direction === "outbound") return undefined;
  return direction === "inbound" ? (forwardedClientCert ?? "append-forward") : (inFront ?? "sanitize-set");
}

/** Only set where the client certificate is forwarded at all. */
function certDetails(direction: Direction, { clientCertDetails }: HeaderSettings, forwarded?: ForwardedClientCert) {
  if (forwarded !== "append-forward" && forwarded !== "sanitize-set") return undefined;
  const { subject = true, cert = direction === "gateway", chain = false, dns = true, uri = true } = clientCertDetails;
  return { subject, cert, chain, dns, uri };
}
