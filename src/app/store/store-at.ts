import { MeshError } from "../../lib/errors.ts";
import { etcdPlace } from "../sources/etcd.ts";
import { parseSourceUrl } from "../sources/source-url.ts";
import { openEtcdStore } from "./etcd-store.ts";
import { openKubeStore } from "./kube-store.ts";
import type { ObjectStore } from "./object-store.ts";

/** What `--store` understands. */
export const storeForms = "etcd://HOST:PORT/PREFIX, etcds://HOST:PORT/PREFIX, kube: or kube:CONTEXT";

/**
 * How the store at a URL is opened; the URL is written as for `--source`. Throws `bad-option`. What it gives throws
 * `source-unavailable` for a kubeconfig that cannot be used, and `unavailable`.
 */
export function storeAt(text: string, kubeconfig: string | undefined): () => Promise<ObjectStore> {
  const url = read(() => parseSourceUrl(text));
  if (url.scheme === "etcd" || url.scheme === "etcds") {
    const place = read(() => etcdPlace(url));
    return () => openEtcdStore(place);
  }
  if (url.scheme !== "kube") throw new MeshError("bad-option", `--store ${text}: expected ${storeForms}`);
  return async () => openKubeStore({ kubeconfig, context: url.rest || undefined });
}

/** What is wrong with a URL is said of the flag that it was given with. */
function read<T>(reading: () => T): T {
  try {
    return reading();
  } catch (thrown) {
    const { code, message } = MeshError.from(thrown);
    throw new MeshError(code, message.replace(/^--source /u, "--store "), { cause: thrown });
  }
}
