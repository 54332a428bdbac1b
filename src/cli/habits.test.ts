import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { HttpServer } from "../admin/http-server.ts";
import { httpRoutes } from "../admin/routes.ts";
import type { Addresses } from "../admin/state.ts";
import { readCommit } from "../app/process/version.ts";
import { Overload } from "../lib/overload/overload.ts";
import { RecordingLogger } from "../testing/recording/recording-logger.ts";
import { runCommand } from "../testing/recording/run-command.ts";
import { TempTree } from "../testing/temp-tree.ts";

const root = join(import.meta.dirname, "../..");

describe("short names", () => {
  test.each([
    ["ps", "proxy-status"],
    ["pc", "proxy-config"],
  ])("%s is %s", async (alias, name) => {
    const { code, stdout } = await runCommand([alias, "--help"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: (await runCommand([name, "--help"])).stdout });
    expect((await runCommand(["--help"])).stdout).toContain(`${name} (${alias})`);
  });
});

describe("--server", () => {
  test.each(["127.0.0.1:1", "http://127.0.0.1:1", "http://127.0.0.1:1/"])(
    "%s is accepted as an address",
    async (server) => {
      const { code, stderr } = await runCommand(["ps", "--server", server]);
      expect(code).toBe(1);
      expect(stderr).toMatch(/ECONNREFUSED|bad port/u);
    },
  );
});

describe("version --server", () => {
  const build = { name: "binnacle", version: "9.9.9", commit: "bf785620000000000000000000000000000000aa" };
  const load = { overload: new Overload(), stalls: () => 0 };
  const routes = httpRoutes({ emitters: [], addresses: () => ({}) as Addresses, build, pages: [], ...load });
  const server = new HttpServer({ address: "127.0.0.1:0", routes, logger: new RecordingLogger(), onFailure: () => {} });
  let address = "";
  beforeAll(async () => {
    address = await server.start();
  });
  afterAll(() => server.stop());

  test("prints its own version and the server's", async () => {
    const { code, stdout } = await runCommand(["version", "--server", `http://${address}/`]);
    expect(code).toBe(0);
    expect(stdout.split("\n")).toEqual([
      expect.stringMatching(/^binnacle \d/u),
      "server: binnacle 9.9.9 (bf7856200000)",
    ]);
    const json = await runCommand(["version", "--server", address, "-o", "json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ name: "binnacle", server: build });
  });

  test("ends with 1 without a server", async () => {
    expect(await runCommand(["version", "--server", "127.0.0.1:1"])).toMatchObject({ code: 1, stdout: "" });
  });
});

async function warned(env: Readonly<Record<string, string>>): Promise<string> {
  return (await runCommand(["version"], { env })).stderr;
}

describe("an unknown environment variable", () => {
  test("causes a warning with the most similar setting", async () => {
    expect(await warned({ BINNACLE_XSD: "off" })).toBe(
      "warning: the environment variable BINNACLE_XSD is not a setting; did you mean BINNACLE_XDS?",
    );
    expect(await warned({ BINNACLE_TELEPORTATION: "on" })).toBe(
      "warning: the environment variable BINNACLE_TELEPORTATION is not a setting; it has no effect",
    );
  });

  test.each([
    ["a setting", "BINNACLE_XDS"],
    ["the store of objects", "BINNACLE_STORE"],
    ["the service port that Kubernetes sets", "BINNACLE_PORT"],
    ["one of its ports", "BINNACLE_PORT_15010_TCP_ADDR"],
    ["the host of the Service", "BINNACLE_SERVICE_HOST"],
    ["a named port of the Service", "BINNACLE_SERVICE_PORT_GRPC_XDS"],
    ["another program's", "SEXTANT_XSD"],
  ])("does not include %s: %s", async (_, name) => {
    expect(await warned({ [name]: "127.0.0.1:0" })).toBe("");
  });
});

describe("help of a server", () => {
  test("is grouped by theme, and the most used flags come first", async () => {
    const { stdout } = await runCommand(["serve", "--help"]);
    const headings = stdout.split("\n").filter((line) => /^\S.*:$/u.test(line));
    expect(headings[0]).toBe("basics:");
    expect(headings.length).toBeGreaterThan(8);
    const basics = stdout.slice(stdout.indexOf("basics:"), stdout.indexOf(headings[1] ?? ""));
    for (const flag of ["source", "mesh", "xds", "http", "metrics", "log-level", "help"]) {
      expect(basics).toContain(`--${flag}`);
    }
    expect(basics).not.toContain("--debounce-after");
  });
});

describe("empty input", () => {
  let tree: TempTree;
  beforeEach(async () => {
    tree = await TempTree.create();
  });
  afterEach(() => tree.close());

  test.each(["validate", "analyze"])("of %s causes a warning that names the empty path", async (command) => {
    const { code, stderr } = await runCommand([command, tree.directory, join(root, "examples/bookinfo")]);
    expect(code).toBe(0);
    expect(stderr.split("\n").filter((line) => line.startsWith("warning: "))).toEqual([
      `warning: ${tree.directory} holds no objects`,
    ]);
  });

  test("from stdin causes a warning", async () => {
    expect((await runCommand(["validate", "-"])).stderr).toContain("warning: <stdin> holds no objects");
  });
});

describe("the commit", () => {
  let tree: TempTree;
  beforeEach(async () => {
    tree = await TempTree.create();
  });
  afterEach(() => tree.close());

  const commit = "bf78562000000000000000000000000000000000";

  test.each([
    ["a branch", { ".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": `${commit}\n` }],
    [
      "a packed branch",
      { ".git/HEAD": "ref: refs/heads/main\n", ".git/packed-refs": `# x\n${commit} refs/heads/main\n` },
    ],
    ["no branch", { ".git/HEAD": `${commit}\n` }],
    [
      "a work tree",
      {
        ".git": "gitdir: ./repo/worktrees/a\n",
        "repo/worktrees/a/HEAD": "ref: refs/heads/a\n",
        "repo/worktrees/a/commondir": "../..\n",
        "repo/refs/heads/a": `${commit}\n`,
      },
    ],
    ["what is published", { commit: `${commit}\n` }],
  ])("is read from %s", async (_, files) => {
    for (const [file, text] of Object.entries(files)) await tree.write(file, text);
    expect(readCommit(tree.directory)).toBe(commit);
  });

  test("is unknown without Git", () => {
    expect(readCommit(tree.directory)).toBe("unknown");
  });
});

describe("the entry point", () => {
  const entry = join(root, "src/cli/main.ts");

  test("rejects an old Node in one line, before any import", () => {
    const pretence = `Object.defineProperty(process.versions, "node", { value: "14.21.3" });`;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["--import", `data:text/javascript,${encodeURIComponent(pretence)}`, entry, "version"],
      { encoding: "utf8" },
    );
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: "",
      stderr: "binnacle: needs Node 24 or newer, and this is Node 14.21.3\n",
    });
    expect(readFileSync(entry, "utf8")).not.toMatch(/^import |^const .*await|\?\.|\?\?|`/mu);
  });
});
