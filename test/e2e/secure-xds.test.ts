import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:tls";
import { type ChannelCredentials, credentials } from "@grpc/grpc-js";
import { describe, expect, test } from "vitest";
import { GrpcStatus } from "../../src/lib/grpc/grpc-stream.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { adsBootstrap, type EnvoyNode } from "./support/envoy/bootstrap.ts";
import { startEnvoyWith } from "./support/envoy/envoy.ts";
import { openShop, splitYaml } from "./support/envoy/shop.ts";
import { get, untilAnsweredBy } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";
import { type IssuedFiles, TestAuthority } from "./support/tls/certificates.ts";
import { outcome, tlsFlags, tlsPort, withCertificate, withToken } from "./support/tls/secure-xds.ts";
import { TokenIssuer } from "./support/tls/token-issuer.ts";

const describeWithEnvoy = await describeWith("envoy");
const modes = ["sotw", "delta"] as const;
const host = "shop.example.com";
const patience = { seconds: 20 };

const gateway: EnvoyNode = {
  id: "router~127.0.0.1~gw-0.istio-system~istio-system.svc.cluster.local",
  metadata: { NAMESPACE: "istio-system", SERVICE_ACCOUNT: "gw", LABELS: { app: "gw" } },
};
const reviews: EnvoyNode = {
  id: "sidecar~127.0.0.9~reviews-0.shop~shop.svc.cluster.local",
  metadata: { NAMESPACE: "shop", SERVICE_ACCOUNT: "reviews", INTERCEPTION_MODE: "NONE" },
};

async function serialShown(port: number, { rootCertificates }: IssuedFiles): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port, ca: readFileSync(rootCertificates), ALPNProtocols: ["h2"] });
  await once(socket, "secureConnect");
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

describeWithEnvoy("a real Envoy that calls its control plane over TLS", () => {
  describe.each(modes)("%s", (mode) => {
    const world = shared(async (resources) => {
      const authority = resources.use(await TestAuthority.create());
      const server = await authority.issueServer("xds");
      const shop = resources.use(await openShop(splitYaml(100, 0)));
      const binnacle = resources.use(await startBinnacle({ dir: shop.mesh.path, args: tlsFlags(server) }));
      const port = await tlsPort(binnacle);
      const { rootCertificates } = server;
      const start = (client: IssuedFiles) =>
        startEnvoyWith(adsBootstrap(port, mode, gateway, { rootCertificates, client }));
      const envoy = resources.use(await start(await authority.issue("istio-system", "gw")));
      await envoy.settled();
      return { authority, server, shop, port, start, envoy };
    });

    test("is rejected with another workload's identity, without effect on others", async () => {
      const { authority, shop, start, envoy } = world();
      await using intruder = await start(await authority.issue("shop", "reviews"));
      expect(await intruder.logged("authorization failed")).toContain(
        "known as spiffe://cluster.local/ns/shop/sa/reviews, which is not the node's namespace istio-system and service account gw",
      );
      expect(await intruder.stat("cluster_manager.cds.update_success")).toBe(0);
      await untilAnsweredBy("v1", shop.port, { host });
      expect(await envoy.troubles()).toEqual([]);
    });

    test("is identified by its certificate, follows edits, and stays connected through a renewal", async () => {
      const { authority, server, shop, port, envoy } = world();
      await untilAnsweredBy("v1", shop.port, { host });
      const before = await serialShown(port, server);
      await authority.issueServer("xds");
      const isOther = async () => (await serialShown(port, server)) !== before;
      await eventually("another certificate", isOther, patience);
      shop.mesh.write("routes.yaml", splitYaml(0, 100));
      await untilAnsweredBy("v2", shop.port, { host });
      expect(await envoy.stat("cluster.xds-grpc.upstream_cx_total")).toBe(1);
      expect(await envoy.troubles()).toEqual([]);
    });
  });
});

describe("a client of xDS over TLS", () => {
  test.each(modes)("is identified by its certificate or its token, or is anonymous, %s", async (mode) => {
    using authority = await TestAuthority.create();
    using issuer = await TokenIssuer.create();
    const server = await authority.issueServer("xds");
    await using shop = await openShop(splitYaml(100, 0));
    await using binnacle = await startBinnacle({ dir: shop.mesh.path, args: [...tlsFlags(server), ...issuer.flags] });
    const port = await tlsPort(binnacle);
    const ask = (node: EnvoyNode, shown: ChannelCredentials) => outcome(mode, port, node, shown);
    const bearing = async (claims: Partial<Parameters<TokenIssuer["token"]>[0]>) =>
      withToken(server, await issuer.token({ namespace: "shop", account: "reviews", ...claims }));

    expect(await ask(reviews, withCertificate(await authority.issue("shop", "reviews")))).toBe(true);
    expect(await ask(reviews, await bearing({}))).toBe(true);

    const unauthenticated = {
      code: GrpcStatus.UNAUTHENTICATED,
      details: "show a valid client certificate, or send a valid bearer token",
    };
    const nothing = credentials.createSsl(readFileSync(server.rootCertificates));
    expect(await ask(reviews, nothing)).toEqual(unauthenticated);
    expect(await ask(reviews, await bearing({ audience: "elsewhere" }))).toEqual(unauthenticated);
    expect(await ask(reviews, await bearing({ issuer: "https://evil.example" }))).toEqual(unauthenticated);
    expect(await ask(reviews, await bearing({ expires: -600 }))).toEqual(unauthenticated);
    await binnacle.logged("it has expired");
    expect((await get(binnacle.metricsPort, "/metrics")).body).toContain("\nbinnacle_xds_refused_total 4\n");

    const denied = { code: GrpcStatus.PERMISSION_DENIED };
    expect(await ask(gateway, withCertificate(await authority.issue("shop", "reviews")))).toMatchObject(denied);
    expect(await ask(gateway, await bearing({}))).toMatchObject(denied);
    expect(await ask(reviews, await bearing({ account: "ratings" }))).toMatchObject(denied);
    expect(await outcome(mode, binnacle.xdsPort, gateway)).toBe(true);
  });

  test("is identified by a token of a JWKS issuer, also while the issuer is down", async () => {
    using authority = await TestAuthority.create();
    using issuer = await TokenIssuer.create();
    await issuer.open();
    const server = await authority.issueServer("xds");
    await using shop = await openShop(splitYaml(100, 0));
    const args = [...tlsFlags(server), "--jwt-issuer", issuer.url];
    await using binnacle = await startBinnacle({ dir: shop.mesh.path, args });
    const port = await tlsPort(binnacle);
    const shown = withToken(server, await issuer.token({ namespace: "shop", account: "reviews" }));
    expect(await outcome("delta", port, reviews, shown)).toBe(true);
    issuer.close();
    expect(await outcome("delta", port, reviews, shown)).toBe(true);
    await binnacle.logged('"identity":"spiffe://cluster.local/ns/shop/sa/reviews"');
  });

  test("may have another trust domain if that is an alias", async () => {
    using authority = await TestAuthority.create();
    const server = await authority.issueServer("xds");
    const old = await authority.issueNames("old", [{ type: "url", value: "spiffe://old.example/ns/shop/sa/reviews" }]);
    await using shop = await openShop(splitYaml(100, 0));
    using settings = new MeshDir({ "mesh.yaml": "trustDomain: new.example\n" });
    const args = [...tlsFlags(server), "--mesh", `${settings.path}/mesh.yaml`];
    await using binnacle = await startBinnacle({ dir: shop.mesh.path, args });
    const port = await tlsPort(binnacle);
    const ask = () => outcome("delta", port, reviews, withCertificate(old));
    expect(await ask()).toMatchObject({ code: GrpcStatus.UNAUTHENTICATED });
    settings.write("mesh.yaml", "trustDomain: new.example\ntrustDomainAliases: [old.example]\n");
    await eventually("the alias counts", async () => (await ask()) === true, patience);
  });

  test("is admitted without authentication or identity check if configured", async () => {
    using authority = await TestAuthority.create();
    const server = await authority.issueServer("xds");
    await using shop = await openShop(splitYaml(100, 0));
    const start = (...args: readonly string[]) =>
      startBinnacle({ dir: shop.mesh.path, args: [...tlsFlags(server), ...args] });
    const foreign = withCertificate(await authority.issue("shop", "reviews"));
    {
      await using unchecked = await start("--xds-identity-check", "off");
      expect(await outcome("sotw", await tlsPort(unchecked), gateway, foreign)).toBe(true);
    }
    await using unseen = await start("--xds-auth", "off", "--xds-auth-plaintext");
    const nothing = credentials.createSsl(readFileSync(server.rootCertificates));
    expect(await outcome("sotw", await tlsPort(unseen), gateway, nothing)).toBe(true);
    expect(await outcome("sotw", unseen.xdsPort, gateway)).toMatchObject({ code: GrpcStatus.UNAUTHENTICATED });
  });
});
