import { create } from "@bufbuild/protobuf";
import { EmptySchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { configId } from "../../../config/config.ts";
import { fakeConfig } from "../../../testing/config/fake-config.ts";
import type { SourceEvent } from "../source.ts";
import { FileContent } from "./file-content.ts";
import { FileTree, type FileView } from "./file-tree.ts";

/** One document: `reviews` or `reviews@2` is good, `!reviews` cannot be used, `!` may be anything. */
type Document = string;

function view(file: string, documents: readonly Document[]): FileView {
  const good = documents.filter((document) => !document.startsWith("!"));
  const configs = good.map((document, index) => {
    const [name = "", version = "1"] = document.split("@");
    return { ...fakeConfig({ name, version, file, line: index + 1 }), spec: create(EmptySchema) };
  });
  const broken = documents.flatMap((document) => (/^!./u.test(document) ? document.slice(1) : []));
  const parsed = {
    configs,
    issues: [],
    broken: new Set(broken.map((name) => configId("ServiceEntry", "shop", name))),
    substitutes: new Map(),
    unidentified: documents.includes("!"),
    documents: [],
  };
  return { type: "read", text: documents.join(), parsed, leftOut: 0 };
}

const unreadable: FileView = {
  type: "unreadable",
  issue: { severity: "error", code: "unreadable", object: "", path: "", message: "", place: undefined },
  mayPass: false,
};

/**
 * Shows the events of a look at these files: `+name@version` for an upsert, `-key` for a deletion, `!file code…` for
 * issues.
 */
class Subject {
  readonly #content = new FileContent(() => "entries");

  constructor(files: Readonly<Record<string, readonly Document[]>> = {}) {
    this.look(files);
  }

  look(files: Readonly<Record<string, readonly Document[] | typeof unreadable>>): readonly string[] {
    const views = Object.entries(files).map(
      ([file, content]) => [file, "type" in content ? content : view(file, content)] as const,
    );
    return this.#content.take(new FileTree(views)).map(told);
  }
}

function told(event: SourceEvent): string {
  if (event.type === "upserted") return `+${event.config.name}@${event.config.version}`;
  if (event.type === "deleted") return `-${event.key}`;
  if (event.type === "issues") return `!${event.part} ${event.issues.map(({ code }) => code).join()}`.trim();
  return event.type;
}

describe("the objects of a tree of files", () => {
  test("are reported once, sorted, and not again without a change", () => {
    const subject = new Subject();
    expect(subject.look({ "a.yaml": ["reviews", "details"] })).toEqual(["+details@1", "+reviews@1"]);
    expect(subject.look({ "a.yaml": ["reviews", "details"] })).toEqual([]);
  });

  test("are reported again when they only moved within the file, so that their positions stay correct", () => {
    const subject = new Subject({ "a.yaml": ["reviews"] });
    expect(subject.look({ "a.yaml": ["details", "reviews"] })).toEqual(["+details@1", "+reviews@1"]);
  });

  test("disappear with their file and return with it", () => {
    const subject = new Subject({ "a.yaml": ["reviews"] });
    expect(subject.look({})).toEqual(["-shop/reviews"]);
    expect(subject.look({ "a.yaml": ["reviews"] })).toEqual(["+reviews@1"]);
  });

  test.each([
    ["later", "a.yaml", "b.yaml"],
    ["earlier", "b.yaml", "a.yaml"],
  ])("survive a move to a %s file", (_where, from, to) => {
    const subject = new Subject({ [from]: ["reviews"] });
    expect(subject.look({ [to]: ["reviews"] })).toEqual(["+reviews@1"]);
  });

  test("belong to the last file that defines them; the other files get a warning until only one is left", () => {
    const subject = new Subject({ "a.yaml": ["reviews@A"] });
    const both = { "b.yaml": ["reviews@B"], "a.yaml": ["reviews@A"] };
    expect(subject.look(both)).toEqual(["+reviews@B", "!a.yaml duplicate-object"]);
    expect(subject.look({ ...both, "a.yaml": ["reviews@A2"] })).toEqual([]);
    expect(subject.look({ "a.yaml": ["reviews@A2"] })).toEqual(["+reviews@A2", "!a.yaml"]);
  });
});

describe("a broken document", () => {
  test("keeps the last good version of its object, while its neighbours apply", () => {
    const subject = new Subject({ "a.yaml": ["reviews", "details"] });
    expect(subject.look({ "a.yaml": ["details@2", "!reviews"] })).toEqual(["+details@2"]);
    expect(subject.look({ "a.yaml": ["reviews@3"] })).toEqual(["-shop/details", "+reviews@3"]);
  });

  test("does not create an object that was never good", () => {
    expect(new Subject().look({ "a.yaml": ["!reviews", "!"] })).toEqual([]);
  });

  test("blocks an earlier file's version of its object, but not a later file's", () => {
    const subject = new Subject({ "a.yaml": ["reviews@A"], "b.yaml": ["reviews@B"] });
    expect(subject.look({ "a.yaml": ["reviews@A2"], "b.yaml": ["!reviews"] })).toEqual(["!a.yaml"]);
    expect(subject.look({ "c.yaml": ["reviews@C"], "b.yaml": ["!reviews"] })).toEqual(["+reviews@C"]);
  });

  test("does not block an object that another file defines", () => {
    const subject = new Subject({ "a.yaml": ["reviews@A"] });
    expect(subject.look({ "a.yaml": ["reviews@A2"], "b.yaml": ["!reviews"] })).toEqual(["+reviews@A2"]);
  });

  test("keeps its object through a move to another file", () => {
    const subject = new Subject({ "a.yaml": ["reviews"] });
    expect(subject.look({ "b.yaml": ["!reviews"] })).toEqual([]);
    expect(subject.look({ "c.yaml": ["!reviews", "details"] })).toEqual(["+details@1"]);
    expect(subject.look({ "c.yaml": ["details"] })).toEqual(["-shop/reviews"]);
  });

  test("of an unknown object keeps all objects of the file", () => {
    const subject = new Subject({ "a.yaml": ["reviews", "details"], "b.yaml": ["ratings"] });
    expect(subject.look({ "a.yaml": ["reviews@2", "!"] })).toEqual(["-shop/ratings", "+reviews@2"]);
    expect(subject.look({ "a.yaml": ["reviews@2"] })).toEqual(["-shop/details"]);
  });

  test("of an unknown object keeps the objects of a renamed file, also after two renames", () => {
    const subject = new Subject({ "a.yaml": ["reviews"] });
    expect(subject.look({ "a.yaml": ["!"] })).toEqual([]);
    expect(subject.look({ "b.yaml": ["!"] })).toEqual([]);
    expect(subject.look({ "a.yaml": ["!"] })).toEqual([]);
    expect(subject.look({})).toEqual(["-shop/reviews"]);
  });

  test("of an unknown object does not block an object that moved to another file", () => {
    const subject = new Subject({ "b.yaml": ["reviews"] });
    expect(subject.look({ "b.yaml": ["!"], "a.yaml": ["reviews@2"] })).toEqual(["+reviews@2"]);
  });
});

describe("an unreadable path", () => {
  test("keeps its objects, and has its own issue", () => {
    const subject = new Subject({ "a.yaml": ["reviews"] });
    expect(subject.look({ "a.yaml": unreadable })).toEqual(["!a.yaml unreadable"]);
    expect(subject.look({ "a.yaml": unreadable })).toEqual([]);
    expect(subject.look({})).toEqual(["-shop/reviews", "!a.yaml"]);
  });

  test("may be a folder with all its contents", () => {
    const subject = new Subject({ "mesh/a.yaml": ["reviews"], "mesh-2/a.yaml": ["ratings"] });
    expect(subject.look({ mesh: unreadable })).toEqual(["-shop/ratings", "!mesh unreadable"]);
  });

  test("keeps its precedence: earlier files do not take over its objects", () => {
    const subject = new Subject({ "a.yaml": ["reviews@A"], "b.yaml": ["reviews@B"] });
    expect(subject.look({ "a.yaml": ["reviews@A"], "b.yaml": unreadable })).toEqual(["!a.yaml", "!b.yaml unreadable"]);
  });

  test("an object that moves to another collection disappears from the old one", () => {
    const content = new FileContent(({ version }) => `v${version}`);
    content.take(new FileTree([["a.yaml", view("a.yaml", ["reviews@1"])]]));
    const events = content.take(new FileTree([["a.yaml", view("a.yaml", ["reviews@2"])]]));
    expect(events).toMatchObject([
      { type: "deleted", collection: "v1", key: "shop/reviews" },
      { type: "upserted", collection: "v2" },
    ]);
  });
});
