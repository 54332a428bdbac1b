import { BlockList, isIPv4 } from "node:net";
import {
  type ConditionKey,
  conditionKeys,
  type Demand,
  type Demands,
  type OperationField,
  operationFields,
  type SourceField,
  sourceFields,
  type TruthPolicy,
  type TruthRule,
} from "./policy.ts";
import type { TruthRequest } from "./request.ts";

/*
 * AuthorizationPolicy as Istio's reference describes it, evaluated on the policies themselves. It knows nothing of Envoy
 * and of RBAC filters, and shares no code with the generators or with explain.
 */

/** Where policies are evaluated. */
export interface TruthPlace {
  readonly namespace: string;
  readonly rootNamespace: string;
  /** Of the workload. */
  readonly address: string;
  /** The trust domain of the mesh first, then its aliases. */
  readonly trustDomains: readonly string[];
}

/** The decision, and the policies any of which may be named for it. */
export interface Truth {
  readonly allowed: boolean;
  readonly by: readonly string[];
}

/** Counts the fields that made a rule match or fail. */
export type Witness = (field: string, matched: boolean) => void;

/** DENY first. Without any ALLOW policy everything else is allowed. AUDIT decides nothing. */
export function decide(
  policies: readonly TruthPolicy[],
  request: TruthRequest,
  place: TruthPlace,
  witness: Witness = () => {},
): Truth {
  const applied = policies.filter(({ level }) => level !== "elsewhere");
  const matching = (action: TruthPolicy["action"]) =>
    applied.filter((policy) => policy.action === action && matches(policy, request, place, witness));
  const denying = matching("DENY");
  if (denying.length > 0) return { allowed: false, by: denying.map(({ name }) => name) };
  const allowing = applied.filter(({ action }) => action === "ALLOW");
  if (allowing.length === 0) return { allowed: true, by: [] };
  const allowed = matching("ALLOW");
  return { allowed: allowed.length > 0, by: (allowed.length > 0 ? allowed : allowing).map(({ name }) => name) };
}

function matches(policy: TruthPolicy, request: TruthRequest, place: TruthPlace, witness: Witness): boolean {
  // A policy in the root namespace means accounts of that namespace.
  const own = policy.level === "root" ? { ...place, namespace: place.rootNamespace } : place;
  return policy.rules.some((rule) => ruleMatches(rule, policy.action, request, own, witness));
}

const http = { ...sourceFields, ...operationFields, ...conditionKeys };

/**
 * A connection has nothing that HTTP fields are about. ALLOW must not be wider for it: a rule with such a field does not
 * match. DENY must not be narrower: such fields are left out.
 */
function ruleMatches(
  { from, to, when }: TruthRule,
  action: TruthPolicy["action"],
  request: TruthRequest,
  place: TruthPlace,
  witness: Witness,
): boolean {
  const isOpaque = request.protocol === "tcp";
  const all = [...from, ...to, ...when].flat();
  if (isOpaque && action === "ALLOW" && all.some(({ field }) => http[field] === "http")) return false;
  const holds = (demands: Demands<SourceField | OperationField | ConditionKey>) =>
    demands
      .filter(({ field }) => !isOpaque || http[field] === "tcp")
      .every((demand) => {
        const held = demandHolds(demand, request, place);
        witness(`${demand.negative ? "not " : ""}${demand.field}`, held);
        return held;
      });
  return (from.length === 0 || from.some(holds)) && (to.length === 0 || to.some(holds)) && when.every(holds);
}

function demandHolds(
  { field, negative, values }: Demand<SourceField | OperationField | ConditionKey>,
  request: TruthRequest,
  place: TruthPlace,
): boolean {
  return values.some((value) => valueHolds(field, value, request, place)) !== negative;
}

function valueHolds(
  field: SourceField | OperationField | ConditionKey,
  value: string,
  request: TruthRequest,
  place: TruthPlace,
): boolean {
  const { claims, caller } = request;
  const [trustDomain, , namespace, , account] = caller?.split("/") ?? [];
  switch (field) {
    case "principals":
    case "source.principal":
      return spellingsOf(value, place).some((spelling) => like(caller, spelling));
    case "namespaces":
    case "source.namespace":
      return like(namespace, value);
    case "serviceAccounts":
    case "source.serviceAccount": {
      const [owner, name] = value.includes("/") ? value.split("/") : [place.namespace, value];
      return caller !== undefined && namespace === owner && account === name;
    }
    case "trustDomains":
      return (place.trustDomains.includes(value) ? place.trustDomains : [value]).some((each) =>
        like(trustDomain, each),
      );
    case "ipBlocks":
    case "source.ip":
      return inBlock(request.source, value);
    case "remoteIpBlocks":
    case "remote.ip":
      return inBlock((request.protocol === "http" ? request.forwardedFor : undefined) ?? request.source, value);
    case "requestPrincipals":
    case "request.auth.principal":
      return like(claims?.sub === undefined ? undefined : `${claims.iss}/${claims.sub}`, value);
    case "request.auth.audiences":
      return anyLike(claims?.aud, value);
    case "request.auth.presenter":
      return like(claims?.azp, value);
    case "request.auth.claims[groups]":
      return anyLike(claims?.groups, value);
    case "request.auth.claims[nested][role]":
      return like(claims?.nested?.role, value);
    case "request.auth.claims[nested][deep][teams]":
      return anyLike(claims?.nested?.deep?.teams, value);
    case "request.auth.claims[scope]":
      return anyLike(typeof claims?.scope === "string" ? claims.scope.split(" ") : claims?.scope, value);
    case "request.headers[x-a]":
      return like(request.headerA, value);
    case "request.headers[X-Mixed]":
      return like(request.headerMixed, value);
    case "destination.ip":
      return inBlock(place.address, value);
    case "hosts":
      return like(request.host.toLowerCase(), value.toLowerCase());
    case "methods":
      return like(request.method, value);
    case "paths":
      return pathLike(request.path, value);
    case "ports":
    case "destination.port":
      return String(request.port) === value;
    case "connection.sni":
      return like(caller === undefined ? undefined : request.sni, value);
    default:
      return field satisfies never;
  }
}

/** `*` is presence, `x*` a prefix, `*x` a suffix. An absent value matches nothing. */
function like(text: string | undefined, pattern: string): boolean {
  if (text === undefined || text === "") return false;
  if (pattern === "*") return true;
  if (pattern.endsWith("*")) return text.startsWith(pattern.slice(0, -1));
  return pattern.startsWith("*") ? text.endsWith(pattern.slice(1)) : text === pattern;
}

function anyLike(texts: string | readonly string[] | undefined, pattern: string): boolean {
  return (typeof texts === "string" ? [texts] : (texts ?? [])).some((text) => like(text, pattern));
}

/** `{*}` is one segment, `{**}` any number of them. */
function pathLike(path: string, pattern: string): boolean {
  const normal = normalPath(path);
  if (!pattern.includes("{")) return like(normal, pattern);
  return segmentsLike(normal.split("/"), pattern.split("/"));
}

/** Without the query and without dot segments. Repeated slashes stay, and so does case. */
function normalPath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.replace(/\?.*$/u, "").split("/").slice(1)) {
    if (segment === "..") segments.pop();
    else if (segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}`;
}

function segmentsLike(segments: readonly string[], wanted: readonly string[]): boolean {
  const [first, ...rest] = wanted;
  if (first === undefined) return segments.length === 0;
  if (first === "{**}") {
    // It may be empty, but the slash before it stays.
    return Array.from({ length: segments.length + 1 }, (_, taken) => segments.slice(taken)).some(
      (left) => left.length < segments.length && segmentsLike(left, rest),
    );
  }
  const [segment, ...left] = segments;
  const fits = first === "{*}" ? segment !== undefined && segment !== "" : segment === first;
  return fits && segmentsLike(left, rest);
}

/**
 * A whole principal of the mesh is meant in all trust domains of the mesh. `cluster.local` always stands for the mesh. A
 * prefix such as `cluster.local/ns/one/*` is taken as it is written.
 */
function spellingsOf(value: string, { trustDomains }: TruthPlace): readonly string[] {
  const [domain = "", ...rest] = value.split("/");
  if (rest.length !== 4 || !["cluster.local", ...trustDomains].includes(domain)) return [value];
  return trustDomains.map((each) => [each, ...rest].join("/"));
}

function inBlock(address: string, block: string): boolean {
  const [base = "", length = isIPv4(base) ? "32" : "128"] = block.split("/");
  // A block of one family never holds an address of the other.
  if (isIPv4(base) !== isIPv4(address)) return false;
  const family = isIPv4(base) ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(base, Number(length), family);
  return list.check(address, family);
}
