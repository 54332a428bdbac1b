import { expect, test } from "vitest";
import { ProtoWriter } from "../../lib/proto-writer/proto-writer.ts";
import { fakeService } from "../../testing/model/fake-service.ts";
import { proxyWithName } from "../../testing/model/proxy-with-name.ts";
import { pushOf } from "../../testing/model/push.ts";
import { fakePeerAuthentication, fakeSidecar } from "../../testing/model/workload.ts";
import { createGenerators } from "./generators.ts";
import { partKey } from "./part.ts";

type Metadata = Parameters<typeof proxyWithName>[1];

/** A new mesh for proxies: memos have no value for its objects yet. */
function newMesh() {
  const push = pushOf({
    services: [fakeService({ exportTo: ["web"] })],
    sidecars: [fakeSidecar({ namespace: "web" })],
    peerAuthentications: [
      fakePeerAuthentication({ namespace: "web", name: "strict", mode: "strict" }),
      fakePeerAuthentication({ namespace: "web", name: "lax", selector: { y: "z" }, mode: "disable" }),
    ],
  });
  const generators = createGenerators({ writer: new ProtoWriter() });
  const families = generators.flatMap(({ shortName, families: all }) => all.map((family) => ({ shortName, family })));
  return (metadata: Metadata) => {
    const proxy = proxyWithName("sidecar~10.0.0.1~x-0.web~web.svc.cluster.local", metadata);
    return families.flatMap(({ shortName, family }) =>
      family.parts(proxy, push, "all").map((inputs) => ({
        family: `${shortName} ${family.name}`,
        key: partKey(shortName, family, inputs),
        resources: family
          .generate({ inputs, push })
          .resources.map(({ name, version }) => `${name} ${version}`)
          .join(),
      })),
    );
  };
}

function certificatesOf(side: "SERVER" | "CLIENT"): Metadata {
  return { [`TLS_${side}_CERT_CHAIN`]: "/c.pem", [`TLS_${side}_KEY`]: "/k.pem", [`TLS_${side}_ROOT_CERT`]: "/r.pem" };
}

/** Ids that were written by hand confused the two proxies of each row. */
test.each([
  {
    difference: "a label that spells two labels",
    one: { LABELS: { app: "x", y: "z" } },
    other: { LABELS: { app: "x,y=z" } },
    differing: ["LDS inbound"],
  },
  {
    difference: "files for a client instead of a server",
    one: certificatesOf("SERVER"),
    other: certificatesOf("CLIENT"),
    differing: ["CDS outbound", "LDS inbound"],
  },
  {
    difference: "a namespace that spells a namespace and its Sidecar",
    one: { NAMESPACE: "web" },
    other: { NAMESPACE: "web<web/default" },
    differing: ["CDS outbound", "EDS outbound", "LDS inbound", "LDS outbound", "RDS sidecar"],
  },
])("proxies that differ in $difference do not share resources", ({ one, other, differing }) => {
  const partsFor = newMesh();
  const first = partsFor(one);
  const second = partsFor(other);
  expect(second).toEqual(newMesh()(other));
  const changed = second.filter(({ resources }, index) => first[index]?.resources !== resources);
  expect(changed.map(({ family }) => family).toSorted()).toEqual(differing);
  expect(changed.filter(({ key }) => first.some((part) => part.key === key))).toEqual([]);
});
