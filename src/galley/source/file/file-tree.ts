import { sep } from "node:path";
import { type Config, type ConfigId, configId } from "../../../config/config.ts";
import type { Issue } from "../../../config/issue.ts";
import type { ParsedFile } from "../../../config/parse/parse.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { oncePer } from "../../../lib/memo.ts";

/** The result of a look at one path. */
export type FileView =
  | {
      readonly type: "read";
      readonly text: string;
      readonly parsed: ParsedFile;
      /** Objects of the file that did not fit into memory. They are not in `parsed`. */
      readonly leftOut: number;
    }
  /** A file, or a folder with all its possible contents. `mayPass`: it may become readable without a change. */
  | { readonly type: "unreadable"; readonly issue: Issue; readonly mayPass: boolean };

/** An object, and the file that defines it. */
export interface Definition {
  readonly config: Config;
  readonly home: string;
}

/** A tree of files as it was at one moment, by path. */
export class FileTree {
  readonly views: ReadonlyMap<string, FileView>;
  /** Usable documents, by object. The document of the last file by path counts. */
  readonly usable: ReadonlyMap<ConfigId, readonly Definition[]>;
  /** The objects that unusable documents name, each with the last file that has such a document. */
  readonly broken: ReadonlyMap<ConfigId, string>;
  /** The objects that replace unusable documents without an earlier version. */
  readonly substitutes: ReadonlyMap<ConfigId, Definition>;
  /** Includes unreadable files, because their type is unknown. */
  readonly #closedFolders: readonly string[];
  #pathByText: ReadonlyMap<string, string> | undefined;

  constructor(views: Iterable<readonly [path: string, view: FileView]>) {
    this.views = new Map([...views].toSorted(([a], [b]) => compareTexts(a, b)));
    const usable = new Map<ConfigId, Definition[]>();
    const broken = new Map<ConfigId, string>();
    const substitutes = new Map<ConfigId, Definition>();
    for (const [home, view] of this.views) {
      if (view.type === "unreadable") continue;
      for (const [id, config] of identified(view.parsed)) {
        const definitions = usable.get(id);
        if (definitions === undefined) usable.set(id, [{ config, home }]);
        else definitions.push({ config, home });
      }
      for (const id of view.parsed.broken) broken.set(id, home);
      for (const [id, config] of view.parsed.substitutes) substitutes.set(id, { config, home });
    }
    this.usable = usable;
    this.broken = broken;
    this.substitutes = substitutes;
    this.#closedFolders = [...this.views].flatMap(([path, { type }]) => (type === "unreadable" ? path : []));
  }

  /** The view of this path, or of the unreadable folder that may contain it. */
  at(path: string): FileView | undefined {
    const folder = this.#closedFolders.find((above) => path.startsWith(above + sep));
    return this.views.get(path) ?? this.views.get(folder ?? "");
  }

  /** A file with this text. */
  withText(text: string): string | undefined {
    this.#pathByText ??= new Map(
      [...this.views].flatMap(([path, view]) => (view.type === "read" ? [[view.text, path] as const] : [])),
    );
    return this.#pathByText.get(text);
  }
}

/** The objects of a file with their ids. Cached, because most files do not change between looks. */
const identified = oncePer(({ configs }: ParsedFile) =>
  configs.map((config) => [configId(config.kind, config.namespace, config.name), config] as const),
);
