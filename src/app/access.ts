import { isLoopback } from "../admin/stranger.ts";
import type { ViewerRules } from "../admin/viewer.ts";
import type { Collection } from "../collection/collection.ts";
import type { Config } from "../config/config.ts";
import { meshConfig } from "../config/kinds/mesh-config.ts";
import { meshMembers } from "../config/mesh/mesh-members.ts";
import { MeshError } from "../lib/errors.ts";
import type { Peer } from "../lib/grpc/grpc-stream.ts";
import { parseSpiffeId } from "../lib/spiffe-id.ts";
import { parseAddress } from "../transport/address.ts";
import { type Authenticate, authenticateBy } from "../transport/credentials/authenticator.ts";
import { certificateAuthenticator } from "../transport/credentials/client-certificate.ts";
import { fetchIssuerKeys, fetchJson } from "../transport/credentials/fetch-keys.ts";
import { fileKeys } from "../transport/credentials/file-keys.ts";
import type { KeySet } from "../transport/credentials/key-set.ts";
import { RemoteKeys } from "../transport/credentials/remote-keys.ts";
import { tokenAuthenticator } from "../transport/credentials/token-authenticator.ts";
import { tokenReviewAuthenticator } from "../transport/credentials/token-review.ts";
import { rememberedReviews } from "../transport/credentials/token-review-cache.ts";
import { limitedReviews } from "../transport/credentials/token-review-limit.ts";
import { clusterOf } from "./kube/elected.ts";
import { reviewBy } from "./kube/token-review.ts";
import type { Ground } from "./parts/part.ts";
import { type Component, component, withFlagNamed } from "./process/lifecycle.ts";
import { watchedFiles } from "./process/watched-files.ts";

/** How a process knows those who ask it. */
export interface Access {
  readonly authenticate: Authenticate;
  /** For pages. */
  readonly viewers: ViewerRules;
  /** The same for gRPC: whether a client runs the mesh. Who had to prove nothing does when it is on this machine. */
  readonly isOperator: (peer: Peer) => boolean;
  /** What has to run for that. */
  readonly components: readonly Component[];
}

type AccessGround = Pick<Ground, "options" | "clock" | "logs">;

/**
 * In turn: client certificates, then bearer tokens, those of the issuer if there is one, and what the API server knows if
 * it is asked. Who is of the mesh is asked of its configuration each time. Throws `bad-option`, and
 * `source-unavailable` without a cluster to ask.
 */
export function accessOf(ground: AccessGround, outputs: ReadonlyMap<string, Collection<Config>>): Access {
  const { options } = ground;
  const members = () => meshMembers(outputs.get(meshConfig.collection)?.values() ?? []);
  const trustDomains = () => members().trustDomains;
  const { jwtAudiences: audiences } = options;
  const keys = keysFrom(ground);
  const reviews = options.tokenReview ? [tokenReviews(ground)] : [];
  const authenticate = authenticateBy([
    certificateAuthenticator(trustDomains),
    ...keys.map(({ issuer, keySet: { keyFor } }) => tokenAuthenticator({ issuer, audiences, keyFor, trustDomains })),
    ...reviews.map(({ review }) => tokenReviewAuthenticator({ audiences, review, trustDomains })),
  ]);
  const systemNamespaces = () => [members().rootNamespace, ...options.debugNamespaces];
  return {
    authenticate,
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

/** One, or none. */
function keysFrom({ options, clock, logs }: AccessGround): readonly IssuerKeys[] {
  const { jwtIssuer: issuer, jwtJwks: place } = options;
  if (issuer === undefined) {
    if (place === undefined) return [];
    throw new MeshError("bad-option", "--jwt-jwks needs --jwt-issuer, whose keys they are");
  }
  const logger = logs.logger("server");
  const onError = (error: unknown) => logger.error({ err: error, issuer }, "keys of tokens not replaced");
  const isAddress = place !== undefined && URL.parse(place)?.protocol.startsWith("http") === true;
  if (place !== undefined && !isAddress) {
    return [{ issuer, keySet: fileKeys(place, { ...watchedFiles(clock), onError }) }];
  }
  const fetch = () => (place === undefined ? fetchIssuerKeys(issuer) : fetchJson(place));
  return [{ issuer, keySet: new RemoteKeys({ fetch, clock, onError }) }];
}

function tokenReviews(ground: AccessGround) {
  const { clock } = ground;
  const { client } = clusterOf(ground, { flag: "token-review" });
  const review = rememberedReviews({ review: limitedReviews(reviewBy(client)), clock, now: Date.now });
  return { review, component: component("token-review", { start: () => {}, stop: () => client[Symbol.dispose]() }) };
}

function running(keySet: KeySet): Component {
  return withFlagNamed(component("jwt-jwks", { start: () => keySet.start(), stop: () => keySet.stop() }));
}
