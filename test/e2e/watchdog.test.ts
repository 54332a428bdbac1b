import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { TempTree } from "../../src/testing/temp-tree.ts";
import { ended } from "./support/binnacle/command.ts";
import { main, root } from "./support/checkout.ts";
import { Child } from "./support/child.ts";
import { get, portOf } from "./support/http.ts";

const stuck = /"msg":"main thread is stuck"/u;

/** Code that makes the main thread loop on SIGUSR2, for this long. */
function hogging(ms: number): string {
  const loop = `const end = Date.now() + ${ms}; while (Date.now() < end);`;
  const code = `process.on("SIGUSR2", function plantedHog() { ${loop} });`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

/** A server with a watchdog of half a second. */
async function watchedServer(hogMs: number) {
  const tree = await TempTree.create();
  const any = "127.0.0.1:0";
  const ports = ["--xds", any, "--http", any, "--metrics", any, "--ctrlz", "off"];
  const probe = ["--liveness-file", tree.path("alive"), "--probe-interval", "200ms"];
  const args = ["serve", tree.directory, ...ports, ...probe, "--watchdog", "500ms", "--log-format", "json"];
  const child = new Child(process.execPath, ["--import", hogging(hogMs), main, ...args]);
  onTestFinished(async () => {
    await child.stop();
    await tree.close();
  });
  const [, metrics = ""] = await child.line(/^ready: .*\bmetrics (127\.0\.0\.1:\d+)/u, { seconds: 60 });
  return { child, tree, metrics };
}

/** The number of a socket; undefined for other files, and for one that was closed meanwhile. */
function inodeOf(file: string): string | undefined {
  try {
    return /^socket:\[(\d+)\]$/u.exec(readlinkSync(file))?.[1];
  } catch {
    return undefined;
  }
}

/** The number of TCP ports that a process listens on. */
function listeningPorts(pid: number): number {
  const own = new Set(readdirSync(`/proc/${pid}/fd`).map((fd) => inodeOf(`/proc/${pid}/fd/${fd}`)));
  const rows = ["tcp", "tcp6"].flatMap((table) => readFileSync(`/proc/${pid}/net/${table}`, "utf8").split("\n"));
  const listening = rows.map((row) => row.trim().split(/\s+/u)).filter(([, , , state]) => state === "0A");
  return listening.filter((columns) => own.has(columns[9])).length;
}

test("a stuck main thread is logged with its stack while it is stuck, and counted", async () => {
  const { child, tree, metrics } = await watchedServer(4_000);
  const { pid = 0 } = child;
  const before = listeningPorts(pid);
  child.kill("SIGUSR2");

  const line = await child.logged(stuck);
  expect(child.linesLike(/"msg":"main thread continues"/u)).toEqual([]);
  expect(listeningPorts(pid)).toBe(before);
  // Nothing refreshes the file, which is older than --probe-interval now.
  expect(Date.now() - statSync(tree.path("alive")).mtimeMs).toBeGreaterThan(200);
  const { stack, stuckMs, level } = JSON.parse(line) as { stack: string[]; stuckMs: number; level: string };
  expect(level).toBe("error");
  expect(stuckMs).toBeGreaterThanOrEqual(500);
  expect(stack[0]).toMatch(/^plantedHog \(data:text\/javascript.*:1:\d+\)$/u);

  await child.logged(/"msg":"main thread continues"/u);
  const { body } = await get(portOf(metrics), "/metrics");
  expect(body).toContain("\nbinnacle_main_thread_stalls_total 1\n");
  expect(child.linesLike(stuck)).toHaveLength(1);
});

test("a process that is stopped and continued is not stuck", async () => {
  const { child, tree, metrics } = await watchedServer(0);
  child.kill("SIGSTOP");
  // The process itself cannot report that time has passed.
  await pause(2_000);
  child.kill("SIGCONT");
  const aliveAt = () => readFileSync(tree.path("alive"), "utf8") === "ok\n";
  await eventually("a heartbeat", async () => (await get(portOf(metrics), "/version")).status === 200 && aliveAt(), {
    seconds: 10,
  });
  const { body } = await get(portOf(metrics), "/metrics");
  expect(body).toContain("\nbinnacle_main_thread_stalls_total 0\n");
  expect(child.linesLike(stuck)).toEqual([]);
});

test("a watchdog does not keep its process alive", async () => {
  const script = `
    import { Watchdog } from "${root}/src/app/watchdog/watchdog.ts";
    import { systemClock } from "${root}/src/app/process/system-clock.ts";
    const clock = { part: "test", ...systemClock };
    const logger = { warn: (fields, message) => console.log(message, fields) };
    new Watchdog({ stallMs: 5000, format: "text", clock, logger }).start();
    console.log("started");
  `;
  expect(await ended(process.execPath, ["--input-type=module", "-e", script])).toMatchObject({
    code: 0,
    stdout: "started\n",
  });
});
