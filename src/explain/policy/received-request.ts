import { HttpProtocolOptions_HeadersWithUnderscoresAction as Underscores } from "#gen/envoy/config/core/v3/protocol_pb.js";
import type { HttpConnectionManager } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { isIpAddress } from "../../config/grammar/address.ts";
import { refused, type RequestOutcome } from "../explanation.ts";
import type { Arrival } from "../listener/choose-listener.ts";
import { headerOf, type SimulatedRequest } from "../simulated-request.ts";
import type { JudgedRequest } from "./judged-request.ts";
import { normalPath } from "./normal-path.ts";

/** A connection, as filters see it before anything is read of it. */
export function receivedConnection(request: SimulatedRequest, { address }: Pick<Arrival, "address">): JudgedRequest {
  return {
    request,
    layer: "connection",
    directAddress: request.sourceAddress,
    remoteAddress: request.sourceAddress,
    localAddress: address,
    metadata: {},
  };
}

/** A request, as the connection manager hands it to filters; or its answer, if the request never gets to them. */
export function receivedRequest(
  connection: JudgedRequest,
  manager: HttpConnectionManager,
): JudgedRequest | { readonly outcome: RequestOutcome } {
  const { request } = connection;
  const underscores = manager.commonHttpProtocolOptions?.headersWithUnderscoresAction ?? Underscores.ALLOW;
  const doubtful = Object.keys(request.headers).filter((name) => name.includes("_"));
  if (doubtful.length > 0 && underscores === Underscores.REJECT_REQUEST) {
    return { outcome: refused(`header ${doubtful[0]} has an underscore, which is rejected`, { status: 400 }) };
  }
  const path = normalPath(request, manager);
  if (path.type === "answer") return { outcome: path.outcome };
  const dropped = new Set(underscores === Underscores.DROP_HEADER ? doubtful : []);
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !dropped.has(name)));
  return {
    ...connection,
    layer: "request",
    remoteAddress: remoteAddressOf(request, manager),
    request: { ...request, path: path.path, headers },
  };
}

/**
 * The client behind trusted proxies. At the edge each of them adds one address to `x-forwarded-for`, and the last entry
 * is of the first trusted one. Inside, the proxy at the edge did that already.
 */
function remoteAddressOf(request: SimulatedRequest, manager: HttpConnectionManager): string | undefined {
  const { useRemoteAddress = false, xffNumTrustedHops: hops } = manager;
  if (useRemoteAddress && hops === 0) return request.sourceAddress;
  return forwardedFor(request, useRemoteAddress ? hops - 1 : hops) ?? request.sourceAddress;
}

function forwardedFor(request: SimulatedRequest, skipped: number): string | undefined {
  const entries = (headerOf(request, "x-forwarded-for") ?? "").split(",").map((entry) => entry.trim());
  const entry = entries.at(-1 - skipped);
  return entry !== undefined && isIpAddress(entry) ? entry : undefined;
}
