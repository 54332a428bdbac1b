import { expect, test } from "vitest";
import type { Source } from "../../galley/source/source.ts";
import { MeshError } from "../../lib/errors.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { SourceSet } from "./source-set.ts";

/** A source that only has a name. */
function silent(name: string, reload?: () => Promise<void>): Source {
  const calm = { start: () => Promise.resolve(), stop: () => Promise.resolve(), idle: () => Promise.resolve() };
  return { name, collections: [], ...calm, ...(reload && { reload }) };
}

function rig(...urls: readonly string[]) {
  const made: string[] = [];
  const reloaded: string[] = [];
  const logger = new RecordingLogger();
  const set = new SourceSet({
    urls,
    make(url) {
      if (url.startsWith("bad:")) throw new MeshError("bad-option", `--source ${url}: is bad`);
      made.push(url);
      return silent(url, () => Promise.resolve(void reloaded.push(url)));
    },
    first: [silent("mesh")],
    last: [silent("registration")],
    observe: (source) => ({ ...source, name: `observed ${source.name}` }),
    logger,
  });
  /** The calls to the processor, with the names of the sources. */
  const told: { sources: readonly string[]; replacing: readonly (readonly string[])[] }[] = [];
  const processor = {
    replaceSources(sources: readonly Source[], replacing: ReadonlyMap<Source, Source> = new Map()) {
      const pairs = Array.from(replacing, ([next, old]) => [next.name, old.name]);
      told.push({ sources: sources.map(({ name }) => name), replacing: pairs });
      return Promise.resolve();
    },
  };
  return { set, made, reloaded, logger, told, processor };
}

test("the sources of the settings come between the fixed sources", () => {
  const { set } = rig("file:a", "file:b");
  expect(set.sources.map(({ name }) => name)).toEqual(["mesh", "file:a", "file:b", "registration"]);
  expect(set.observed.map(({ name }) => name)).toEqual([
    "observed mesh",
    "observed file:a",
    "observed file:b",
    "observed registration",
  ]);
});

test("unchanged sources stay, in the order of the new list", async () => {
  const { set, made, logger, told, processor } = rig("file:a", "file:b?optional=5s");
  const [, first] = set.observed;
  await set.replace(["kube:", "file:b", "file:a"], processor);
  expect(made).toEqual(["file:a", "file:b?optional=5s", "kube:"]);
  expect(set.observed[3]).toBe(first);
  expect(told[0]?.sources.slice(1, -1)).toEqual(["observed kube:", "observed file:b?optional=5s", "observed file:a"]);
  expect(logger.lines).toMatchObject([{ message: "sources replaced", fields: { added: ["kube:"], removed: [] } }]);
});

test("a source with changed settings is replaced by its successor", async () => {
  const { set, told, processor } = rig("kube:east?a=1", "file:a");
  await set.replace(["kube:east?a=2", "file:b"], processor);
  expect(told[0]?.replacing).toEqual([["observed kube:east?a=2", "observed kube:east?a=1"]]);
});

test("a list with an invalid source changes nothing", async () => {
  const { set, told, processor } = rig("file:a");
  await expect(set.replace(["file:b", "bad:"], processor)).rejects.toThrow("--source bad:: is bad");
  expect(told).toEqual([]);
  expect(set.sources.map(({ name }) => name)).toEqual(["mesh", "file:a", "registration"]);
});

test("a list with a source that cannot start changes nothing", async () => {
  const { set } = rig("file:a");
  const processor = { replaceSources: () => Promise.reject(new Error("no such directory")) };
  await expect(set.replace(["file:b"], processor)).rejects.toThrow("no such directory");
  expect(set.sources.map(({ name }) => name)).toEqual(["mesh", "file:a", "registration"]);
});

test("a process that started without sources accepts none later", async () => {
  const logger = new RecordingLogger();
  const set = new SourceSet({ urls: [], make: silent, first: [], last: [], observe: (source) => source, logger });
  await expect(set.replace(["file:a"], rig().processor)).rejects.toThrow("started without any");
  await expect(set.replace([], rig().processor)).resolves.toBeUndefined();
});

test("the same list again is not logged", async () => {
  const { set, made, logger, processor } = rig("file:a");
  await set.replace(["file:a"], processor);
  expect([made, logger.lines]).toEqual([["file:a"], []]);
});

test("sources that support a reload are reloaded", async () => {
  const { set, reloaded } = rig("file:a", "file:b");
  await set.reload();
  expect(reloaded).toEqual(["file:a", "file:b"]);
});
