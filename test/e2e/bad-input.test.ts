import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { eventually } from "../../src/testing/eventually.ts";
import { clusterType } from "../../src/xds/type-urls.ts";
import { type BinnacleProcess, startBinnacle } from "./support/binnacle/server.ts";
import { gatewayNode } from "./support/envoy/bootstrap.ts";
import { get } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { DeltaClient, SotwClient } from "./support/xds/ads-client.ts";

const folder = join(import.meta.dirname, "../scenarios/malformed");
const fixtures = readdirSync(folder).filter((file) => file.endsWith(".yaml"));

/** In lines as people write them: what is wrong in one must not hide the name in another. */
function ratingsYaml(port: number): string {
  return `apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ratings, namespace: shop}
spec:
  hosts: [ratings.shop.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  ports:
  - {number: ${port}, name: http, protocol: HTTP}
  endpoints:
  - {address: 127.0.0.1}
`;
}

const mesh = new MeshDir({ "ratings.yaml": ratingsYaml(9080) });
const servedAlways = "outbound|9080||ratings.shop.svc.cluster.local";
let binnacle: BinnacleProcess;

beforeAll(async () => {
  binnacle = await startBinnacle({ dir: mesh.path });
});

afterAll(async () => {
  await binnacle.stop();
  mesh[Symbol.dispose]();
});

/** `line code` of every place that a fixture marks. */
function markedPlaces(yaml: string): string[] {
  return yaml.split("\n").flatMap((text, index) => {
    const code = /# <-- HERE: (\S+)/.exec(text)?.[1];
    return code === undefined ? [] : [`fixture.yaml:${index + 1} ${code}`];
  });
}

async function reportedPlaces(): Promise<string[]> {
  const { issues } = JSON.parse((await get(binnacle.httpPort, "/debug/issues")).body) as {
    readonly issues: readonly { readonly reference: string; readonly code: string }[];
  };
  return issues.map(({ reference, code }) => `${reference.replace(/^.*\//, "")} ${code}`).toSorted();
}

async function clustersServed(): Promise<string[]> {
  using client = new SotwClient(binnacle.xdsPort, gatewayNode);
  client.subscribe(clusterType);
  const { resources } = await client.next(clusterType);
  return resources.map((any) => fromBinary(ClusterSchema, any.value).name);
}

function until(what: string, claim: () => Promise<boolean>): Promise<true> {
  return eventually(what, async () => await claim(), { seconds: 10 });
}

describe("a malformed document", () => {
  test.each(fixtures)("%s is reported at its place, and everything else is served", async (fixture) => {
    const yaml = readFileSync(join(folder, fixture), "utf8");
    const expected = markedPlaces(yaml).toSorted();
    mesh.write("fixture.yaml", yaml);
    await until(
      `${expected.join(", ")} in /debug/issues`,
      async () => (await reportedPlaces()).join() === expected.join(),
    );
    const served = await clustersServed();
    expect(served).toContain(servedAlways);
    expect(served).toContain("outbound|80||before.example.com");
    expect(served).toContain("outbound|80||after.example.com");
  });

  test("keeps the last good version of the object it breaks", async () => {
    const good = ratingsYaml(9443);
    const changed = servedAlways.replace("9080", "9443");
    mesh.write("ratings.yaml", good);
    await until("the new port is served", async () => (await clustersServed()).includes(changed));
    mesh.write("ratings.yaml", good.replace("protocol: HTTP", "protocol: {"));
    await until("the mistake is reported", async () => /ratings\.yaml:\d+ /.test((await reportedPlaces()).join()));
    expect(await clustersServed()).toContain(changed);
    mesh.write("ratings.yaml", ratingsYaml(9080));
    await until("the mended file is served", async () => (await clustersServed()).includes(servedAlways));
  });
});

const invalidArgument = 3;

describe("a malformed node", () => {
  test.each([
    ["", "missing node id"],
    ["gw", "four parts, found 1"],
    ["router~127.0.0.1~gw", "four parts, found 3"],
    ["router~127.0.0.1~gw~local~more", "four parts, found 5"],
    ["balloon~127.0.0.1~gw~local", '"balloon" is not one of sidecar, router'],
    ["~127.0.0.1~gw~local", '"" is not one of sidecar, router'],
    ["router~~gw~local", '"" is not an IP address'],
    ["router~localhost~gw~local", '"localhost" is not an IP address'],
    ["router~127.0.0.1~~local", "third part, is empty"],
    ["router~999.0.0.1~gw~local", '"999.0.0.1" is not an IP address'],
  ])("%j is rejected with INVALID_ARGUMENT and a message, and the server continues", async (id, sentence) => {
    for (const Client of [SotwClient, DeltaClient]) {
      using client = new Client(binnacle.xdsPort, { id, metadata: { INSTANCE_IPS: "" } });
      client.subscribe(clusterType);
      const status = await client.stream.ended;
      expect(status.code).toBe(invalidArgument);
      expect(status.details).toContain(sentence);
    }
    expect(await clustersServed()).toContain(servedAlways);
  });
});
