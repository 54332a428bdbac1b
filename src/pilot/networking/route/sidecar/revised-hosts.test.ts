import fc from "fast-check";
import { expect, test } from "vitest";
import { configId } from "../../../../config/config.ts";
import { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { fakeService } from "../../../../testing/model/fake-service.ts";
import { fakeVirtualService, forwardTo } from "../../../../testing/model/traffic.ts";
import { runs, seed } from "../../../../testing/random/seed.ts";
import { defaultMeshSettings } from "../../../model/mesh-settings.ts";
import { defaultRouteSettings } from "../../../model/proxy/proxy-settings.ts";
import type { Service } from "../../../model/service/service.ts";
import { noHashes } from "../../../model/traffic/applied-hash.ts";
import type { VirtualService } from "../../../model/traffic/virtual-service.ts";
import type { SidecarHosts } from "./made-hosts.ts";
import { carryHosts, sidecarHosts } from "./sidecar-hosts.ts";

const writer = new ProtoWriter();
const namespace = "web";

interface Imports {
  readonly services: readonly Service[];
  readonly virtualServices: readonly VirtualService[];
}

const egressOf = ({ services, virtualServices }: Imports) => {
  return { port: undefined, bind: "", captureMode: "default", services, virtualServices } as const;
};

function hostsOf(imports: Imports, port: number): SidecarHosts {
  const seen = { namespace, labels: {}, dnsDomain: "web.svc.cluster.local", families: "v4" } as const;
  const around = { mesh: defaultMeshSettings, settings: defaultRouteSettings, hashes: noHashes };
  return sidecarHosts({ egress: egressOf(imports), port, ignoresPort: true, ...seen, ...around }, writer);
}

/** Everything that a route configuration and its conflicts are made from. */
function contentOf({ hosts, conflicts, encoded }: SidecarHosts): object {
  const { bytes, owners, hostOwners } = encoded;
  const named = hosts.map(({ name, domains, owners: own }) => [name, domains, own]);
  return { named, conflicts, bytes: bytes.map((each) => Buffer.from(each).toString("hex")), owners, hostOwners };
}

/** Of these, some are short forms of others, some differ in case only, and one is an alias. */
const hostnames = [
  "a.web.svc.cluster.local",
  "a",
  "a.web",
  "A.web",
  "b.web.svc.cluster.local",
  "b.com",
  "c.com",
  "*.com",
];

const anyService = fc
  .record({
    hostname: fc.constantFrom(...hostnames),
    protocol: fc.constantFrom("HTTP", "HTTP", "auto", "TCP"),
    number: fc.constantFrom(80, 80, 90),
    address: fc.constantFrom(undefined, "10.0.0.1", "10.0.0.2"),
    owner: fc.constantFrom("x", "y"),
    hasAlias: fc.nat(9).map((n) => n === 0),
  })
  .map(({ hostname, protocol, number, address, owner, hasAlias }) => {
    const ports = [{ number, name: "p", protocol, targetPort: number }] as const;
    const aliases = hasAlias ? [{ hostname: "c.com", ports, owner: configId("Service", "web", "alias") }] : [];
    const addresses = address === undefined ? [] : [address];
    return fakeService({ hostname, ports, addresses, aliases, owner: configId("ServiceEntry", "shop", owner) });
  });

const anyVirtualService = fc
  .record({
    hosts: fc.uniqueArray(fc.constantFrom(...hostnames, "*.web"), { minLength: 1, maxLength: 2 }),
    to: fc.nat(2),
  })
  .map(({ hosts, to }) => {
    return fakeVirtualService({ name: hosts.join("-"), hosts, gateways: ["mesh"], http: [forwardTo(`to-${to}`)] });
  });

const anyEdit = fc.record({ at: fc.nat(8), service: fc.option(anyService), keeps: fc.boolean(), routes: fc.nat(12) });

test("hosts after edits equal those of a fresh start, whatever names services and virtual services share", () => {
  const start = fc.record({
    services: fc.uniqueArray(anyService, { selector: ({ hostname }) => hostname, maxLength: 6 }),
    virtualServices: fc.array(anyVirtualService, { maxLength: 3 }),
  });
  fc.assert(
    fc.property(start, fc.array(anyEdit, { maxLength: 6 }), fc.constantFrom(80, 0), (first, edits, port) => {
      let now: Imports = first;
      hostsOf(now, port);
      for (const { at, service, keeps, routes } of edits) {
        const before = now;
        const rest = before.services.filter(
          ({ hostname }, index) => hostname !== service?.hostname && (keeps || index !== at),
        );
        const services = service === null ? rest : rest.toSpliced(at, 0, service);
        const virtualServices = before.virtualServices.map((each, index) =>
          index === routes ? { ...each, http: [forwardTo(`edited-${at}`)] } : each,
        );
        now = { services, virtualServices };
        carryHosts({ namespace, egress: [egressOf(before)] }, { namespace, egress: [egressOf(now)] });
        const fresh = hostsOf({ ...now, services: [...services] }, port);
        expect(contentOf(hostsOf(now, port))).toEqual(contentOf(fresh));
      }
    }),
    { seed, numRuns: runs(500) },
  );
});
