import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { clusterType } from "../../src/xds/type-urls.ts";
import { binnacleEnded, ended } from "./support/binnacle/command.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { main } from "./support/checkout.ts";
import { sidecarNode } from "./support/envoy/bootstrap.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { Pty } from "./support/pty.ts";
import { shared } from "./support/shared.ts";
import { SotwClient } from "./support/xds/ads-client.ts";
import { serviceYaml } from "./support/yaml.ts";

const rig = shared(async (resources) => {
  const yaml = serviceYaml({ name: "reviews", port: 9080, endpoints: [{ port: 8080 }] });
  const mesh = resources.use(new MeshDir({ "reviews.yaml": yaml }));
  const server = resources.use(await startBinnacle({ dir: mesh.path }));
  const proxy = resources.use(new SotwClient(server.xdsPort, sidecarNode));
  proxy.subscribe(clusterType);
  proxy.ack(await proxy.next(clusterType));
  return { mesh, server };
});

/** `binnacle top` in a terminal of 80 columns and 24 rows. */
function top(environment: Readonly<Record<string, string>> = {}): Pty {
  const { mesh, server } = rig();
  const script = join(mesh.path, "../top.sh");
  const command = `"${process.execPath}" "${main}" top --server ${server.addresses.http} --interval 200ms`;
  // The shell shows that the terminal is usable again: it has its echo and its line endings.
  writeFileSync(
    script,
    `stty rows 24 cols 80\ntty\n${command}\necho "ended with $?"\nstty -a | grep -wo -e '-\\?echo' -e '-\\?icanon'\n`,
  );
  return new Pty(["bash", script], environment);
}

test("top shows a live server in a real terminal, follows keys and resizing, and q gives the terminal back", async () => {
  await using pty = top();
  await pty.shows(/proxies +1: 1 synced, 0 behind, 0 rejecting/u);
  await pty.shows(/client-0\.default +default +sidecar +sotw +synced/u);
  await pty.shows(/pushes +CDS \d/u);
  expect(pty.frame()).toHaveLength(24);
  expect(pty.frame().filter((line) => line.length > 80)).toEqual([]);
  pty.type("s");
  await pty.shows(/sort \(name\)/u);
  pty.type("/nobody\r");
  await pty.shows(/no proxy matches nobody/u);
  const terminal = await eventually("the name of the terminal", () => /\/dev\/pts\/\d+/u.exec(pty.output())?.[0], {
    seconds: 20,
  });
  await ended("stty", ["-F", terminal, "rows", "40", "cols", "100"]);
  await eventually("a larger frame", () => pty.frame().length === 40, { seconds: 20 });
  pty.type("q");
  expect(await pty.exited).toBe(0);
  expect(pty.output()).toContain("\u001B[?25h\u001B[?1049l");
  expect(pty.after("ended with 0")).toMatch(/^\s*icanon\s+echo\s*$|^\s*echo\s+icanon\s*$/u);
  // There is a colour, unless the user wants none.
  expect(pty.output()).toContain("\u001B[32m");
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "top gives the terminal back after %s, and has no colour with NO_COLOR",
  async (signal) => {
    await using pty = top({ NO_COLOR: "1" });
    await pty.shows(/client-0\.default/u);
    pty.signal(signal, "top --server");
    expect(await pty.exited).toBe(0);
    expect(pty.output()).toContain("\u001B[?25h\u001B[?1049l");
    expect(pty.after("ended with 0")).toMatch(/icanon/u);
    expect(pty.output()).not.toContain("\u001B[32m");
  },
);

test("top --once prints the second of two samples, and ends", async () => {
  const { addresses } = rig().server;
  const { code, stdout, stderr } = await binnacleEnded(["top", "--once", "-o", "json", "--server", addresses.http]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({ proxies: { total: 1, synced: 1 } });
});
