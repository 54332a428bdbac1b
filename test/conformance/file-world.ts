import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { fileBytes, goodBytes, mistake } from "./file-texts.ts";

const folders = ["home/mesh", "home/mesh/a", "home/mesh/b", "home/mesh/a/deep"] as const;
const files = [...folders.map((folder) => `${folder}/x.yaml`), "home/mesh/y.yml", "home/mesh/a/y.yml"];
/** Outside the watched directory: reachable only over links. */
const outside = ["away/one/x.yaml", "away/two/x.yaml", "away/two/deep/x.yaml"] as const;
/** Files that editors and others put beside files. */
const noise = [".x.yaml.swp", "x.yaml~", "#x.yaml#", ".#x.yaml", "4913", "x.yaml___jb_tmp___", "x.yaml.bak"] as const;

/** One operation on files. An operation that the current files do not allow does nothing. */
export type Operation =
  | { readonly type: "write" | "replace" | "append"; readonly path: string; readonly bytes: Buffer }
  | { readonly type: "spoil"; readonly path: string; readonly mistake: (bytes: Buffer) => Buffer }
  | { readonly type: "truncate"; readonly path: string; readonly part: number }
  /** Restores the content before the last write or truncation. */
  | { readonly type: "mend" | "remove"; readonly path: string }
  | { readonly type: "move" | "copy"; readonly path: string; readonly to: string }
  | { readonly type: "fill"; readonly path: string; readonly contents: readonly Buffer[] }
  | { readonly type: "link"; readonly path: string; readonly target: string }
  /** Acts like the kubelet when it updates a mounted ConfigMap. `tidy` if it finishes. */
  | { readonly type: "publish"; readonly contents: readonly Buffer[]; readonly tidy: boolean };

const type = <T extends string>(...types: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...types);
const file = fc.constantFrom(...files, ...outside);
const folder = fc.constantFrom(...folders);
const contents = fc.array(fileBytes, { maxLength: 3 });

const links: readonly (readonly [path: string, target: string])[] = [
  ["home/mesh/a/x.yaml", "../../../away/current/x.yaml"],
  ["home/mesh/linked", "../../away/current"],
  ["home/mesh/b", "../../away/two/deep"],
  ["away/current", "one"],
  ["away/current", "two"],
  ["away/current", "two/deep"],
  ["home/mesh/b/again.yaml", "../a/y.yml"],
  ["home/mesh/a/up", ".."],
  ["home/mesh/y.yml", "y.yml"],
  ["home/mesh/a/y.yml", "nowhere"],
];

const moves: readonly (readonly [path: string, to: string])[] = [
  ["home/mesh/a", "home/mesh/c"],
  ["home/mesh/c", "home/mesh/a"],
  ["home/mesh/a/deep", "home/mesh/b/deep"],
  ["home/mesh/b", "home/b"],
  ["home/b", "home/mesh/b"],
  ["home/mesh", "home/other"],
  ["home/other", "home/mesh"],
  ["home", "elsewhere"],
  ["elsewhere", "home"],
];

/** The initial files. */
export const firstFiles = (bytes: fc.Arbitrary<Buffer>): fc.Arbitrary<readonly Operation[]> =>
  fc.tuple(
    ...[...files.slice(0, 3), ...outside].map((path) =>
      fc.record({ type: type("write"), path: fc.constant(path), bytes }),
    ),
  );

export const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: type("write", "replace", "append"), path: file, bytes: fileBytes }) },
  {
    weight: 4,
    arbitrary: fc.record({ type: type("truncate"), path: file, part: fc.double({ min: 0, max: 1, noNaN: true }) }),
  },
  { weight: 6, arbitrary: fc.record({ type: type("spoil"), path: file, mistake }) },
  { weight: 6, arbitrary: fc.record({ type: type("mend", "mend", "remove"), path: file }) },
  { weight: 4, arbitrary: fc.record({ type: type("move", "move", "copy"), path: file, to: file }) },
  { weight: 2, arbitrary: fc.constantFrom(...moves).map(([path, to]) => ({ type: "move", path, to }) as const) },
  { weight: 1, arbitrary: fc.record({ type: type("remove"), path: folder }) },
  { weight: 2, arbitrary: fc.record({ type: type("fill"), path: fc.constantFrom(...folders, ...files), contents }) },
  {
    weight: 5,
    arbitrary: fc.constantFrom(...links).map(([path, target]) => ({ type: "link", path, target }) as const),
  },
  { weight: 2, arbitrary: fc.record({ type: type("publish"), contents, tidy: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: type("write"),
      path: fc.constantFrom(...noise).map((name) => `home/mesh/${name}`),
      bytes: fileBytes,
    }),
  },
);

/** Operations that change files with one rename, so that no reader sees half of it. All files are good. */
export const renaming: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ type: type("replace"), path: fc.constantFrom(...files), bytes: goodBytes }),
  fc.record({ type: type("move"), path: fc.constantFrom(...files), to: fc.constantFrom(...files) }),
  fc.constantFrom(...moves.slice(0, 3)).map(([path, to]) => ({ type: "move", path, to }) as const),
);

/** A few folders and files, and their operations. Synchronous: a reader sees half an operation only on purpose. */
export class FileWorld {
  readonly #root: string;
  readonly #before = new Map<string, Buffer>();
  #versions = 0;

  constructor(root: string) {
    this.#root = root;
    mkdirSync(this.path("home/mesh"), { recursive: true });
    mkdirSync(this.path("away/one"), { recursive: true });
    mkdirSync(this.path("away/two/deep"), { recursive: true });
    symlinkSync("one", this.path("away/current"));
    symlinkSync("../../away/current", this.path("home/mesh/linked"));
  }

  path(name: string): string {
    return join(this.#root, name);
  }

  do(operation: Operation): void {
    try {
      this.#do(operation);
    } catch (thrown) {
      if (!(thrown instanceof Error && "syscall" in thrown)) throw thrown;
    }
  }

  #do(operation: Operation): void {
    if (operation.type === "publish") return this.#publish(operation.contents, operation.tidy);
    const path = this.path(operation.path);
    mkdirSync(dirname(path), { recursive: true });
    switch (operation.type) {
      case "write":
        this.#remember(path);
        return writeFileSync(path, operation.bytes);
      case "replace":
        this.#remember(path);
        writeFileSync(this.path(".draft"), operation.bytes);
        return renameSync(this.path(".draft"), path);
      case "append":
        this.#remember(path);
        return appendFileSync(path, operation.bytes);
      case "spoil":
        this.#remember(path);
        return writeFileSync(path, operation.mistake(readFileSync(path)));
      case "truncate":
        this.#remember(path);
        return truncateSync(path, Math.floor(statSync(path).size * operation.part));
      case "mend":
        return writeFileSync(path, this.#before.get(path) ?? readFileSync(path));
      case "remove":
        return rmSync(path, { recursive: true });
      case "move":
      case "copy":
        return this.#moveOrCopy(operation.type, path, this.path(operation.to));
      case "fill":
        return fill(path, operation.contents);
      case "link":
        return link(path, operation.target);
    }
  }

  #remember(path: string): void {
    if (existsSync(path)) this.#before.set(path, readFileSync(path));
  }

  #moveOrCopy(type: "move" | "copy", path: string, to: string): void {
    mkdirSync(dirname(to), { recursive: true });
    if (type === "move") renameSync(path, to);
    else writeFileSync(to, readFileSync(path));
  }

  #publish(files: readonly Buffer[], tidy: boolean): void {
    const mount = this.path("home/mesh/mount");
    const version = `..version-${++this.#versions}`;
    fill(join(mount, version), files);
    link(join(mount, "..data"), version);
    const wanted = readdirSync(join(mount, version));
    for (const name of wanted) link(join(mount, name), `..data/${name}`);
    if (!tidy) return;
    const kept = new Set([...wanted, version, "..data"]);
    for (const name of readdirSync(mount)) if (!kept.has(name)) rmSync(join(mount, name), { recursive: true });
  }
}

/** Makes a folder with these files, even in place of a file. */
function fill(folder: string, files: readonly Buffer[]): void {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isFile()) rmSync(folder);
  mkdirSync(folder, { recursive: true });
  for (const [index, bytes] of files.entries()) writeFileSync(join(folder, `f${index}.yaml`), bytes);
}

/** Makes a link, even in place of a file or of another link. */
function link(path: string, target: string): void {
  const draft = join(dirname(path), ".draft-link");
  mkdirSync(dirname(path), { recursive: true });
  rmSync(draft, { force: true });
  symlinkSync(target, draft);
  renameSync(draft, path);
}
