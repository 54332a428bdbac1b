import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeRoots, encodeRoots, type Roots } from "../../../../src/ca/roots.ts";
import { beginRotation } from "../../../../src/ca/rotation.ts";
import { selfSignedAuthority } from "../../../../src/ca/self-signed.ts";
import { TestAuthority } from "../tls/certificates.ts";
import { TokenIssuer } from "../tls/token-issuer.ts";
import type { Identities } from "./shop-world.ts";
import { controlPlaneHost, trustHost } from "./sidecar-pair.ts";

/** Plaintext xDS, and certificates in files. No certificate authority is asked. */
export async function identitiesInFiles(stack: AsyncDisposableStack): Promise<Identities> {
  const authority = stack.use(await TestAuthority.create());
  return {
    flags: [],
    agentOf: async (pod, control) => ({
      discoveryAddress: control.plaintextAddress,
      certificates: await authority.issue("shop", pod.name),
      proxyConfig: { controlPlaneAuthPolicy: "NONE" },
    }),
  };
}

/** Identities with the state that the authority keeps. */
export interface OwnIdentities extends Identities {
  readonly roots: () => Roots;
  /** A token of a pod's service account that ends so many seconds from now. */
  readonly token: (account: string, expires?: number) => Promise<string>;
  /** Begins a root rotation in the state, as another replica of the server would. */
  readonly rotate: () => Promise<void>;
}

/**
 * Certificates of our own authority, for tokens of service accounts. xDS is over TLS, with the same tokens. Its state is
 * removed with the stack, so a caller adds the pods of the server after it.
 */
export async function identitiesOfAuthority(stack: AsyncDisposableStack): Promise<OwnIdentities> {
  const issuer = stack.use(await TokenIssuer.create());
  const state = mkdtempSync(join(tmpdir(), "binnacle-ca-"));
  stack.defer(() => rmSync(state, { recursive: true, force: true }));
  const roots = () => rootsIn(state);
  const token = async (account: string, expires = 600) => await issuer.token({ namespace: "shop", account, expires });
  return {
    roots,
    token,
    rotate: async () => await beginIn(state),
    flags: ["--xds-tls", "0.0.0.0:15012", "--ca", "self-signed", "--ca-state", state, ...issuer.flags],
    agentOf: async (pod, control) => {
      trustHost(pod, control.address);
      return {
        discoveryAddress: `${controlPlaneHost}:15012`,
        token: await token(pod.name),
        controlPlaneRoot: roots().trusted.join("\n"),
      };
    },
  };
}

/** The number of the newest file of the authority's state. */
function newestIn(state: string): number {
  return Math.max(...readdirSync(state).map((name) => Number(/^ca-roots\.(\d+)\.json$/u.exec(name)?.[1] ?? 0)));
}

function rootsIn(state: string): Roots {
  const roots = decodeRoots(readFileSync(join(state, `ca-roots.${newestIn(state)}.json`), "utf8"));
  if (roots === undefined) throw new Error(`there are no roots in ${state}`);
  return roots;
}

async function beginIn(state: string): Promise<void> {
  const now = Date.now();
  const next = await selfSignedAuthority({
    organization: "cluster.local",
    now,
    random: randomBytes(16),
    ttlMs: 86_400_000,
  });
  const begun = beginRotation(rootsIn(state), next, now);
  if (begun === undefined) throw new Error("another rotation is under way");
  const file = join(state, `ca-roots.${newestIn(state) + 1}.json`);
  writeFileSync(`${file}.new`, encodeRoots(begun).reveal(), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
