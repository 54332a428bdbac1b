import { expect, test } from "vitest";
import { findingsIn } from "./findings.ts";

function kindsIn(text: string, file = "src/lib/a.ts"): readonly string[] {
  return Array.from(findingsIn(file, text), ({ kind, line }) => `${line} ${kind}`);
}

test.each<[string, string]>([
  ["a comment that begins with a question word", "/** What is sent. */\nconst a = 1;"],
  ["a second sentence that begins with one", "/** A label. Whoever asks gets it. */\nconst a = 1;"],
  ["a line comment", "// Who asks is told.\nconst a = 1;"],
  ["a test title", 'test("What comes first", () => {});'],
  ["the title of a table of tests", 'test.each([1])("Who asks %s", () => {});'],
])("%s is a riddle", (_, text) => {
  expect(kindsIn(text)).toEqual(["1 riddle"]);
});

function words(count: number): string {
  return `${"word ".repeat(count - 1)}end.`;
}

test("a sentence of more than 25 words is long, and code in it counts as one word", () => {
  expect(kindsIn(`/** ${words(26)} */`)).toEqual(["1 long"]);
  expect(kindsIn(`/** ${words(24)} \`a b c d e\`. */`)).toEqual([]);
  expect(kindsIn(`// ${words(13)}\n// ${words(13).toLowerCase()}`)).toEqual(["1 long"]);
});

test("each item of a list is a sentence of its own, and a sentence may begin with code", () => {
  const item = words(20);
  expect(kindsIn(`/**\n * - ${item}\n * - ${item}\n */`)).toEqual([]);
  expect(kindsIn(`/** ${item} \`code\` ${item} */`)).toEqual([]);
  expect(kindsIn("/**\n * The list:\n * - Whoever asks gets it.\n */")).toEqual(["1 riddle"]);
});

test.each([
  "and so is the last one",
  "nor one without a name",
  "is not let traffic in on reserved ports",
  "nothing that was sent is sent again",
  "such names stay",
  "it may be off",
  "whatever happens, the truth wins",
  "a stranger is told so",
  "a proxy is turned away",
  "whoever speaks TLS stays",
  "a sidecar that traffic is redirected to",
])("the title %j is clumsy", (title) => {
  expect(kindsIn(`test(${JSON.stringify(title)}, () => {});`)).toEqual(["1 title"]);
  expect(kindsIn(`describeWithEnvoy(${JSON.stringify(title)}, () => {});`)).toEqual(["1 title"]);
  expect(kindsIn(`describeWithData(data, ${JSON.stringify(title)}, () => {});`)).toEqual(["1 title"]);
  expect(kindsIn(`log(${JSON.stringify(title)});`)).toEqual([]);
});

test("a long text for users is listed, also as a template", () => {
  const long = words(26);
  for (const text of [JSON.stringify(long), `\`${long} \${name}\``]) {
    expect(kindsIn(`const doc = ${text};`, "src/app/options/a.ts")).toEqual(["1 long"]);
    expect(kindsIn(`const doc = ${text};`, "src/xds/a.ts")).toEqual([]);
    expect(kindsIn(`const doc = ${text};`, "src/cli/completion/a.ts")).toEqual([]);
  }
});

test("a document of YAML is not listed", () => {
  const text = `const pod = \`\napiVersion: v1\nkind: ${words(26)}\`;`;
  expect(kindsIn(text, "src/config/analysis/a.ts")).toEqual([]);
  expect(kindsIn(text.replace("apiVersion: v1", "Version one"), "src/config/analysis/a.ts")).toEqual(["1 long"]);
});

test("two passives in one sentence are listed, only in folders with texts for users", () => {
  const text = 'const doc = "The file that is read by whom it is asked for";';
  expect(kindsIn(text.replace("read", "opened"), "src/app/options/a.ts")).toEqual(["1 passive chain"]);
  expect(kindsIn(text.replace("read", "opened"), "src/xds/a.ts")).toEqual([]);
});

test("plain sentences are not listed", () => {
  expect(kindsIn('/** Skips reserved ports. */\ntest("skips reserved ports", () => {});')).toEqual([]);
});
