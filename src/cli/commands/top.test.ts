import { describe, expect, onTestFinished, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { runCommand } from "../../testing/recording/run-command.ts";
import { rawClient, shopEntry, started, wiredServer } from "../../testing/server/wired-server.ts";
import { until } from "../../testing/until.ts";
import { clusterType } from "../../xds/type-urls.ts";
import type { ScreenHandlers } from "../text/screen.ts";

/** A server with two proxies. One of them has acknowledged its clusters. */
async function serving() {
  const server = wiredServer();
  server.source.apply(shopEntry("reviews"));
  await started(server);
  for (const name of ["web-0", "web-1"]) {
    const client = rawClient(server.discovery);
    client.ask(clusterType, { id: `sidecar~10.0.0.9~${name}.shop~shop.svc.cluster.local` });
    await server.discovery.idle();
    if (name === "web-0") client.answer(clusterType, client.answers[0]?.nonce ?? "");
    await server.discovery.idle();
  }
  return { server, address: server.listeners.addresses.http };
}

/** `top` on a screen that remembers what is drawn. */
async function onScreen(...args: readonly string[]) {
  const clock = new FakeClock();
  const frames: (readonly string[])[] = [];
  const handlers: ScreenHandlers[] = [];
  const size = { columns: 80, rows: 24 };
  let isOpen = false;
  const closed = new AbortController();
  onTestFinished(() => closed.abort());
  const ran = runCommand(["top", ...args], {
    clock,
    outputClosed: closed.signal,
    screen: {
      size: () => size,
      open(given) {
        handlers.push(given);
        isOpen = true;
        return { draw: (lines) => frames.push(lines), [Symbol.dispose]: () => (isOpen = false) };
      },
    },
  });
  const last = () => frames.at(-1)?.join("\n") ?? "";
  return {
    clock,
    frames,
    last,
    ran,
    closed,
    size,
    isOpen: () => isOpen,
    handlers: () => handlers[0],
    keys: (text: string) => handlers[0]?.onKeys(text),
  };
}

describe("top", () => {
  test("shows proxies, follows keys and the size of the terminal, samples again, and ends with q", async () => {
    const { address } = await serving();
    const top = await onScreen("--server", address);
    await until(() => top.frames.length > 0);
    expect(top.last()).toMatch(/proxies +2: 1 synced, 1 behind, 0 rejecting/u);
    expect(top.last()).toMatch(/web-1\.shop .* behind .*\n.*web-0\.shop .* synced/u);
    top.keys("r");
    expect(top.last()).toMatch(/web-0\.shop .* synced .*\n.*web-1\.shop .* behind/u);
    top.keys("/web-1\r");
    await until(() => !top.last().includes("web-0.shop"));
    top.size.rows = 12;
    top.handlers()?.onResize();
    expect(top.frames.at(-1)).toHaveLength(12);
    const drawn = top.frames.length;
    top.clock.advance(2_000);
    await until(() => top.frames.length > drawn);
    expect(top.last()).toMatch(/pushes +CDS \d/u);
    top.keys("q");
    expect(await top.ran).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(top.isOpen()).toBe(false);
  });

  test("stays after the server is gone, and gives the terminal back when it ends", async () => {
    const { server, address } = await serving();
    const top = await onScreen("--server", address, "--interval", "1s");
    await until(() => top.frames.length > 0);
    const stopping = server.lifecycle.stop();
    while (!top.last().includes("trying again")) {
      server.clock.advance(100);
      top.clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await stopping;
    top.closed.abort();
    expect((await top.ran).code).toBe(0);
    expect(top.isOpen()).toBe(false);
  });

  test("--once prints what happened within one interval", async () => {
    const { address } = await serving();
    const clock = new FakeClock();
    const ran = runCommand(["top", "--once", "-o", "json", "--server", address], { clock });
    await until(() => clock.pending === 1);
    clock.advance(2_000);
    const { code, stdout } = await ran;
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      seconds: 2,
      proxies: { total: 2, synced: 1, behind: 1, rejecting: 0 },
      pushes: { perSecond: { CDS: 0 } },
      list: {
        total: 2,
        items: [{ name: "web-1.shop", state: "behind", behind: ["CDS STALE"] }, { name: "web-0.shop" }],
      },
    });
  });

  test.each([
    [["--interval", "1ms"], /--interval: expected .*, at least 100ms, found 1ms/u],
    [["-o", "json"], /-o json: only with --once/u],
    [[], /top needs a terminal; scripts use --once/u],
  ])("%j is wrong usage", async (args, message) => {
    const { code, stderr } = await runCommand(["top", ...args]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  test("needs the desk, and says so", async () => {
    const server = await started(wiredServer({ desk: false }));
    const { code, stderr } = await runCommand(["top", "--once", "--server", server.listeners.addresses.http]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("is it started with --desk off?")]);
  });
});
