import { describe, expect, onTestFinished, test } from "vitest";
import type { Clock } from "../../lib/time/clock.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { runCommand } from "../../testing/recording/run-command.ts";
import { FakeKube } from "../../testing/server/fake-kube.ts";
import { wordyProxy, wordyServer } from "../../testing/server/wordy-pages.ts";
import { TempTree } from "../../testing/temp-tree.ts";

const entries = "/apis/networking.istio.io/v1/serviceentries";
const entry = `apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: { name: ratings, namespace: shop }
spec: { hosts: [ratings.example], ports: [{ number: 80, name: http, protocol: HTTP }], resolution: DNS }
`;

/** A second passes with every turn of the event loop. */
function hurriedClock(): Clock {
  let now = 0;
  return {
    now: () => now,
    after(_, run) {
      const timer = setImmediate(() => {
        now += 1_000;
        run();
      });
      return () => clearImmediate(timer);
    },
  };
}

/** Seconds pass while the thread is kept busy. */
function busyClock(): Clock {
  let now = 0;
  return { now: () => (now += 1_000), after: () => () => undefined };
}

async function meshFolder(): Promise<string> {
  const tree = await TempTree.create();
  onTestFinished(() => tree.close());
  await tree.write("a.yaml", entry);
  return tree.directory;
}

async function statuses(args: readonly string[], clock: Clock): Promise<readonly string[]> {
  const shown: string[] = [];
  await runCommand(args, { clock, showStatus: (text) => void shown.push(text) });
  return shown;
}

describe("a terminal shows the progress of a command after one second", () => {
  test.each([["validate"], ["analyze"], ["translate", "--node", "sidecar~a.shop"]])("%s reads", async (...args) => {
    const directory = await meshFolder();
    const shown = await statuses([...args, directory], hurriedClock());
    expect(shown[0]).toMatch(/^reading \/.* … 1 s$/u);
    expect(shown.at(-1)).toBe("");
  });

  test("explain reads", async () => {
    const directory = await meshFolder();
    const args = ["explain", directory, "--from", "sidecar~a.shop", "http://ratings.example/"];
    expect((await statuses(args, hurriedClock()))[0]).toMatch(/^reading /u);
  });

  test("analyze shows the number of finished analyzers", async () => {
    const directory = await meshFolder();
    const shown = await statuses(["analyze", directory], busyClock());
    expect(shown).toContainEqual(expect.stringMatching(/^analyzing, 1 of \d+ analyzers done … \d+ s$/u));
    expect(shown.at(-1)).toBe("");
  });

  test("fleet is connected", async () => {
    const args = ["fleet", "--xds", "127.0.0.1:1", "--proxies", "1", "--duration", "50ms"];
    const shown = await statuses(args, hurriedClock());
    expect(shown[0]).toBe("0 of 1 proxies are connected, 0 in sync, 0 responses, of 0.05 s … 1 s");
    expect(shown.at(-1)).toBe("");
  });

  test.each([
    ["explain", "--from", wordyProxy, "http://ratings.example/"],
    ["analyze"],
    ["proxy-status"],
    ["proxy-status", wordyProxy],
    ["proxy-config", "all", wordyProxy],
    ["describe", "se", "a", "-n", "shop"],
    ["sources"],
    ["version"],
  ])("%s asks a server", async (...args) => {
    const clock = new FakeClock();
    const server = wordyServer("a", () => clock.advance(1_000));
    const address = await server.start();
    onTestFinished(() => server.stop());
    const shown = await statuses([...args, "--server", address], clock);
    expect(shown[0]).toBe(`asking ${address} … 1 s`);
    expect([shown.at(-1), clock.pending]).toEqual(["", 0]);
  });

  test.each([
    ["asking the store", "get", "se"],
    ["asking the store", "get", "se", "a"],
    ["writing to the store", "apply"],
    ["writing to the store", "delete", "se", "a"],
  ])("%s: %s", async (doing, ...args) => {
    const directory = await meshFolder();
    const clock = new FakeClock();
    await using kube = await FakeKube.start([entries]);
    kube.fault = () => {
      clock.advance(1_000);
      return undefined;
    };
    const store = ["--store", "kube:", "--kubeconfig", kube.kubeconfig()];
    const shown = await statuses([...args, ...(args[0] === "apply" ? [directory] : []), ...store], clock);
    expect(shown).toContain(`${doing} … 1 s`);
    expect([shown.at(-1), clock.pending]).toEqual(["", 0]);
  });
});
