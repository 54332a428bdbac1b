import { Eureka } from "../../test/e2e/support/registry/eureka.ts";
import { type BenchedRegistry, forEach, instanceAddress } from "./registry.ts";

/** Services as applications of one instance in Eureka, which is asked again and again: the period is in the lag. */
export async function eurekaRegistry(): Promise<BenchedRegistry> {
  const eureka = await Eureka.start();
  const flip = (service: number, address: string) =>
    eureka.register({ app: `SERVICE-${service}`, id: "one", address, leaseSeconds: 3_600 });
  return {
    source: `eureka+http://127.0.0.1:${eureka.port}/eureka?refresh=500ms&namespace=bench`,
    fill: (services) => forEach(services, 16, (service) => flip(service, instanceAddress(service))),
    flip,
    clusterOf: (service) => `outbound|80||service-${service}.bench.svc.cluster.local`,
    [Symbol.asyncDispose]: () => eureka[Symbol.asyncDispose](),
  };
}
