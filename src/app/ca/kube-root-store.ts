import type { RootStore, StoredRoots } from "../../ca/root-store.ts";
import type { Roots } from "../../ca/roots.ts";
import type { KubeClient, KubeRequest } from "../../kube/kube-client.ts";
import { openWatch } from "../../kube/watch.ts";
import { MeshError, networkReason } from "../../lib/errors.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import { ask, fieldManager, isRefusal, mergePatch, unlessMissing } from "../kube/kube-calls.ts";
import { repeatedWatch } from "./repeated-watch.ts";
import { rootsInSecret, secretOfRoots, type SecretTexts } from "./root-secret.ts";

export interface KubeRootStoreOptions {
  readonly client: KubeClient;
  readonly clock: SupervisedClock;
  readonly namespace: string;
  /** The name of the Secret. */
  readonly name: string;
}

/** A Secret as the API server returns it. The API server has validated it. */
interface KubeSecret {
  readonly metadata: { readonly resourceVersion: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** The type that istiod gives its Secret. */
const secretType = "istio.io/ca-root";

/** Longer than the API server lets pass between two bookmarks. */
const silenceMs = 150_000;

/** Roots in a Secret of Kubernetes. Their revision is its resource version, so the API server refuses a stale write. */
export function kubeRootStore({ client, clock, namespace, name }: KubeRootStoreOptions): RootStore {
  const secrets = `/api/v1/namespaces/${namespace}/secrets`;
  const path = `${secrets}/${name}`;
  const query = { fieldManager };

  /** Refusals that a caller handles keep their class. All others name the Secret. */
  async function call(request: KubeRequest): Promise<unknown> {
    try {
      return await ask(client, request);
    } catch (thrown) {
      if (isRefusal(thrown, 404) || isRefusal(thrown, 409)) throw thrown;
      throw new MeshError("unavailable", `Secret ${namespace}/${name}: ${networkReason(thrown)}`, { cause: thrown });
    }
  }

  async function readSecret(): Promise<KubeSecret | undefined> {
    return (await unlessMissing(call({ path }))) as KubeSecret | undefined;
  }

  async function read(): Promise<StoredRoots | undefined> {
    const secret = await readSecret();
    return secret && storedIn(secret);
  }

  async function write(previous: string | undefined, data: Readonly<Record<string, string>>): Promise<unknown> {
    const existing = previous === undefined ? await readSecret() : { metadata: { resourceVersion: previous } };
    if (existing === undefined) {
      const metadata = { name, namespace };
      const body = { apiVersion: "v1", kind: "Secret", metadata, type: secretType, data };
      return await call({ method: "POST", path: secrets, query, body });
    }
    // An empty Secret of an installer holds no roots.
    if ("data" in existing && storedIn(existing) !== undefined) return existing;
    const body = { metadata: { resourceVersion: existing.metadata.resourceVersion }, data };
    return await call({ method: "PATCH", path, query, body, contentType: mergePatch });
  }

  async function replace(previous: string | undefined, next: Roots): Promise<StoredRoots> {
    try {
      return present(storedIn((await write(previous, encoded(secretOfRoots(next)))) as KubeSecret));
    } catch (thrown) {
      // Another replica wrote or created the Secret. A 404 on creation means that the namespace is missing.
      if (!isRefusal(thrown, 409)) throw thrown;
      return present(await read());
    }
  }

  function present(stored: StoredRoots | undefined): StoredRoots {
    if (stored === undefined) throw new MeshError("unavailable", `Secret ${namespace}/${name} was deleted meanwhile`);
    return stored;
  }

  async function watchOnce(changed: () => void, signal: AbortSignal): Promise<void> {
    const filter = { fieldSelector: `metadata.name=${name}` };
    const watching = { path: secrets, query: filter, signal, clock, silenceMs: () => silenceMs };
    for await (const _ of await openWatch(client, watching)) changed();
  }

  return {
    read,
    replace,
    watch: (onChange, onError) =>
      repeatedWatch({
        clock,
        watch: watchOnce,
        changed: async () => {
          const stored = await read();
          if (stored !== undefined) onChange(stored);
        },
        onError,
      }),
  };
}

function storedIn({ metadata, data = {} }: KubeSecret): StoredRoots | undefined {
  const texts = Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString()] as const);
  const roots = rootsInSecret(new Map(texts));
  return roots && { roots, revision: metadata.resourceVersion };
}

function encoded(texts: SecretTexts): Readonly<Record<string, string>> {
  const entries = Array.from(texts, ([key, text]) => [key, Buffer.from(text).toString("base64")] as const);
  return Object.fromEntries(entries);
}
