import { configKey } from "../config.ts";
import type { Message, Subject } from "./message.ts";

/** Messages that a user knows about and does not want to see. */
export interface Suppression {
  readonly code: string;
  /** `Kind namespace/name`, where `*` matches any text. */
  readonly origin: string;
}

/** Parses `CODE=Kind namespace/name`; undefined for any other form. */
export function readSuppression(text: string): Suppression | undefined {
  const { code, origin } = /^(?<code>[A-Z]+\d+)=(?<origin>.+)$/u.exec(text)?.groups ?? {};
  return code === undefined || origin === undefined ? undefined : { code, origin };
}

/** Annotation of the object itself: codes separated by commas, or `*` for all. */
const suppressAnnotation = "galley.istio.io/analyze-suppress";

/** Whether the object's annotation, or one of the suppressions, hides a message. */
export function isSuppressed({ type, subject }: Message, suppressions: readonly Suppression[]): boolean {
  if (subject === undefined) return false;
  const codes = new Set((subject.annotations[suppressAnnotation] ?? "").split(",").map((code) => code.trim()));
  if (codes.has("*") || codes.has(type.code)) return true;
  return suppressions.some(
    ({ code, origin }) => code === type.code && origins(subject).some((name) => fits(origin, name)),
  );
}

/** Whether a message concerns one of these namespaces. Messages without a namespace are always shown. */
export function isInNamespaces({ subject }: Message, namespaces: readonly string[]): boolean {
  return subject === undefined || subject.namespace === "" || namespaces.includes(subject.namespace);
}

/** Both notations of istioctl: today's, and the old `Kind name.namespace`. */
function origins(subject: Subject): readonly string[] {
  const { kind, namespace, name } = subject;
  return [`${kind} ${configKey(subject)}`, ...(namespace === "" ? [] : [`${kind} ${name}.${namespace}`])];
}

function fits(glob: string, text: string): boolean {
  const parts = glob.split("*").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`, "u").test(text);
}
