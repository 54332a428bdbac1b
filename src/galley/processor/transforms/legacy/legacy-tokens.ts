import type { Jwt, Jwt_TriggerRule, Policy, StringMatch } from "#gen/istio/authentication/v1alpha1/policy_pb.js";
import {
  AuthorizationPolicy_Action as Action,
  type AuthorizationPolicy,
} from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import type { RequestAuthentication } from "#gen/istio/security/v1beta1/request_authentication_pb.js";
import type { Config } from "../../../../config/config.ts";
import { authorizationPolicy } from "../../../../config/kinds/authorization-policy.ts";
import { requestAuthentication } from "../../../../config/kinds/request-authentication.ts";
import { convertedConfig, type LegacyObject } from "./converted-config.ts";
import type { TargetService } from "./target-services.ts";

/** The RequestAuthentication of a legacy policy with origins. It applies to all ports of its targets. */
export function tokensOf(
  policy: LegacyObject<Policy>,
  targets: readonly TargetService[],
): readonly Config<RequestAuthentication>[] {
  const tokens = originsIn(policy.config.spec);
  const attachment = attachmentOf(policy, targets);
  if (tokens.length === 0 || attachment === undefined) return [];
  const jwtRules = tokens.map(({ issuer, audiences, jwksUri, jwks, jwtHeaders, jwtParams }) => ({
    issuer,
    audiences,
    jwksUri,
    jwks,
    fromHeaders: jwtHeaders.map((name) => ({ name })),
    fromParams: jwtParams,
    // Legacy policies always left the token in the request.
    forwardOriginalToken: true,
  }));
  return [convertedConfig(requestAuthentication, policy, { ...attachment, jwtRules })];
}

/**
 * The DENY policy for requests without a token of the issuers. Another policy may accept another issuer, so it is not
 * enough that there is any token. Connections of TCP have none, and are denied. Tokens of peers cannot be checked: a
 * policy that requires nothing else denies everything.
 */
export function demandOf(
  policy: LegacyObject<Policy>,
  targets: readonly TargetService[],
): readonly Config<AuthorizationPolicy>[] {
  const { spec } = policy.config;
  const attachment = attachmentOf(policy, targets);
  const ports = portsOf(spec, targets);
  const rules = requiresPeerToken(spec) ? [operation({ ...allPaths, ports })] : missingTokenRules(spec, ports);
  if (rules.length === 0 || attachment === undefined) return [];
  return [convertedConfig(authorizationPolicy, policy, { ...attachment, action: Action.DENY, rules })];
}

/** One of the methods for peers is enough, so mutual TLS makes their tokens unnecessary. */
function requiresPeerToken({ peers }: Policy): boolean {
  return peers.length > 0 && peers.every(({ params }) => params.case === "jwt");
}

function missingTokenRules(spec: Policy, ports: readonly string[]) {
  const tokens = spec.originIsOptional ? [] : originsIn(spec);
  return tokens.flatMap((token) => {
    const when = [{ key: "request.auth.claims[iss]", notValues: issuersBeside(token, tokens) }];
    return operationsOf(token).flatMap((paths) => exceptPreflight({ ...paths, ports }, when));
  });
}

type When = readonly { readonly key: string; readonly notValues: string[] }[];

/**
 * Browsers send no token with a preflight request of CORS: the method OPTIONS with two headers. Every request that
 * lacks one of the three is denied.
 */
function exceptPreflight(paths: Paths & Ports, when: When) {
  const without = ["origin", "access-control-request-method"].map((header) => ({
    ...operation(paths),
    when: [...when, { key: `request.headers[${header}]`, notValues: ["*"] }],
  }));
  return [{ ...operation(paths, ["OPTIONS"]), when: [...when] }, ...without];
}

function originsIn({ origins }: Policy): readonly Jwt[] {
  return origins.flatMap(({ jwt }) => jwt ?? []);
}

/** Undefined if the policy has targets, of which none is known. */
function attachmentOf({ config }: LegacyObject<Policy>, targets: readonly TargetService[]) {
  if (config.spec.targets.length === 0) return {};
  return targets.length === 0 ? undefined : { targetRefs: targets.map(({ reference }) => ({ ...reference })) };
}

/** The issuers whose tokens are accepted for the paths of one: those for the same paths, and those for all paths. */
function issuersBeside(token: Jwt, tokens: readonly Jwt[]): string[] {
  const paths = JSON.stringify(operationsOf(token));
  return tokens
    .filter((each) => each.triggerRules.length === 0 || JSON.stringify(operationsOf(each)) === paths)
    .map(({ issuer }) => issuer);
}

/** The ports of all targets, if all of them name some. Without any, the policy is for all ports. */
function portsOf({ targets: asked }: Policy, targets: readonly TargetService[]): readonly string[] {
  const known = targets.flatMap(({ workloadPorts }) => (workloadPorts === undefined ? [] : [workloadPorts]));
  const isCertain = known.length === targets.length && asked.every(({ ports }) => ports.length > 0);
  return isCertain ? [...new Set(known.flat())].map(String) : [];
}

interface Paths {
  readonly paths: readonly string[];
  readonly notPaths: readonly string[];
}

interface Ports {
  readonly ports: readonly string[];
}

const allPaths: Paths = { paths: [], notPaths: [] };

/** The requests that need the token: without trigger rules all, else those of any rule. */
function operationsOf({ triggerRules }: Jwt): readonly Paths[] {
  return triggerRules.length === 0 ? [allPaths] : triggerRules.map(triggeringPaths);
}

/**
 * Some paths cannot be expressed, such as regular expressions. They must not open anything. So an included one stands
 * for all paths, and an excluded one for none.
 */
function triggeringPaths({ includedPaths, excludedPaths }: Jwt_TriggerRule): Paths {
  const included = includedPaths.map(pathOf);
  const paths = included.includes(undefined) ? [] : included.filter((path) => path !== undefined);
  return { paths, notPaths: excludedPaths.map(pathOf).filter((path) => path !== undefined) };
}

/** An operation without any field is not allowed: no operation means every request. */
function operation({ paths, notPaths, ports }: Paths & Ports, notMethods: readonly string[] = []) {
  if (paths.length + notPaths.length + ports.length + notMethods.length === 0) return {};
  const lists = { paths: [...paths], notPaths: [...notPaths], ports: [...ports], notMethods: [...notMethods] };
  return { to: [{ operation: lists }] };
}

/** The form of each match in an AuthorizationPolicy. */
const pathForms: Readonly<Record<string, (value: string) => string>> = {
  exact: (value) => value,
  prefix: (value) => `${value}*`,
  suffix: (value) => `*${value}`,
};

function pathOf({ matchType }: StringMatch): string | undefined {
  // These have a meaning of their own in an AuthorizationPolicy.
  if (matchType.case === undefined || /[*{}]/u.test(matchType.value)) return undefined;
  return pathForms[matchType.case]?.(matchType.value);
}
