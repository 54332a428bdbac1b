import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTcp } from "node:net";
import type { JsonGeneralName } from "@peculiar/x509";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { GrpcStatus, type GrpcStream } from "../../src/lib/grpc/grpc-stream.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { seed } from "../../src/testing/random/seed.ts";
import { describeStream } from "../../src/testing/stream/describe-stream.ts";
import { ECHO } from "../../src/testing/stream/grpc-js-rig.ts";
import { openHttp2Rig } from "../../src/testing/stream/http2-rig.ts";
import { readSlowly, SlowReader } from "../../src/testing/stream/slow-reader.ts";
import { until } from "../../src/testing/until.ts";
import { type Period, TestAuthority } from "./support/tls/certificates.ts";
import { authority, byCertificate, callWith, dial, startWhoAmI, tlsOf, whoIs } from "./support/tls/who-am-i.ts";

describe("streams over TLS", async () => {
  const ours = await TestAuthority.create();
  const files = await ours.issueServer("xds");
  const client = { ca: readFileSync(files.rootCertificates) };
  const openTlsRig = () => openHttp2Rig({ tls: tlsOf(files), client });

  describeStream("a node:http2 stream over TLS", openTlsRig);

  test("messages of every size arrive whole and in order, however they fall into slices", async () => {
    const { server, client: received } = await openTlsRig();
    server.attach({ onMessage: () => undefined, onFlushed: () => undefined, onClose: () => undefined });
    const slice = 256 * 1024;
    const exact = [slice - 5, slice, slice + 1, 2 * slice - 5].map((size) => [size, 0, 1]);
    const random = fc.sample(fc.array(fc.nat(3 * slice), { maxLength: 4 }), { seed, numRuns: 20 });
    const messages = [...exact, ...random].map((sizes, index) => sizes.map((size) => Buffer.alloc(size, index)));
    for (const [first = Buffer.alloc(0), ...segments] of messages) server.send(first, segments);
    server.end(GrpcStatus.OK);
    await until(() => received.status !== undefined);
    expect(received.received.length).toBe(messages.length);
    for (const [index, message] of messages.entries()) {
      expect(Buffer.concat(message).equals(received.received[index] ?? Buffer.of(1, 2, 3))).toBe(true);
    }
  });

  test("a large message takes a slow reader many deadlines, and arrives whole", async () => {
    const clock = new FakeClock();
    const { promise: served, resolve: serve } = Promise.withResolvers<GrpcStream>();
    const { address } = await startWhoAmI(files, { methods: new Map([[ECHO, serve]]), clock, sendTimeoutMs: 1_000 });
    const session = connectHttp2(`https://${address}`, client);
    onTestFinished(() => session.destroy());
    const headers = { ":method": "POST", ":path": ECHO, "content-type": "application/grpc" };
    const reader = new SlowReader(session.request(headers, { endStream: false }));
    const sender = await served;
    const message = randomBytes(2 << 20);
    sender.send(message, []);
    await readSlowly(reader, sender, { bytes: 64 * 1024, meanwhile: () => clock.advance(900) });
    await reader.read(message.length - reader.message.length);
    expect(clock.now()).toBeGreaterThan(10_000);
    expect(reader.message.equals(message)).toBe(true);
  });

  test("a connection lost within a message does not affect others", async () => {
    const [dying, other] = [await openTlsRig(), await openTlsRig()];
    const closes: string[] = [];
    const silent = { onMessage: () => undefined, onFlushed: () => undefined, onClose: () => undefined };
    dying.server.attach({ ...silent, onClose: ({ type }) => closes.push(type) });
    other.server.attach(silent);
    dying.client.stall();
    dying.server.send(Buffer.alloc(8 << 20), []);
    dying.client.disconnect();
    await until(() => closes.length > 0);
    other.server.send(Buffer.from("alive"), []);
    await until(() => other.client.received.length === 1);
    expect(closes).toEqual(["broken"]);
  });
});

describe("a TLS server", () => {
  test("speaks HTTP/2 over TLS 1.2 or 1.3, and nothing else", async () => {
    const files = await (await authority()).issueServer("xds");
    const { address } = await startWhoAmI(files);
    for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
      const socket = dial(address, files, { minVersion: version, maxVersion: version });
      await once(socket, "secureConnect");
      expect([socket.getProtocol(), socket.alpnProtocol]).toEqual([version, "h2"]);
    }
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
    const [tooOld] = (await once(dial(address, files, old), "error")) as [NodeJS.ErrnoException];
    expect(tooOld.code).toBe("ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION");
    const [noH2] = (await once(dial(address, files, { ALPNProtocols: ["http/1.1"] }), "error")) as [Error];
    expect(noH2.message).toMatch(/no application protocol/i);
  });

  test("accepts only TLS 1.3 if configured", async () => {
    const files = await (await authority()).issueServer("xds");
    const { address } = await startWhoAmI(files, { tls: { ...tlsOf(files), minVersion: "TLSv1.3" } });
    const [error] = (await once(dial(address, files, { maxVersion: "TLSv1.2" }), "error")) as [NodeJS.ErrnoException];
    expect(error.code).toBe("ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION");
  });

  test("warns if its own certificate is not valid now", async () => {
    const names: readonly JsonGeneralName[] = [{ type: "ip", value: "127.0.0.1" }];
    const files = await (await authority()).issueNames("xds", names, { from: -2, until: -1 });
    const { logger } = await startWhoAmI(files);
    expect(logger.messages("warn")).toEqual(["certificate not valid now"]);
  });

  test("is not affected by clients without TLS or with an unfinished handshake", async () => {
    const files = await (await authority()).issueServer("xds");
    const { address, server } = await startWhoAmI(files);
    const [host = "", port] = address.split(":");
    const plain = connectTcp(Number(port), host).on("error", () => undefined);
    plain.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    await once(plain, "close");
    const silent = connectTcp(Number(port), host).on("error", () => undefined);
    await once(silent, "connect");
    expect(await whoIs(address, files)).toBe("anybody");
    const gone = once(silent, "close");
    await server.stop({ graceMs: 0 });
    await gone;
  });

  test("does not start without a usable key pair, and names the wrong file", async () => {
    const ours = await authority();
    const [first, second] = [await ours.issueServer("first"), await ours.issueServer("second")];
    const useless = await ours.issueServer("useless");
    writeFileSync(useless.rootCertificates, "nothing");
    const wrong = [
      [{ ...first, privateKey: second.privateKey }, `${second.privateKey} is not the key of ${first.certificateChain}`],
      [{ ...first, certificateChain: first.privateKey }, `${first.privateKey} holds no certificate`],
      [{ ...first, privateKey: first.certificateChain }, `${first.certificateChain} holds no private key`],
      [{ ...first, privateKey: "/nowhere/tls.key" }, "/nowhere/tls.key"],
      [useless, `${useless.rootCertificates} holds no certificate`],
    ] as const;
    for (const [files, sentence] of wrong) {
      await expect(startWhoAmI(files)).rejects.toMatchObject({
        code: "bad-option",
        message: expect.stringContaining(sentence) as string,
      });
    }
  });
});

describe("a client of a TLS server", () => {
  test("has the identity of its certificate, and none without one", async () => {
    const ours = await authority();
    const files = await ours.issueServer("xds");
    const { address, logger } = await startWhoAmI(files, byCertificate);
    const reviews = await ours.issue("shop", "reviews");
    expect(await whoIs(address, files, reviews)).toBe("spiffe://cluster.local/ns/shop/sa/reviews");
    expect(await whoIs(address, files)).toEqual({
      code: GrpcStatus.UNAUTHENTICATED,
      details: "show a valid client certificate, or send a valid bearer token",
    });
    expect(logger.lines).toContainEqual(
      expect.objectContaining({
        message: "client not authenticated",
        fields: expect.objectContaining({ reasons: ["client certificate: none was shown"] }) as object,
      }),
    );
  });

  test.each<[string, readonly JsonGeneralName[], Period | undefined, RegExp]>([
    ["has expired", [{ type: "url", value: "spiffe://cluster.local/ns/a/sa/b" }], { from: -2, until: -1 }, /EXPIRED/],
    [
      "is not valid yet",
      [{ type: "url", value: "spiffe://cluster.local/ns/a/sa/b" }],
      { from: 1, until: 2 },
      /NOT_YET/,
    ],
    ["is of another trust domain", [{ type: "url", value: "spiffe://evil.example/ns/a/sa/b" }], undefined, /evil/],
    ["names a host only", [{ type: "dns", value: "reviews" }], undefined, /names no URI/],
    [
      "hides an id in the name of a host",
      [{ type: "dns", value: "a, URI:spiffe://cluster.local/ns/a/sa/b" }],
      undefined,
      /names no URI/,
    ],
  ])("is rejected when its certificate %s", async (_, names, period, reason) => {
    const ours = await authority();
    const files = await ours.issueServer("xds");
    const { address, logger } = await startWhoAmI(files, byCertificate);
    const client = await ours.issueNames("client", names, period);
    expect(await whoIs(address, files, client)).toMatchObject({ code: GrpcStatus.UNAUTHENTICATED });
    expect(JSON.stringify(logger.lines)).toMatch(reason);
  });

  test("is rejected with a certificate of an unknown CA", async () => {
    const [ours, strangers] = [await authority(), await authority()];
    const files = await ours.issueServer("xds");
    const { address } = await startWhoAmI(files, byCertificate);
    const forged = await strangers.issue("shop", "reviews");
    expect(await whoIs(address, files, forged)).toMatchObject({ code: GrpcStatus.UNAUTHENTICATED });
  });

  test("with a certificate forged in our CA's name is rejected, without effect on others", async () => {
    const [ours, forgers] = [await authority(), await TestAuthority.create({ keyIds: false })];
    onTestFinished(() => forgers[Symbol.dispose]());
    const files = await ours.issueServer("xds");
    const { address } = await startWhoAmI(files, byCertificate);
    const reviews = await ours.issue("shop", "reviews");
    const { stream } = callWith(address, files, reviews);
    await once(stream, "data");
    const refusal = await whoIs(address, files, await forgers.issue("shop", "reviews"));
    // The signature is wrong: OpenSSL mostly gives up on the connection before we can say so.
    expect([GrpcStatus.UNAVAILABLE, GrpcStatus.UNAUTHENTICATED]).toContain(
      typeof refusal === "string" ? refusal : refusal.code,
    );
    stream.write(Buffer.from("still here"));
    expect(String((await once(stream, "data"))[0])).toBe("still here");
    expect(await whoIs(address, files, reviews)).toBe("spiffe://cluster.local/ns/shop/sa/reviews");
  });

  test("may use an alias of the trust domain, and several names", async () => {
    const ours = await authority();
    const files = await ours.issueServer("xds");
    const { address } = await startWhoAmI(files, byCertificate);
    const client = await ours.issueNames("client", [
      { type: "dns", value: "reviews" },
      { type: "url", value: "spiffe://old.example/ns/a/sa/b" },
      { type: "url", value: "spiffe://cluster.local/ns/a/sa/b" },
    ]);
    expect(await whoIs(address, files, client)).toBe("spiffe://old.example/ns/a/sa/b spiffe://cluster.local/ns/a/sa/b");
  });

  test("may have a certificate of any trusted CA", async () => {
    const [ours, theirs] = [await authority(), await authority()];
    const files = await ours.issueServer("xds");
    const [own, other] = [await ours.issue("shop", "reviews"), await theirs.issue("shop", "ratings")];
    const { rootCertificates } = other;
    const tls = tlsOf(files);
    const several = { ...tls, files: { ...tls.files, authorities: [...tls.files.authorities, rootCertificates] } };
    const { address } = await startWhoAmI(files, { ...byCertificate, tls: several });
    expect(await whoIs(address, files, own)).toBe("spiffe://cluster.local/ns/shop/sa/reviews");
    expect(await whoIs(address, files, other)).toBe("spiffe://cluster.local/ns/shop/sa/ratings");
  });
});
