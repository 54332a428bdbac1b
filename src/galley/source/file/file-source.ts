import { join } from "node:path";
import type { Config } from "../../../config/config.ts";
import type { Issue } from "../../../config/issue.ts";
import type { Kind } from "../../../config/kind.ts";
import { kindServedAs } from "../../../config/kinds.ts";
import { type ParsedFile, type ParseInput, parseStepwise } from "../../../config/parse/parse.ts";
import { templateRemark } from "../../../config/parse/templates.ts";
import { assert } from "../../../lib/assert.ts";
import { MeshError } from "../../../lib/errors.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { createTurn } from "../../../lib/time/turn.ts";
import type { Ledger } from "../room/ledger.ts";
import { FileContent } from "./file-content.ts";
import { mayPass, whyUnreadable } from "./file-system.ts";
import { FileTexts } from "./file-texts.ts";
import { FileTree, type FileView } from "./file-tree.ts";
import { FittingObjects } from "./fitting-objects.ts";
import { isMissing, type Walk, walkYaml } from "./file-walk.ts";
import { FileWatch } from "./file-watch.ts";
import { type FileReader, ReloadingSource, type ReportChanges, unreadable, type Withheld } from "./reloading-source.ts";

export interface FileSourceOptions {
  /** As the user wrote it. Positions name files below it in the same way. */
  readonly directory: string;
  readonly kinds: readonly Kind[];
  readonly clock: Clock;
  /** For objects that name no namespace. */
  readonly defaultNamespace?: string;
  /** Whether to follow symbolic links that lead out of the directory. False by default. */
  readonly followLinksOutside?: boolean;
  /** Whether to keep objects with errors, for analysis. */
  readonly keepInvalid?: boolean;
  /** Decides which objects fit into memory. Without it, all do. */
  readonly ledger?: Ledger;
}

/** Watches a directory of YAML files. If the directory disappears later, that is an issue and its contents stay. */
export function createFileSource(options: FileSourceOptions): ReloadingSource {
  return new ReloadingSource({
    name: nameOf(options),
    collections: options.kinds.map(({ collection }) => collection),
    clock: options.clock,
    open: (changed) => new DirectoryReader(options, changed),
  });
}

/** The most files that are open at a time. */
const readsAtOnce = 32;

class DirectoryReader implements FileReader {
  readonly #options: FileSourceOptions;
  readonly #watch: FileWatch;
  readonly #content: FileContent;
  readonly #turn: () => Promise<void>;
  readonly #texts = new FileTexts();
  /** The results of the last look. A file with unchanged text keeps its result. */
  #views = new Map<string, FileView>();

  constructor(options: FileSourceOptions, changed: () => void) {
    this.#options = options;
    this.#turn = createTurn(options.clock);
    this.#watch = new FileWatch({ clock: options.clock, onChange: changed });
    this.#content = new FileContent((config) => collectionOf(options.kinds, config));
  }

  async look(): Promise<ReportChanges> {
    const { files, failures, charts } = await this.#walk();
    const views = new Map<string, FileView>(failures.map(({ path, cause }) => [path, unreadableView(path, cause)]));
    const fitting = new FittingObjects(this.#options.ledger, (config) => collectionOf(this.#options.kinds, config));
    for (const chart of charts) views.set(chart, { type: "unreadable", issue: chartIssue(chart), mayPass: false });
    for (let start = 0; start < files.length; start += readsAtOnce) {
      const texts = await this.#textsOf(files.slice(start, start + readsAtOnce));
      for (const [file, text] of texts) {
        // A file that was deleted after the walk is not in the tree.
        if (!isMissing(text)) views.set(file, await this.#view(file, text, fitting));
      }
    }
    this.#views = views;
    this.#texts.sweep();
    this.#options.ledger?.skip(leftOutIn(views));
    return () => this.#content.take(new FileTree(views));
  }

  withheld(): Withheld | undefined {
    const hiding = [...this.#views].find(([, view]) => mayHidePolicy(view, this.#options.kinds));
    if (hiding === undefined) return undefined;
    const restricting = this.#options.kinds.filter(({ substitute }) => substitute !== undefined);
    return { collections: new Set(restricting.map(({ collection }) => collection)), issue: hiddenPolicy(hiding[0]) };
  }

  lacksForNow(): boolean {
    return this.#views.values().some((view) => view.type === "unreadable" && view.mayPass);
  }

  close(): void {
    this.#watch.close();
  }

  async #walk(): Promise<Walk> {
    try {
      return await walkYaml(this.#options.directory, this.#watch, this.#options);
    } catch (cause) {
      throw new MeshError("source-unavailable", whyUnreadable(cause, "directory"), { cause });
    } finally {
      this.#watch.sweep();
    }
  }

  /** Where the system reports no changes, as with remote file systems, it may show old stamps too. So all files are read. */
  async #textsOf(files: readonly string[]): Promise<readonly (readonly [file: string, text: string | Error])[]> {
    const known = files.map((file) => [file, this.#watch.polls ? undefined : this.#texts.unchanged(file)] as const);
    await this.#turn();
    return await Promise.all(
      known.map(async ([file, text]) => [file, text ?? (await this.#texts.read(file))] as const),
    );
  }

  async #view(file: string, text: string | Error, fitting: FittingObjects): Promise<FileView> {
    if (typeof text !== "string") return unreadableView(file, text);
    const last = this.#views.get(file);
    const earlier = last?.type === "read" ? last : undefined;
    if (earlier?.text === text && (earlier.leftOut === 0 || !fitting.hasRoom)) {
      fitting.keep(earlier.parsed);
      return earlier;
    }
    const { kinds, defaultNamespace = "default", keepInvalid = false } = this.#options;
    const context = { file, source: nameOf(this.#options), kinds, defaultNamespace, keepInvalid };
    const parsed = await this.#parse({ text, previous: earlier?.parsed, ...context });
    return { type: "read", text, ...fitting.of(parsed) };
  }

  async #parse(input: ParseInput): Promise<ParsedFile> {
    const steps = parseStepwise(input);
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) return step.value;
      await this.#turn();
    }
  }
}

function leftOutIn(views: ReadonlyMap<string, FileView>): number {
  return views.values().reduce((sum, view) => sum + (view.type === "read" ? view.leftOut : 0), 0);
}

function unreadableView(path: string, cause: Error): FileView {
  return { type: "unreadable", issue: unreadable(path, cause), mayPass: mayPass(cause) };
}

/** Whether the file has a part that may be a policy, and nobody can tell which. */
function mayHidePolicy(view: FileView, kinds: readonly Kind[]): boolean {
  if (view.type === "unreadable" || !view.parsed.unidentified) return false;
  return kinds.some(({ kind, substitute }) => substitute !== undefined && view.text.includes(kind));
}

function hiddenPolicy(file: string): Issue {
  const message = "a part of this file may be a policy that restricts access, and its object cannot be identified";
  const hint = "repair the file: no proxy is served before";
  return {
    severity: "error",
    code: "hidden-policy",
    object: "",
    path: "",
    message,
    hint,
    place: { file, line: 1, column: 1 },
  };
}

function chartIssue(chart: string): Issue {
  const place = { file: join(chart, "Chart.yaml"), line: 1, column: 1 };
  const remark = templateRemark("this directory is a Helm chart, so its files are templates");
  return { severity: "error", object: "", path: "", place, ...remark };
}

function nameOf({ directory }: FileSourceOptions): string {
  return `file:${directory}`;
}

function collectionOf(kinds: readonly Kind[], { apiVersion, kind }: Config): string {
  const row = kindServedAs(kinds, apiVersion, kind);
  assert(row !== undefined, `${kind} was read because it is among the kinds`);
  return row.collection;
}
