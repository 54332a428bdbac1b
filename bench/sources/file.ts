import { MeshDir } from "../../test/e2e/support/mesh-dir.ts";
import { type BenchedRegistry, entryCluster, instanceAddress, serviceEntry } from "./registry.ts";

/** Services as ServiceEntries in a directory, a file each. */
export function fileRegistry(): Promise<BenchedRegistry> {
  const mesh = new MeshDir();
  const write = (service: number, address: string) =>
    mesh.write(`${service % 100}/service-${service}.yaml`, serviceEntry(service, address));
  return Promise.resolve({
    source: `file:${mesh.path}`,
    async fill(services) {
      for (let service = 0; service < services; service += 1) write(service, instanceAddress(service));
    },
    async flip(service, address) {
      write(service, address);
    },
    clusterOf: entryCluster,
    async [Symbol.asyncDispose]() {
      mesh[Symbol.dispose]();
    },
  });
}
