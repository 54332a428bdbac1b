import { JwtAuthenticationSchema } from "#gen/envoy/extensions/filters/http/jwt_authn/v3/config_pb.js";
import type { ConfigId } from "../../../config/config.ts";
import { compareTexts } from "../../../lib/compare.ts";
import type { JwtRule } from "../../model/policy/request-authentication.ts";
import { blackHoleCluster } from "../cluster/cluster-name.ts";
import { type FilterContext, type FilterSource, filterMessage } from "../filters/filter.ts";

const name = "envoy.filters.http.jwt_authn";

/** Claims of OAuth 2 that contain a list separated by spaces. */
const knownLists = ["permission", "scope"];

/**
 * Envoy refuses a listener with an inline key set without a usable key. Instead it gets a place where there are no keys:
 * the cluster has no endpoints. So Envoy has no key, and rejects every token of the issuer with 401.
 */
const noKeys = {
  case: "remoteJwks",
  value: {
    httpUri: {
      uri: "https://keys-not-fetched.invalid/",
      httpUpstreamType: { case: "cluster", value: blackHoleCluster },
      timeout: { seconds: 1n },
    },
  },
} as const;

/**
 * Verifies the tokens of requests that arrive at a workload or a gateway, and rejects invalid ones. Requests without a
 * token pass, unless a rule requires one: an AuthorizationPolicy decides about them.
 */
export const jwt: FilterSource = (context, writer) => {
  const rules = rulesFor(context).map(({ rule }) => rule);
  if (rules.length === 0) return [];
  const providers = Object.fromEntries(rules.map((rule, index) => [providerName(index), provider(rule, context)]));
  const config = () =>
    writer.any(JwtAuthenticationSchema, {
      providers,
      rules: [
        {
          match: { pathSpecifier: { case: "prefix", value: "/" } },
          requirementType: { case: "requires", value: requirement(rules) },
        },
      ],
      bypassCorsPreflight: true,
    });
  return [filterMessage({ name, config }, writer)];
};

/** By the name of a provider in the filter: the policy that it is made from. */
export function providerOwners(context: Pick<FilterContext, "direction" | "policies">): Record<string, ConfigId> {
  return Object.fromEntries(rulesFor(context).map(({ owner }, index) => [providerName(index), owner]));
}

/** A rule, and the policy that has it. */
interface OwnedRule {
  readonly rule: JwtRule;
  readonly owner: ConfigId;
}

/** The rules of all policies, by issuer. The server checks tokens, so outbound listeners have none. */
function rulesFor({ direction, policies }: Pick<FilterContext, "direction" | "policies">): readonly OwnedRule[] {
  if (direction === "outbound") return [];
  return policies.authentication
    .flatMap(({ rules, owner }) => rules.map((rule) => ({ rule, owner })))
    .toSorted((one, other) => compareTexts(one.rule.issuer, other.rule.issuer));
}

function providerName(index: number): string {
  return `origins-${index}`;
}

function provider(rule: JwtRule, { direction, capabilities: { checksKeySets } }: FilterContext) {
  return {
    issuer: rule.issuer,
    audiences: rule.audiences,
    jwksSourceSpecifier: keysOf(rule, checksKeySets),
    forward: rule.forwardsToken,
    fromHeaders: rule.headers.map(({ name: header, prefix }) => ({ name: header, valuePrefix: prefix })),
    fromParams: rule.parameters,
    fromCookies: rule.cookies,
    forwardPayloadHeader: rule.payloadHeader,
    claimToHeaders: rule.claimHeaders.map(({ header, claim }) => ({ headerName: header, claimName: claim })),
    // Where authorization and routes look for claims.
    payloadInMetadata: "payload",
    normalizePayloadInMetadata: {
      spaceDelimitedClaims: [...new Set([...knownLists, ...rule.spaceDelimitedClaims])].toSorted(compareTexts),
    },
    // Routes of gateways match claims.
    clearRouteCache: direction === "gateway",
  } as const;
}

function keysOf({ keySet, hasUsableKey }: JwtRule, checksKeySets: boolean) {
  if (keySet === undefined || (checksKeySets && !hasUsableKey)) return noKeys;
  return { case: "localJwks", value: { specifier: { case: "inlineString", value: keySet } } } as const;
}

/**
 * A valid token of any issuer, or no token at all. Each rule that requires a token has to be met; then there is no other
 * way to pass.
 */
function requirement(rules: readonly JwtRule[]): Requirement {
  const named = rules.map((_, index) => provided(index));
  const required = named.filter((_, index) => rules[index]?.required === true);
  if (required.length > 0) return single(required) ?? allOf(required);
  const optional = named.map((each) => anyOf([each, allowMissing]));
  return single(optional) ?? anyOf([...named, allOf(optional)]);
}

function single<T>([first, second]: readonly T[]): T | undefined {
  return second === undefined ? first : undefined;
}

type Requirement = ReturnType<typeof provided> | typeof allowMissing | RequirementList;
interface RequirementList {
  readonly requiresType: {
    readonly case: "requiresAny" | "requiresAll";
    readonly value: { readonly requirements: readonly Requirement[] };
  };
}

const allowMissing = { requiresType: { case: "allowMissing", value: {} } } as const;

function provided(index: number) {
  return { requiresType: { case: "providerName", value: providerName(index) } } as const;
}

function anyOf(requirements: readonly Requirement[]): RequirementList {
  return { requiresType: { case: "requiresAny", value: { requirements } } };
}

function allOf(requirements: readonly Requirement[]): RequirementList {
  return { requiresType: { case: "requiresAll", value: { requirements } } };
}
