import { hashText } from "../lib/hash.ts";
import { oncePer } from "../lib/memo.ts";
import type { Mode } from "../xds/mode.ts";
import { secretType } from "../xds/type-urls.ts";
import { readTypeUrl } from "../xds/wire/v2.ts";
import { scanFields } from "../xds/wire/wire-format.ts";
import { fieldHashes } from "./field-hashes.ts";
import type { SentMessage } from "./open-step.ts";
import type { ContentEntry, Contents, RecordedResponse } from "./step.ts";

/** A response in the form of the recording, and the contents that it refers to. */
export interface DescribedResponse {
  readonly response: RecordedResponse;
  readonly contents: readonly Contents[];
}

/** Reads a response from the bytes that left. */
export function describeResponse({ stream, mode, prefix, segments }: SentMessage): DescribedResponse {
  const texts = new Map<number, readonly string[]>();
  scanFields(prefix, (field, start, end) => {
    texts.set(field, [...(texts.get(field) ?? []), textIn(prefix, start, end)]);
  });
  const [version = ""] = texts.get(1) ?? [];
  const [typeUrl = ""] = texts.get(4) ?? [];
  const [nonce = ""] = texts.get(5) ?? [];
  const described = contentsOf(mode, segments);
  // The bytes of a Secret are not recorded, so they cannot be compared.
  const isSecret = readTypeUrl(typeUrl).typeUrl === secretType;
  const contents = isSecret ? described.map(namesOnly) : described;
  const removed = texts.get(6) ?? [];
  const ids = contents.map(({ id }) => id);
  return {
    response: {
      type: "response",
      stream,
      typeUrl,
      version: isSecret ? "" : version,
      nonce,
      removed,
      contents: ids,
    },
    contents,
  };
}

function namesOnly({ entries }: Contents): Contents {
  return withId(entries.map(({ name }) => ({ name, version: "", hash: "", fields: {} })));
}

function contentsOf(mode: Mode, segments: readonly Uint8Array[]): readonly Contents[] {
  const contents: Contents[] = [];
  for (let index = 0; index < segments.length; index++) {
    const segment = segments[index];
    if (segment === undefined) continue;
    const next = segments[index + 1];
    // A single resource of the delta protocol: its name and version, then bytes that both protocols share.
    if (mode === "delta" && next !== undefined && isHead(segment)) {
      contents.push(withId([{ ...namesIn(segment.subarray(headerLength(segment))), ...bodyFacts(next) }]));
      index += 1;
    } else contents.push(mode === "sotw" ? sotwContents(segment) : deltaContents(segment));
  }
  return contents;
}

const sotwContents = oncePer((segment: Uint8Array): Contents => {
  const entries: ContentEntry[] = [];
  scanFields(segment, (_field, start, end, tagStart) => {
    const name = firstText(valueIn(segment.subarray(start, end)));
    entries.push({ name, version: "", ...factsOf(segment.subarray(tagStart, end)) });
  });
  return withId(entries);
});

const deltaContents = oncePer((segment: Uint8Array): Contents => {
  const entries: ContentEntry[] = [];
  scanFields(segment, (_field, start, end) => {
    const resource = segment.subarray(start, end);
    let facts: Pick<ContentEntry, "hash" | "fields"> = { hash: "", fields: {} };
    scanFields(resource, (field, _start, bodyEnd, tagStart) => {
      if (field === 2) facts = factsOf(resource.subarray(tagStart, bodyEnd));
    });
    entries.push({ ...namesIn(resource), ...facts });
  });
  return withId(entries);
});

/** Of the bytes of one resource: tag, length, Any. */
const bodyFacts = oncePer((body: Uint8Array) => factsOf(body));

function factsOf(body: Uint8Array): Pick<ContentEntry, "hash" | "fields"> {
  return { hash: hashText(body), fields: fieldHashes(valueIn(body.subarray(headerLength(body)))) };
}

function namesIn(resource: Uint8Array): Pick<ContentEntry, "name" | "version"> {
  const names = { name: "", version: "" };
  scanFields(resource, (field, start, end) => {
    if (field === 1) names.version = textIn(resource, start, end);
    if (field === 3) names.name = textIn(resource, start, end);
  });
  return names;
}

/** The message in an Any. */
function valueIn(any: Uint8Array): Uint8Array {
  let value = new Uint8Array();
  scanFields(any, (field, start, end) => {
    if (field === 2) value = any.slice(start, end);
  });
  return value;
}

/** Field 1 is the name in every type of resources that has one. */
function firstText(message: Uint8Array): string {
  let text = "";
  scanFields(message, (field, start, end) => {
    if (field === 1 && text === "") text = textIn(message, start, end);
  });
  return text;
}

/** Whether a segment is the begin of a resource whose other bytes are in the next one. */
function isHead(segment: Uint8Array): boolean {
  const { length, header } = lengthOf(segment);
  return header + length > segment.length;
}

function headerLength(segment: Uint8Array): number {
  return lengthOf(segment).header;
}

/** The length of the first field and of its tag, which is one byte. */
function lengthOf(segment: Uint8Array): { readonly length: number; readonly header: number } {
  let length = 0;
  let at = 1;
  for (let shift = 0; ; shift += 7) {
    const byte = segment[at++] ?? 0;
    length += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { length, header: at };
  }
}

function withId(entries: readonly ContentEntry[]): Contents {
  const id = hashText(JSON.stringify(entries.map(({ name, version, hash }) => [name, version, hash])));
  return { id, entries };
}

function textIn(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("utf8");
}
