import { mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { decodeRoots } from "../../src/ca/roots.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { breakMetric } from "../../src/testing/recording/break-metric.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { get } from "./support/http.ts";
import { WebhookClient } from "./support/kube/webhook-client.ts";
import { authority, good, patience, serverWith, started } from "./support/kube/webhook-rig.ts";
import { MeshDir } from "./support/mesh-dir.ts";

/** Resolves when another certificate is served than the one with this serial number. */
async function replaced(client: WebhookClient, serial: string): Promise<void> {
  const isOther = async () => ((await client.post(good)).serial === serial ? undefined : true);
  await eventually("another certificate", isOther, patience);
}

describe("the webhook's certificate", () => {
  test("must be usable, or the start fails with the reason", async () => {
    const ours = await authority();
    const [first, second] = [await ours.issueServer("first"), await ours.issueServer("second")];
    const missing = await serverWith({ files: { ...first, privateKey: "/nowhere/tls.key" } });
    await expect(missing.server.start()).rejects.toMatchObject({
      code: "bad-option",
      message: expect.stringContaining("/nowhere/tls.key") as string,
    });
    const mismatched = await serverWith({ files: { ...first, privateKey: second.privateKey } });
    for (let starts = 0; starts < 2; starts += 1) {
      await expect(mismatched.server.start()).rejects.toMatchObject({
        code: "bad-option",
        message: expect.stringContaining("mismatch") as string,
      });
    }
  });

  test("is replaced with its files, without a lost call", async () => {
    const ours = await authority();
    const { client, count } = await started({ files: await ours.issueServer("webhook") });
    const updates = () => count("galley_validation_cert_key_updates");
    const over = new AbortController();
    const rotate = async () => {
      for (let rotations = 0; rotations < 3; rotations += 1) {
        await ours.issueServer("webhook");
        const isServed = async () => (await updates()) > rotations;
        await eventually("another certificate", isServed, patience);
      }
      over.abort();
    };
    const serials = new Set<string>();
    const statuses = new Set<number>();
    const call = async () => {
      do {
        const { status, serial } = await client.post(good);
        statuses.add(status);
        serials.add(serial);
      } while (!over.signal.aborted);
    };
    await Promise.all([rotate(), call(), call(), call(), call()]);
    await call();
    expect([...statuses]).toEqual([200]);
    expect(serials.size).toBe(4);
  });

  test("keeps its old version when a new one is unusable, which is counted", async () => {
    const ours = await authority();
    const { client, pair, count, logger } = await started({ files: await ours.issueServer("webhook") });
    const { serial } = await client.post(good);
    writeFileSync(pair.privateKey, "no key");
    await eventually("an error", () => logger.messages("error").length > 0, patience);
    expect(logger.messages("error")).toEqual(["certificate not replaced"]);
    expect(await client.post(good)).toMatchObject({ status: 200, serial });
    await ours.issueServer("webhook");
    await replaced(client, serial);
    expect(await count("galley_validation_cert_key_updates")).toBe(1);
  });

  test("is replaced even if metrics fail, and a bad one does not end the process", async () => {
    const ours = await authority();
    const { client, pair, metrics, parts } = await started({ files: await ours.issueServer("webhook") });
    breakMetric(metrics, "galley_validation_cert_key_updates");
    breakMetric(metrics, "galley_validation_cert_key_update_errors");
    const { serial } = await client.post(good);
    writeFileSync(pair.privateKey, "no key");
    await eventually("the failure", () => parts.failures.length > 0, patience);
    await ours.issueServer("webhook");
    await replaced(client, serial);
    await eventually("both failures", () => parts.failures.length > 1, patience);
    expect(parts.failures).toEqual(parts.failures.map(() => ["webhook", new Error("planted")]));
  });

  test("is replaced when the symbolic link of a mounted Secret changes", async () => {
    const ours = await authority();
    const folder = mkdtempSync(join(tmpdir(), "binnacle-secret-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const mount = async (version: string) => {
      const issued = await ours.issueServer(version);
      await mkdir(join(folder, version));
      renameSync(issued.certificateChain, join(folder, version, "tls.crt"));
      renameSync(issued.privateKey, join(folder, version, "tls.key"));
      symlinkSync(version, join(folder, "..data_new"));
      renameSync(join(folder, "..data_new"), join(folder, "..data"));
      return issued;
    };
    const { rootCertificates } = await mount("v1");
    for (const name of ["tls.crt", "tls.key"]) symlinkSync(`..data/${name}`, join(folder, name));
    const files = { rootCertificates, certificateChain: join(folder, "tls.crt"), privateKey: join(folder, "tls.key") };
    const { client } = await started({ files });
    const { serial } = await client.post(good);
    await mount("v2");
    await replaced(client, serial);
    expect((await client.post(good)).status).toBe(200);
  });
});

test("without files, the server's own authority issues the certificate of the webhook", async () => {
  using state = new MeshDir();
  using mesh = new MeshDir();
  const authorityFlags = [
    "--xds-tls",
    "127.0.0.1:0",
    "--xds-auth",
    "off",
    "--ca",
    "self-signed",
    "--ca-state",
    state.path,
  ];
  await using binnacle = await startBinnacle({ dir: mesh.path, args: [...authorityFlags, "--webhook", "127.0.0.1:0"] });
  const addresses = JSON.parse((await get(binnacle.httpPort, "/debug/addresses")).body) as { webhook: string };
  const roots = decodeRoots(readFileSync(join(state.path, "ca-roots.1.json"), "utf8"));
  state.write("root.pem", roots?.trusted.join("") ?? "");
  const files = { certificateChain: "", privateKey: "", rootCertificates: join(state.path, "root.pem") };
  using client = new WebhookClient(addresses.webhook, files);
  expect(JSON.parse((await client.post(good)).body)).toMatchObject({ response: { allowed: true } });
});
