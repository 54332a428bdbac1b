import type {
  Backend,
  Fault,
  HttpMatch,
  HttpRoute,
  NamedMatch,
  PathMatch,
  StringMatch,
  TcpMatch,
  TlsMatch,
} from "../../../../pilot/model/traffic/virtual-service.ts";
import type { VirtualService } from "../../../../pilot/model/traffic/virtual-service.ts";
import type { RouteRule } from "../../model/mesh.ts";

/** The routes of a VirtualService in words, in the order in which they apply. */
export function routeRules({ http, tls, tcp }: VirtualService): readonly RouteRule[] {
  return [
    ...http.map((route) => ({
      match: anyOf(route.matches.map(httpMatch), "every request"),
      action: httpAction(route),
    })),
    ...tls.map(({ matches, destinations }) => ({
      match: anyOf(matches.map(connectionMatch), "every connection"),
      action: shares(destinations),
    })),
    ...tcp.map(({ matches, destinations }) => ({
      match: anyOf(matches.map(connectionMatch), "every connection"),
      action: shares(destinations),
    })),
  ];
}

function anyOf(matches: readonly string[], otherwise: string): string {
  return matches.length === 0 ? otherwise : matches.map((match) => match || otherwise).join(", or ");
}

function httpMatch(match: HttpMatch): string {
  const { uri, method, authority, scheme, headers, withoutHeaders, queryParams, port } = match;
  return [
    ...valueWords("path", uri),
    ...(method === undefined ? [] : valueWords("method", method)),
    ...(authority === undefined ? [] : valueWords("host", authority)),
    ...(scheme === undefined ? [] : valueWords("scheme", scheme)),
    ...headers.flatMap((header) => namedWords("header", header)),
    ...withoutHeaders.map((header) => `not (${namedWords("header", header).join("")})`),
    ...queryParams.flatMap((parameter) => namedWords("query", parameter)),
    ...(port === 0 ? [] : [`port ${port}`]),
    ...sourceWords(match),
  ].join(" and ");
}

function connectionMatch(match: TcpMatch | TlsMatch): string {
  const { port, destinationSubnets } = match;
  return [
    ...("sniHosts" in match ? [`SNI ${match.sniHosts.join(" or ")}`] : []),
    ...(port === 0 ? [] : [`port ${port}`]),
    ...(destinationSubnets.length === 0 ? [] : [`destination in ${destinationSubnets.join(" or ")}`]),
    ...sourceWords(match),
  ].join(" and ");
}

function sourceWords({ sourceNamespace, sourceLabels }: Pick<TcpMatch, "sourceNamespace" | "sourceLabels">) {
  const labels = Object.entries(sourceLabels).map(([name, value]) => `${name}=${value}`);
  return [
    ...(sourceNamespace === "" ? [] : [`callers in ${sourceNamespace}`]),
    ...(labels.length === 0 ? [] : [`callers with ${labels.join(", ")}`]),
  ];
}

const verbs = { exact: "is", prefix: "begins with", segments: "is or is below", regex: "matches" } as const;

/** `/` as a prefix, and any value, are no condition. */
function valueWords(name: string, match: PathMatch | StringMatch): readonly string[] {
  if (match.type === "present" || (name === "path" && match.type === "prefix" && match.value === "/")) return [];
  return [`${name} ${verbs[match.type]} ${match.value}`];
}

function namedWords(kind: string, { name, match }: NamedMatch): readonly string[] {
  return match.type === "present" ? [`${kind} ${name} is present`] : valueWords(`${kind} ${name}`, match);
}

function httpAction({ action, fault }: HttpRoute): string {
  const faults = fault === undefined ? "" : faultWords(fault);
  switch (action.type) {
    case "redirect":
      return `${faults}redirect with ${action.code}`;
    case "direct-response":
      return `${faults}answer with ${action.status}`;
    case "forward":
    default: {
      const mirrors = action.mirrors.length === 0 ? "" : `; copies to ${action.mirrors.map(backendName).join(", ")}`;
      return `${faults}${shares(action.destinations)}${mirrors}`;
    }
  }
}

function faultWords({ delay, abort }: Fault): string {
  return [...(delay ? ["delay some, "] : []), ...(abort ? ["abort some, "] : [])].join("");
}

function shares(destinations: readonly (Backend & { readonly weight: number })[]): string {
  const total = destinations.reduce((sum, { weight }) => sum + weight, 0);
  if (destinations.length === 1 || total === 0) return `to ${destinations.map(backendName).join(", ")}`;
  return destinations.map((each) => `${percent(each.weight / total)} to ${backendName(each)}`).join(", ");
}

function percent(share: number): string {
  return `${Math.round(1_000 * share) / 10} %`;
}

function backendName({ hostname, subset, port }: Backend): string {
  return `${hostname}${port === undefined ? "" : `:${port}`}${subset === "" ? "" : ` (${subset})`}`;
}
