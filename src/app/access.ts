import { isLoopback } from "../admin/request-origin.ts";
import type { ViewerRules } from "../admin/viewer.ts";
import type { Collection } from "../collection/collection.ts";
import type { Config } from "../config/config.ts";
import { meshConfig } from "../config/kinds/mesh-config.ts";
import { type MeshMembers, meshMembers } from "../config/mesh/mesh-members.ts";
import { MeshError } from "../lib/errors.ts";
import type { Peer } from "../lib/grpc/grpc-stream.ts";
import { parseSpiffeId } from "../lib/spiffe-id.ts";
import { type Authenticate, type Authenticator, authenticateBy } from "../transport/credentials/authenticator.ts";
import { certificateAuthenticator } from "../transport/credentials/client-certificate.ts";
import { fetchIssuerKeys, fetchJson } from "../transport/credentials/fetch-keys.ts";
import { fileKeys } from "../transport/credentials/file-keys.ts";
import type { KeySet } from "../transport/credentials/key-set.ts";
import { RemoteKeys } from "../transport/credentials/remote-keys.ts";
import { tokenAuthenticator } from "../transport/credentials/token-authenticator.ts";
import { tokenReviewAuthenticator } from "../transport/credentials/token-review-authenticator.ts";
import { rememberedReviews } from "../transport/credentials/token-review-cache.ts";
import { limitedReviews } from "../transport/credentials/token-review-limit.ts";
import { parseAddress } from "../transport/listen-address.ts";
import { clusterOf } from "./kube/elected.ts";
import { reviewBy } from "./kube/token-review.ts";
import type { ProcessContext } from "./parts/process-part.ts";
import { type Component, component, withFlagNamed } from "./process/lifecycle.ts";
import { watchedFiles } from "./process/watched-files.ts";

/** How a process authenticates its clients. */
export interface Access {
  readonly authenticate: Authenticate;
  /** For pages. */
  readonly viewers: ViewerRules;
  /** The same for gRPC: whether a client is an operator. An unauthenticated client is one if it is on this machine. */
  readonly isOperator: (peer: Peer) => boolean;
  readonly members: () => MeshMembers;
  /** Authenticates callers of the certificate authority: by another authenticator first, then by tokens. */
  readonly authenticateCallers: (first: Authenticator, trustDomains: () => readonly string[]) => Authenticate;
  /** Components that authentication needs at run time. */
  readonly components: readonly Component[];
}

type AccessContext = Pick<ProcessContext, "options" | "clock" | "logs">;

/**
 * Tries client certificates first, then bearer tokens of the issuer, then TokenReview of the API server, as configured.
 * Reads mesh membership from the configuration on each call. Throws `bad-option`, and `source-unavailable` if
 * TokenReview has no cluster.
 */
export function accessOf(context: AccessContext, outputs: ReadonlyMap<string, Collection<Config>>): Access {
  const { options } = context;
  const members = () => meshMembers(outputs.get(meshConfig.collection)?.values() ?? []);
  const trustDomains = () => members().trustDomains;
  const { jwtAudiences: audiences } = options;
  const keys = keysFrom(context);
  const reviews = options.tokenReview ? [tokenReviews(context)] : [];
  const authenticateCallers: Access["authenticateCallers"] = (first, domains) =>
    authenticateBy([
      first,
      ...keys.map(({ issuer, keySet: { keyFor } }) =>
        tokenAuthenticator({ issuer, audiences, keyFor, trustDomains: domains }),
      ),
      ...reviews.map(({ review }) => tokenReviewAuthenticator({ audiences, review, trustDomains: domains })),
    ]);
  const authenticate = authenticateCallers(certificateAuthenticator(trustDomains), trustDomains);
  const systemNamespaces = () => [members().rootNamespace, ...options.debugNamespaces];
  return {
    authenticate,
    authenticateCallers,
    members,
    viewers: { authenticate, systemNamespaces },
    isOperator: (peer) => isOperator(peer, systemNamespaces()),
    components: [...keys.map(({ keySet }) => running(keySet)), ...reviews.map((each) => each.component)],
  };
}

function isOperator({ address, identities, forwarded = false }: Peer, systemNamespaces: readonly string[]): boolean {
  if (identities === undefined) return !forwarded && isOnThisMachine(address);
  return identities.some((identity) => systemNamespaces.includes(parseSpiffeId(identity)?.namespace ?? ""));
}

function isOnThisMachine(address: string): boolean {
  const parsed = parseAddress(address);
  return parsed?.type === "tcp" && isLoopback(parsed.host);
}

interface IssuerKeys {
  readonly issuer: string;
  readonly keySet: KeySet;
}

/** The keys of the issuer; empty without an issuer. */
function keysFrom({ options, clock, logs }: AccessContext): readonly IssuerKeys[] {
  const { jwtIssuer: issuer, jwtJwks: place } = options;
  if (issuer === undefined) {
    if (place === undefined) return [];
    throw new MeshError("bad-option", "--jwt-jwks needs --jwt-issuer");
  }
  const logger = logs.logger("server");
  const onError = (error: unknown) => logger.error({ err: error, issuer }, "jwt keys not replaced");
  const isAddress = place !== undefined && URL.parse(place)?.protocol.startsWith("http") === true;
  if (place !== undefined && !isAddress) {
    return [{ issuer, keySet: fileKeys(place, { ...watchedFiles(clock), onError }) }];
  }
  const fetch = () => (place === undefined ? fetchIssuerKeys(issuer) : fetchJson(place));
  return [{ issuer, keySet: new RemoteKeys({ fetch, clock, onError }) }];
}

function tokenReviews(context: AccessContext) {
  const { clock } = context;
  const { client } = clusterOf(context, { flag: "token-review" });
  const review = rememberedReviews({ review: limitedReviews(reviewBy(client)), clock, now: Date.now });
  return { review, component: component("token-review", { start: () => {}, stop: () => client[Symbol.dispose]() }) };
}

function running(keySet: KeySet): Component {
  return withFlagNamed(component("jwt-jwks", { start: () => keySet.start(), stop: () => keySet.stop() }));
}
