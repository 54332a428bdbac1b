import type { AdjustableScopes, ListedScope } from "../../admin/ctrlz/scopes.ts";
import type { Logger } from "../../lib/logger.ts";

/** From the most talkative to the quietest. */
const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** The log scopes of the process, each with its own level. */
const logScopes = {
  ca: "the certificate authority",
  default: "all other lines; also the level of scopes without their own level",
  injection: "proxies that are added to pods",
  mcp: "MCP sinks and remote Galleys",
  processing: "transformers, derivations and snapshots",
  source: "sources, accepted configuration and its issues",
  server: "components, listeners and pages",
  validation: "the admission webhook",
  xds: "proxies and pushes to them",
} as const satisfies Record<string, string>;

export type LogScope = keyof typeof logScopes;
const logScopeNames = Object.keys(logScopes) as readonly LogScope[];

export type LogLevels = Readonly<Partial<Record<LogScope, LogLevel>>>;

/** Reads `debug`, `xds:debug`, `xds:debug,default:warn`: a level without a scope is that of `default`. */
export function parseLogLevels(text: string): LogLevels | undefined {
  const levels: Partial<Record<LogScope, LogLevel>> = {};
  for (const part of text.split(",")) {
    const [first = "", second] = part.split(":", 2);
    const scope = second === undefined ? "default" : logScopeNames.find((name) => name === first.trim());
    const level = parseLogLevel((second ?? first).trim());
    if (scope === undefined || level === undefined) return undefined;
    levels[scope] = level;
  }
  return levels;
}

function parseLogLevel(text: unknown): LogLevel | undefined {
  return logLevels.find((level) => level === text);
}

/** Loggers by scope, over one that writes everything it is given. Levels change while they are used. */
export class LogScopes implements AdjustableScopes {
  readonly levels = logLevels;
  readonly #base: Logger;
  readonly #chosen: Map<LogScope, LogLevel>;

  constructor(base: Logger, levels: LogLevels) {
    this.#base = base;
    this.#chosen = new Map(Object.entries(levels) as [LogScope, LogLevel][]);
  }

  logger(scope: LogScope): Logger {
    const named = scope === "default" ? this.#base : this.#base.child({ scope });
    return filtered(named, (level) => logLevels.indexOf(level) >= logLevels.indexOf(this.#level(scope)));
  }

  #level(scope: LogScope): LogLevel {
    return this.#chosen.get(scope) ?? this.#chosen.get("default") ?? "info";
  }

  list(): readonly ListedScope[] {
    return logScopeNames.map((name) => ({ name, doc: logScopes[name], level: this.#level(name) }));
  }

  adjust(scope: string, level: unknown): string | undefined {
    const known = logScopeNames.find((name) => name === scope);
    if (known === undefined) return `expected one of ${logScopeNames.join(", ")}`;
    const wanted = parseLogLevel(level);
    if (wanted === undefined) return `expected one of ${logLevels.join(", ")}`;
    this.#chosen.set(known, wanted);
    return undefined;
  }
}

function filtered(logger: Logger, passes: (level: LogLevel) => boolean): Logger {
  const at = (level: "debug" | "info" | "warn" | "error") => (fields: object, message: string) => {
    if (passes(level)) logger[level](fields, message);
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => filtered(logger.child(fields), passes),
  };
}
