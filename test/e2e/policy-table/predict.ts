import { explain } from "../../../src/explain/explain.ts";
import type { Explanation, RequestOutcome } from "../../../src/explain/explanation.ts";
import type { SimulatedRequest } from "../../../src/explain/simulated-request.ts";
import type { KnownConfig } from "../../../src/cli/mesh/proxy-dump.ts";
import type { ExplainContext } from "../../../src/explain/explain.ts";
import type { Call } from "./row.ts";
import { meshAlpn, type Target } from "./send.ts";

/** What explain says of a row: the outcome, who decided, and where the deciders are. */
export interface Prediction {
  readonly outcome: number | string;
  /** `KIND NAMESPACE/NAME rule INDEX`. */
  readonly by: readonly string[];
  /** `FILE:LINE` of each of them. */
  readonly places: readonly string[];
  readonly explanation: Explanation;
}

export function predict(
  { config, referenceOf }: KnownConfig,
  request: SimulatedRequest,
  around: ExplainContext,
): Prediction {
  const explanation = explain(config, request, around);
  const { decidedBy } = explanation;
  return {
    outcome: outcomeOf(explanation.outcome, request),
    by: decidedBy.map(({ object, part }) => `${object.replace("/", " ")}${part === undefined ? "" : ` ${part}`}`),
    places: decidedBy.map(({ object }) => referenceOf(object) ?? "nowhere"),
    explanation,
  };
}

/** The applications answer every request with 200. */
function outcomeOf(outcome: RequestOutcome, { protocol, path }: SimulatedRequest): number | string {
  switch (outcome.type) {
    case "forwarded":
      return protocol === "tcp" || path === "" ? "answered" : 200;
    case "response":
    case "redirect":
      return outcome.status;
    case "refused":
      return outcome.status ?? "closed";
    case "unknown":
    default:
      return `unknown: ${outcome.reason}`;
  }
}

/** The call as explain is asked about it. */
export function simulated(call: Call, { address, port, host, sni }: Target): SimulatedRequest {
  const { method = "GET", path = "/", from = "127.0.0.1", as, tls } = call;
  const secure = as !== undefined || tls !== undefined;
  return {
    port,
    address,
    host,
    // A call of a TCP application has no path.
    path: call.protocol === "tcp" ? "" : path,
    method,
    headers: joinedHeaders(call),
    sourceAddress: from,
    protocol: secure ? "tls" : (call.protocol ?? "http"),
    ...(secure && { sni, alpn: tls?.alpn ?? (as === undefined ? ["http/1.1"] : meshAlpn) }),
    ...(secure && { clientCertificate: as !== undefined && tls?.certificate !== false }),
    ...(as !== undefined && { principal: identityOf(as) }),
  };
}

/** `shop/web` is the service account `web` of namespace `shop`. */
export function identityOf(as: string): string {
  if (as.startsWith("spiffe://")) return as;
  const [namespace = "", account = ""] = as.split("/");
  return `spiffe://cluster.local/ns/${namespace}/sa/${account}`;
}

/** Envoy compares repeated headers as one, joined by commas. */
function joinedHeaders({ headers = {} }: Call): Readonly<Record<string, string>> {
  const pairs = Array.isArray(headers) ? (headers as readonly (readonly [string, string])[]) : Object.entries(headers);
  const joined: Record<string, string> = {};
  for (const [name, value] of pairs) {
    const key = name.toLowerCase();
    joined[key] = joined[key] === undefined ? value : `${joined[key]},${value}`;
  }
  return joined;
}
