import { EnvValueSource, type EnvVar, type VmConfig } from "#gen/istio/extensions/v1alpha1/wasm_pb.js";
import { fieldPath } from "../field-path.ts";
import { error, errorUnless, type Finding } from "../finding.ts";
import { isStrictUrl } from "../grammar/url.ts";
import { someText } from "./text.ts";
import { unique } from "./unique.ts";

/** The source of a module, and its runtime settings. */
interface Module {
  readonly url: string;
  readonly sha256: string;
  readonly imagePullSecret: string;
  readonly pluginName: string;
  readonly vmConfig?: VmConfig | undefined;
}

export function wasmModule(module: Module, path: string): readonly Finding[] {
  return [
    ...moduleUrl(module.url, `${path}.url`),
    ...errorUnless(module.sha256 === "" || /^[a-f0-9]{64}$/u.test(module.sha256), `${path}.sha256`, {
      code: "bad-checksum",
      message: "a checksum has 64 hexadecimal digits, in lower case",
    }),
    ...atMost(module.imagePullSecret, 253, `${path}.imagePullSecret`),
    ...atMost(module.pluginName, 256, `${path}.pluginName`),
    ...environment(module.vmConfig, `${path}.vmConfig.env`),
  ];
}

const schemes = new Set(["http:", "https:", "file:", "oci:"]);

/** A URL without a scheme is an OCI image. */
function moduleUrl(url: string, path: string): readonly Finding[] {
  if (url === "") return [error(path, { code: "missing-value", message: "the URL of the module is missing" })];
  return errorUnless(leadsSomewhere(startsWithScheme.test(url) ? url : `oci://${url}`), path, {
    code: "bad-url",
    message: `"${url}" is not the URL of a module`,
    hint: "start it with oci://, https://, http:// or file://",
  });
}

/** The host of an image with a port looks like a scheme: `registry:5000/a` needs `oci://` before it. */
const startsWithScheme = /^[a-z][a-z\d+.-]*:/iu;

const fragmentInHost = /^[^/?]*:\/\/[^/?]*#/u;

function leadsSomewhere(url: string): boolean {
  if (!isStrictUrl(url) || fragmentInHost.test(url)) return false;
  const { protocol, host } = new URL(url);
  return schemes.has(protocol) && (protocol === "file:" || host !== "");
}

function atMost(text: string, length: number, path: string): readonly Finding[] {
  const message = `at most ${length} characters are allowed`;
  return errorUnless(text.length <= length, path, { code: "too-long", message });
}

function environment(config: VmConfig | undefined, path: string): readonly Finding[] {
  const variables = config?.env ?? [];
  return [
    ...variables.flatMap((value, index) => variable(value, fieldPath(path, index))),
    ...unique(variables, path, { what: "the variable", field: ["name"], valueOf: ({ name }) => name || undefined }),
  ];
}

function variable({ name, value, valueFrom }: EnvVar, path: string): readonly Finding[] {
  return [
    ...someText(name, `${path}.name`, "the name of a variable"),
    ...atMost(name, 256, `${path}.name`),
    ...atMost(value, 2048, `${path}.value`),
    ...errorUnless(valueFrom !== EnvValueSource.HOST || value === "", `${path}.value`, {
      code: "conflicting-fields",
      message: "a variable with valueFrom HOST cannot have a value",
    }),
  ];
}
