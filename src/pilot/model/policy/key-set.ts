/**
 * Where the keys of an issuer are fetched from: a URI, or the URI that the issuer's OIDC configuration names. Its
 * canonical key is the key of the fetched set.
 */
export type KeySetPlace =
  | { readonly type: "uri"; readonly uri: string }
  | { readonly type: "discovery"; readonly issuer: string };

/** A fetched key set, as the graph has it. */
export interface FetchedKeySet {
  /** JSON with the public parts of the usable keys. */
  readonly text: string;
}
