import { create } from "@bufbuild/protobuf";
import { EmptySchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import type { ParsedFile } from "../../config/parse.ts";
import { fakeConfig } from "../../testing/fake-config.ts";
import { FileContent } from "./file-content.ts";
import type { SourceEvent } from "./source.ts";

type Definition = Parameters<typeof fakeConfig>[0];

function parsed(file: string, definitions: readonly Definition[], broken: readonly (string | undefined)[] = []) {
  const configs = definitions.map((definition, index) => ({
    ...fakeConfig({ file, line: index + 1, ...definition }),
    spec: create(EmptySchema),
  }));
  return {
    configs,
    issues: [],
    broken: broken.map((name, index) => ({
      key: name === undefined ? undefined : { kind: "ServiceEntry", namespace: "shop", name },
      index,
    })),
  } satisfies ParsedFile;
}

/** `+name@version` for an upsert, `-key` for a deletion, `!file code…` for issues. */
function told(events: readonly SourceEvent[]): readonly string[] {
  return events.map((event) => {
    if (event.type === "upserted") return `+${event.config.name}@${event.config.version}`;
    if (event.type === "deleted") return `-${event.key}`;
    if (event.type === "issues") return `!${event.part} ${event.issues.map(({ code }) => code).join()}`.trim();
    return event.type;
  });
}

function contentOf(files: Readonly<Record<string, readonly Definition[]>>): FileContent {
  const content = new FileContent(() => "entries");
  for (const [file, definitions] of Object.entries(files)) content.replace(file, parsed(file, definitions));
  content.takeEvents();
  return content;
}

describe("the objects of a tree of files", () => {
  test("are told once, sorted, and not again when a file is read again", () => {
    const content = new FileContent(() => "entries");
    const file = parsed("a.yaml", [{ name: "reviews" }, { name: "details" }]);
    content.replace("a.yaml", file);
    expect(told(content.takeEvents())).toEqual(["+details@1", "+reviews@1"]);
    content.replace("a.yaml", file);
    expect(content.takeEvents()).toEqual([]);
  });

  test("are told again when they only moved within the file, so that their places stay true", () => {
    const content = contentOf({ "a.yaml": [{ name: "reviews" }] });
    content.replace("a.yaml", parsed("a.yaml", [{ name: "details" }, { name: "reviews" }]));
    expect(told(content.takeEvents())).toEqual(["+details@1", "+reviews@1"]);
  });

  test("go with their file and come back with it", () => {
    const content = contentOf({ "a.yaml": [{ name: "reviews" }] });
    content.remove("a.yaml");
    expect(told(content.takeEvents())).toEqual(["-shop/reviews"]);
    expect(content.files).toEqual([]);
    content.replace("a.yaml", parsed("a.yaml", [{ name: "reviews" }]));
    expect(told(content.takeEvents())).toEqual(["+reviews@1"]);
  });

  test.each([
    ["later", "a.yaml", "b.yaml"],
    ["earlier", "b.yaml", "a.yaml"],
  ])("survive a move to a %s file", (_where, from, to) => {
    const content = contentOf({ [from]: [{ name: "reviews" }] });
    content.replace(to, parsed(to, [{ name: "reviews" }]));
    content.remove(from);
    expect(told(content.takeEvents())).toEqual(["+reviews@1"]);
  });

  test("belong to the last file that defines them; the others are warned, until they are alone", () => {
    const content = contentOf({ "a.yaml": [{ name: "reviews", version: "A" }] });
    content.replace("b.yaml", parsed("b.yaml", [{ name: "reviews", version: "B" }]));
    expect(told(content.takeEvents())).toEqual(["+reviews@B", "!a.yaml duplicate-object"]);
    content.replace("a.yaml", parsed("a.yaml", [{ name: "reviews", version: "A2" }]));
    expect(content.takeEvents()).toEqual([]);
    content.remove("b.yaml");
    expect(told(content.takeEvents())).toEqual(["+reviews@A2", "!a.yaml"]);
  });
});

describe("a broken document", () => {
  test("keeps the last good version of its object, while its neighbours apply", () => {
    const content = contentOf({ "a.yaml": [{ name: "reviews" }, { name: "details" }] });
    content.replace("a.yaml", parsed("a.yaml", [{ name: "details", version: "2" }], ["reviews"]));
    expect(told(content.takeEvents())).toEqual(["+details@2"]);
    content.replace("a.yaml", parsed("a.yaml", [{ name: "reviews", version: "3" }]));
    expect(told(content.takeEvents())).toEqual(["-shop/details", "+reviews@3"]);
  });

  test("does not bring up an object that was never good", () => {
    const content = contentOf({});
    content.replace("a.yaml", parsed("a.yaml", [], ["reviews"]));
    expect(content.takeEvents()).toEqual([]);
  });

  test("does not let another file's version of its object take over", () => {
    const content = contentOf({
      "a.yaml": [{ name: "reviews", version: "A" }],
      "b.yaml": [{ name: "reviews", version: "B" }],
    });
    content.replace("b.yaml", parsed("b.yaml", [], ["reviews"]));
    expect(content.takeEvents()).toEqual([]);
  });

  test("that could be any object keeps all that the file had", () => {
    const content = contentOf({ "a.yaml": [{ name: "reviews" }, { name: "details" }] });
    content.replace("a.yaml", parsed("a.yaml", [{ name: "reviews", version: "2" }], [undefined]));
    expect(told(content.takeEvents())).toEqual(["+reviews@2"]);
    content.replace("a.yaml", parsed("a.yaml", [{ name: "reviews", version: "2" }]));
    expect(told(content.takeEvents())).toEqual(["-shop/details"]);
  });

  test("that could be any object does not hold back one that moved to another file", () => {
    const content = contentOf({ "b.yaml": [{ name: "reviews" }] });
    content.replace("b.yaml", parsed("b.yaml", [], [undefined]));
    content.replace("a.yaml", parsed("a.yaml", [{ name: "reviews", version: "2" }]));
    expect(told(content.takeEvents())).toEqual(["+reviews@2"]);
  });
});

test("a file that cannot be read keeps its objects, and has its own issue", () => {
  const content = contentOf({ "a.yaml": [{ name: "reviews" }] });
  const issue = { severity: "error", code: "unreadable", object: "", path: "", message: "", place: undefined } as const;
  content.keep("a.yaml", issue);
  expect(told(content.takeEvents())).toEqual(["!a.yaml unreadable"]);
  content.keep("a.yaml", issue);
  expect(content.takeEvents()).toEqual([]);
  content.remove("a.yaml");
  expect(told(content.takeEvents())).toEqual(["-shop/reviews", "!a.yaml"]);
});
