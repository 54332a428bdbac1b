import { isCidr } from "../config/grammar/address.ts";
import { isMapping } from "../lib/is-mapping.ts";
import { parseJson } from "../lib/parse-json.ts";

/** Why a value cannot be used; undefined if it can. */
export type AnnotationCheck = (value: string) => string | undefined;

function expected(what: string, holds: (value: string) => boolean): AnnotationCheck {
  return (value) => (holds(value) ? undefined : `expected ${what}, found ${JSON.stringify(value.slice(0, 100))}`);
}

function listOf(isItem: (item: string) => boolean): (value: string) => boolean {
  return (value) => value.trim() === "" || value.split(",").every((item) => isItem(item.trim()));
}

/** The spellings of Go, which Istio's documents use. */
const booleans = new Set(["1", "t", "T", "TRUE", "true", "True", "0", "f", "F", "FALSE", "false", "False"]);
const truths = new Set(["1", "t", "T", "TRUE", "true", "True"]);

export function isTrue(value: string): boolean {
  return truths.has(value);
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/u.test(text) && Number(text) <= 65_535;
}

/** A name of a network interface in Linux. */
function isInterface(text: string): boolean {
  return /^[^\s/,:]{1,15}$/u.test(text) && text !== "." && text !== "..";
}

const quantity = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[numkMGTPE]|[KMGTPE]i|[eE][+-]?\d+)?$/u;

export const boolean = expected("true or false", (value) => booleans.has(value));
export const mode = expected("REDIRECT, TPROXY or NONE", (value) => ["REDIRECT", "TPROXY", "NONE"].includes(value));
export const port = expected("a port number, or 0", isPort);
export const count = expected("a whole number", (value) => /^\d{1,10}$/u.test(value) && Number(value) < 2 ** 32);
export const ports = expected("port numbers, separated by commas", listOf(isPort));
export const portsOrAll = expected(
  "port numbers, separated by commas, or *",
  (value) => value === "*" || listOf(isPort)(value),
);
export const ranges = expected("CIDR blocks, separated by commas", listOf(isCidr));
export const rangesOrAll = expected(
  "CIDR blocks, separated by commas, or *",
  (value) => value === "*" || listOf(isCidr)(value),
);
export const interfaces = expected("names of network interfaces, separated by commas", listOf(isInterface));
export const amount = expected("a quantity such as 100m or 128Mi", (value) => quantity.test(value));
export const jsonOfMappings = expected("a JSON object of objects", (value) => {
  const parsed = parseJson(value);
  return isMapping(parsed) && Object.values(parsed).every(isMapping);
});
/** A value that becomes part of a command or of an image's name. */
export const word = expected("a text without spaces", (value) => /^[^\s\p{Cc}]*$/u.test(value));
