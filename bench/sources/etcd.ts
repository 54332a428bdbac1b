import { Etcd } from "../../test/e2e/support/registry/etcd.ts";
import { type BenchedRegistry, entryCluster, instanceAddress, serviceEntry } from "./registry.ts";

const batch = 100;

/** Services as ServiceEntries in etcd. */
export async function etcdRegistry(): Promise<BenchedRegistry> {
  const etcd = await Etcd.start();
  return {
    source: etcd.url("mesh"),
    async fill(services) {
      for (let start = 0; start < services; start += batch) {
        const some = Array.from({ length: Math.min(batch, services - start) }, (_, index) => start + index);
        await etcd.client.kv.txn({ success: some.map((service) => put(service, instanceAddress(service))) });
      }
    },
    async flip(service, address) {
      await etcd.client.kv.txn({ success: [put(service, address)] });
    },
    clusterOf: entryCluster,
    [Symbol.asyncDispose]: () => etcd[Symbol.asyncDispose](),
  };
}

function put(service: number, address: string) {
  const key = `/mesh/networking.istio.io/serviceentries/bench/service-${service}`;
  return { request_put: { key: Buffer.from(key), value: Buffer.from(serviceEntry(service, address)) } };
}
