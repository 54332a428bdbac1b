import { MeshError } from "../../lib/errors.ts";
import { etcdPlace } from "../sources/etcd.ts";
import { parseSourceUrl } from "../sources/source-url.ts";
import { openEtcdStore } from "./etcd-store.ts";
import { openKubeStore } from "./kube-store.ts";
import type { ObjectStore } from "./object-store.ts";

/** What `--store` understands. */
export const storeForms = "etcd://HOST:PORT/PREFIX, etcds://HOST:PORT/PREFIX, kube: or kube:CONTEXT";

/** The store at a URL, written as for `--source`. Throws `bad-option`, `source-unavailable`, `unavailable`. */
export async function openStore(text: string, kubeconfig: string | undefined): Promise<ObjectStore> {
  const url = parseSourceUrl(text);
  if (url.scheme === "kube") return openKubeStore({ kubeconfig, context: url.rest === "" ? undefined : url.rest });
  if (url.scheme === "etcd" || url.scheme === "etcds") return await openEtcdStore(etcdPlace(url));
  throw new MeshError("bad-option", `--store ${text}: expected ${storeForms}`);
}
