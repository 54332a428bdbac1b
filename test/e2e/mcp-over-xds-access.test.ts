import { once } from "node:events";
import { connect } from "node:http2";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GrpcStatus } from "../../src/lib/grpc/grpc-stream.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { type BinnacleProcess, startBinnacle } from "./support/binnacle/server.ts";
import { get } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { TestAuthority } from "./support/tls/certificates.ts";
import { tlsFlags, tlsPort, withCertificate } from "./support/tls/secure-xds.ts";
import { SotwClient } from "./support/xds/ads-client.ts";

const entries = "networking.istio.io/v1/ServiceEntry";
const entry = `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: reviews, namespace: shop}
spec: {hosts: [reviews.io], ports: [{number: 80, name: http, protocol: HTTP}], resolution: DNS}
`;

function controlPlane(namespace: string) {
  const id = `sidecar~127.0.0.1~istiod-0.${namespace}~${namespace}.svc.cluster.local`;
  return { id, metadata: { GENERATOR: "api", NAMESPACE: namespace } };
}

/** A server that is ready for proxies may still gather what it publishes. Control planes try again until it has. */
async function isTold(xdsPort: number): Promise<boolean> {
  using client = new SotwClient(xdsPort, controlPlane("anywhere"));
  client.subscribe(entries);
  return await Promise.race([client.next(entries).then(() => true), client.stream.ended.then(() => false)]);
}

describe("the configuration of a whole mesh", () => {
  const mesh = new MeshDir({ "entry.yaml": entry });
  let authority: TestAuthority;
  let binnacle: BinnacleProcess;
  let port: number;

  beforeAll(async () => {
    authority = await TestAuthority.create();
    binnacle = await startBinnacle({ dir: mesh.path, args: tlsFlags(await authority.issueServer("xds")) });
    port = await tlsPort(binnacle);
    await eventually("what was published is there to be told", () => isTold(binnacle.xdsPort), { seconds: 30 });
  });

  afterAll(async () => {
    await binnacle[Symbol.asyncDispose]();
    authority[Symbol.dispose]();
    mesh[Symbol.dispose]();
  });

  test("is served to clients with an identity of the root namespace", async () => {
    using client = new SotwClient(
      port,
      controlPlane("istio-system"),
      withCertificate(await authority.issue("istio-system", "istiod")),
    );
    client.subscribe(entries);
    expect((await client.next(entries)).resources).toHaveLength(1);
  });

  test("is not served to clients with another identity", async () => {
    using client = new SotwClient(
      port,
      controlPlane("shop"),
      withCertificate(await authority.issue("shop", "reviews")),
    );
    client.subscribe(entries);
    expect(await client.stream.ended).toMatchObject({
      code: GrpcStatus.PERMISSION_DENIED,
      details: expect.stringContaining("ns/shop/sa/reviews"),
    });
  });

  test("is served to unauthenticated clients on loopback", async () => {
    using client = new SotwClient(binnacle.xdsPort, controlPlane("anywhere"));
    client.subscribe(entries);
    expect((await client.next(entries)).resources).toHaveLength(1);
  });

  test("is served to clients that send many keepalive pings, with or without a stream (XS-14)", async () => {
    const session = connect(`http://127.0.0.1:${binnacle.xdsPort}`);
    await once(session, "connect");
    const farewells: unknown[] = [];
    session.on("goaway", (code) => farewells.push(code));
    const ping = promisify<Buffer, number>((payload, done) => session.ping(payload, done));
    for (let count = 0; count < 50; count++) await ping(Buffer.alloc(8));
    expect([farewells, session.closed]).toEqual([[], false]);
    session.destroy();
  });

  test("is read over TLS by another Binnacle with a certificate of the root namespace", async () => {
    const shown = await authority.issue("istio-system", "mirror");
    const { certificateChain, privateKey, rootCertificates } = shown;
    const query = `delta=on&ca=${rootCertificates}&cert=${certificateChain}&key=${privateKey}`;
    using own = new MeshDir();
    await using mirror = await startBinnacle({
      dir: own.path,
      args: ["--source", `xdss://127.0.0.1:${port}?${query}`],
    });
    expect((await get(mirror.httpPort, "/debug/configz")).body).toContain('"shop/reviews"');
  });
});
