import { type Config, configKey, type SourceLocation } from "../config.ts";

/** Most urgent first. */
export const levels = ["Error", "Warning", "Info"] as const;
export type Level = (typeof levels)[number];

/**
 * One row of the table in `messages.ts`. Codes and names are Istio's, so that suppressions and documentation stay
 * valid.
 */
export interface MessageType<Template extends string = string> {
  readonly code: string;
  readonly name: string;
  readonly level: Level;
  /** A sentence with `{parameters}`. */
  readonly template: Template;
}

/** The names in braces of a template. */
export type ParameterOf<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

export type Parameters<Template extends string = string> = Readonly<Record<ParameterOf<Template>, string | number>>;

/** The object of a message. */
export interface Subject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly locate: (path: string) => SourceLocation | undefined;
  /** The source of the object and the analysed version, if known. */
  readonly source?: string;
  readonly version?: string;
}

/** One finding of an analysis. */
export interface Message {
  readonly type: MessageType;
  readonly text: string;
  /** Absent if the message concerns no particular object. */
  readonly subject: Subject | undefined;
  /** The field, as in `spec.gateways[0]`; "" for the whole object. */
  readonly path: string;
}

export function subjectOf({ kind, namespace, name, annotations, origin, version }: Config): Subject {
  const { source } = origin;
  return { kind, namespace, name, annotations, locate: (path) => origin.locate(path), source, version };
}

/** Largest length of a parameter in a message. Texts of users may be as long as a file. */
const maxParameterLength = 1_000;

export function fillIn(template: string, parameters: Readonly<Record<string, string | number>>): string {
  return template.replaceAll(/\{(?<name>\w+)\}/gu, (_, name: string) => shortened(String(parameters[name] ?? "")));
}

function shortened(text: string): string {
  return text.length <= maxParameterLength ? text : `${text.slice(0, maxParameterLength)}…`;
}

/** `Kind namespace/name`, or "" for a message without an object. */
export function subjectText({ subject }: Message): string {
  return subject === undefined ? "" : `${subject.kind} ${configKey(subject)}`.trim();
}

export function messageLocation({ subject, path }: Message): SourceLocation | undefined {
  return subject?.locate(path);
}

/** `file:line` of the exact field; "" if unknown. */
function referenceOf(message: Message): string {
  const place = messageLocation(message);
  return place === undefined ? "" : `${place.file}:${place.line}`;
}

/** The page where Istio explains the code. */
export function documentationUrl({ code }: MessageType): string {
  return `https://istio.io/latest/docs/reference/config/analysis/${code.toLowerCase()}/`;
}

/** One line, as istioctl prints it: `Error [IST0101] (Gateway shop/main mesh/gateway.yaml:7) …`. */
export function messageLine(message: Message): string {
  const { type, text } = message;
  const about = [subjectText(message), referenceOf(message)].filter((part) => part !== "").join(" ");
  return `${type.level} [${type.code}]${about === "" ? "" : ` (${about})`} ${text}`;
}

/** A message as istioctl writes it to JSON. */
export interface MessageJson {
  readonly code: string;
  readonly level: Level;
  readonly origin: string;
  readonly message: string;
  readonly reference: string;
  readonly documentationUrl: string;
}

export function messageJson(message: Message): MessageJson {
  return {
    code: message.type.code,
    level: message.type.level,
    origin: subjectText(message),
    message: message.text,
    reference: referenceOf(message),
    documentationUrl: documentationUrl(message.type),
  };
}

/** Whether a message is at least as urgent as a level. */
export function reaches({ type }: Message, level: Level): boolean {
  return levels.indexOf(type.level) <= levels.indexOf(level);
}
