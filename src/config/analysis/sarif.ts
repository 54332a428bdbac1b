import {
  documentationUrl,
  type Level,
  type Message,
  type MessageType,
  messageLocation,
  subjectText,
} from "./message.ts";
import { messageTypes } from "./messages.ts";

export interface SarifOptions {
  /** The version of Binnacle. */
  readonly version: string;
}

const levels: Readonly<Record<Level, "error" | "warning" | "note">> = {
  Error: "error",
  Warning: "warning",
  Info: "note",
};

/** Messages as SARIF 2.1.0. Code hosts and editors show them beside the lines. */
export function sarifOf(messages: readonly Message[], { version }: SarifOptions): unknown {
  const rules = messageTypes.filter((type) => messages.some((message) => message.type === type));
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "binnacle", version, rules: rules.map(ruleOf) } },
        columnKind: "utf16CodeUnits",
        results: messages.map((message) => resultOf(message, rules.indexOf(message.type))),
      },
    ],
  };
}

function ruleOf(type: MessageType) {
  return {
    id: type.code,
    name: type.name,
    shortDescription: { text: type.name },
    fullDescription: { text: type.template },
    helpUri: documentationUrl(type),
    defaultConfiguration: { level: levels[type.level] },
  };
}

function resultOf(message: Message, ruleIndex: number) {
  const place = messageLocation(message);
  const origin = subjectText(message);
  const location = {
    ...(place !== undefined && {
      physicalLocation: {
        artifactLocation: { uri: uriOf(place.file) },
        region: { startLine: place.line, startColumn: place.column },
      },
    }),
    ...(origin !== "" && { logicalLocations: [{ fullyQualifiedName: origin, kind: "resource" }] }),
  };
  return {
    ruleId: message.type.code,
    ruleIndex,
    level: levels[message.type.level],
    message: { text: origin === "" ? message.text : `${origin}: ${message.text}` },
    locations: Object.keys(location).length === 0 ? [] : [location],
  };
}

/** Relative paths stay relative, so that a report fits every checkout. */
function uriOf(file: string): string {
  const path = file
    .split("/")
    .map(encodeURIComponent)
    .join("/")
    .replace(/^(?:\.\/)+/u, "");
  return path.startsWith("/") ? `file://${path}` : path;
}
