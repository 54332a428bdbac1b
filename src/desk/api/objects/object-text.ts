import type { Config, ConfigId } from "../../../config/config.ts";
import { kindOf, kinds } from "../../../config/kinds.ts";
import { parseDocument } from "../../../config/parse/parse-document.ts";
import { splitList } from "../../../config/parse/parse-list.ts";
import { isList } from "../../../config/parse/raw-object.ts";
import { specJson } from "../../../config/spec-json.ts";
import { type Slice, splitDocuments } from "../../../config/yaml/split.ts";
import { toYaml } from "../../../config/yaml/to-yaml.ts";
import { readDocument } from "../../../config/yaml/yaml.ts";
import { isMapping } from "../../../lib/is-mapping.ts";
import { kindNameOf } from "../../../pilot/model/config-id.ts";

/** The text of one object. */
export interface ObjectText {
  readonly yaml: string;
  readonly firstLine: number;
  readonly written: boolean;
}

/** The text of the accepted object: as its author wrote it, or printed. */
export function acceptedText(config: Config): ObjectText {
  const written = writtenText(config);
  if (written !== undefined) {
    const { text, line } = trimmed({ text: written, line: textLine(config) });
    return { yaml: text, firstLine: line, written: true };
  }
  return { yaml: `${toYaml(printable(config))}\n`, firstLine: 1, written: false };
}

/** Undefined without a text, and for a text that holds further objects, which the viewer may not be allowed to see. */
function writtenText({ origin: { text } }: Config): string | undefined {
  if (text === undefined) return undefined;
  return isList(readDocument({ text, line: 1 }, "")?.value) ? undefined : text;
}

/** The line of the file at which the text of the object begins: comments before its first field are part of it. */
function textLine({ origin }: Config): number {
  const start = origin.locate("")?.line ?? 1;
  const within = readDocument({ text: origin.text ?? "", line: 1 }, "")?.locate("").line ?? 1;
  return start - within + 1;
}

/** Without the marker and blank lines at its start and end. */
function trimmed({ text, line }: Slice): Slice {
  const [lead = ""] = /^(?:---[ \t]*\r?\n|[ \t]*\r?\n)*/u.exec(text) ?? [];
  return { text: `${text.slice(lead.length).trimEnd()}\n`, line: line + lead.split("\n").length - 1 };
}

/** An object without a text, and every Secret, whose values the server has sealed. Its annotations may repeat them. */
function printable(config: Config): unknown {
  const { apiVersion, kind, name, namespace, labels, annotations } = config;
  const row = kindOf(apiVersion, kind);
  const isSealed = row?.seal !== undefined;
  const metadata = {
    name,
    ...(namespace !== "" && { namespace }),
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(!isSealed && Object.keys(annotations).length > 0 && { annotations }),
  };
  const body = row === undefined ? {} : specJson(config, row.schema);
  const content = isSealed ? withoutValues(body) : body;
  return { apiVersion, kind, metadata, ...(row?.body === "object" ? withoutIdentity(content) : { spec: content }) };
}

/** The metadata of the message is printed already. */
function withoutIdentity(body: unknown): object {
  if (!isMapping(body)) return {};
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...rest } = body;
  return rest;
}

/** The names of the parts of a Secret stay. */
function withoutValues(body: unknown): unknown {
  if (!isMapping(body)) return {};
  const { data, type } = body;
  const names = isMapping(data) ? Object.keys(data) : [];
  return { type, data: Object.fromEntries(names.map((name) => [name, "(hidden)"])) };
}

/**
 * The document of an object in the newest text of its file, at a line of an issue. Undefined if another object is there,
 * if the object cannot be recognised, and for a Secret: then nobody can tell whether the text is public.
 */
export function newestDocument(file: string, text: string, line: number, id: ConfigId): ObjectText | undefined {
  if (kinds.some((row) => row.seal !== undefined && row.kind === kindNameOf(id))) return undefined;
  const slice = slicesOf(text).findLast((each) => each.line <= line);
  if (slice === undefined) return undefined;
  const { objects } = parseDocument(slice, { file, source: "", kinds, defaultNamespace: "default" });
  const [only, ...others] = objects;
  if (only?.id !== id || others.length > 0) return undefined;
  const { text: yaml, line: firstLine } = trimmed(slice);
  return { yaml, firstLine, written: true };
}

function slicesOf(text: string): readonly Slice[] {
  return [...splitDocuments(text)].flatMap((slice) => splitList(slice) ?? [slice]);
}
