import type { Etcd } from "../../test/e2e/support/registry/etcd.ts";
import type { W1Object } from "../w1.ts";

const plurals: Readonly<Record<string, string>> = {
  ServiceEntry: "serviceentries",
  VirtualService: "virtualservices",
  DestinationRule: "destinationrules",
};
const batch = 100;

/** Writes the objects into etcd, under the mesh `mesh`. */
export async function fillStore(etcd: Etcd, objects: readonly W1Object[]): Promise<void> {
  for (let start = 0; start < objects.length; start += batch) {
    await etcd.client.kv.txn({ success: objects.slice(start, start + batch).map(put) });
  }
}

export async function putObject(etcd: Etcd, object: W1Object): Promise<void> {
  await etcd.client.kv.txn({ success: [put(object)] });
}

function put(object: W1Object) {
  const { kind, metadata } = object;
  const key = `/mesh/networking.istio.io/${plurals[kind]}/${metadata.namespace}/${metadata.name}`;
  return { request_put: { key: Buffer.from(key), value: Buffer.from(JSON.stringify(object)) } };
}
