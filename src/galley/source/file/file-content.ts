import { type Config, type ConfigId, configKey, isSameConfig } from "../../../config/config.ts";
import { duplicateIssue, type Issue } from "../../../config/issue.ts";
import { isSubstitute, substituteIssue } from "../../../config/parse/substitute.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { deepEqual } from "../../../lib/equal.ts";
import type { SourceEvent } from "../source.ts";
import { type Definition, FileTree, type FileView } from "./file-tree.ts";

/**
 * The objects of a tree of files, and their changes since the last look. Every look processes the whole tree, so the
 * result equals that of a fresh start. There is one exception: a mistake in a file deletes no object. An object keeps
 * its last good version in two cases.
 *
 * - Its file is unreadable, or defines the object in an unusable document. A definition in a later file ends this.
 * - No file defines it, but an unusable document names it, or an unusable document in its file may be any object.
 *
 * A policy without a last good version is replaced by a substitute that denies access.
 *
 * Its file is the one that defined the object last. If that file is gone, a file with the same text counts as renamed.
 */
export class FileContent {
  readonly #collectionOf: (config: Config) => string;
  #tree = new FileTree([]);
  #definitions: ReadonlyMap<ConfigId, Definition> = new Map();
  #issues: ReadonlyMap<string, readonly Issue[]> = new Map();

  constructor(collectionOf: (config: Config) => string) {
    this.#collectionOf = collectionOf;
  }

  /** The changes of this look: first one event per changed object, then one per file, each sorted. */
  take(tree: FileTree): readonly SourceEvent[] {
    const definitions = this.#definitionsIn(tree);
    const issues = issuesIn(tree, definitions);
    const events = [...this.#objectEvents(definitions), ...this.#issueEvents(issues)];
    this.#tree = tree;
    this.#definitions = definitions;
    this.#issues = issues;
    return events;
  }

  #definitionsIn(tree: FileTree): ReadonlyMap<ConfigId, Definition> {
    const definitions = new Map<ConfigId, Definition>();
    for (const [id, { config, home }] of this.#definitions) {
      const stayed = stay(tree, { id, home: this.#homeIn(tree, home) });
      if (stayed !== undefined) definitions.set(id, { config, home: stayed });
    }
    for (const [id, usable] of tree.usable) {
      const last = usable.at(-1);
      if (last !== undefined && !definitions.has(id)) definitions.set(id, last);
    }
    // A substitute stays until the object is valid or gone: another one could select fewer workloads.
    for (const [id, substitute] of tree.substitutes) {
      if (!definitions.has(id)) definitions.set(id, substitute);
    }
    return definitions;
  }

  /** The file that now holds the objects defined in `home`. */
  #homeIn(tree: FileTree, home: string): string {
    const view = this.#tree.at(home);
    if (tree.at(home) !== undefined || view?.type !== "read") return home;
    return tree.withText(view.text) ?? home;
  }

  *#objectEvents(definitions: ReadonlyMap<ConfigId, Definition>): Iterable<SourceEvent> {
    for (const id of this.#changedIds(definitions)) {
      const before = this.#definitions.get(id)?.config;
      const config = definitions.get(id)?.config;
      const left = before && this.#collectionOf(before);
      const collection = config && this.#collectionOf(config);
      // An object with a new version may be in another collection, for example an Ingress.
      const moved = left !== collection;
      if (before !== undefined && left !== undefined && moved)
        yield { type: "deleted", collection: left, key: configKey(before) };
      if (config !== undefined && collection !== undefined && (moved || !before || !isSameConfig(before, config)))
        yield { type: "upserted", collection, config };
    }
  }

  /**
   * The changed objects, sorted. A new parse gives new objects with possibly equal content. Most objects are unchanged.
   */
  #changedIds(definitions: ReadonlyMap<ConfigId, Definition>): readonly ConfigId[] {
    const gone = this.#definitions.keys().filter((id) => !definitions.has(id));
    const changed = definitions.keys().filter((id) => {
      return definitions.get(id)?.config !== this.#definitions.get(id)?.config;
    });
    return [...gone, ...changed].toSorted();
  }

  *#issueEvents(issues: ReadonlyMap<string, readonly Issue[]>): Iterable<SourceEvent> {
    for (const part of [...new Set([...this.#issues.keys(), ...issues.keys()])].toSorted()) {
      const now = issues.get(part) ?? [];
      if (!deepEqual(now, this.#issues.get(part) ?? [])) yield { type: "issues", part, issues: now };
    }
  }
}

/** The file that keeps an object as it was, if there is one. */
function stay(tree: FileTree, { id, home }: { readonly id: ConfigId; readonly home: string }): string | undefined {
  const view = tree.at(home);
  const usable = tree.usable.get(id)?.at(-1);
  if (view !== undefined && holds(view, id) && (usable === undefined || compareTexts(usable.home, home) <= 0))
    return home;
  if (usable !== undefined) return undefined;
  const mayBeAnything = view?.type === "read" && view.parsed.unidentified;
  return tree.broken.get(id) ?? (mayBeAnything ? home : undefined);
}

function holds(view: FileView, id: ConfigId): boolean {
  return view.type === "unreadable" || view.parsed.broken.has(id);
}

function issuesIn(
  tree: FileTree,
  definitions: ReadonlyMap<ConfigId, Definition>,
): ReadonlyMap<string, readonly Issue[]> {
  const issues = new Map(Array.from(tree.views, ([path, view]) => [path, ownIssues(view)]));
  for (const usable of tree.usable.values()) {
    const winner = usable.at(-1);
    for (const { config, home } of usable.slice(0, -1)) {
      if (winner !== undefined)
        issues.get(home)?.push(duplicateIssue(config, { winner: winner.config, loser: config }));
    }
  }
  for (const { config, home } of definitions.values()) {
    if (isSubstitute(config)) issues.get(home)?.push(substituteIssue(config));
  }
  return new Map([...issues].filter(([, some]) => some.length > 0));
}

function ownIssues(view: FileView): Issue[] {
  return view.type === "unreadable" ? [view.issue] : [...view.parsed.issues];
}
