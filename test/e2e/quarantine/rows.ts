import type { MakeRow } from "./row.ts";
import { cluster, listener, olderEnvoy } from "./rows-of-others.ts";
import { authentication, authorization, newAuthorization } from "./rows-of-policies.ts";
import { envoyFilter, routeFilter, threeAtOnce, virtualService, virtualServiceFromTheStart } from "./rows-of-routes.ts";
import { secret } from "./rows-of-secrets.ts";

/** All kinds of poison. */
export const rows = {
  "a VirtualService": virtualService,
  "a VirtualService, from the start,": virtualServiceFromTheStart,
  "an EnvoyFilter with a broken script": envoyFilter,
  "an EnvoyFilter for all routes": routeFilter,
  "a field that an older Envoy lacks": olderEnvoy,
  "three objects at once": threeAtOnce,
  "a DestinationRule": cluster,
  "a Gateway": listener,
  "a Secret": secret,
  "an AuthorizationPolicy": authorization,
  "a new AuthorizationPolicy": newAuthorization,
  "a RequestAuthentication": authentication,
} satisfies Readonly<Record<string, MakeRow>>;

export type RowName = keyof typeof rows;
