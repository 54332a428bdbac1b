import {
  HttpConnectionManager_ForwardClientCertDetails as ForwardClientCertDetails,
  HttpConnectionManager_ServerHeaderTransformation as ServerHeader,
} from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import type { ForwardedClientCert, HeaderSettings, ProxySettings } from "../../../model/proxy/proxy-settings.ts";
import type { Direction } from "../../filters/filter-context.ts";

const certificates: Readonly<Record<ForwardedClientCert, ForwardClientCertDetails>> = {
  sanitize: ForwardClientCertDetails.SANITIZE,
  "forward-only": ForwardClientCertDetails.FORWARD_ONLY,
  "append-forward": ForwardClientCertDetails.APPEND_FORWARD,
  "sanitize-set": ForwardClientCertDetails.SANITIZE_SET,
  "always-forward-only": ForwardClientCertDetails.ALWAYS_FORWARD_ONLY,
};

/** What is believed of clients and told to servers, by fields of a connection manager. Only a gateway faces strangers. */
export function requestManners(direction: Direction, { headers, topology }: ProxySettings) {
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

/** On the way out Envoy's own name stands, unless somebody chose another. */
function serverNameOf(direction: Direction, { serverName, passesServer }: HeaderSettings): string {
  if (passesServer || serverName !== "") return serverName;
  return direction === "outbound" ? "" : "istio-envoy";
}

/** Undefined on the way out: the workload's own certificate is told by nobody but its proxy's TLS. */
function forwardedCert(
  direction: Direction,
  { forwardedClientCert }: HeaderSettings,
  inFront: ForwardedClientCert | undefined,
): ForwardedClientCert | undefined {
  if (direction === "outbound") return undefined;
  return direction === "inbound" ? (forwardedClientCert ?? "append-forward") : (inFront ?? "sanitize-set");
}

/** Only where something of the client's certificate is told at all. */
function certDetails(direction: Direction, { clientCertDetails }: HeaderSettings, forwarded?: ForwardedClientCert) {
  if (forwarded !== "append-forward" && forwarded !== "sanitize-set") return undefined;
  const { subject = true, cert = direction === "gateway", chain = false, dns = true, uri = true } = clientCertDetails;
  return { subject, cert, chain, dns, uri };
}
