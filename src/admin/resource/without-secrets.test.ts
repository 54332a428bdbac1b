import { create, createRegistry, type DescMessage, type MessageShape, toJson } from "@bufbuild/protobuf";
import { type Any, AnySchema, anyPack } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { WasmSchema } from "#gen/envoy/extensions/filters/http/wasm/v3/wasm_pb.js";
import { SecretSchema } from "#gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.js";
import { DownstreamTlsContextSchema } from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";
import { withoutSecrets } from "./without-secrets.ts";

const registry = createRegistry(WasmSchema, SecretSchema, ListenerSchema, DownstreamTlsContextSchema);

function shown<S extends DescMessage>(schema: S, message: MessageShape<S>): unknown {
  return jsonOf(withoutSecrets(anyPack(schema, message), registry));
}

function jsonOf(any: Any): unknown {
  return toJson(AnySchema, any, { registry, useProtoFieldName: true });
}

const keyPair = {
  certificateChain: { specifier: { case: "inlineString" as const, value: "CERTIFICATE" } },
  privateKey: { specifier: { case: "inlineString" as const, value: "TOP SECRET" } },
  password: { specifier: { case: "inlineBytes" as const, value: Buffer.from("TOP SECRET") } },
};

describe("a message without its secrets", () => {
  test("has no private key and no password, and everything else", () => {
    const secret = create(SecretSchema, { name: "server", type: { case: "tlsCertificate", value: keyPair } });
    expect(shown(SecretSchema, secret)).toEqual({
      "@type": "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret",
      name: "server",
      tls_certificate: {
        certificate_chain: { inline_string: "CERTIFICATE" },
        private_key: { inline_string: "[redacted]" },
        password: { inline_bytes: Buffer.from("[redacted]").toString("base64") },
      },
    });
  });

  test("has no inline secret, and no session keys", () => {
    const generic = { case: "genericSecret", value: { secret: keyPair.privateKey } } as const;
    expect(JSON.stringify(shown(SecretSchema, create(SecretSchema, { type: generic })))).not.toContain("TOP SECRET");
    const session = { case: "sessionTicketKeys" as const, value: { keys: [keyPair.privateKey, keyPair.privateKey] } };
    expect(shown(SecretSchema, create(SecretSchema, { type: session }))).toMatchObject({
      session_ticket_keys: { keys: [{ inline_string: "[redacted]" }, { inline_string: "[redacted]" }] },
    });
  });

  test("has no pull secret of a module, and every other variable", () => {
    const keyValues = { A: "1", ISTIO_META_WASM_IMAGE_PULL_SECRET: "TOP SECRET" };
    const value = { environmentVariables: { keyValues, hostEnvKeys: ["B"] } };
    const wasm = create(WasmSchema, { config: { vm: { case: "vmConfig", value } } });
    expect(shown(WasmSchema, wasm)).toMatchObject({
      config: {
        vm_config: {
          environment_variables: {
            key_values: { A: "1", ISTIO_META_WASM_IMAGE_PULL_SECRET: "[redacted]" },
            host_env_keys: ["B"],
          },
        },
      },
    });
  });

  test("has no secret in nested messages either", () => {
    const context = create(DownstreamTlsContextSchema, { commonTlsContext: { tlsCertificates: [keyPair] } });
    const typedConfig = anyPack(DownstreamTlsContextSchema, context);
    const listener = create(ListenerSchema, {
      name: "edge",
      filterChains: [{ transportSocket: { name: "tls", configType: { case: "typedConfig", value: typedConfig } } }],
    });
    const text = JSON.stringify(shown(ListenerSchema, listener));
    expect(text).toContain('"certificate_chain":{"inline_string":"CERTIFICATE"}');
    expect(text).toContain('"private_key":{"inline_string":"[redacted]"}');
    expect(text).not.toContain("TOP SECRET");
    // The one that is served is as it was.
    expect(JSON.stringify(jsonOf(anyPack(ListenerSchema, listener)))).toContain("TOP SECRET");
  });

  test("of an unknown type keeps only its name", () => {
    const unknown = create(AnySchema, {
      typeUrl: "type.googleapis.com/no.such.Type",
      value: Buffer.from("TOP SECRET"),
    });
    expect(withoutSecrets(unknown, registry)).toMatchObject({ typeUrl: unknown.typeUrl, value: new Uint8Array() });
  });
});
