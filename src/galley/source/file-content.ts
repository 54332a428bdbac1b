import { type Config, type ConfigId, configId, configKey, isSameConfig } from "../../config/config.ts";
import type { Issue } from "../../config/issue.ts";
import type { ParsedFile } from "../../config/parse.ts";
import { compareTexts } from "../../lib/compare.ts";
import { deepEqual } from "../../lib/equal.ts";
import type { SourceEvent } from "./source.ts";

/** What one file says of one object. */
interface Definition {
  readonly id: ConfigId;
  readonly config: Config;
  readonly file: string;
  /**
   * Kept only because the file has a document of which nobody can tell what it was. It may as well have been taken
   * out of the file, so every real definition counts more.
   */
  readonly guessed: boolean;
}

interface FileState {
  readonly definitions: readonly Definition[];
  readonly issues: readonly Issue[];
}

/**
 * Who owns which object in a tree of files. All definitions of an object are remembered and the one of the last file
 * counts, so a document may move, a file be renamed, a copy be deleted, and the object never blinks. Nothing is lost
 * to a mistake: a document that became unusable goes on as it last was.
 */
export class FileContent {
  readonly #collectionOf: (config: Config) => string;
  readonly #files = new Map<string, FileState>();
  /** Per object, the definition that counts last. */
  readonly #definitions = new Map<ConfigId, readonly Definition[]>();
  readonly #said = new Map<ConfigId, Config>();
  readonly #saidIssues = new Map<string, readonly Issue[]>();
  readonly #touchedObjects = new Set<ConfigId>();
  readonly #touchedFiles = new Set<string>();

  constructor(collectionOf: (config: Config) => string) {
    this.#collectionOf = collectionOf;
  }

  get files(): readonly string[] {
    return [...this.#files.keys()];
  }

  replace(file: string, { configs, broken, issues }: ParsedFile): void {
    const definitions = new Map<ConfigId, Definition>();
    const named = new Set(broken.flatMap(({ key }) => (key === undefined ? [] : idOf(key))));
    const anyUnnamed = broken.some(({ key }) => key === undefined);
    for (const config of configs) definitions.set(idOf(config), { id: idOf(config), config, file, guessed: false });
    for (const earlier of this.#files.get(file)?.definitions ?? []) {
      if (named.has(earlier.id)) definitions.set(earlier.id, { ...earlier, guessed: false });
      else if (anyUnnamed && !definitions.has(earlier.id)) definitions.set(earlier.id, { ...earlier, guessed: true });
    }
    this.#put(file, { definitions: [...definitions.values()], issues });
  }

  /** The file is there but cannot be read: what it last said goes on. */
  keep(file: string, issue: Issue): void {
    this.#put(file, { definitions: this.#files.get(file)?.definitions ?? [], issues: [issue] });
  }

  remove(file: string): void {
    this.#put(file, { definitions: [], issues: [] });
    this.#files.delete(file);
  }

  /** What changed since the last call: at most one event per object, then one per file, each sorted. */
  takeEvents(): readonly SourceEvent[] {
    const objects = [...this.#touchedObjects].toSorted().flatMap((id) => this.#objectEvent(id) ?? []);
    const issues = [...this.#touchedFiles].toSorted().flatMap((file) => this.#issuesEvent(file) ?? []);
    this.#touchedObjects.clear();
    this.#touchedFiles.clear();
    return [...objects, ...issues];
  }

  #put(file: string, state: FileState): void {
    for (const { id } of this.#files.get(file)?.definitions ?? []) {
      this.#define(
        id,
        (this.#definitions.get(id) ?? []).filter((definition) => definition.file !== file),
      );
    }
    for (const definition of state.definitions) {
      this.#define(definition.id, [...(this.#definitions.get(definition.id) ?? []), definition]);
    }
    this.#files.set(file, state);
    this.#touchedFiles.add(file);
  }

  /** Whether one definition is a duplicate depends on the others, so all their files are touched. */
  #define(id: ConfigId, definitions: readonly Definition[]): void {
    this.#definitions.set(id, definitions.toSorted(byPrecedence));
    this.#touchedObjects.add(id);
    for (const { file } of definitions) this.#touchedFiles.add(file);
  }

  #objectEvent(id: ConfigId): SourceEvent | undefined {
    const said = this.#said.get(id);
    const config = this.#definitions.get(id)?.at(-1)?.config;
    if (config === undefined) {
      this.#definitions.delete(id);
      this.#said.delete(id);
      return said && { type: "deleted", collection: this.#collectionOf(said), key: configKey(said) };
    }
    if (said !== undefined && isSameConfig(said, config)) return undefined;
    this.#said.set(id, config);
    return { type: "upserted", collection: this.#collectionOf(config), config };
  }

  #issuesEvent(file: string): SourceEvent | undefined {
    const { definitions, issues } = this.#files.get(file) ?? { definitions: [], issues: [] };
    const all = [...issues, ...definitions.flatMap((definition) => this.#duplicate(definition) ?? [])];
    if (deepEqual(all, this.#saidIssues.get(file) ?? [])) return undefined;
    if (all.length > 0) this.#saidIssues.set(file, all);
    else this.#saidIssues.delete(file);
    return { type: "issues", part: file, issues: all };
  }

  #duplicate({ id, config, file, guessed }: Definition): Issue | undefined {
    const winner = this.#definitions.get(id)?.at(-1);
    if (winner === undefined || winner.file === file || guessed) return undefined;
    return {
      severity: "warning",
      code: "duplicate-object",
      object: `${config.kind} ${configKey(config)}`,
      path: "metadata.name",
      message: `defined twice: ${winner.config.origin.reference} wins over ${config.origin.reference}`,
      place: config.origin.locate("metadata.name"),
    };
  }
}

function idOf({ kind, namespace, name }: Pick<Config, "kind" | "namespace" | "name">): ConfigId {
  return configId(kind, namespace, name);
}

function byPrecedence(a: Definition, b: Definition): number {
  if (a.guessed !== b.guessed) return a.guessed ? -1 : 1;
  return compareTexts(a.file, b.file);
}
