import type { PrincipalSchema } from "#gen/envoy/config/rbac/v3/rbac_pb.js";
import type { MessageLiteral } from "../../../lib/proto-writer/proto-writer.ts";
import type { Attribute } from "../../model/policy/authorization-policy.ts";
import { cidrRangeOf } from "../listener/cidr.ts";
import {
  anyText,
  anyValue,
  exactMatcher,
  headerMatcher,
  listValue,
  metadataMatcher,
  prefixMatcher,
  quoted,
  regexMatcher,
  type StringMatcher,
  suffixMatcher,
  textMatcher,
  textValue,
} from "./patterns.ts";

export type Principal = MessageLiteral<typeof PrincipalSchema>;

/** The client's identity is the URI in its certificate, and begins with this. */
const scheme = "spiffe://";

function authenticated(principalName: StringMatcher): Principal {
  return { identifier: { case: "authenticated", value: { principalName } } };
}

/** `domain/ns/namespace/sa/account`, with `*` at one end. */
function byPrincipal(value: string): Principal {
  if (value === "*") return authenticated(anyText);
  if (value.startsWith("*")) return authenticated(regexMatcher(`${scheme}.*${quoted(value.slice(1))}`));
  if (value.endsWith("*")) return authenticated(prefixMatcher(scheme + value.slice(0, -1)));
  return authenticated(exactMatcher(scheme + value));
}

function byNamespace(value: string): Principal {
  return authenticated(regexMatcher(`.*/ns/${value.split("*").map(quoted).join(".*")}/.*`));
}

/** `account`, in the namespace of the policy, or `namespace/account`. */
function byServiceAccount(value: string, ownNamespace: string): Principal {
  const slash = value.indexOf("/");
  const namespace = slash < 0 ? ownNamespace : value.slice(0, slash);
  const account = value.slice(slash + 1);
  return authenticated(regexMatcher(`${scheme}.+/ns/${quoted(namespace)}/(.+/|)sa/${quoted(account)}(/.+)?`));
}

function byTrustDomain(value: string): Principal {
  if (value === "*") return authenticated(prefixMatcher(scheme));
  if (!value.includes("*")) return authenticated(prefixMatcher(`${scheme}${value}/`));
  return authenticated(regexMatcher(`${scheme}${value.split("*").map(quoted).join("[^/]*")}/.*`));
}

function bySourceIp(subnet: string): Principal {
  return { identifier: { case: "directRemoteIp", value: cidrRangeOf(subnet) } };
}

function byRemoteIp(subnet: string): Principal {
  return { identifier: { case: "remoteIp", value: cidrRangeOf(subnet) } };
}

function byHeader(name: string, value: string): Principal {
  return { identifier: { case: "header", value: headerMatcher(name, value, false) } };
}

const tokens = "envoy.filters.http.jwt_authn";

function byClaimText(claim: string, matcher: StringMatcher): Principal {
  const value = metadataMatcher(tokens, ["payload", claim], textValue(matcher));
  return { identifier: { case: "metadata", value } };
}

/** A claim is a text or a list of texts. */
function byClaim(path: readonly string[], values: readonly string[]): Principal {
  const one = anyValue(values.map((value) => textValue(textMatcher(value))));
  const value = metadataMatcher(tokens, ["payload", ...path], {
    matchPattern: { case: "orMatch", value: { valueMatchers: [listValue(one), one] } },
  });
  return { identifier: { case: "metadata", value } };
}

/** `issuer/subject`. The last slash separates them, because an issuer may be a URL. */
function byRequestPrincipal(value: string): Principal {
  const { issuer, subject } = tokenMatchersOf(value);
  return allOf([byClaimText("iss", issuer), byClaimText("sub", subject)]);
}

function byRequestPrincipals(values: readonly string[]): Principal {
  const [only] = values;
  return only !== undefined && values.length === 1 ? byRequestPrincipal(only) : oneOf(values.map(byRequestPrincipal));
}

function tokenMatchersOf(value: string): { readonly issuer: StringMatcher; readonly subject: StringMatcher } {
  if (value === "*") return { issuer: anyText, subject: anyText };
  const slash = value.lastIndexOf("/");
  const issuer = slash < 0 ? value : value.slice(0, slash);
  const subject = slash < 0 ? "" : value.slice(slash + 1);
  if (value.startsWith("*")) {
    if (slash < 0) return { issuer: anyText, subject: suffixMatcher(value.slice(1)) };
    return { issuer: issuer === "*" ? anyText : suffixMatcher(issuer.slice(1)), subject: exactMatcher(subject) };
  }
  if (value.endsWith("*")) {
    if (slash < 0) return { issuer: prefixMatcher(value.slice(0, -1)), subject: anyText };
    return {
      issuer: exactMatcher(issuer),
      subject: subject === "*" ? anyText : prefixMatcher(subject.slice(0, -1)),
    };
  }
  return { issuer: exactMatcher(issuer), subject: exactMatcher(subject) };
}

export function allOf(ids: readonly Principal[]): Principal {
  return { identifier: { case: "andIds", value: { ids } } };
}

function oneOf(ids: readonly Principal[]): Principal {
  return { identifier: { case: "orIds", value: { ids } } };
}

export function not(id: Principal): Principal {
  return { identifier: { case: "notId", value: id } };
}

export const anyone: Principal = { identifier: { case: "any", value: true } };

/** A match of one attribute: its name in brackets, and the namespace of the policy. */
interface MatchContext {
  readonly key: readonly string[];
  readonly namespace: string;
}

type PrincipalMatcher = (values: readonly string[], context: MatchContext) => Principal;

/** By attribute: one match for all values of a list. Undefined for attributes of the destination. */
const matchers: Readonly<Record<Attribute, PrincipalMatcher | undefined>> = {
  "source.principal": (values) => oneOf(values.map(byPrincipal)),
  "source.namespace": (values) => oneOf(values.map(byNamespace)),
  "source.serviceAccount": (values, { namespace }) => oneOf(values.map((value) => byServiceAccount(value, namespace))),
  "source.trustDomain": (values) => oneOf(values.map(byTrustDomain)),
  "source.ip": (values) => oneOf(values.map(bySourceIp)),
  "remote.ip": (values) => oneOf(values.map(byRemoteIp)),
  "request.headers": (values, { key: [name = ""] }) => oneOf(values.map((value) => byHeader(name, value))),
  "request.auth.principal": byRequestPrincipals,
  "request.auth.audiences": (values) => byClaim(["aud"], values),
  "request.auth.presenter": (values) => byClaim(["azp"], values),
  "request.auth.claims": (values, { key }) => byClaim(key, values),
  "request.host": undefined,
  "request.method": undefined,
  "request.path": undefined,
  "destination.ip": undefined,
  "destination.port": undefined,
  "connection.sni": undefined,
  "envoy.filters": undefined,
};

export function principalMatcher(attribute: Attribute): PrincipalMatcher | undefined {
  return matchers[attribute];
}
