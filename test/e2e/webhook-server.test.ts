import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect as connectPlain } from "node:net";
import { text } from "node:stream/consumers";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { breakMetric } from "../../src/testing/recording/break-metric.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { get } from "./support/http.ts";
import { goodGateway, reviewOf, WebhookClient } from "./support/kube/webhook-client.ts";
import { authority, good, patience, serverWith, started } from "./support/kube/webhook-rig.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import type { IssuedFiles } from "./support/tls/certificates.ts";

function dial(address: string, pair: IssuedFiles, options: ConnectionOptions = {}): TLSSocket {
  const [host, port] = address.split(":");
  const socket = connect({ host, port: Number(port), ca: readFileSync(pair.rootCertificates), ...options });
  onTestFinished(() => void socket.destroy());
  return socket;
}

describe("the webhook's server", () => {
  test("answers and counts reviews, and logs rejections", async () => {
    const { client, count, logger } = await started();
    expect(JSON.parse((await client.post(good)).body)).toMatchObject({ response: { allowed: true } });
    const bad = reviewOf({ ...goodGateway(), spec: {} });
    expect(JSON.parse((await client.post(bad)).body)).toMatchObject({ response: { allowed: false } });
    const labels = 'group="networking.istio.io",version="v1",resource="gateways"';
    expect(await count(`galley_validation_passed{${labels}}`)).toBe(1);
    expect(await count(`galley_validation_failed{${labels},reason="invalid_resource"}`)).toBe(1);
    expect(logger.messages("warn")).toEqual(["object refused"]);
  });

  test("counts invalid reviews by status", async () => {
    const { client, count } = await started();
    expect((await client.post("")).status).toBe(400);
    expect((await client.post(good, "/nowhere")).status).toBe(404);
    expect((await client.call("GET", "/ready")).status).toBe(200);
    expect(await count('galley_validation_http_error{status="400"}')).toBe(1);
    expect(await count('galley_validation_http_error{status="404"}')).toBe(1);
  });

  test("an internal failure is reported as such, and the next review is answered", async () => {
    const { client, logger, count, parts } = await started();
    const warn = logger.warn.bind(logger);
    const full = new Error("the disk of the log is full");
    logger.warn = () => {
      throw full;
    };
    const bad = reviewOf({ ...goodGateway(), spec: {} });
    expect((await client.post(bad)).status).toBe(500);
    expect(await count('galley_validation_http_error{status="500"}')).toBe(1);
    expect(parts.failures).toEqual([["webhook", full]]);
    expect(logger.messages("error")).toEqual([]);
    logger.warn = warn;
    expect((await client.post(bad)).status).toBe(200);
  });

  test("keeps a connection open between reviews", async () => {
    const { address, pair } = await started();
    const socket = dial(address, pair);
    const call = `POST /validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${good.length}\r\n\r\n${good}`;
    for (let calls = 0; calls < 2; calls += 1) {
      socket.write(call);
      const [answer] = (await once(socket, "data")) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
    }
  });

  test("requires TLS 1.2 or newer", async () => {
    const { address, pair, client } = await started();
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
    const socket = dial(address, pair, old);
    const [error] = (await once(socket, "error")) as [NodeJS.ErrnoException];
    expect(error.code).toBe("ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION");
    expect((await client.post(good)).status).toBe(200);
  });

  test("a slow sender gets an error and is disconnected", async () => {
    const { address, pair, client, count } = await started({ requestTimeoutMs: 200 });
    const socket = dial(address, pair);
    socket.write("POST /validate HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{");
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /);
    expect(await count('galley_validation_http_error{status="408"}')).toBe(1);
    expect((await client.post(good)).status).toBe(200);
  });

  test("a client that speaks TLS without HTTP gets an error and is disconnected", async () => {
    const { address, pair, client, count } = await started();
    const socket = dial(address, pair);
    socket.write("\u0000\u0001\u0002 nonsense\r\n\r\n");
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
    expect(await count('galley_validation_http_error{status="400"}')).toBe(1);
    expect((await client.post(good)).status).toBe(200);
  });

  test("failing metrics end neither a rejection nor the process", async () => {
    const { address, pair, client, metrics, parts } = await started();
    breakMetric(metrics, "galley_validation_http_error");
    const socket = dial(address, pair);
    socket.write("\u0000\u0001\u0002 nonsense\r\n\r\n");
    await eventually("the failure", () => parts.failures.length > 0, patience);
    expect(parts.failures).toEqual([["webhook", new Error("planted")]]);
    expect((await client.post(good)).status).toBe(200);
  });

  test("a client without TLS does not affect others", async () => {
    const { address, client } = await started();
    const [host = "", port] = address.split(":");
    const socket = connectPlain(Number(port), host);
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => {}).end("POST /validate HTTP/1.1\r\n\r\n");
    await once(socket, "close");
    expect((await client.post(good)).status).toBe(200);
  });
});

describe("binnacle serve --webhook", () => {
  test("serves the webhook too, is ready with it, and counts reviews", async () => {
    const pair = await (await authority()).issueServer("webhook");
    using mesh = new MeshDir();
    const args = [
      "--webhook",
      "127.0.0.1:0",
      "--webhook-cert",
      pair.certificateChain,
      "--webhook-key",
      pair.privateKey,
    ];
    await using binnacle = await startBinnacle({ dir: mesh.path, args: [...args, "--webhook-unknown-fields", "deny"] });
    const addresses = JSON.parse((await get(binnacle.httpPort, "/debug/addresses")).body) as { webhook: string };
    using client = new WebhookClient(addresses.webhook, pair);
    const misspelt = reviewOf({ ...goodGateway(), spec: { ...goodGateway().spec, selctor: {} } });
    expect(JSON.parse((await client.post(misspelt)).body)).toMatchObject({ response: { allowed: false } });
    expect((await get(binnacle.httpPort, "/ready")).status).toBe(200);
    expect((await get(binnacle.metricsPort, "/metrics")).body).toMatch(/^galley_validation_failed\{.*\} 1$/m);
    binnacle.kill("SIGTERM");
    expect(await binnacle.exited).toBe(0);
  });
});

describe("the end of the webhook", () => {
  test("open reviews are answered, and new ones are rejected", async () => {
    const { server, address, pair } = await started();
    const socket = dial(address, pair);
    socket.write(
      `POST /validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${good.length}\r\n\r\n`,
    );
    socket.write(good.slice(0, 10));
    await once(socket, "secureConnect");
    // An answer on another connection: what was sent before it has been read.
    using client = new WebhookClient(address, pair);
    await client.post(good);
    const stopped = server.stop();
    await expect(client.post(good)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    socket.write(good.slice(10));
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    await stopped;
  });

  test("a stop during the start leaves nothing open", async () => {
    const { server, pair } = await serverWith();
    const start = server.start();
    await server.stop();
    using client = new WebhookClient(await start, pair);
    await expect(client.post(good)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  test("the webhook may be disabled, or started again after a stop", async () => {
    const { server } = await serverWith({ address: "off" });
    expect(await server.start()).toBe("off");
    await server.stop();
    const { server: other, pair } = await started();
    await other.stop();
    using client = new WebhookClient(await other.start(), pair);
    expect((await client.post(good)).status).toBe(200);
  });
});
