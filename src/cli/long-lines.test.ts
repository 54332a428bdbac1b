import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { largest } from "../lib/extremes.ts";
import { runs, seed } from "../testing/random/seed.ts";
import { runCommand } from "../testing/recording/run-command.ts";
import { FakeKube } from "../testing/server/fake-kube.ts";
import { wordyProxy, wordyServer } from "../testing/server/wordy-pages.ts";
import { TempTree } from "../testing/temp-tree.ts";
import { commands } from "./commands.ts";

const maxLine = 2_000;
const serviceEntries = "/apis/networking.istio.io/v1/serviceentries";

/** Texts from outside, of any length and with any characters. */
const hostile = fc
  .tuple(fc.constantFrom("x", "é", "😀", "a b ", "|", "x,", "~", "%20", "a."), fc.integer({ min: 6_000, max: 20_000 }))
  .map(([part, times]) => part.repeat(times).slice(0, 20_000));

interface World {
  readonly text: string;
  readonly directory: string;
  readonly server: readonly string[];
  readonly store: readonly string[];
}

const from = ["--from", "sidecar~a.shop", "http://ratings.example/"];

/** Arguments with which each command repeats the text. */
const questions: Readonly<Record<string, (world: World) => readonly (readonly string[])[]>> = {
  serve: ({ text }) => [
    ["--source", `file:./${text}`],
    ["--xds", text],
  ],
  galley: ({ text }) => [
    ["--source", `file:./${text}`],
    ["--mcp", text],
  ],
  pilot: ({ text }) => [
    ["--source", `file:./${text}`],
    ["--http", text],
  ],
  validate: ({ text, directory }) => [[directory], [text], [`--${text}`]],
  analyze: ({ text, directory, server }) => [
    [directory],
    [directory, "--verbose"],
    server,
    [text],
    ["--suppress", text],
  ],
  translate: ({ text, directory }) => [[directory, "--node", text]],
  explain: ({ text, directory, server }) => [
    [directory, ...from],
    [directory, ...from, "-H", `a: ${text}`],
    [...server, "--from", wordyProxy, "http://ratings.example/"],
    [directory, "--from", text, "http://ratings.example/"],
  ],
  why: ({ text, directory }) => [
    [text],
    [`${text}:1`, "-f", directory],
    ["sidecar~a.shop", "cluster", text, "-f", directory],
    ["sidecar~a.shop", text, text, "-f", directory],
  ],
  plan: ({ text, directory, server }) => [
    [directory, "--against", directory],
    [text, "--against", directory],
    [directory, "--against", text],
    [directory, "--against", directory, "--delete", text],
    [directory, "--against", directory, "--fail-on", text],
    [directory, ...server],
  ],
  "proxy-status": ({ text, server }) => [server, [wordyProxy, ...server], [text, ...server], ["--server", text]],
  "proxy-config": ({ text, server }) => [
    ["all", wordyProxy, ...server],
    ["all", "nobody", ...server],
    [text, text],
  ],
  sources: ({ text, server }) => [server, [text]],
  top: ({ text, server }) => [
    ["--once", ...server],
    ["--interval", text],
    ["--once", "--server", text],
  ],
  quarantine: ({ text, server }) => [["list", ...server], ["list", "-o", "wide", ...server], [text], ["release", text]],
  rollout: ({ text, server }) => [["list", ...server], ["show", text, ...server], [text], ["pause", text, ...server]],
  ca: ({ text, server }) => [["status", ...server], ["rotate", ...server], [text], ["status", "--server", text]],
  apply: ({ text, directory, store }) => [
    [directory, ...store],
    [text, ...store],
    ["--store", text],
  ],
  get: ({ text, store }) => [
    ["se", "-A", ...store],
    ["se", text, "-n", text, ...store],
    [text, ...store],
  ],
  delete: ({ text, store }) => [
    ["se", text, "-n", "shop", ...store],
    ["se", "a", "-n", text, ...store],
  ],
  describe: ({ text, server }) => [
    ["se", "a", "-n", "shop", ...server],
    ["se", text, ...server],
    [text, text],
  ],
  wait: ({ text, directory, server }) => [
    [`se/${text}`, "-n", text, "--timeout", "1s", ...server],
    ["-f", directory, "--timeout", "1s", ...server],
    [text, ...server],
    ["se/a", "--timeout", text],
    ["se/a", "--server", text],
  ],
  diff: ({ text, directory, server }) => [
    ["server:", directory, ...server],
    [`proxy:${wordyProxy}`, `proxy:${wordyProxy}`, ...server],
    [`proxy:${wordyProxy}`, `proxy:${text}`, ...server],
    [directory, text],
    [`server:${text}`, directory],
  ],
  history: ({ text, directory }) => [
    ["list", "--history", text],
    ["list", text, "--history", directory],
    ["at", text, "show", "--history", directory],
    [text, "--history", directory],
  ],
  record: ({ text, directory }) => [
    ["--server", text, `${directory}/${text}`],
    [text, "--server", text],
  ],
  replay: ({ text, directory }) => [[text], [`${directory}/syntax.yaml`, "--proxy", text]],
  bootstrap: ({ text }) => [
    ["envoy", "--node", text],
    [text, "--node", "sidecar~a.shop"],
  ],
  inject: ({ text, directory }) => [
    ["-f", text],
    ["-f", `${directory}/syntax.yaml`],
    ["-f", `${directory}/good.yaml`, "--image", text],
  ],
  workload: ({ text, directory, server }) => {
    const files = ["--output", `${directory}/machine`];
    return [
      ["configure", text, "-n", text, directory, ...files],
      ["configure", "vm", "-n", text, ...server, ...files],
      ["configure", "vm", text, ...files],
      ["configure", "vm", directory, "--ingress-ip", text, ...files],
      ["configure", "vm", directory, "--token", text, ...files],
      [text, "vm", ...files],
    ];
  },
  fleet: ({ text }) => [
    ["--xds", text],
    ["--proxies", text],
  ],
  probe: ({ text }) => [
    ["--file", text, "--interval", "1s"],
    ["--file", "a", "--interval", text],
  ],
  version: ({ text, server }) => [server, ["--server", text]],
  completion: ({ text }) => [[text]],
};

function entry(name: string, ...edits: readonly (readonly [string, string])[]): string {
  return edits.reduce(
    (yaml, [old, other]) => yaml.replace(old, () => other),
    `apiVersion: networking.istio.io/v1\nkind: ServiceEntry\nmetadata: { name: ${name}, namespace: shop }\nspec:
  hosts: [ratings.example]\n  ports: [{ number: 80, name: http, protocol: HTTP }]\n  resolution: DNS\n`,
  );
}

/** One mistake of each kind, each with the text in it. */
function documents(text: string): Readonly<Record<string, string>> {
  const quoted = JSON.stringify(text);
  return {
    "good.yaml": entry("good"),
    "name.yaml": entry(quoted),
    "value.yaml": entry("b", ["DNS", quoted]),
    "field.yaml": entry("c", ["resolution", quoted]),
    "kind.yaml": entry("d", ["ServiceEntry", quoted]),
    "version.yaml": entry("e", ["networking.istio.io/v1", quoted]),
    "host.yaml": entry("f", ["ratings.example", quoted]),
    "syntax.yaml": `a: [${quoted}\nb: "${text}`,
  };
}

async function inWorld(text: string, visit: (world: World) => Promise<void>): Promise<void> {
  const tree = await TempTree.create();
  const pages = wordyServer(text);
  await using kube = await FakeKube.start([serviceEntries]);
  try {
    for (const [file, yaml] of Object.entries(documents(text))) await tree.write(file, yaml);
    const metadata = { name: text, namespace: text, resourceVersion: text };
    kube.put(serviceEntries, {
      apiVersion: "networking.istio.io/v1",
      kind: "ServiceEntry",
      metadata,
      spec: { hosts: [text] },
    });
    const store = ["--store", "kube:", "--kubeconfig", kube.kubeconfig()];
    await visit({ text, directory: tree.directory, server: ["--server", await pages.start()], store });
  } finally {
    await pages.stop();
    await tree.close();
  }
}

describe("text output has no very long lines, for any names and values", () => {
  test("every command is covered", () => {
    expect(Object.keys(questions)).toEqual(commands.map(({ name }) => name));
  });

  test("text of every command", async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        await inWorld(text, async (world) => {
          for (const [command, asked] of Object.entries(questions)) {
            for (const args of asked(world)) {
              const { stdout, stderr } = await runCommand([command, ...args], { env: { [`BINNACLE_${text}`]: text } });
              const longest = largest(`${stdout}\n${stderr}`.split("\n").map(({ length }) => length));
              const line = [command, ...args].map((arg) => arg.slice(0, 20)).join(" ");
              expect(longest > maxLine ? `${line}: ${longest} characters` : "short").toBe("short");
            }
          }
        });
      }),
      { numRuns: runs(1), seed, endOnFailure: true },
    );
  });

  test("JSON and YAML output is not shortened", async () => {
    const text = "x".repeat(20_000);
    await inWorld(text, async ({ server, store, directory }) => {
      for (const args of [
        ["proxy-status", ...server],
        ["proxy-status", wordyProxy, ...server],
        ["proxy-config", "all", wordyProxy, ...server],
        ["describe", "se", "a", "-n", "shop", ...server],
        ["sources", ...server],
        ["version", ...server],
        ["analyze", ...server],
        ["get", "se", "-A", ...store],
        ["explain", ...server, "--from", wordyProxy, "http://ratings.example/"],
        ["validate", directory],
      ]) {
        for (const notation of ["json", "yaml"]) {
          const { stdout } = await runCommand([...args, "-o", notation]);
          expect([args[0], notation, stdout.includes(text)]).toEqual([args[0], notation, true]);
        }
      }
      expect((await runCommand(["get", "se", "-A", ...store, "-o", "name"])).stdout).toContain(text);
    });
  });
});
