import type { Message } from "@bufbuild/protobuf";
import { type Config, configId, configKey } from "./config.ts";
import type { Issue } from "./issue.ts";
import type { Kind } from "./kind.ts";
import { type ObjectContext, type ObjectKey, parseObject } from "./parse-object.ts";
import { isMapping, objectsOf } from "./raw-object.ts";
import { parseDocuments, type YamlDocument } from "./yaml.ts";

export interface ParseInput {
  readonly text: string;
  /** The name of the file for places, as the user wrote it. */
  readonly file: string;
  /** The name of the source, for origins. */
  readonly source: string;
  /** The kinds to take; objects of others are reported as a warning and ignored. */
  readonly kinds: readonly Kind[];
  /** For objects that name no namespace. */
  readonly defaultNamespace: string;
}

/** Something that was in the file but could not be used. Whoever holds its last good version may keep that. */
interface BrokenDocument {
  /** Which object it is, if that could be told. */
  readonly key: ObjectKey | undefined;
  /** The document within the file, counted from 0, empty ones left out. */
  readonly index: number;
}

export interface ParsedFile {
  /** In file order, at most one per object. */
  readonly configs: readonly Config<Message>[];
  readonly issues: readonly Issue[];
  readonly broken: readonly BrokenDocument[];
}

/**
 * Reads the configuration objects of one file. Never throws. An object or document with an error yields no config,
 * an entry in `broken`, and issues with their places; its neighbours are not touched by it.
 */
export function parseConfigs(input: ParseInput): ParsedFile {
  const configs = new Map<string, Config<Message>>();
  const issues: Issue[] = [];
  const broken: BrokenDocument[] = [];
  for (const [index, document] of parseDocuments(input.text, input.file).entries()) {
    const parsed = parseDocument(document, input);
    issues.push(...parsed.issues);
    broken.push(...parsed.brokenKeys.map((key) => ({ key, index })));
    for (const config of parsed.configs) {
      const id = configId(config.kind, config.namespace, config.name);
      const earlier = configs.get(id);
      if (earlier !== undefined) issues.push(duplicateIssue(earlier, config));
      // Deleted first, so that the order of the map is the order of the winners.
      configs.delete(id);
      configs.set(id, config);
    }
  }
  return { configs: [...configs.values()], issues, broken };
}

interface ParsedDocument {
  readonly configs: readonly Config<Message>[];
  readonly issues: readonly Issue[];
  readonly brokenKeys: readonly (ObjectKey | undefined)[];
}

function parseDocument(document: YamlDocument, input: ParseInput): ParsedDocument {
  const syntax = [...document.issues];
  if (!isMapping(document.value) && syntax.length === 0) syntax.push(notAMapping(document));
  const readable = !syntax.some(({ severity }) => severity === "error");
  const context: ObjectContext = { ...input, readable };
  const objects = objectsOf(document).map((object) => parseObject(object, context));
  if (objects.length === 0 && !readable) return { configs: [], issues: syntax, brokenKeys: [undefined] };
  return {
    configs: objects.flatMap(({ config }) => config ?? []),
    issues: [...syntax, ...objects.flatMap((object) => object.issues)],
    brokenKeys: objects.filter((object) => object.broken).map(({ key }) => key),
  };
}

function notAMapping({ locate }: YamlDocument): Issue {
  const message = "a document must be a mapping with apiVersion, kind, metadata and spec";
  return { severity: "error", code: "not-a-mapping", object: "", path: "", message, place: locate("") };
}

function duplicateIssue(earlier: Config, later: Config): Issue {
  return {
    severity: "warning",
    code: "duplicate-object",
    object: `${later.kind} ${configKey(later)}`,
    path: "metadata.name",
    message: `defined twice: ${later.origin.reference} wins over ${earlier.origin.reference}`,
    place: later.origin.locate("metadata.name"),
  };
}
