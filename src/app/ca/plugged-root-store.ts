import { createHash, type X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RootStore, StoredRoots } from "../../ca/root-store.ts";
import type { Authority, Roots } from "../../ca/roots.ts";
import { codeOf, errorFrom, MeshError } from "../../lib/errors.ts";
import { Sealed } from "../../lib/sealed.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import { Debouncer } from "../../lib/time/debouncer.ts";
import { certificatesIn } from "../../transport/tls/key-pair.ts";
import type { PathWatch } from "../../transport/tls/reloaded-files.ts";

/** The files belong together, and change one after the other. */
const settleMs = 200;
const maxSettleMs = 2_000;

const names = {
  certificate: "ca-cert.pem",
  key: "ca-key.pem",
  chain: "cert-chain.pem",
  roots: "root-cert.pem",
} as const;

export interface PluggedRootStoreOptions {
  readonly directory: string;
  readonly clock: SupervisedClock;
  readonly openWatch: (changed: () => void) => PathWatch;
  /** Throws if the parts of the authority do not fit together. */
  readonly check: (authority: Authority) => unknown;
  /** Files that cannot be used. The last good ones stay in use. */
  readonly onRefused: (error: unknown) => void;
}

/** An authority of the operator, in Istio's `cacerts` layout. Nothing is written. */
export function pluggedRootStore(options: PluggedRootStoreOptions): RootStore {
  const { directory, clock, openWatch, check, onRefused } = options;
  const paths = Object.values(names).map((name) => join(directory, name));
  let good: StoredRoots | undefined;
  let refused = "";

  async function read(): Promise<StoredRoots> {
    try {
      const texts: string[] = [];
      for (const path of paths) texts.push(await textOf(path));
      const revision = createHash("sha256").update(JSON.stringify(texts)).digest("hex");
      if (good?.revision !== revision) good = { content: checked(texts), revision };
      refused = "";
      return good;
    } catch (thrown) {
      if (good === undefined) throw thrown;
      const { message } = errorFrom(thrown);
      if (message !== refused) onRefused(thrown);
      refused = message;
      return good;
    }
  }

  function checked([certificate = "", key = "", chain = "", root = ""]: readonly string[]): Roots {
    try {
      const authority = authorityIn(paths, { certificate, key, chain, root });
      check(authority.signing);
      return { phase: "steady", phaseSince: 0, ...authority };
    } catch (thrown) {
      throw new MeshError("bad-option", `${directory}: ${errorFrom(thrown).message}`, { cause: thrown });
    }
  }

  return {
    read,
    replace: () => Promise.reject(new MeshError("bad-option", `an operator provides the authority in ${directory}`)),
    watch(onChange, onError) {
      const reload = async () => {
        for (const path of paths) await watch.follow(path);
        watch.sweep();
        onChange();
      };
      const times = { quietMs: settleMs, maxWaitMs: maxSettleMs };
      const reloads = new Debouncer({ clock, ...times, run: reload, onError });
      const watch = openWatch(() => reloads.trigger());
      reloads.trigger();
      return {
        stop() {
          reloads.cancel();
          watch.close();
        },
      };
    },
  };
}

/** Only the chain may be missing: an authority right below its root has none. */
async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT" && path.endsWith(names.chain)) return "";
    throw new MeshError("bad-option", `${path} cannot be read: ${errorFrom(thrown).message}`, { cause: thrown });
  }
}

interface Texts {
  readonly certificate: string;
  readonly key: string;
  readonly chain: string;
  readonly root: string;
}

/** Istio's chain begins with the signing certificate, and may end with the root. */
function authorityIn(paths: readonly string[], { certificate, key, chain, root }: Texts) {
  const [certificatePath = "", , chainPath = "", rootPath = ""] = paths;
  const [signing] = certificatesIn(certificatePath, certificate);
  const roots = certificatesIn(rootPath, root);
  const above = chain.trim() === "" ? [] : certificatesIn(chainPath, chain);
  const isElsewhere = ({ raw }: X509Certificate) => [signing, ...roots].some((each) => each?.raw.equals(raw));
  const between = above.filter((each) => !isElsewhere(each));
  const top = between.at(-1) ?? signing;
  const anchor = roots.find((each) => top !== undefined && isSignedBy(top, each)) ?? roots[0];
  const authority: Authority = {
    certificate: String(signing),
    key: new Sealed(key),
    chain: between.map(String),
    root: String(anchor),
  };
  return { signing: authority, trusted: roots.map(String) };
}

function isSignedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}
