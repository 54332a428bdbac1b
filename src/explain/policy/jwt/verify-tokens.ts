import type { JwtProvider } from "#gen/envoy/extensions/filters/http/jwt_authn/v3/config_pb.js";
import { blackHoleCluster } from "../../../pilot/networking/cluster/cluster-name.ts";
import type { GuardContext } from "../guard.ts";
import { type ParsedToken, parseToken } from "./token.ts";
import type { FoundToken } from "./token-locations.ts";

/** A token that a provider accepted. */
export interface GoodToken {
  readonly provider: JwtProvider;
  readonly token: ParsedToken;
  readonly header: string | undefined;
}

/** The result for the tokens of a request. The failure is in Envoy's own words, which the client gets to see. */
export interface Verification {
  readonly failure: string | undefined;
  readonly good: readonly GoodToken[];
  /** The names of the providers that did not accept the request. */
  readonly rejectedBy: readonly string[];
}

/** A provider with its name in the filter. */
export interface NamedProvider {
  readonly name: string;
  readonly provider: JwtProvider;
}

export const missing = "Jwt is missing";
export const unknownIssuer = "Jwt issuer is not configured";
export const wrongAudience = "Audiences in Jwt are not allowed";

/**
 * Checks tokens by the first of the providers that is for their issuer. Envoy begins with the last token. All tokens have
 * to be good: a bad one beside a good one could deceive the application.
 */
export function verifyTokens(
  tokens: readonly FoundToken[],
  providers: readonly NamedProvider[],
  providerFor: (token: ParsedToken) => NamedProvider | undefined,
  { context, audiences }: { readonly context: GuardContext; readonly audiences?: readonly string[] | undefined },
): Verification {
  const rejected = (failure: string, by = providers) => ({ failure, good, rejectedBy: by.map(({ name }) => name) });
  const good: GoodToken[] = [];
  if (tokens.length === 0) return rejected(missing);
  for (const { text, issuers, header } of tokens.toReversed()) {
    const token = parseToken(text);
    if (token === undefined) return rejected(badFormat);
    const found = issuers.has(token.issuer) || issuers.has("") ? providerFor(token) : undefined;
    if (found === undefined) return rejected(unknownIssuer);
    const failure = failureOf(token, found.provider, context, audiences);
    if (failure !== undefined) return rejected(failure, [found]);
    good.push({ provider: found.provider, token, header });
  }
  return { failure: undefined, good, rejectedBy: [] };
}

/** The control plane has no usable key of the issuer, so the proxy gets none. */
const notFetched = "Jwks remote fetch is failed";
const badFormat = "Jwt is not in the form of Header.Payload.Signature with two dots and 3 sections";
const usualSkewSeconds = 60;

function failureOf(
  token: ParsedToken,
  provider: JwtProvider,
  context: GuardContext,
  audiences: readonly string[] = provider.audiences,
): string | undefined {
  const skew = provider.clockSkewSeconds || usualSkewSeconds;
  const { nowSeconds: now } = context;
  if (now !== undefined && token.notBefore !== undefined && now + skew < token.notBefore) return "Jwt not yet valid";
  if (now !== undefined && token.expires !== undefined && now > token.expires + skew) return "Jwt is expired";
  if (!isFor(token, audiences)) return wrongAudience;
  return signatureFailure(token, provider, context);
}

function isFor(token: ParsedToken, audiences: readonly string[]): boolean {
  const accepted = new Set(audiences.map(bareAudience));
  return accepted.size === 0 || token.audiences.some((audience) => accepted.has(bareAudience(audience)));
}

/** Envoy ignores the scheme of an audience, and a slash at its end. */
function bareAudience(audience: string): string {
  return audience.replace(/^https?:\/\//u, "").replace(/\/$/u, "");
}

/** Keys that the proxy fetches itself are unknown here: the signature counts as valid. */
function signatureFailure(
  { text }: ParsedToken,
  provider: JwtProvider,
  { verifies }: GuardContext,
): string | undefined {
  const { jwksSourceSpecifier: source } = provider;
  if (source.case === "remoteJwks" && source.value.httpUri?.httpUpstreamType.value === blackHoleCluster)
    return notFetched;
  if (source.case !== "localJwks" || source.value.specifier.case !== "inlineString") return undefined;
  switch (verifies?.(source.value.specifier.value, text) ?? "valid") {
    case "valid":
      return undefined;
    case "invalid":
      return "Jwt verification fails";
    case "no valid keys":
      return "Jwks doesn't have any valid public key";
    case "no key":
    default:
      return "Jwks doesn't have key to match kid or alg from Jwt";
  }
}
