import type { JwtProvider } from "#gen/envoy/extensions/filters/http/jwt_authn/v3/config_pb.js";
import { compareTexts } from "../../../lib/compare.ts";
import { headerOf, queryOf, type SimulatedRequest } from "../../simulated-request.ts";

/** A token as it was found, for the issuers that look at this place. */
export interface FoundToken {
  readonly text: string;
  /** An empty issuer stands for any. */
  readonly issuers: ReadonlySet<string>;
  /** The header that carries it. Undefined for other places. */
  readonly header: string | undefined;
}

/** A place in a request where tokens may be. */
interface Place {
  readonly key: string;
  readonly header: string | undefined;
  readonly find: (request: SimulatedRequest) => string | undefined;
}

/** All tokens at the places that providers name, in the order in which Envoy finds them. */
export function tokensIn(request: SimulatedRequest, providers: readonly JwtProvider[]): readonly FoundToken[] {
  const places = new Map<string, { readonly place: Place; readonly issuers: Set<string> }>();
  for (const provider of providers) {
    for (const place of placesOf(provider)) {
      const known = places.get(place.key) ?? { place, issuers: new Set() };
      known.issuers.add(provider.issuer);
      places.set(place.key, known);
    }
  }
  const inOrder = Array.from(places.values()).toSorted((a, b) => compareTexts(a.place.key, b.place.key));
  return inOrder.flatMap(({ place, issuers }) => {
    const text = place.find(request);
    return text === undefined ? [] : [{ text, issuers, header: place.header }];
  });
}

/** Without a place of its own, a provider looks at `Authorization: Bearer …` and at the parameter `access_token`. */
function placesOf({ fromHeaders, fromParams, fromCookies }: JwtProvider): readonly Place[] {
  if (fromHeaders.length + fromParams.length + fromCookies.length === 0) {
    return [inHeader("authorization", "Bearer "), inParameter("access_token")];
  }
  return [
    ...fromHeaders.map(({ name, valuePrefix }) => inHeader(name.toLowerCase(), valuePrefix)),
    ...fromParams.map(inParameter),
    ...fromCookies.map(inCookie),
  ];
}

/** The keys sort headers before parameters, and those before cookies. */
function inHeader(header: string, prefix: string): Place {
  return { key: `1 ${header}${prefix}`, header, find: (request) => afterPrefix(headerOf(request, header), prefix) };
}

function inParameter(name: string): Place {
  return { key: `2 ${name}`, header: undefined, find: (request) => queryOf(request).get(name) ?? undefined };
}

function inCookie(name: string): Place {
  return {
    key: `3 ${name}`,
    header: undefined,
    find: (request) =>
      (headerOf(request, "cookie") ?? "")
        .split(";")
        .map((each) => each.trim())
        .find((each) => each.startsWith(`${name}=`))
        ?.slice(name.length + 1),
  };
}

/** The prefix may be anywhere. The rest begins with the first character that a token can have. */
function afterPrefix(value: string | undefined, prefix: string): string | undefined {
  if (value === undefined || prefix === "") return value;
  const start = value.indexOf(prefix);
  if (start === -1) return undefined;
  const rest = value.slice(start + prefix.length);
  const first = rest.search(/[\w.-]/u);
  return first === -1 ? value : rest.slice(first);
}
