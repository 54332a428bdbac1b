import { existsSync, readFileSync, statSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { smallShop } from "../../src/testing/mesh/small-shop.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { TempTree } from "../../src/testing/temp-tree.ts";
import { type BinnacleProcess, startBinnacle } from "./support/binnacle/server.ts";
import { startEnvoy } from "./support/envoy/envoy.ts";
import { openShop, splitYaml } from "./support/envoy/shop.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";

const describeWithEnvoy = await describeWith("envoy");
const soon = { seconds: 20 };

async function recordingFile(): Promise<string> {
  const tree = await TempTree.create();
  onTestFinished(() => tree.close());
  return tree.path("server.recording");
}

/** Clients of both protocols that reject, reconnect and read slowly, while the route changes. */
async function crowd({ addresses }: BinnacleProcess, edit: (timeout: number) => void) {
  const shares = ["--delta", "50%", "--routers", "30%", "--nack", "10%", "--slow", "5%", "--reconnect", "30%"];
  const fleet = ["fleet", "--xds", addresses.xds, "--proxies", "30", "--duration", "2s", "--namespace", "shop"];
  const connected = runCommand([...fleet, ...shares, "--reconnect-every", "500ms"]);
  for (const timeout of [1, 2, 3, 4, 5, 6, 7, 8]) {
    edit(timeout);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  expect((await connected).code).toBe(0);
}

const withTimeout = (seconds: number) => smallShop.replace("  - route: [{", `  - timeout: ${seconds}s\n    route: [{`);

test("a replay of a killed server sends the bytes that many clients got", async () => {
  using dir = new MeshDir({ "mesh.yaml": smallShop });
  const file = await recordingFile();
  await using server = await startBinnacle({ dir: dir.path, args: ["--record", file] });
  await crowd(server, (timeout) => dir.write("mesh.yaml", withTimeout(timeout)));
  const downloaded = await runCommand(["record", "--server", server.addresses.http]);
  const text = readFileSync(file, "utf8");
  expect(text.startsWith(downloaded.stdout)).toBe(true);
  expect(downloaded.stdout.length).toBeGreaterThan(text.length / 2);
  server.kill("SIGKILL");
  await server.exited;
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { code, stdout, stderr } = await runCommand(["replay", file]);
  expect([code, stdout, stderr]).toEqual([
    0,
    expect.stringMatching(/ steps until .*Z, \d{3,} responses, all the same/u),
    expect.stringContaining(
      "note: the recording has no end: the server still runs or was killed, or the file is damaged there",
    ),
  ]);
});

test("a full disk ends the recording, and the server goes on", async () => {
  using dir = new MeshDir({ "mesh.yaml": smallShop });
  const file = await recordingFile();
  const within = ["prlimit", "--fsize=60000"];
  await using server = await startBinnacle({ dir: dir.path, args: ["--record", file], within });
  await crowd(server, (timeout) => dir.write("mesh.yaml", withTimeout(timeout)));
  await eventually("the end is in the log", () => server.linesLike(/recording ended/u).length === 1, soon);
  expect(statSync(file).size).toBeLessThanOrEqual(60_000);
  const { code, stdout } = await runCommand(["replay", file]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("all the same")]);
});

test("a recording ends at its limit, and a server keeps the one before", async () => {
  using dir = new MeshDir({ "mesh.yaml": smallShop });
  const file = await recordingFile();
  for (const round of [1, 2]) {
    await using server = await startBinnacle({
      dir: dir.path,
      args: ["--record", file, "--record-max-bytes", "60000"],
    });
    expect(existsSync(`${file}.previous`)).toBe(round === 2);
    if (round === 2) continue;
    await crowd(server, (timeout) => dir.write("mesh.yaml", withTimeout(timeout)));
    await eventually("the end is in the log", () => server.linesLike(/recording ended/u).length === 1, soon);
  }
  const { stdout, stderr } = await runCommand(["replay", `${file}.previous`]);
  expect([stdout, stderr]).toEqual([expect.stringContaining("all the same"), ""]);
});

describeWithEnvoy("a replay", () => {
  test("sends the bytes that real Envoys got, and shows what one held", async () => {
    await using shop = await openShop(splitYaml(50, 50));
    const file = await recordingFile();
    await using server = await startBinnacle({ dir: shop.mesh.path, args: ["--record", file] });
    await using sotw = await startEnvoy({ xdsPort: server.xdsPort, mode: "sotw" });
    await using delta = await startEnvoy({ xdsPort: server.xdsPort, mode: "delta" });
    await Promise.all([sotw.settled(), delta.settled()]);
    for (const share of [10, 20, 30]) shop.mesh.write("routes.yaml", splitYaml(share, 100 - share));
    await Promise.all([sotw.settled(), delta.settled()]);
    const { code, stdout } = await runCommand(["replay", file]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("all the same")]);
    const held = await runCommand(["replay", file, "--proxy", "gw-0.istio-system", "--show", "-o", "json"]);
    expect(held.stdout).toContain("reviews.shop.svc.cluster.local");
  });
});
