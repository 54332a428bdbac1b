import { parseAllDocuments } from "yaml";
import type { ServiceEntry } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import type { EurekaServer } from "../../src/galley/source/eureka/eureka-server.ts";
import { createEurekaSource } from "../../src/galley/source/eureka/eureka-source.ts";
import { defaultServiceSettings } from "../../src/galley/source/eureka/services-of.ts";
import { defaultRetention } from "../../src/galley/source/registry/registry-state.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import type { SourceSubject } from "./describe-source.ts";

/** A registry that tests can register with: one instance per application, whose metadata tell a hostname. */
export interface EurekaWorld {
  readonly servers: readonly EurekaServer[];
  register(app: string, instance: { readonly port: number; readonly host: string }): Promise<void>;
  deregister(app: string): Promise<void>;
}

/** ServiceEntries stand for applications of that name; a text with a mistake in it for a port that cannot be one. */
export function eurekaSubject(world: EurekaWorld): SourceSubject {
  const source = createEurekaSource({
    ...defaultServiceSettings,
    ...defaultRetention,
    name: "eureka+http://test/eureka",
    servers: world.servers,
    clock: new FakeClock(),
    refreshMs: 30_000,
    deltas: true,
    maxDrop: 1,
    dropGraceMs: 0,
    namespace: "shop",
    deleteMode: "delete",
  });
  return {
    source,
    async put(yaml) {
      for (const document of parseAllDocuments(yaml)) {
        const isRight = document.hasIn(["spec", "resolution"]);
        const host = String(document.getIn(["spec", "hosts", 0]));
        await world.register(String(document.getIn(["metadata", "name"])).toUpperCase(), {
          port: isRight ? 80 : 70_000,
          host,
        });
      }
    },
    remove: (_kind, _namespace, name) => world.deregister(name.toUpperCase()),
    hostnameOf: ({ spec }) => (spec as ServiceEntry).endpoints[0]?.labels["host"],
    idle: () => source.reload(),
    close: () => Promise.resolve(),
  };
}
