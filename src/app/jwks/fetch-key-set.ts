import { MeshError } from "../../lib/errors.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import type { KeySetPlace } from "../../pilot/model/policy/key-set.ts";
import { type CheckedKeySet, checkKeySet } from "./check-key-set.ts";
import { type FetchSettings, fetchDocument } from "./fetch-document.ts";
import { shownUri } from "./shown-uri.ts";

/** Fetches and checks the keys of an issuer. Throws a MeshError that says why there are none. */
export async function fetchKeySet(
  place: KeySetPlace,
  withinMs: number,
  settings: FetchSettings,
): Promise<CheckedKeySet> {
  const uri = place.type === "uri" ? place.uri : await discover(place.issuer, withinMs, settings);
  const document = await fetchDocument(uri, withinMs, settings);
  return checkKeySet(document, `the answer of ${shownUri(uri)}`, settings.limits.keys);
}

/** The URI of the keys in the issuer's OIDC configuration. Fetching it obeys the same rules as a URI that a user writes. */
async function discover(issuer: string, withinMs: number, settings: FetchSettings): Promise<string> {
  const base = withoutSlash(issuer);
  if (!URL.canParse(base)) {
    throw new MeshError("bad-config", "the issuer is not a URL, so its keys cannot be discovered: set jwks or jwksUri");
  }
  const url = `${base}/.well-known/openid-configuration`;
  const found = await fetchDocument(url, withinMs, settings);
  const { issuer: named, jwks_uri: uri } = isMapping(found) ? found : {};
  if (typeof named !== "string" || withoutSlash(named) !== base) {
    throw new MeshError("peer-protocol", `${shownUri(url)} speaks for another issuer`);
  }
  if (typeof uri !== "string") throw new MeshError("peer-protocol", `${shownUri(url)} does not say where the keys are`);
  return uri;
}

function withoutSlash(text: string): string {
  return text.replace(/\/$/u, "");
}
