import type { KnownConfig } from "../../../src/cli/mesh/proxy-dump.ts";
import type { ExplainContext } from "../../../src/explain/explain.ts";
import { explain } from "../../../src/explain/explain.ts";
import type { Explanation, RequestOutcome } from "../../../src/explain/explanation.ts";
import type { SimulatedRequest } from "../../../src/explain/simulated-request.ts";
import { type Call, isList } from "./row.ts";
import { meshAlpn, type Target } from "./send.ts";

/** The prediction of explain for a row: the outcome, the objects that decided, and their places. */
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
    places: decidedBy.map(({ object, reference }) => reference ?? referenceOf(object) ?? "nowhere"),
    explanation,
  };
}

/** The applications answer every request with 200. */
function outcomeOf(outcome: RequestOutcome, { protocol, path }: SimulatedRequest): number | string {
  switch (outcome.type) {
    case "accepted":
      return 200;
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
    ...headersOf(call),
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

/** Names and values as explain takes them. */
function headersOf({ headers = {} }: Call): Pick<SimulatedRequest, "headers" | "repeated"> {
  const pairs: readonly (readonly [string, string])[] = isList(headers) ? headers : Object.entries(headers);
  const values = Object.groupBy(pairs, ([name]) => name.toLowerCase());
  const all = Object.entries(values).map(([name, found = []]) => [name, found.map(([, value]) => value)] as const);
  return {
    headers: Object.fromEntries(all.map(([name, found]) => [name, found.join(",")])),
    repeated: Object.fromEntries(all.filter(([, found]) => found.length > 1)),
  };
}
