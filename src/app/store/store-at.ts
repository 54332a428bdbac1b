import { MeshError } from "../../lib/errors.ts";
import { etcdPlace } from "../sources/etcd.ts";
import { parseSourceUrl } from "../sources/source-url.ts";
import { openEtcdStore } from "./etcd-store.ts";
import { openKubeStore } from "./kube-store.ts";
import type { ObjectStore } from "./object-store.ts";

/** The URLs that `--store` accepts. */
export const storeForms = "etcd://HOST:PORT/PREFIX, etcds://HOST:PORT/PREFIX, kube: or kube:CONTEXT";

/**
 * Returns a function that opens the store at a URL, which is written as for `--source`. Throws `bad-option`. The
 * returned function throws `source-unavailable` for an unusable kubeconfig, and `unavailable`.
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

/** Makes an error in a URL name the flag `--store`. */
function read<T>(reading: () => T): T {
  try {
    return reading();
  } catch (thrown) {
    const { code, message } = MeshError.from(thrown);
    throw new MeshError(code, message.replace(/^--source /u, "--store "), { cause: thrown });
  }
}
