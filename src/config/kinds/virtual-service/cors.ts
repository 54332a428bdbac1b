import type { CorsPolicy } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { fieldPath } from "../../field-path.ts";
import { errorUnless, type Finding } from "../../finding.ts";
import { durationToMs } from "../../grammar/duration.ts";
import { isWildcardDomain } from "../../grammar/names.ts";
import { envoyDuration } from "../../rules/amount.ts";
import { headerName } from "../../rules/headers.ts";
import { portNumber } from "../../rules/port.ts";
import { stringMatch } from "../../rules/string-match.ts";
import { someText } from "../../rules/text.ts";

const methods: ReadonlySet<string> = new Set("GET HEAD POST PUT PATCH DELETE CONNECT OPTIONS TRACE *".split(" "));

export function corsPolicy(cors: CorsPolicy | undefined, path: string): readonly Finding[] {
  if (cors === undefined) return [];
  return [
    ...cors.allowOrigin.flatMap((origin, index) => plainOrigin(origin, fieldPath(path, "allowOrigin", index))),
    ...cors.allowOrigins.flatMap((origin, index) => {
      const at = fieldPath(path, "allowOrigins", index);
      const { case: type, value = "" } = origin.matchType;
      return type === "regex" ? stringMatch(origin, at) : someText(value, at, "the origin");
    }),
    ...cors.allowMethods.flatMap((method, index) =>
      errorUnless(methods.has(method), fieldPath(path, "allowMethods", index), {
        code: "unknown-value",
        message: `"${method}" is not an HTTP method`,
      }),
    ),
    ...cors.allowHeaders.flatMap((name, index) => headerName(name, fieldPath(path, "allowHeaders", index))),
    ...cors.exposeHeaders.flatMap((name, index) => headerName(name, fieldPath(path, "exposeHeaders", index))),
    ...maxAge(cors, `${path}.maxAge`),
  ];
}

/** The older form of `allowOrigins`: a host, with an optional scheme and port. */
function plainOrigin(origin: string, path: string): readonly Finding[] {
  const parts = /^(?:https?:\/\/)?(?<host>[^:/]+)(?::(?<port>\d{1,5}))?$/u.exec(origin)?.groups;
  const isHost = parts !== undefined && isWildcardDomain(parts["host"] ?? "");
  const isPort = parts?.["port"] === undefined || portNumber(Number(parts["port"]), path).length === 0;
  return errorUnless(origin === "*" || (isHost && isPort), path, {
    code: "bad-origin",
    message: `"${origin}" is not an origin`,
    hint: "write * or https://host:port",
  });
}

/** Browsers count in seconds. */
function maxAge({ maxAge }: CorsPolicy, path: string): readonly Finding[] {
  const ms = maxAge === undefined ? 1000 : durationToMs(maxAge);
  return [
    ...errorUnless(ms >= 1000 && ms % 1000 === 0, path, {
      code: "bad-duration",
      message: `expected whole seconds, at least one, found ${ms}ms`,
    }),
    ...envoyDuration(maxAge, path),
  ];
}
