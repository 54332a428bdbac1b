import { parseDuration } from "../../config/grammar/duration.ts";
import { parseAddress } from "../../transport/listen-address.ts";
import { type LogLevels, parseLogLevels } from "../log/log-scopes.ts";

/** Parses the texts of an option; undefined if they are invalid. For a repeated option, the last text counts. */
export interface ValueType<T> {
  /** Placeholder of the value in `--help`; empty for a switch, whose flag takes no value. */
  readonly placeholder: string;
  /** Completes "expected …". */
  readonly expected: string;
  parse(texts: readonly string[]): T | undefined;
}

export function singleText(placeholder: string): ValueType<string> {
  return { placeholder, expected: "a text", parse: (texts) => texts.at(-1) };
}

function list(placeholder: string): ValueType<readonly string[]> {
  return { placeholder, expected: "texts", parse: (texts) => texts };
}

export const address: ValueType<string> = {
  placeholder: "ADDR",
  expected: "HOST:PORT, :PORT or off",
  parse(texts) {
    const last = texts.at(-1) ?? "";
    return parseAddress(last) === undefined ? undefined : last;
  },
};

export const durationMs: ValueType<number> = {
  placeholder: "DURATION",
  expected: "a duration such as 250ms, 5s or 1m",
  parse(texts) {
    const nanos = parseDuration(texts.at(-1) ?? "");
    return nanos === undefined || nanos < 0n ? undefined : Number(nanos) / 1_000_000;
  },
};

/** The duration of a repeated action, so never zero. */
export const periodMs: ValueType<number> = {
  ...durationMs,
  expected: "a duration above zero, such as 250ms, 5s or 1m",
  parse: (texts) => durationMs.parse(texts) || undefined,
};

/** As in the variables of OpenTelemetry: a number alone is in milliseconds. Never zero. */
export const millisecondsOrDuration: ValueType<number> = {
  ...periodMs,
  expected: "a number of milliseconds above zero, or a duration such as 5s or 1m",
  parse: ([...given]) => periodMs.parse(given.map((text) => (/^\d{1,15}$/u.test(text) ? `${text}ms` : text))),
};

/** The fetch of Node takes no user and password from a URL. */
export const collectorUrl: ValueType<string> = {
  placeholder: "URL",
  expected: "an http: or https: URL without user, password, query and fragment, or off",
  parse(texts) {
    const last = texts.at(-1) ?? "";
    if (last === "off") return last;
    const url = URL.parse(last);
    if (url === null || !["http:", "https:"].includes(url.protocol)) return undefined;
    return url.username + url.password + url.search + url.hash === "" ? last : undefined;
  },
};

export const count: ValueType<number> = {
  placeholder: "N",
  expected: "a whole number, 0 or more",
  parse(texts) {
    const last = texts.at(-1) ?? "";
    return /^\d{1,15}$/u.test(last) ? Number(last) : undefined;
  },
};

export function oneOf<T extends string>(choices: readonly T[]): ValueType<T> {
  return {
    placeholder: choices.join("|"),
    expected: `one of ${choices.join(", ")}`,
    parse: (texts) => choices.find((choice) => choice === texts.at(-1)),
  };
}

/** A flag without a value. In variables and files it is `true` or `false`. */
export const switched: ValueType<boolean> = {
  placeholder: "",
  expected: "true or false",
  parse(texts) {
    const last = texts.at(-1);
    return last === "true" ? true : last === "false" ? false : undefined;
  },
};

/** For options that are on by default, which a flag without a value could not turn off. */
export const onOff: ValueType<boolean> = {
  placeholder: "on|off",
  expected: "on or off",
  parse(texts) {
    const last = texts.at(-1) ?? "";
    return ["on", "true"].includes(last) ? true : ["off", "false"].includes(last) ? false : undefined;
  },
};

/** Takes several texts, as repeated flags or separated by commas. */
export function texts(placeholder: string): ValueType<readonly string[]> {
  return {
    placeholder,
    expected: "texts",
    parse: (given) => given.flatMap((text) => text.split(",")).map((text) => text.trim()),
  };
}

export const kindNames: ValueType<readonly string[]> = { ...texts("KIND"), expected: "names of kinds" };

/** If repeated, later levels add to earlier ones. */
export const scopedLevels: ValueType<LogLevels> = {
  placeholder: "LEVEL",
  expected: "a level, or SCOPE:LEVEL such as xds:debug,default:info",
  parse: (texts) => parseLogLevels(texts.join(",")),
};

/** `off` must be the only text, and gives an empty list. */
export const sourceUrls: ValueType<readonly string[]> = {
  ...list("URL"),
  expected: "URLs, or off alone",
  parse(texts) {
    if (!texts.includes("off")) return texts;
    return texts.length === 1 ? [] : undefined;
  },
};
