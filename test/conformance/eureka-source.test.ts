import { MemoryEureka } from "../../src/testing/server/memory-eureka.ts";
import { describeSource } from "./describe-source.ts";
import { eurekaSubject } from "./eureka-subject.ts";

describeSource(
  "a Eureka registry in memory",
  async () => {
    const server = new MemoryEureka();
    return eurekaSubject({
      servers: [server],
      register: async (app, { port, host }) => server.register({ app, instanceId: app, port, metadata: { host } }),
      deregister: async (app) => server.deregister(app, app),
    });
  },
  { losesTrack: false, registry: true },
);
