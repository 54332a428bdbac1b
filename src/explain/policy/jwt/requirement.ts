import type { JwtProvider, JwtRequirement } from "#gen/envoy/extensions/filters/http/jwt_authn/v3/config_pb.js";
import type { SimulatedRequest } from "../../simulated-request.ts";
import type { GuardContext } from "../guard.ts";
import { tokensIn } from "./token-locations.ts";
import { missing, unknownIssuer, type Verification, verifyTokens } from "./verify-tokens.ts";

/** The request, and the facts that decide whether it fulfils a requirement. */
export interface Checked {
  readonly request: SimulatedRequest;
  readonly providers: Readonly<Record<string, JwtProvider>>;
  readonly context: GuardContext;
}

export function checkRequirement({ requiresType: type }: JwtRequirement, checked: Checked): Verification {
  switch (type.case) {
    case "providerName":
      return ofProvider(type.value, checked);
    case "providerAndAudiences":
      return ofProvider(type.value.providerName, checked, type.value.audiences);
    case "requiresAny":
      return anyOf(type.value.requirements, checked);
    case "requiresAll":
      return allOf(type.value.requirements, checked);
    case "allowMissing": {
      const found = ofAllProviders(checked);
      return found.failure === missing ? passed : found;
    }
    case "allowMissingOrFailed":
      return { ...ofAllProviders(checked), failure: undefined };
    case undefined:
    default:
      return passed;
  }
}

const passed: Verification = { failure: undefined, good: [], rejectedBy: [] };

function ofProvider(
  name: string,
  { request, providers, context }: Checked,
  audiences?: readonly string[],
): Verification {
  const provider = providers[name];
  if (provider === undefined) return { failure: unknownIssuer, good: [], rejectedBy: [] };
  const named = { name, provider };
  return verifyTokens(tokensIn(request, [provider]), [named], () => named, { context, audiences });
}

/** The issuer of a token names its provider. */
function ofAllProviders({ request, providers, context }: Checked): Verification {
  const all = Object.entries(providers).map(([name, provider]) => ({ name, provider }));
  const byIssuer = (issuer: string) => all.find(({ provider }) => provider.issuer === issuer);
  const tokens = tokensIn(request, Object.values(providers));
  return verifyTokens(tokens, all, ({ issuer }) => byIssuer(issuer) ?? byIssuer(""), { context });
}

/** The first success decides. A failure that says more than a missing token or another issuer is preferred. */
function anyOf(requirements: readonly JwtRequirement[], checked: Checked): Verification {
  const allows = (what: JwtRequirement["requiresType"]["case"]) =>
    requirements.some(({ requiresType }) => requiresType.case === what);
  let failure = missing;
  const rejections: Verification[] = [];
  for (const requirement of requirements) {
    if (requirement.requiresType.case?.startsWith("allowMissing") === true) continue;
    const result = checkRequirement(requirement, checked);
    if (result.failure === undefined) return result;
    rejections.push(result);
    if (saysMore(result) || failure === missing) ({ failure } = result);
  }
  if (allows("allowMissingOrFailed") || (allows("allowMissing") && failure === missing)) return passed;
  const telling = rejections.some(saysMore) ? rejections.filter(saysMore) : rejections;
  return { failure, good: [], rejectedBy: telling.flatMap(({ rejectedBy }) => rejectedBy) };
}

/** A provider knows the issuer of the token, and rejects it all the same. */
function saysMore({ failure }: Verification): boolean {
  return failure !== undefined && failure !== missing && failure !== unknownIssuer;
}

function allOf(requirements: readonly JwtRequirement[], checked: Checked): Verification {
  const results = requirements.map((requirement) => checkRequirement(requirement, checked));
  const failed = results.find(({ failure }) => failure !== undefined);
  return failed ?? { failure: undefined, good: results.flatMap(({ good }) => good), rejectedBy: [] };
}
