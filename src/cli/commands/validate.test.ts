import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { compareTexts } from "../../lib/compare.ts";
import { runCommand } from "../../testing/recording/run-command.ts";
import { TempTree } from "../../testing/temp-tree.ts";

const malformed = join(import.meta.dirname, "../../../test/scenarios/malformed");
const bookinfo = join(import.meta.dirname, "../../../examples/bookinfo");

/** `file:line:column: severity code …`, the lines that editors and scripts look for. */
function headsOf(stdout: string): readonly string[] {
  return stdout.split("\n").filter((line) => /^\S+:\d+:\d+: (?:error|warning) /u.test(line));
}

const rule = (spec: string) => `apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: reviews, namespace: shop}
spec: ${spec}
`;

describe("validate", () => {
  test("prints nothing on stdout for a valid directory", async () => {
    expect(await runCommand(["validate", bookinfo])).toEqual({
      code: 0,
      stdout: "",
      stderr: expect.stringMatching(/^\d+ valid objects, no issues$/u),
    });
  });

  test.each(readdirSync(malformed))("shows every marked place of %s, and continues after it", async (file) => {
    const path = join(malformed, file);
    const marked = readFileSync(path, "utf8")
      .split("\n")
      .flatMap((line, index) => {
        const code = /# <-- HERE: (?<code>\S+)/u.exec(line)?.groups?.["code"];
        return code === undefined ? [] : [`${path}:${index + 1} ${code}`];
      });
    const { code, stdout, stderr } = await runCommand(["validate", path]);
    const shown = headsOf(stdout).map((line) => line.replace(/:\d+: (?:error|warning) ([^\s:]+).*/u, " $1"));
    expect(shown.toSorted()).toEqual(marked.toSorted());
    expect(stdout.match(/^ +\d+ \| .*\n +\| *→? *\^+$/gmu)).toHaveLength(marked.length);
    expect(stderr).toMatch(/^[23] valid objects, 1 (?:error|warning)|, [23] errors/u);
    expect(code).toBe(stdout.includes(": error ") ? 1 : 0);
  });

  test("names the object, the field, the wrong text and the probable correction", async () => {
    const { stdout } = await runCommand(["validate", join(malformed, "06-misspelt-field.yaml")]);
    expect(stdout).toMatch(/: error unknown-field VirtualService shop\/reviews spec\.http\[0\]\.route\[0\]\.\w+: /u);
    expect(stdout).toMatch(/\n {6}hint: did you mean "destination"\?$/u);
  });

  test("reports a whole directory sorted by place, with counts", async () => {
    const { code, stdout, stderr } = await runCommand(["validate", malformed]);
    expect(code).toBe(1);
    const places = headsOf(stdout).map((head) => /^(?<file>\S+?):(?<line>\d+):/u.exec(head)?.groups);
    const keys = places.map((place) => `${place?.["file"]} ${place?.["line"]?.padStart(6, "0")}`);
    expect(keys).toEqual(keys.toSorted());
    expect(stderr).toMatch(/^\d valid objects, \d+ errors and \d+ warnings$/u);
  });

  test("checks and quotes stdin", async () => {
    const { code, stdout } = await runCommand(["validate", "-f", "-"], { input: rule("{hots: reviews}") });
    expect(code).toBe(1);
    expect(stdout).toContain("<stdin>:4:8: error unknown-field DestinationRule shop/reviews spec.hots: ");
    expect(stdout).toContain("\n    4 | spec: {hots: reviews}\n      |        ^^^^^^^^^^^^^\n");
  });

  test("uses colours on a terminal", async () => {
    const { stdout } = await runCommand(["validate", "-"], { input: rule("{}"), coloured: true });
    expect(stdout).toContain("\u001B[31merror\u001B[39m");
  });

  test.each([
    ["json", (text: string): unknown => JSON.parse(text)],
    ["yaml", (text: string): unknown => parse(text)],
  ])("prints issues as %s, and nothing else", async (notation, read) => {
    const good = await runCommand(["validate", bookinfo, "-o", notation]);
    expect([good.code, read(good.stdout), good.stderr]).toEqual([0, [], ""]);
    const path = join(malformed, "05-unknown-field.yaml");
    const bad = await runCommand(["validate", path, "-o", notation]);
    expect(bad.code).toBe(1);
    expect(read(bad.stdout)).toEqual([
      {
        reference: `${path}:20`,
        severity: "error",
        code: "unknown-field",
        object: "DestinationRule shop/reviews",
        path: "spec.circuitBreaker",
        message: 'DestinationRule has no field "circuitBreaker"',
        place: { file: path, line: 20, column: 3 },
      },
    ]);
  });

  test.each([
    [["validate"], 2, "expected FILE… or DIR…, found none"],
    [["validate", "mesh", "-o", "xml"], 2, '--output: expected text, json or yaml, found "xml"'],
    [["validate", "no/such.yaml"], 1, "no/such.yaml: there is no such file or directory"],
    [["validate", bookinfo, "no/such"], 1, "no/such: there is no such file or directory"],
  ])("%j is rejected", async (args, code, sentence) => {
    expect(await runCommand(args)).toEqual({ code, stdout: "", stderr: `binnacle validate: ${sentence}` });
  });
});

describe("validate, with files of its own,", () => {
  let tree: TempTree;
  beforeEach(async () => {
    tree = await TempTree.create();
  });
  afterEach(() => tree.close());

  test("names an unusable policy alike in a file, a directory and on stdin", async () => {
    const input = `apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: deny, namespace: shop}
spec: {action: DENY, rules: [{from: [{source: {ipBlocks: [x]}}]}]}
`;
    await tree.write("policy.yaml", input);
    for (const path of [tree.directory, tree.path("policy.yaml"), "-"]) {
      const { code, stdout, stderr } = await runCommand(["validate", path], { input });
      const codes = headsOf(stdout).map((head) => /: error ([\w-]+)/u.exec(head)?.[1] ?? "");
      expect([codes.toSorted(compareTexts), stderr, code]).toEqual([
        ["bad-address", "unusable-policy"],
        "0 valid objects, 2 errors",
        1,
      ]);
    }
  });

  test("ends with 0 if there are only warnings", async () => {
    await tree.write("new.yaml", "apiVersion: networking.istio.io/v1\nkind: RateLimit\nmetadata: {name: a}\n");
    const { code, stdout, stderr } = await runCommand(["validate", tree.directory]);
    expect(code).toBe(0);
    expect(stdout).toContain(": warning unknown-kind kind: ");
    expect(stderr).toBe("0 valid objects, 1 warning");
  });

  test("says which file wins for an object in two files", async () => {
    await tree.write("a.yaml", rule("{host: a}"));
    await tree.write("b.yaml", rule("{host: b}"));
    const [a, b] = [tree.path("a.yaml"), tree.path("b.yaml")];
    const { code, stdout } = await runCommand(["validate", a, b]);
    expect(code).toBe(0);
    expect(headsOf(stdout)).toEqual([
      `${a}:3:12: warning name-clash DestinationRule shop/reviews metadata.name: also in file:${b}, where it is ignored: file:${a} comes first`,
    ]);
  });

  test("reads a repeated path once", async () => {
    await tree.write("a.yaml", rule("{host: a}"));
    const path = tree.path("a.yaml");
    expect(await runCommand(["validate", path, "-f", path])).toMatchObject({ code: 0, stdout: "" });
  });

  test("also checks the MeshConfig file", async () => {
    await tree.write("mesh.yaml", "outboundTrafficPolicy: {mode: SOMETIMES}\n");
    await tree.write("mesh/rule.yaml", rule("{host: a}"));
    const mesh = tree.path("mesh.yaml");
    const { code, stdout } = await runCommand(["validate", tree.path("mesh"), "--mesh", mesh]);
    expect(code).toBe(1);
    expect(headsOf(stdout)).toEqual([expect.stringContaining(`${mesh}:1:25: error `)]);
  });

  test("reports invalid UTF-8 in a file and in a directory", async () => {
    await writeFile(tree.path("latin.yaml"), Buffer.from(rule("{host: caf\u00E9}"), "latin1"));
    const expected = { code: 1, stdout: expect.stringContaining("latin.yaml:4:") };
    expect(await runCommand(["validate", tree.path("latin.yaml")])).toMatchObject(expected);
    expect(await runCommand(["validate", tree.directory])).toMatchObject(expected);
  });

  test("reports every line of a file that is no YAML", async () => {
    await tree.write("noise.yaml", "\u0000\u0001: [}\n%\n");
    expect(await runCommand(["validate", tree.directory])).toMatchObject({ code: 1 });
  });
});

describe("unenforced objects", () => {
  const policy = `apiVersion: authentication.istio.io/v1alpha1
kind: Policy
metadata: {name: default, namespace: shop}
spec: {peers: [{jwt: {issuer: a}}]}
`;

  test("are reported as errors, and count as valid", async () => {
    const { code, stdout, stderr } = await runCommand(["validate", "-"], { input: policy });
    expect(headsOf(stdout)).toEqual([expect.stringContaining("error no-effect Policy shop/default")]);
    expect(stderr).toMatch(/^1 valid object, 1 error$/mu);
    expect(code).toBe(1);
  });

  test("are warnings with --allow-unenforced", async () => {
    const { code, stdout } = await runCommand(["validate", "-", "--allow-unenforced", "on"], { input: policy });
    expect(headsOf(stdout)).toEqual([expect.stringContaining("warning no-effect Policy shop/default")]);
    expect(code).toBe(0);
  });
});
