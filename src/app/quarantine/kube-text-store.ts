import type { KubeClient, KubeRequest } from "../../kube/kube-client.ts";
import { openWatch } from "../../kube/watch.ts";
import { MeshError, networkReason } from "../../lib/errors.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import { repeatedWatch } from "../ca/repeated-watch.ts";
import { ask, fieldManager, isRefusal, mergePatch, unlessMissing } from "../kube/kube-calls.ts";
import type { StoredText, TextStore } from "./text-store.ts";

export interface KubeTextStoreOptions {
  readonly client: KubeClient;
  readonly clock: SupervisedClock;
  readonly namespace: string;
  /** The name of the ConfigMap. */
  readonly name: string;
}

/** A ConfigMap as the API server returns it. The API server has validated it. */
interface KubeConfigMap {
  readonly metadata: { readonly resourceVersion: string };
  readonly data?: Readonly<Record<string, string>>;
}

const key = "refusals.json";
/** Longer than the API server lets pass between two bookmarks. */
const silenceMs = 150_000;

/** A text in a ConfigMap. Its revision is the resource version, so the API server refuses a stale write. */
export function kubeTextStore({ client, clock, namespace, name }: KubeTextStoreOptions): TextStore {
  const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
  const path = `${configMaps}/${name}`;
  const query = { fieldManager };

  /** Refusals that a caller handles keep their class. All others name the ConfigMap. */
  async function call(request: KubeRequest): Promise<unknown> {
    try {
      return await ask(client, request);
    } catch (thrown) {
      if (isRefusal(thrown, 404) || isRefusal(thrown, 409)) throw thrown;
      throw new MeshError("unavailable", `ConfigMap ${namespace}/${name}: ${networkReason(thrown)}`, { cause: thrown });
    }
  }

  async function read(): Promise<StoredText | undefined> {
    const found = (await unlessMissing(call({ path }))) as KubeConfigMap | undefined;
    return found && storedIn(found);
  }

  async function write(previous: string | undefined, text: string): Promise<unknown> {
    const data = { [key]: text };
    if (previous === undefined) {
      const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data };
      return await call({ method: "POST", path: configMaps, query, body });
    }
    const body = { metadata: { resourceVersion: previous }, data };
    return await call({ method: "PATCH", path, query, body, contentType: mergePatch });
  }

  async function replace(previous: string | undefined, next: string): Promise<StoredText> {
    try {
      return storedIn((await write(previous, next)) as KubeConfigMap);
    } catch (thrown) {
      // Another replica wrote, created or deleted the ConfigMap.
      if (!isRefusal(thrown, 409) && !(isRefusal(thrown, 404) && previous !== undefined)) throw thrown;
      const stored = await read();
      return stored ?? (await replace(undefined, next));
    }
  }

  async function watchOnce(changed: () => void, signal: AbortSignal): Promise<void> {
    const filter = { fieldSelector: `metadata.name=${name}` };
    const watching = { path: configMaps, query: filter, signal, clock, silenceMs: () => silenceMs };
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

function storedIn({ metadata, data = {} }: KubeConfigMap): StoredText {
  return { text: data[key] ?? "", revision: metadata.resourceVersion };
}
