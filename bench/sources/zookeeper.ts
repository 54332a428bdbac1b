import { ZooKeeperEnsemble } from "../../test/e2e/support/registry/zookeeper.ts";
import { providerPath, ZooKeeperWriter } from "../../test/e2e/support/registry/zookeeper-writer.ts";
import { type BenchedRegistry, forEach, instanceAddress } from "./registry.ts";

/** Services as Dubbo providers in ZooKeeper. A moving provider registers its new address first. */
export async function zooKeeperRegistry(): Promise<BenchedRegistry> {
  const ensemble = await ZooKeeperEnsemble.start();
  const writer = await ZooKeeperWriter.connect(ensemble.addresses, 60_000);
  const at = new Map<number, string>();
  const flip = async (service: number, address: string) => {
    const before = at.get(service);
    at.set(service, address);
    await writer.register(pathOf(service, address));
    if (before !== undefined) await writer.remove(pathOf(service, before));
  };
  return {
    source: `zookeeper://${ensemble.addresses.join()}/dubbo`,
    fill: (services) => forEach(services, 50, (service) => flip(service, instanceAddress(service))),
    flip,
    clusterOf: (service) => `outbound|20880||com.acme.service${service}`,
    async [Symbol.asyncDispose]() {
      writer[Symbol.dispose]();
      await ensemble[Symbol.asyncDispose]();
    },
  };
}

function pathOf(service: number, address: string): string {
  return `/dubbo${providerPath(`com.acme.Service${service}`, `${address}:20880`)}`;
}
