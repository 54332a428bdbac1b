import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { absentCommand } from "../../scripts/peers/recipes.ts";
import { readArguments } from "../../src/app/options/flags.ts";
import { readOptions } from "../../src/app/options/read-options.ts";
import { serverFlags } from "../../src/cli/flags/server-flags.ts";
import { ended } from "./support/binnacle/command.ts";
import { whenReady } from "./support/binnacle/server.ts";
import { main, root } from "./support/checkout.ts";
import { Child } from "./support/child.ts";
import { get } from "./support/http.ts";

const unit = readFileSync(join(root, "deploy/systemd/binnacle.service"), "utf8");
const settings = readFileSync(join(root, "deploy/systemd/binnacle.yaml"), "utf8");
/** Of 100. Without hardening, a service has 96. */
const mostExposure = 15;

const needed = absentCommand(["systemd-analyze", "setpriv", "unshare"]);
const isRoot = process.getuid?.() === 0;
const skipReason =
  needed !== undefined ? `there is no ${needed} here` : isRoot ? undefined : "only root may mount /proc";
const skips = skipReason !== undefined && process.env["CI"] !== "true";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "binnacle-systemd-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** The unit, with an executable that exists. */
function unitFile(): string {
  const file = join(folder(), "binnacle.service");
  writeFileSync(file, unit.replace("/usr/local/bin/binnacle", process.execPath));
  return file;
}

test("the unit starts the server with existing flags and settings", () => {
  const [, command = ""] = /^ExecStart=\S+ serve (?<flags>.*)$/mu.exec(unit) ?? [];
  const options = readOptions({
    arguments: readArguments(command.split(" "), serverFlags),
    env: {},
    readFile: (path) => (path === "/etc/binnacle/binnacle.yaml" ? settings : `no file ${path}`),
  });
  expect(options).toMatchObject({
    sources: ["file:/etc/binnacle/mesh"],
    quarantineStore: "/var/lib/binnacle/quarantine.json",
  });
});

describe("the systemd unit", skips ? { skip: true, meta: { skipReason } } : {}, () => {
  test("is valid", async () => {
    const { code, stdout, stderr } = await ended("systemd-analyze", ["verify", unitFile()]);
    expect({ code, said: stdout + stderr }).toEqual({ code: 0, said: "" });
  });

  test("leaves the service few rights", async () => {
    const flags = ["security", "--offline=yes", "--no-pager", `--threshold=${mostExposure}`];
    const { code, stdout } = await ended("systemd-analyze", [...flags, unitFile()]);
    expect({ code, said: stdout.trim().split("\n").at(-1) }).toMatchObject({ code: 0 });
  });

  test("leaves the server what it needs: it runs without capabilities, and sees nothing of /proc but processes", async () => {
    const files = folder();
    const config = join(files, "binnacle.yaml");
    const bookinfo = join(root, "examples/bookinfo");
    const state = mkdtempSync(join(files, "state-"));
    writeFileSync(config, settings.replace("/etc/binnacle/mesh", bookinfo).replace("/var/lib/binnacle", state));
    const any = "127.0.0.1:0";
    const ports = ["--xds", any, "--http", any, "--metrics", any, "--ctrlz", "off"];
    const rights = "--no-new-privs --bounding-set=-all --inh-caps=-all";
    const enter = `mount -t proc -o subset=pid,hidepid=2 proc /proc && exec setpriv ${rights} "$@"`;
    const serve = [process.execPath, main, "serve", "--config-file", config, ...ports];
    await using child = new Child("unshare", ["--mount", "sh", "-c", enter, "sh", ...serve]);
    const server = await whenReady(child);
    expect((await get(server.httpPort, "/ready")).status).toBe(200);
    child.kill("SIGHUP");
    await child.logged(/reload/u);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
  });
});
