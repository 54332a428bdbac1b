import { anyUnpack } from "@bufbuild/protobuf/wkt";
import type { CidrRange } from "#gen/envoy/config/core/v3/address_pb.js";
import type { TypedExtensionConfig } from "#gen/envoy/config/core/v3/extension_pb.js";
import type { Permission, Principal, Principal_Authenticated } from "#gen/envoy/config/rbac/v3/rbac_pb.js";
import type { HeaderMatcher } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { UriTemplateMatchConfigSchema } from "#gen/envoy/extensions/path/match/uri_template/v3/uri_template_match_pb.js";
import type { PathMatcher } from "#gen/envoy/type/matcher/v3/path_pb.js";
import type { StringMatcher } from "#gen/envoy/type/matcher/v3/string_pb.js";
import { holdsAddress } from "../listener/cidr-range.ts";
import { headerFact } from "../route/header-fact.ts";
import { compare, textPatternOf } from "../route/text-pattern.ts";
import { pathOf, requestHostname } from "../simulated-request.ts";
import { callerOf, type JudgedRequest } from "./judged-request.ts";
import { allOf, always, anyOf, type Judgement, not, undecided } from "./judgement.ts";
import { metadataJudgement } from "./metadata-matcher.ts";
import { templateJudgement } from "./uri-template.ts";

/** Whether a request asks for what a rule covers. */
export function permissionJudgement({ rule }: Permission, judged: JudgedRequest): Judgement {
  switch (rule.case) {
    case "andRules":
      return allOf(rule.value.rules.map((each) => permissionJudgement(each, judged)));
    case "orRules":
      return anyOf(rule.value.rules.map((each) => permissionJudgement(each, judged)));
    case "notRule":
      return not(permissionJudgement(rule.value, judged));
    case "any":
      return always;
    case "header":
      return headerJudgement(rule.value, judged);
    case "urlPath":
      return pathJudgement(rule.value, judged);
    case "uriTemplate":
      return templateOf(rule.value, judged);
    case "destinationIp":
      return addressJudgement("destination address", rule.value, judged.localAddress);
    case "destinationPort":
      return portJudgement(judged, rule.value, rule.value + 1);
    case "destinationPortRange":
      return portJudgement(judged, rule.value.start, rule.value.end);
    case "metadata":
      return metadataJudgement(rule.value, judged);
    case "requestedServerName":
      return textJudgement("server name", serverNameOf(judged), rule.value);
    case "matcher":
      return undecided(`the extension ${rule.value.name} decides`);
    case undefined:
    default:
      return { holds: false, text: "a permission without a rule matches nothing" };
  }
}

/** Whether a request comes from a caller that a rule covers. */
export function principalJudgement({ identifier }: Principal, judged: JudgedRequest): Judgement {
  switch (identifier.case) {
    case "andIds":
      return allOf(identifier.value.ids.map((each) => principalJudgement(each, judged)));
    case "orIds":
      return anyOf(identifier.value.ids.map((each) => principalJudgement(each, judged)));
    case "notId":
      return not(principalJudgement(identifier.value, judged));
    case "any":
      return always;
    case "authenticated":
      return authenticatedJudgement(identifier.value, judged);
    case "sourceIp":
    case "directRemoteIp":
      return addressJudgement("source address", identifier.value, judged.directAddress);
    case "remoteIp":
      return addressJudgement("remote address", identifier.value, judged.remoteAddress);
    case "header":
      return headerJudgement(identifier.value, judged);
    case "urlPath":
      return pathJudgement(identifier.value, judged);
    case "metadata":
      return metadataJudgement(identifier.value, judged);
    case "filterState":
      return undecided("the state of another filter decides");
    case undefined:
    default:
      return { holds: false, text: "a principal without an identifier matches nobody" };
  }
}

function headerJudgement(matcher: HeaderMatcher, { request, layer }: JudgedRequest): Judgement {
  return layer === "request" ? headerFact(matcher, request) : withoutHttp("header");
}

/** Path matchers ignore the query. */
function pathJudgement({ rule }: PathMatcher, { request, layer }: JudgedRequest): Judgement {
  if (layer === "connection" || rule.case === undefined) return withoutHttp("path");
  return textJudgement("path", pathOf(request), rule.value);
}

function templateOf({ name, typedConfig }: TypedExtensionConfig, judged: JudgedRequest): Judgement {
  const template = typedConfig && anyUnpack(typedConfig, UriTemplateMatchConfigSchema);
  if (template === undefined) return undecided(`the extension ${name} decides`);
  if (judged.layer === "connection") return withoutHttp("path");
  return templateJudgement(template.pathTemplate, pathOf(judged.request));
}

function withoutHttp(what: string): Judgement {
  return { holds: false, text: `a connection has no ${what}` };
}

function addressJudgement(subject: string, range: CidrRange, address: string | undefined): Judgement {
  if (address === undefined) return undecided(`the ${subject} is not known`);
  const holds = holdsAddress(range, address);
  return {
    holds,
    text: `${subject} ${address} is ${holds ? "" : "not "}in ${range.addressPrefix}/${range.prefixLen ?? 0}`,
  };
}

function portJudgement({ request: { port } }: JudgedRequest, start: number, end: number): Judgement {
  const holds = port >= start && port < end;
  const wanted = end === start + 1 ? `${start}` : `in ${start}…${end - 1}`;
  return { holds, text: `port is ${holds ? "" : "not "}${wanted}` };
}

/** A certificate without names is compared by its subject, which is empty without a certificate. */
function authenticatedJudgement({ principalName }: Principal_Authenticated, { request }: JudgedRequest): Judgement {
  const caller = callerOf(request);
  if (request.protocol !== "tls")
    return { holds: false, text: "the caller has no principal: the connection is plaintext" };
  if (principalName === undefined) return { holds: true, text: "the connection is TLS" };
  if (caller.type === "unknown") return undecided("the principal of the caller is not known");
  return textJudgement("principal", caller.type === "named" ? caller.principal : "", principalName);
}

function serverNameOf({ request }: JudgedRequest): string {
  return request.protocol === "tls" ? (request.sni ?? requestHostname(request)) : "";
}

function textJudgement(subject: string, text: string, matcher: StringMatcher): Judgement {
  const pattern = textPatternOf(matcher);
  return pattern === undefined ? undecided(`an extension compares the ${subject}`) : compare(subject, text, pattern);
}
